package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/model"
)

// Each entry of the tables of the model is a gap or a choice, so that none is left out of the report.
func TestKinds(t *testing.T) {
	for _, e := range model.Exceptions() {
		same := func(k kind) bool { return k.action == e.Action }
		if slices.ContainsFunc(gapKinds, same) == slices.ContainsFunc(choiceKinds, same) {
			t.Errorf("%s of %s: want it in one of the two lists of kinds", e.Action, e.At)
		}
	}
}

// Every part of the pages can be made, and has rows. Whether it is up to date says go generate.
func TestPages(t *testing.T) {
	written := ""
	for _, page := range []string{"generated-sdk", "revision-matrix"} {
		text, err := os.ReadFile("../../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		of, err := write("../..", string(text))
		if err != nil {
			t.Fatal(err)
		}
		written += of
	}
	for name := range parts {
		_, part, _ := strings.Cut(written, "<!-- report "+name+" -->\n")
		part, _, _ = strings.Cut(part, "<!-- end -->")
		if rows := strings.Count(part, "\n|"); rows < 8 {
			t.Errorf("%s: %d rows\n%s", name, rows, part)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, text := range []string{"<!-- report layer -->\n<!-- end -->\n", "<!-- report gaps -->\n", "<!-- report gaps"} {
		if _, err := write("../..", text); err == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}
