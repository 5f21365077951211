package analyzer_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/mcpgen/mcpgen/generator/tools/analyzer"
)

// TestMistakes also applies the fixes that are suggested, and compares with mistakes.go.golden.
func TestMistakes(t *testing.T) {
	fixes := 0
	for _, r := range analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), analyzer.Analyzer, "mistakes") {
		for _, d := range r.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				fixes++
				if old := fix.TextEdits[0].End - fix.TextEdits[0].Pos; !strings.HasPrefix(fix.Message, "Replace ") || int(d.End-d.Pos) != int(old) {
					t.Errorf("%s: a fix says %q", d.Message, fix.Message)
				}
			}
		}
	}
	if fixes != 5 {
		t.Errorf("%d fixes, want 5", fixes)
	}
}

// TestStale has generated code that is missing, stale, and not needed; and packages that have
// nothing to do with it. Code that is up to date is in the tests of the command.
func TestStale(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "missing", "stale", "unannotated", "generated", "both", "foreign", "elsewhere", "unmarked", "plain", "lined")
	for _, r := range analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "misfit") {
		for _, d := range r.Diagnostics {
			if strings.Contains(d.Message, "does not fit") && d.End <= d.Pos {
				t.Errorf("%s: it has no end", d.Message)
			}
		}
	}
}

// TestFresh has requests for input that are made of fresh values, and such that only look so.
func TestFresh(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "fresh", "broken")
}
