package main

import (
	"strings"
	"testing"
	"time"
)

// The page has a row for each line that score prints, and nothing else of it.
func TestPage(t *testing.T) {
	got := page("1.2", "abc", time.Date(2026, 11, 27, 23, 0, 0, 0, time.UTC), "PASS server 2026-07-28 required: scenarios=37/37 checks=120/120 failing=-\n"+
		"a warning\nFAIL client 2025-11-25 optional: scenarios=6/7 checks=8/9 failing=auth (nothing was checked)\n")
	for _, want := range []string{
		"- suite: `@modelcontextprotocol/conformance` 1.2\n- commit: abc\n- date: 2026-11-27\n",
		"\n| server | 2026-07-28 | required | 37/37 | 120/120 | - |\n| client | 2025-11-25 | optional | 6/7 | 8/9 | auth (nothing was checked) |\n\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwithout\n%s", got, want)
		}
	}
}
