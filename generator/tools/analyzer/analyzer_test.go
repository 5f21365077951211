package analyzer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/mcpgen/mcpgen/generator/tools/analyzer"
)

// TestMistakes also applies the fixes that are suggested, and compares with mistakes.go.golden.
func TestMistakes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), analyzer.Analyzer, "mistakes")
}

// TestStale has generated code that is missing, stale, and not needed; and packages that have
// nothing to do with it. Code that is up to date is in the tests of the command.
func TestStale(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "missing", "stale", "misfit", "unannotated", "foreign", "plain")
}

// TestFresh has requests for input that are made of fresh values, and such that only look so.
func TestFresh(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer.Analyzer, "fresh")
}
