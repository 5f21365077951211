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

func TestMergeExtensionWithoutTable(t *testing.T) {
	_, err := MergeExtension("example.com/none", new(Schema), new(Schema))
	if want := `no table of exceptions for the extension "example.com/none"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
