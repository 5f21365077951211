// Package harmless replaces characters by which the text of another party would control what shows it: a terminal, a
// log, or an editor with generated code.
package harmless

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text with its control characters except \n and \t, with characters that change the direction of text
// and with byte order marks written as in Go and JSON: \u001b. In a JSON text these are the same values. A line that
// ends in \r\n ends in \n, and bytes that are not UTF-8 become U+FFFD.
func Text(text string) string { return replace(text, "\n\t") }

// Line is like [Text] for what must stay on one line.
func Line(text string) string { return replace(text, "") }

func replace(text, kept string) string {
	harmful := func(r rune) bool {
		switch {
		case ' ' <= r && r < 0x7f:
			return false
		case r == '\n' || r == '\t':
			return !strings.ContainsRune(kept, r)
		case r == '\u2028' || r == '\u2029': // separators of lines and paragraphs
			return kept == ""
		}
		return r == '\ufeff' || r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}
	if strings.IndexFunc(text, harmful) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !harmful(r):
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(text[i:], "\r\n") && kept != "":
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
