package godoc

import (
	"strings"
	"testing"
)

func x(n int) string { return strings.Repeat("x", n) }

func TestText(t *testing.T) {
	link := func(name string) string {
		return map[string]string{"Tool": "Tool", "Tool.inputSchema": "Tool.InputSchema"}[name]
	}
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"A {@link Tool}, its {@link Tool.inputSchema | schema}, and {@link Base}.", "A [Tool], its [Tool.InputSchema], and Base."},
		{"See {@link Base the base}\nor {@link Base | it}.", "See the base or it."},
		{
			"This is a long paragraph whose lines\nare broken elsewhere than in the schema, because they have another width here than there.",
			"This is a long paragraph whose lines are broken elsewhere than in the schema, because they have\nanother width here than there.",
		},
		{"One.\n\n\nTwo.\n", "One.\n\nTwo."},
		{"Kinds:\n- one\n* two\n10. ten\nand more", "Kinds:\n  - one\n  * two\n  10. ten\nand more"},
		{"Like so:\n```json\n{\n  \"a\": 1\n}\n```\nDone.", "Like so:\n\n\t{\n\t  \"a\": 1\n\t}\nDone."},
		{"Like so:\n    one\n\ttwo", "Like so:\n\tone\n\ttwo"},
		{"```\none\n```", "\tone"},
		{"a", "a"},
		{x(48) + " " + x(48), x(48) + " " + x(48)},
		{x(48) + " " + x(49), x(48) + "\n" + x(49)},
		{x(98) + " " + x(97) + " a " + x(96) + " b", x(98) + "\n" + x(97) + "\na\n" + x(96) + "\nb"},
		{x(50) + " " + x(50) + " " + x(46), x(50) + "\n" + x(50) + " " + x(46)},
		{"Like so:\n\n    code {@link Tool}\n\nDone.", "Like so:\n\n\tcode [Tool]\n\nDone."},
	} {
		if got := Text(tt.in, link); got != tt.want {
			t.Errorf("%q:\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

func TestDeprecated(t *testing.T) {
	none := func(string) string { return "" }
	for in, want := range map[string]string{
		"":               "",
		"deprecated":     "Deprecated: the protocol deprecates it.",
		"Use something.": "Deprecated: Use something.",
	} {
		if got := Deprecated(in, none); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// No line means anything to tools.
func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"text":                "// text",
		"a +build tag":        "// a +build tag",
		"+build linux":        "// `+build` linux",
		"+build linux +build": "// `+build` linux +build",
		"a\u202eb":            `// a\u202eb`,
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	if got, want := Join("", "a", "", "b"), "a\n\nb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAbout(t *testing.T) {
	for _, c := range []struct{ name, description, want string }{
		{"CallParams", "The parameters of a call.", "CallParams are the parameters of a call."},
		{"InitResult", "The server's side of it.", "InitResult is the server's side of it."},
		{"Status", "The status of a task.", "Status is the status of a task."},
		{"Hint", "Which things happened.", "Hint is which things happened."},
		{"Hint", "A hint.", "Hint is a hint."},
		{"Annotations", "Hints for the client.", "Annotations are hints for the client."},
		{"Ask", "Asks the client.", "Ask asks the client."},
		{"Stop", "Why the model stopped.", "Stop is why the model stopped."},
		{"Address", "URL of a page.", "Address: URL of a page."},
		{"Unit", "единица измерения", "Unit is единица измерения"},
		{"Unit", "Ёмкость.", "Unit is ёмкость."},
		{"Unit", "单位", "Unit: 单位"},
		{"Hint", " A hint.\n", "Hint is a hint."},
		{"Hint", "\n\u2028A hint.", "Hint is a hint."},
		{"Hint", " ", ""},
	} {
		if got := About(c.name, c.description); got != c.want {
			t.Errorf("About(%q, %q) = %q, want %q", c.name, c.description, got, c.want)
		}
	}
}
