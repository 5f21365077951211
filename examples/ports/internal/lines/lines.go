// Package lines counts lines of Go code.
package lines

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// OfPackage counts the lines that somebody wrote of a package: neither those of tests nor generated ones.
func OfPackage(t *testing.T, pkg string) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no Go files: %v", pkg, err)
	}
	return Of(t, slices.DeleteFunc(files, func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_gen.go")
	})...)
}

// Of counts the lines of code in files.
func Of(t *testing.T, files ...string) int {
	t.Helper()
	n := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := count(src)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		n += lines
	}
	return n
}

// WithComments counts the lines in files that are not blank.
func WithComments(t *testing.T, files ...string) int {
	t.Helper()
	n := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(src) {
			if len(bytes.TrimSpace(line)) > 0 {
				n++
			}
		}
	}
	return n
}

// count counts the lines of code in a file: neither blank ones nor comments, but directives.
func count(src []byte) (int, error) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	var wrong error
	s.Init(file, src, func(pos token.Position, msg string) { wrong = fmt.Errorf("%d: %s", pos.Line, msg) }, scanner.ScanComments)
	lines := make(map[int]bool)
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return len(lines), wrong
		case tok == token.COMMENT && !strings.HasPrefix(text, "//mcp:") && !strings.HasPrefix(text, "//go:"):
		case tok == token.SEMICOLON && text == "\n": // which the scanner adds
		default:
			first := fset.Position(pos).Line
			for i := range strings.Count(text, "\n") + 1 { // a raw string has several
				lines[first+i] = true
			}
		}
	}
}
