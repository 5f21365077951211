package model

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/parser"
)

// sources returns the schemas of all cases.
func sources(f *testing.F) [][]byte {
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no test cases: %v", err)
	}
	var out [][]byte
	for _, p := range append(paths, "testdata/lossless.txtar") {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if path.Ext(file.Name) == ".ts" {
				out = append(out, file.Data)
			}
		}
	}
	return out
}

// FuzzLower lowers whatever the parser takes, and makes a JSON Schema and a model of it: none of
// them panics or goes on for ever, and the same tree makes the same schema again.
func FuzzLower(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := parser.Parse("schema.ts", src)
		if err != nil {
			return
		}
		s, err := Lower("2026-07-28", file)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a message")
			}
			return
		}
		again, err := Lower("2026-07-28", file)
		if err != nil {
			t.Fatalf("the second time: %v", err)
		}
		if !bytes.Equal(mustMarshal(t, s), mustMarshal(t, again)) {
			t.Error("the second time the schema is another one")
		}
		if doc, err := s.JSONSchema(); err == nil && !json.Valid(doc) {
			t.Errorf("the JSON Schema is no JSON: %s", doc)
		}
		if merged, err := Merge(s); err == nil {
			mustMarshal(t, merged)
		}
	})
}

// FuzzMerge merges whatever can be lowered.
func FuzzMerge(f *testing.F) {
	all := sources(f)
	for i, src := range all {
		f.Add(src, src)
		f.Add(src, all[(i+1)%len(all)])
	}
	f.Fuzz(func(t *testing.T, older, newer []byte) {
		var schemas []*Schema
		for i, src := range [][]byte{older, newer} {
			file, err := parser.Parse("schema.ts", src)
			if err != nil {
				return
			}
			s, err := Lower([]string{"2025-11-25", "2026-07-28"}[i], file)
			if err != nil {
				return
			}
			schemas = append(schemas, s)
		}
		if merged, err := merge(nil, schemas); err == nil {
			mustMarshal(t, merged)
		}
	})
}

func mustMarshal(t *testing.T, s *Schema) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
