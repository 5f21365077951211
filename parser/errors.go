package parser

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// An Error is one thing wrong with a source file.
type Error struct {
	File string
	Pos  Pos
	Msg  string
	Line string // the source line at Pos, without its line break; empty if it is long
}

// Limits for texts in messages, and for lists of messages, since people read them.
const (
	maxExcerpt = 500 // bytes of a source line, beyond which it is not shown
	maxMessage = 1000
	maxErrors  = 25
)

// Error returns `file:line:col: message`, and below it the source line with a caret under the column.
func (e *Error) Error() string {
	msg := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.Msg)
	if strings.TrimSpace(e.Line) == "" || len(e.Line) > maxExcerpt {
		return msg
	}
	return msg + "\n" + e.Line + "\n" + indentOf(e.Line, e.Pos.Col) + "^"
}

// indentOf returns white space as wide as the line is up to the column. Tabs are kept: their
// width is the terminal's affair.
func indentOf(line string, col int) string {
	before := line[:min(col-1, len(line))]
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
}

// An ErrorList is what Parse returns for a file that it refuses: one syntax error, or the names that
// are declared twice.
type ErrorList []*Error

// Error returns all messages, one after the other.
func (l ErrorList) Error() string {
	msgs := make([]string, len(l))
	for i, e := range l {
		msgs[i] = e.Error()
	}
	return strings.Join(msgs, "\n")
}

// Unwrap lets errors.As find the single errors.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// A lineTable finds lines and columns by offset.
type lineTable struct {
	src    string
	starts []int // the offset at which each line begins
}

// newLineTable finds the lines of a source. The first line begins behind a byte order mark, which therefore counts in
// no column.
func newLineTable(src string) lineTable {
	first := 0
	if strings.HasPrefix(src, byteOrderMark) {
		first = len(byteOrderMark)
	}
	t := lineTable{src, make([]int, 1, 64+len(src)/32)}
	t.starts[0] = first
	for i := first; i < len(src); i++ {
		if n := lineBreak(src[i:]); n > 0 {
			i += n - 1
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// lineBreak returns the length of the line break that s begins with, or 0. ECMAScript has five.
func lineBreak(s string) int {
	switch s[0] {
	case '\n':
		return 1
	case '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	case "\u2028"[0]:
		if strings.HasPrefix(s, "\u2028") || strings.HasPrefix(s, "\u2029") {
			return 3
		}
	}
	return 0
}

func (t lineTable) pos(off int) Pos {
	line := sort.SearchInts(t.starts, off+1) // the first line that begins after off
	return Pos{off, line, off - t.starts[line-1] + 1}
}

// line returns the text of a line, counted from 1, without its line break.
func (t lineTable) line(n int) string {
	text := t.src[t.starts[n-1]:]
	if n < len(t.starts) {
		text = text[:t.starts[n]-t.starts[n-1]]
	}
	return strings.TrimRight(text, "\r\n\u2028\u2029")
}

// errorAt returns the Error for an offset.
func (t lineTable) errorAt(file string, off int, msg string) *Error {
	pos := t.pos(off)
	e := &Error{File: file, Pos: pos, Msg: msg}
	if len(msg) > maxMessage {
		e.Msg = strings.ToValidUTF8(msg[:maxMessage], "") + "…"
	}
	if line := t.line(pos.Line); len(line) <= maxExcerpt {
		e.Line = strings.ToValidUTF8(line, string(utf8.RuneError))
	}
	return e
}
