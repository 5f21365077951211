package repo

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestKernelKnowsNoClusters checks that no line of the kernel names what several processes need to share sessions: leases and
// their members, takeovers, holders, what is elsewhere. It knows that a session can be kept, and continued: see
// streamable.Keeper.
func TestKernelKnowsNoClusters(t *testing.T) {
	kernel := map[string]bool{
		"runtime/internal/peer": true, "runtime/server": true, "runtime/transport": true, "runtime/transport/sse": true, "runtime/transport/streamable": true,
	}
	words := regexp.MustCompile(`(?i:\b(?:leases?|take-?overs?|holders?|elsewhere)\b)|\bMember\b`)
	eachFile(t, "runtime", func(name string, _ *token.FileSet, _ *ast.File) {
		if !kernel[path.Dir(name)] || strings.HasPrefix(path.Base(name), "tasks") {
			return // the latter until tasks are a room of their own
		}
		n := 0
		for line := range strings.Lines(read(t, name)) {
			if n++; words.MatchString(line) {
				t.Errorf("%s:%d: %s", name, n, strings.TrimSpace(line))
			}
		}
	})
}
