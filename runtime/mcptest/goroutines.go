package mcptest

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// A family is a goroutine and all goroutines that it and they start. They are recognized by a profiler label with
// this name, which a goroutine inherits from the one that starts it.
type family string

const familyLabel = "mcptest"

// do runs f as one of the family.
func (f family) do(ctx context.Context, run func(context.Context)) {
	pprof.Do(ctx, pprof.Labels(familyLabel, string(f)), run)
}

// leaveTime is how long goroutines may take to end once nothing holds them up.
const leaveTime = 2 * time.Second

// checkGone fails the test if goroutines of the family are left.
func (f family) checkGone(t testing.TB) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		left := f.members()
		if len(left) == 0 {
			return
		}
		if time.Since(begin) > leaveTime {
			t.Errorf("mcptest: goroutines are left after the end of the connection:\n\n%s", strings.Join(left, "\n\n"))
			return
		}
	}
}

// members returns the stacks of the family.
func (f family) members() []string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return []string{err.Error()}
	}
	label := fmt.Sprintf("%q:%q", familyLabel, string(f))
	var members []string
	for stack := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(stack, label) && !isIdle(stack) {
			members = append(members, stack)
		}
	}
	return members
}

// isIdle reports whether a stack is that of an idle connection of net/http's client. A connection with a request in
// progress has another goroutine.
func isIdle(stack string) bool {
	reads := strings.Contains(stack, "\tnet/http.(*persistConn).readLoop+") && strings.Contains(stack, "\tbufio.(*Reader).Peek+")
	return reads || strings.Contains(stack, "\tnet/http.(*persistConn).writeLoop+") ||
		strings.Contains(stack, "http2clientConnReadLoop).run+") || strings.Contains(stack, "http2.(*clientConnReadLoop).run+")
}
