package importgroups

import "testing"

func TestSeparate(t *testing.T) {
	const head, tail = "package p\n\nimport (\n", ")\n\nvar _ = `\nimport (\n\t\"x.y/z\"\n\t\"a\"\n)\n`\n"
	for _, test := range []struct{ name, in, want string }{
		{"mixed", "\t\"context\"\n\t\"example.com/a\"\n\tx \"example.com/x\"\n\t\"time\"\n", "\t\"context\"\n\t\"time\"\n\n\t\"example.com/a\"\n\tx \"example.com/x\"\n"},
		{"of the standard library", "\t\"context\"\n\t\"encoding/json\"\n", "\t\"context\"\n\t\"encoding/json\"\n"},
		{"of others", "\t\"example.com/a\"\n\t_ \"example.com/b\"\n", "\t\"example.com/a\"\n\t_ \"example.com/b\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(Separate([]byte(head + test.in + tail))); got != head+test.want+tail {
				t.Errorf("got\n%s", got)
			}
		})
	}
	for _, src := range []string{"package p\n", "package p\n\nimport \"time\"\n", "no Go"} {
		if got := string(Separate([]byte(src))); got != src {
			t.Errorf("%q became %q", src, got)
		}
	}
}
