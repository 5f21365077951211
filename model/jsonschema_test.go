package model

import (
	"testing"

	"github.com/mcpgen/mcpgen/parser"
)

// TestJSONSchemaErrors checks what has no JSON Schema.
func TestJSONSchemaErrors(t *testing.T) {
	const middle = "JSON Schema has no form for a tuple whose rest element is not an array at its end"
	tests := []struct{ src, want string }{
		{"type T = [...string[], number];", "T: " + middle},
		{"type T = [[...string[], number], string];", "T: " + middle},
		{"type T = string | [...string[], number] | null;", "T: " + middle},
		{"type T = { [key: string]: [...string[], number] };", "T: " + middle},
		{"interface A { a: string; [key: string]: string | [...string[], number] }", "A: " + middle},
		{"interface A { a: { b: [...string[], number][] | null } }", "A: a: b: " + middle},
		{"interface A { [key: string]: [...string[], number] }", "A: " + middle},
		{"type T = { x: string } | [...string[], number];", "T: " + middle},
	}
	for _, test := range tests {
		f, err := parser.Parse("x.ts", []byte(test.src))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Lower("2026-07-28", f)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := s.JSONSchema()
		if err == nil || err.Error() != test.want || doc != nil {
			t.Errorf("%s: got %s, %v; want the error %s", test.src, doc, err, test.want)
		}
	}
	const raw = `Tool: inputSchema: the kind "raw" has no JSON Schema: want a schema that comes from Lower`
	merged := mergeRevisions(t, "2026-07-28")
	for _, typ := range merged.Types {
		if typ.Name == "Tool" {
			merged.Types = []*Type{typ}
		}
	}
	if _, err := merged.JSONSchema(); err == nil || err.Error() != raw {
		t.Errorf("a merged schema: %v, want %s", err, raw)
	}
}
