package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestExceptions has entries of each kind, as they are reported.
func TestExceptions(t *testing.T) {
	all := Exceptions()
	want := len(table)
	for _, entries := range extensionTables() {
		want += len(entries)
	}
	if len(all) != want {
		t.Errorf("%d entries are reported, want %d", len(all), want)
	}
	for _, want := range []string{
		`raw Tool.inputSchema  2024-11-05 `, `rename ResourceReference ResourceTemplateReference 2024-11-05 2025-06-18`,
	} {
		if !slices.ContainsFunc(all, func(e Exception) bool {
			return e.Reason != "" && fmt.Sprintf("%s %s %s %s %s", e.Action, e.At, e.To, e.From, e.Until) == want
		}) {
			t.Errorf("there is no entry %s", want)
		}
	}
	for id := range extensionTables() {
		if !slices.ContainsFunc(all, func(e Exception) bool { return e.Extension == id }) {
			t.Errorf("there is no entry of %s", id)
		}
	}
	for _, e := range all {
		if e.Action == "" || e.At == "" || e.From == "" || e.Reason == "" || e.Until != "" && e.Until <= e.From || (e.Extension != "") != strings.Contains(e.Extension, "/") {
			t.Errorf("the entry %+v lacks something", e)
		}
	}
}

// TestManyErrors merges revisions with more conflicts than are reported, and each only once.
func TestManyErrors(t *testing.T) {
	var old, now strings.Builder
	for i := range maxErrors + 5 {
		fmt.Fprintf(&old, "interface A%d { m: string }\n", i)
		fmt.Fprintf(&now, "interface A%d { m: number }\n", i)
	}
	c := testCase{files: map[string][]byte{"2025-06-18/schema.ts": []byte(old.String()), "2025-11-25/schema.ts": []byte(now.String())}, revisions: []string{"2025-06-18", "2025-11-25"}}
	_, err := c.merge(t)
	if err == nil {
		t.Fatal("it is merged")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != maxErrors || len(slices.Compact(slices.Sorted(slices.Values(lines)))) != maxErrors {
		t.Errorf("%d lines, want %d", len(lines), maxErrors)
	}
}

// TestHeaders has headers of a protocol alone, not of a schema without methods.
func TestHeaders(t *testing.T) {
	s, err := Merge(mustLower(t, testCase{files: map[string][]byte{"schema.ts": []byte(`interface A { a: string }`)}}))
	if err == nil || !strings.Contains(err.Error(), "exception not used") {
		t.Errorf("a schema that is not the protocol: %v, %v", s, err)
	}
	early, err := testCase{files: map[string][]byte{"schema.ts": []byte(`interface A { a: string }`)}}.load("2020-01-01", "schema.ts") // before all that the table knows
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Merge(early); err != nil || s.Headers != nil {
		t.Errorf("a schema without methods: %v, %v", s, err)
	}
	if s := mergeRevisions(t, known...); len(s.Headers) == 0 {
		t.Error("the protocol has no headers")
	}
}
