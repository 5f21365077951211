package model

import (
	"bytes"
	"fmt"

	"github.com/mcpgen/mcpgen/parser"
)

// errorAt makes an error that shows the line of f at which it was found.
func errorAt(f *parser.File, pos parser.Pos, format string, args ...any) *parser.Error {
	return &parser.Error{File: f.Name, Pos: pos, Msg: fmt.Sprintf(format, args...), Line: sourceLine(f.Source, pos.Offset)}
}

// maxLine is how long a line may be to be shown with an error.
const maxLine = 500

// sourceLine returns the line at an offset, or "" if it is long. It does not look for the ends of long ones.
func sourceLine(src []byte, offset int) string {
	if offset < 0 || offset > len(src) {
		return ""
	}
	from, to := max(offset-maxLine, 0), min(offset+maxLine, len(src))
	before, after := src[from:offset], src[offset:to]
	start := bytes.LastIndexByte(before, '\n') + 1
	end := bytes.IndexByte(after, '\n')
	switch {
	case start == 0 && from > 0, end < 0 && to < len(src):
		return ""
	case end < 0:
		end = len(after)
	}
	return string(bytes.TrimSuffix(src[from+start:offset+end], []byte("\r")))
}
