package model

import (
	"testing"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// BenchmarkNewest is what it takes to make the model of the newest revision from its source.
func BenchmarkNewest(b *testing.B) {
	benchmark(b, "2026-07-28")
}

// BenchmarkAll is the same for all published revisions, merged.
func BenchmarkAll(b *testing.B) {
	var names []string
	for _, r := range schema.Revisions() {
		names = append(names, r.Name)
	}
	benchmark(b, names...)
}

func benchmark(b *testing.B, revisions ...string) {
	sources := map[string][]byte{}
	for _, r := range revisions {
		src, err := schema.Source(r)
		if err != nil {
			b.Fatal(err)
		}
		sources[r] = src

	}
	b.ReportAllocs()
	for b.Loop() {
		var all []*Schema
		for _, r := range revisions {
			f, err := parser.Parse("schema.ts", sources[r])
			if err != nil {
				b.Fatal(err)
			}
			s, err := Lower(r, f)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, s)
		}
		if _, err := Merge(all...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLower(b *testing.B) {
	f := parseRevision(b, "2026-07-28")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Lower("2026-07-28", f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSONSchema(b *testing.B) {
	s := lowerRevision(b, "2026-07-28")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.JSONSchema(); err != nil {
			b.Fatal(err)
		}
	}
}
