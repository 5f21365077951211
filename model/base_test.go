package model

import (
	"os"
	"testing"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

func lowerRevision(tb testing.TB, rev string) *Schema {
	src, err := schema.Source(rev)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := parser.Parse(rev+"/schema.ts", src)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := Lower(rev, f)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestBase(t *testing.T) {
	var all []*Schema
	for _, r := range schema.Revisions() {
		s := lowerRevision(t, r.Name)
		os.WriteFile("/tmp/w/lower-"+r.Name+os.Getenv("SUF"), []byte(render(s, true)), 0o666)
		all = append(all, s)
	}
	m, err := Merge(all...)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/w/merged"+os.Getenv("SUF"), []byte(render(m, false)), 0o666)
	for _, r := range schema.Revisions() {
		s := lowerRevision(t, r.Name)
		m, err := Merge(s)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile("/tmp/w/alone-"+r.Name+os.Getenv("SUF"), []byte(render(m, false)), 0o666)
	}
}

func TestJS(t *testing.T) {
	for _, r := range schema.Revisions() {
		b, err := lowerRevision(t, r.Name).JSONSchema()
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile("/tmp/w/"+r.Name+".json", b, 0o666)
	}
}
