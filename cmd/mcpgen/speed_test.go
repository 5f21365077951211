package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestSpeed bounds the processor's time that bindings for all revisions take, which is about how long a
// user waits on a quiet machine. The bound is far above what such a one needs.
func TestSpeed(t *testing.T) {
	testenv.Measures(t)
	const limit = 2 * time.Second
	out := filepath.Join(t.TempDir(), "mcp")
	best := time.Duration(1<<63 - 1)
	for range 5 { // what else happens on the machine disturbs some of the runs
		cmd := command(t, "", "bindings", "-out", out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()); best < limit {
			break
		}
	}
	t.Logf("mcpgen bindings for all revisions: %v", best)
	if best > limit {
		t.Errorf("mcpgen bindings for all revisions takes %v of the processor's time, more than %v", best, limit)
	}
}
