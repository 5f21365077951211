package console

import (
	"fmt"
	"strings"
	"testing"
)

// TestPrinter writes what would control a terminal: only to what a program reads, and colours only where they may be.
func TestPrinter(t *testing.T) {
	none := func(string) string { return "" }
	const text = "\x1b[31mred\x1b[0m \x1b[2J\u202e"
	for name, test := range map[string]struct {
		person, coloured bool
		want             string
	}{
		"a program":          {false, false, text},
		"a person":           {true, false, `\u001b[31mred\u001b[0m \u001b[2J\u202e`},
		"colours, a person":  {true, true, "\x1b[31mred\x1b[0m " + `\u001b[2J\u202e`},
		"colours, a program": {false, true, text},
	} {
		var b strings.Builder
		p := NewPrinter(&b, none)
		if test.person {
			p = NewErrorPrinter(&b, none)
		}
		if test.coloured {
			fmt.Fprint(p.Coloured(), text)
		} else {
			fmt.Fprint(p, text)
		}
		if got := b.String(); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
