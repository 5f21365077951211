package model

import (
	"slices"
	"strings"
	"testing"
)

// TestMergeExtension compares what MergeExtension makes of ext/schema.ts, of the revision 2026-07-28, with
// the file model of each case, or its error.
func TestMergeExtension(t *testing.T) {
	testArchives(t, "testdata/extension", func(t *testing.T, c testCase) (string, []byte) {
		table := c.table
		c.table = nil
		c.revisions = slices.DeleteFunc(c.revisions, func(r string) bool { return r[0] > '9' })
		base, err := c.merge(t)
		if err != nil {
			t.Fatal(err)
		}
		before := render(base, true)
		s, err := c.load("2026-07-28", "ext/schema.ts")
		if err != nil {
			t.Fatal(err)
		}
		s, err = mergeExtension(table, "example.com/jobs", base, s)
		if after := render(base, true); after != before {
			t.Errorf("the base has changed: before\n%s\nafter\n%s", before, after)
		}
		if err != nil {
			return "error", []byte(err.Error() + "\n")
		}
		return "model", []byte(render(s, false))
	})
}

// An extension for which there is no table says in its schema who sends what.
func TestMergeExtensionWithoutTable(t *testing.T) {
	c := testCase{files: map[string][]byte{
		"schema.ts": []byte(`interface EmptyResult {} interface A { empty: EmptyResult }`),
		"ext.ts":    []byte(`interface RunRequest { method: "run" } type ClientRequest = RunRequest;`),
	}}
	base, err := c.load("2026-07-28", "schema.ts")
	if err != nil {
		t.Fatal(err)
	}
	if base, err = merge(nil, []*Schema{base}); err != nil {
		t.Fatal(err)
	}
	s, err := c.load("2026-07-28", "ext.ts")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = MergeExtension("example.com/none", base, s); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*Schema{s, mergeRevisions(t, known...)} {
		if _, err := MergeExtension("example.com/none", base, again); err == nil || err.Error() != "the schema of the extension is merged already" {
			t.Errorf("an extension that is merged: %v", err)
		}
	}
	if own, of := s.Type("RunRequest"), s.Type("A"); own == nil || of == nil || s.IsImported(own) || !s.IsImported(of) || base.Type("RunRequest") != nil || s.Type("B") != nil {
		t.Errorf("the types are %v and %v", own, of)
	}
	if len(s.Methods) != 1 || s.Methods[0].Name != "run" || len(s.Methods[0].ToServer) != 1 {
		t.Errorf("methods %+v", s.Methods)
	}
}

// An extension imports types by the names of its revision, which may be others than those of the base.
func TestMergeExtensionOfRenamedType(t *testing.T) {
	c := testCase{files: map[string][]byte{
		"old.ts": []byte(`export interface EmptyResult {} export interface ResourceReference { uri: string }`),
		"new.ts": []byte(`export interface EmptyResult {} export interface ResourceTemplateReference { uri: string }`),
		"ext.ts": []byte(`import type { ResourceReference } from "./old";
interface RunRequest { method: "run"; params: { at: ResourceReference } } type ClientRequest = RunRequest;`),
	}}
	load := func(revision, file string) *Schema {
		t.Helper()
		s, err := c.load(revision, file)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	base, err := merge(table[:1], []*Schema{load("2024-11-05", "old.ts"), load("2025-06-18", "new.ts")})
	if err != nil {
		t.Fatal(err)
	}
	s, err := MergeExtension("example.com/run", base, load("2024-11-05", "ext.ts"))
	if err != nil {
		t.Fatal(err)
	}
	if got := render(s, false); !strings.Contains(got, "ResourceTemplateReference") || strings.Contains(got, " ResourceReference") {
		t.Errorf("got\n%s", got)
	}
}
