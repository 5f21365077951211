package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/harmless"
)

// A Style says how to write text for an output.
type Style struct {
	Width  int  // in columns; 0: lines are as long as they are
	Colour bool // by ANSI escape sequences
}

// ANSI escape sequences.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

// colours holds the colours of marks.
var colours = map[string]string{"+": green, "-": red, "~": yellow, "!": yellow}

// Text writes a report in lines.
func (r *Report) Text(w io.Writer, style Style) {
	t := printer{w, style}
	t.line(bold, "", r.Old+" → "+r.New)
	t.line("", "", r.Summary)
	Sections(w, style, r.Sections)
}

// Sections writes parts of a report in lines.
func Sections(w io.Writer, style Style, sections []Section) {
	t := printer{w, style}
	for _, section := range sections {
		if section.Title != "" {
			fmt.Fprintln(w)
			t.line(bold, "", section.Title)
		}
		for _, s := range section.Subjects {
			t.subject(s)
		}
		if section.Note != "" {
			fmt.Fprintln(w)
			t.line("", "  ", section.Note)
		}
	}
}

type printer struct {
	w io.Writer
	Style
}

// subject writes the changes of a subject below its name, or on the line of its name if there is only one.
func (t printer) subject(s Subject) {
	title := strings.TrimSpace(s.What + " " + s.Name)
	fmt.Fprintln(t.w)
	if !s.alone() {
		t.line(bold, "  ", title)
	}
	for _, c := range s.Changes {
		if s.alone() {
			text := title
			if c.Text != "" {
				text += ": " + c.Text
			}
			t.line(colours[c.Mark()], c.Mark()+" ", text)
		} else {
			t.line(colours[c.Mark()], c.Mark()+"   ", c.Text)
		}
		if c.Breaks != "" {
			t.line(red, "      ", "breaks "+c.Breaks)
		}
	}
}

// line writes a text, folded between words, all lines indented as far as the first.
func (t printer) line(colour, indent, text string) {
	hanging := strings.Repeat(" ", utf8.RuneCountInString(indent)+2)
	line, used := indent, false
	for word := range strings.FieldsSeq(text) {
		width := utf8.RuneCountInString(line) + utf8.RuneCountInString(word)
		if used {
			width++
		}
		if t.Width > 0 && width > t.Width && used {
			t.write(colour, line)
			line, used = hanging, false
		}
		if used {
			line += " "
		}
		line += word
		used = true
	}
	t.write(colour, line)
}

func (t printer) write(colour, line string) {
	line = harmless.Text(line)
	if t.Colour && colour != "" {
		line = colour + line + reset
	}
	fmt.Fprintln(t.w, line)
}
