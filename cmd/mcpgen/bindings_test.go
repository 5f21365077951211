package main

import (
	"bytes"
	"testing"
)

// TestSpan shortens what is longer than two revisions.
func TestSpan(t *testing.T) {
	for _, test := range []struct {
		revisions []string
		want      string
	}{
		{[]string{"a"}, "a"},
		{[]string{"a", "b"}, "a, b"},
		{[]string{"a", "b", "c"}, "a … c"},
	} {
		if got := span(test.revisions); got != test.want {
			t.Errorf("%q: got %s", test.revisions, got)
		}
	}
}

// TestBindingsSides says in a package's comment who is the client of an extension, where that is known.
func TestBindingsSides(t *testing.T) {
	for name, want := range map[string]string{
		"ui":    "with their codecs, its methods, and an interface for each side.\n// The client is an app, and the server the host that shows it.\n",
		"tasks": "with their codecs, its methods, and an interface for each side.\n",
	} {
		files, of, err := generateBindings(&inputs{extension: name}, name)
		if err != nil || of != "io.modelcontextprotocol/"+name {
			t.Fatalf("%s: got %s, %v", name, of, err)
		}
		all := 0
		for _, text := range files {
			all += bytes.Count(text, []byte("// "+want+"package "+name+"\n"))
		}
		if all != 1 {
			t.Errorf("%s: %d files have the comment", name, all)
		}
	}
}
