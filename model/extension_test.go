package model

import (
	"slices"
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
	if len(s.Methods) != 1 || s.Methods[0].Name != "run" || len(s.Methods[0].ToServer) != 1 {
		t.Errorf("methods %+v", s.Methods)
	}
}
