package report

import (
	"io"
	"os"

	"golang.org/x/term"
)

// narrowest is the width below which the width of a terminal is ignored.
const narrowest = 20

// StyleOf returns the style for what w is: plain for a file or a pipe. See https://no-color.org.
func StyleOf(w io.Writer, env func(string) string) Style {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Style{}
	}
	s := Style{Colour: env("NO_COLOR") == "" && env("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= narrowest {
		s.Width = width
	}
	return s
}
