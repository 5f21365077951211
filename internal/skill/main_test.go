package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table of the skill is that of the directives that there are.
func TestUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../skills/mcpgen/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("skills/mcpgen/SKILL.md is not up to date, run go generate; -want +got:\n%s", diff)
	}
	if rows := strings.Count(want, "\n| `//mcp:"); rows < 13 {
		t.Errorf("only %d directives", rows)
	}
}

func TestUpdate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.md")
	for text, want := range map[string]string{
		"a\n" + begin + "old\n" + end + "b\n": "",
		"a\n":                                 name + ": no ",
		begin + "old\n":                       name + ": no ",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := update(name)
		if want != "" {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: got %v, want %s", text, err, want)
			}
			continue
		}
		got, _ := os.ReadFile(name)
		if err != nil || !strings.HasPrefix(string(got), "a\n"+begin+"| directive |") || !strings.HasSuffix(string(got), "|\n"+end+"b\n") {
			t.Errorf("got %s, %v", got, err)
		}
	}
}
