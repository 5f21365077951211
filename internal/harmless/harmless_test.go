package harmless

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                                 "",
		"plain, größer, 你好, a\tb\nc":       "plain, größer, 你好, a\tb\nc",
		"\x1b]0;x\a\x1b[2J":                `\u001b]0;x\u0007\u001b[2J`,
		"a\r\nb\rc":                        "a\nb" + `\u000dc`,
		"\u009b2J\x7f\x00":                 `\u009b2J\u007f\u0000`,
		"\u202eabc\u2066\u200f\ufeff":      `\u202eabc\u2066\u200f\ufeff`,
		"\xff\xc3":                         "\ufffd\ufffd",
		"line\u2028separator \u200d joins": "line\u2028separator \u200d joins",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\nb\tc\r\nd\u2028e"), `a\u000ab\u0009c\u000d\u000ad\u2028e`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAll checks every character: what is left is harmless, and JSON has the same value.
func TestAll(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		text := string(r)
		if harmful := unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff'; r != '\n' && r != '\t' && harmful == (Text(text) == text) {
			t.Errorf("Text(%q) = %q", text, Text(text))
		}
		if Line(text) == "\n" || strings.ContainsAny(Line(text), "\t\r\u0085\u2028\u2029") {
			t.Errorf("Line(%q) = %q", text, Line(text))
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal([]byte(Text(string(raw))), &back); err != nil || back != text {
			t.Errorf("%q is %q in JSON, %v", text, back, err)
		}
	}
}
