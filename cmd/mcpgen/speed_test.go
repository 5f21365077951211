package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// TestSpeed bounds how long a user waits. The bounds are far above what a quiet machine needs.
func TestSpeed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "mcp")
	bindings := fastest(func() { mcpgen(t, "bindings", "-out", out) })
	t.Logf("mcpgen bindings for all revisions: %v", bindings)
	if limit := 1500 * time.Millisecond; bindings > limit {
		t.Errorf("mcpgen bindings for all revisions takes %v, more than %v", bindings, limit)
	}

	revisions := schema.Revisions()
	newest := revisions[len(revisions)-1].Name
	load := fastest(func() {
		s, err := ownSchema(newest)
		if err == nil {
			_, err = model.Merge(s)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("parser and model for %s: %v", newest, load)
	if limit := 25 * time.Millisecond; load > limit {
		t.Errorf("parser and model for %s take %v, more than %v", newest, load, limit)
	}
}

// fastest returns the time of the fastest of several runs, which what else happens on the machine
// disturbs least.
func fastest(f func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}
