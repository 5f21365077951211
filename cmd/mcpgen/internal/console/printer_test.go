package console

import (
	"fmt"
	"strings"
	"testing"
)

// TestPrinter writes what would control a terminal, and colours where they may be.
func TestPrinter(t *testing.T) {
	none := func(string) string { return "" }
	const text = "\x1b[1;31mred\x1b[0m \x1b[2J\u202e\x1b[3\u202em\x1b[m"
	var b strings.Builder
	fmt.Fprint(NewPrinter(&b, none), text)
	if got, want := b.String(), `\u001b[1;31mred\u001b[0m \u001b[2J\u202e\u001b[3\u202em\u001b[m`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	fmt.Fprint(NewPrinter(&b, none).Coloured(), text)
	if got, want := b.String(), "\x1b[1;31mred\x1b[0m "+`\u001b[2J\u202e\u001b[3\u202em`+"\x1b[m"; got != want {
		t.Errorf("colours: got %q, want %q", got, want)
	}
}
