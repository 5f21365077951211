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
		if !kernel[path.Dir(name)] {
			return
		}
		n := 0
		for line := range strings.Lines(read(t, name)) {
			if n++; words.MatchString(line) {
				t.Errorf("%s:%d: %s", name, n, strings.TrimSpace(line))
			}
		}
	})
}

// TestKernelKnowsNoTasks checks that no line of the server and the client names tasks. The server knows of calls that outlive
// their requests: see server.Call.Continue.
func TestKernelKnowsNoTasks(t *testing.T) {
	words := regexp.MustCompile(`(?i)\btasks?\b`)
	for _, dir := range []string{"runtime/server", "runtime/client"} {
		eachFile(t, dir, func(name string, _ *token.FileSet, _ *ast.File) {
			n := 0
			for line := range strings.Lines(read(t, name)) {
				if n++; words.MatchString(line) {
					t.Errorf("%s:%d: %s", name, n, strings.TrimSpace(line))
				}
			}
		})
	}
}
