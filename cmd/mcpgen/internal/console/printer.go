package console

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
	"github.com/mcpgen/mcpgen/internal/harmless"
)

// A Printer is an output of a command. All commands write to one, also what has nothing of a server: it passes
// [harmless.Text], so that nobody else controls the terminal that shows it, at once or through a pipe. JSON keeps its
// values. A Printer may be used by several goroutines at once.
type Printer struct {
	report.Style
	Terminal bool

	images imageProtocol

	mu    sync.Mutex
	w     io.Writer
	err   error // the first one
	drawn bool  // a line of progress stands there
}

// NewPrinter returns a printer to w.
func NewPrinter(w io.Writer, env func(string) string) *Printer {
	f, ok := w.(*os.File)
	return &Printer{Style: report.StyleOf(w, env), Terminal: ok && term.IsTerminal(int(f.Fd())), images: imagesOf(env), w: w}
}

// Err returns the first error of writing, for callers of code that ignores errors.
func (p *Printer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Unchanged returns the output itself, for what a program reads byte by byte. It is not for a terminal.
func (p *Printer) Unchanged() io.Writer { return p.w }

// Write writes whole lines.
func (p *Printer) Write(text []byte) (int, error) {
	return len(text), p.write(harmless.Text(string(text)))
}

// write writes text that is harmless to a terminal, in place of a line of progress if there is one.
func (p *Printer) write(text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		text = "\r\x1b[K" + text
		p.drawn = false
	}
	_, err := io.WriteString(p.w, text)
	p.err = cmp.Or(p.err, err)
	return err
}

// Coloured returns a writer to p of whole lines that may have colours and fonts: those of reports, and of the person's own
// programs.
func (p *Printer) Coloured() io.Writer { return colouredWriter{p} }

// A colouredWriter writes lines to a Printer, and lets colours and fonts pass.
type colouredWriter struct{ *Printer }

func (w colouredWriter) Write(text []byte) (int, error) {
	var b strings.Builder
	rest := string(text)
	for at := style.FindStringIndex(rest); at != nil; at = style.FindStringIndex(rest) {
		b.WriteString(harmless.Text(rest[:at[0]]))
		b.WriteString(rest[at[0]:at[1]])
		rest = rest[at[1]:]
	}
	b.WriteString(harmless.Text(rest))
	return len(text), w.write(b.String())
}

// style matches what ECMA-48 calls SGR.
var style = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// control writes what is meant for the terminal itself.
func (p *Printer) control(sequence string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	io.WriteString(p.w, sequence)
}

// redraw replaces the line of progress, by nothing if it is empty.
func (p *Printer) redraw(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.drawn && line == "" {
		return
	}
	io.WriteString(p.w, "\r\x1b[K"+harmless.Line(line))
	p.drawn = line != ""
}

// paragraph writes a text, folded between words.
func (p *Printer) paragraph(indent, text string) {
	for line := range strings.Lines(text) {
		for _, folded := range fold(strings.TrimRight(line, "\r\n"), p.Width-len(indent)) {
			fmt.Fprintln(p, strings.TrimRight(indent+folded, " "))
		}
	}
}

// asIs writes a text without folding its lines.
func (p *Printer) asIs(indent, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(p, indent+strings.TrimRight(line, "\r\n"))
	}
}

// heading writes a line that begins a part.
func (p *Printer) heading(text string) {
	fmt.Fprintln(p)
	if !p.Colour {
		fmt.Fprintln(p, text)
		return
	}
	p.control("\x1b[1m")
	fmt.Fprintln(p, text)
	p.control("\x1b[0m")
}

// gap separates the columns of a table.
const gap = 2

// table writes rows in columns, the last of which is folded. An empty row is left out.
func (p *Printer) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i := range widths {
		if p.Width > 0 && i < len(widths)-1 {
			widths[i] = min(widths[i], max(8, p.Width/3)) // the last column has room, too
		}
	}
	for _, row := range rows {
		p.row(row, widths)
	}
}

// row writes one row of a table, with as many lines as its tallest cell.
func (p *Printer) row(row []string, widths []int) {
	cells, height, left := make([][]string, len(row)), 0, 0
	for i, cell := range row {
		width := widths[i]
		if i == len(widths)-1 {
			width = p.Width - left
		}
		if p.Width == 0 {
			width = 0
		}
		cells[i] = fold(cell, width)
		height = max(height, len(cells[i]))
		left += widths[i] + gap
	}
	for n := range height {
		var line strings.Builder
		for i, cell := range cells {
			text := ""
			if n < len(cell) {
				text = cell[n]
			}
			line.WriteString(text)
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(text))+gap))
		}
		fmt.Fprintln(p, strings.TrimRight(line.String(), " "))
	}
}

// fold breaks a line between words, and breaks words that are longer than the width. A width of 0 means a single
// line.
func fold(line string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	var lines []string
	var rest []rune
	for word := range strings.FieldsSeq(line) {
		w := []rune(word)
		if len(rest) > 0 && len(rest)+1+len(w) <= width {
			rest = append(append(rest, ' '), w...)
			continue
		}
		if len(rest) > 0 {
			lines = append(lines, string(rest))
		}
		for len(w) > width {
			lines = append(lines, string(w[:width]))
			w = w[width:]
		}
		rest = w
	}
	return append(lines, string(rest))
}
