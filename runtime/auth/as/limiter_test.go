package as

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// TestLimiterIsBounded has senders of whom none has to wait for what others sent; see share.TestRateIsBounded.
func TestLimiterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := perMinute(3)
		sends := func(who string) bool { return r.Allow(share.Of("", who, nil)) }
		limits.Shared(t, 3, sends)
		time.Sleep(time.Minute)
		limits.Shared(t, 3, sends)
	})
}

// TestNames counts all ways to write a name together, and keeps no long ones, which anybody may send.
func TestNames(t *testing.T) {
	for _, name := range []string{"Ada", "aDA", " ada", "ada\t\u00a0", "ADA"} {
		if named(name) != named("ada") {
			t.Errorf("%q counts by itself", name)
		}
	}
	long := strings.Repeat("a", 64<<10)
	if named(long+"1") == named(long+"2") || named("ada") == named("bob") || len(fmt.Sprint(named(long))) > 200 {
		t.Error("names are not told apart, or kept as they are")
	}
}

// TestDescribe leaves nothing in an error_description that may not be there.
func TestDescribe(t *testing.T) {
	if got, want := describe("a~\"b\" \\ c\r\nd\x7fä"), "a~'b' ' c??d??"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := describe(strings.Repeat("a", 1000)); len(got) != maxDescription {
		t.Errorf("%d bytes", len(got))
	}
}
