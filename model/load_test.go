package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/parser"
)

// TestLoad checks which files are read, and in which order.
func TestLoad(t *testing.T) {
	files := map[string]string{
		"a/schema.ts": `import type { B } from "./b.js"; export type { C } from "../c"; interface A { b: B }`,
		"a/b.ts":      `import type { A } from "./schema.ts"; import type { E } from "example"; import type { D } from "./deep/d.v2"; export interface B { a: A; d: D; e: E }`,
		"c.ts":        `export interface C { c: string }`,
		"a/deep/d.v2.ts": `import type { C } from "../../c.js"; export { D };
			interface D { c: C }`,
		"protocol.ts": `export interface E {}`,
		"unused.ts":   `export interface U {}`,
	}
	reads := map[string]int{}
	got, err := Load("a/schema.ts", func(name string) ([]byte, error) {
		reads[name]++
		if src, ok := files[name]; ok {
			return []byte(src), nil
		}
		return nil, fs.ErrNotExist
	}, map[string]string{"example": "protocol.ts"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range got {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"a/schema.ts", "a/b.ts", "package:example", "a/deep/d.v2.ts", "c.ts"}, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, n := range reads {
		if n != 1 {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	s, err := Lower("2026-07-28", got...)
	if err != nil {
		t.Fatal(err)
	}
	names = nil
	for _, typ := range s.Types {
		names = append(names, typ.Name)
	}
	if diff := cmp.Diff([]string{"A", "B", "E", "D", "C"}, names); diff != "" {
		t.Errorf("types, -want +got:\n%s", diff)
	}
	if len(s.Sources) != 5 {
		t.Errorf("%d sources, want 5", len(s.Sources))
	}
	for i, source := range s.Sources {
		sum := sha256.Sum256(got[i].Source)
		if source.Revision != "2026-07-28" || source.SHA256 != hex.EncodeToString(sum[:]) || source.Extension != "" {
			t.Errorf("the source of %s is %+v", got[i].Name, source)
		}
	}
}

// TestLoadErrors checks that the causes of errors can be found in them.
func TestLoadErrors(t *testing.T) {
	none := errors.New("no such schema")
	if _, err := Load("x.ts", func(string) ([]byte, error) { return nil, none }, nil); !errors.Is(err, none) {
		t.Errorf("the file itself is missing: %v", err)
	}
	_, err := Load("x.ts", func(string) ([]byte, error) { return []byte("interface {}"), nil }, nil)
	var list parser.ErrorList
	if !errors.As(err, &list) || list[0].File != "x.ts" {
		t.Errorf("a syntax error: %v", err)
	}
}

// TestLongLines checks that the line of a mistake is shown whole, or not at all if it is long.
func TestLongLines(t *testing.T) {
	for _, before := range []int{0, 1, maxLine - 1, maxLine + 1, 3 * maxLine} {
		for _, after := range []int{0, 1, maxLine - 2, maxLine, 3 * maxLine} {
			for _, around := range []string{"", "\n", strings.Repeat("\n", 2*maxLine)} {
				line := strings.Repeat("x", before) + "!" + strings.Repeat("y", after)
				src := around + line + around
				want := ""
				if before < maxLine && after < maxLine-1 {
					want = line
				}
				if got := sourceLine([]byte(src), strings.IndexByte(src, '!')); got != want {
					t.Errorf("%d characters before and %d after: got %q", before, after, got)
				}
			}
		}
	}
	for _, offset := range []int{-1, 4} {
		if got := sourceLine([]byte("abc"), offset); got != "" {
			t.Errorf("at %d there is the line %q", offset, got)
		}
	}
	if got := sourceLine([]byte("abc\r\ndef"), 3); got != "abc" {
		t.Errorf("at the end of a line there is the line %q", got)
	}
}

// TestLowerError checks that the single mistakes can be found in the error of Lower.
func TestLowerError(t *testing.T) {
	f, err := parser.Parse("x.ts", []byte("interface A { a: B }\r\ninterface C { c: D }"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Lower("2026-07-28", f)
	if s != nil {
		t.Error("there is a schema and an error")
	}
	var list parser.ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("the error is %T", err)
	}
	want := parser.ErrorList{
		{File: "x.ts", Pos: parser.Pos{Offset: 17, Line: 1, Col: 18}, Msg: "B is not declared", Line: "interface A { a: B }"},
		{File: "x.ts", Pos: parser.Pos{Offset: 39, Line: 2, Col: 18}, Msg: "D is not declared", Line: "interface C { c: D }"},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
