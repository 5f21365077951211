package model

import (
	"testing"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// parseRevision parses the published schema of a revision.
func parseRevision(tb testing.TB, revision string) *parser.File {
	tb.Helper()
	src, err := schema.Source(revision)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := parser.Parse(revision+"/schema.ts", src)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func lowerRevision(tb testing.TB, revision string) *Schema {
	tb.Helper()
	s, err := Lower(revision, parseRevision(tb, revision))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// mergeRevisions merges the published schemas of some revisions, of all if none is named.
func mergeRevisions(tb testing.TB, revisions ...string) *Schema {
	tb.Helper()
	if revisions == nil {
		for _, r := range schema.Revisions() {
			revisions = append(revisions, r.Name)
		}
	}
	var all []*Schema
	for _, r := range revisions {
		all = append(all, lowerRevision(tb, r))
	}
	s, err := Merge(all...)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
