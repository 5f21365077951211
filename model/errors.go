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

func sourceLine(src []byte, offset int) string {
	if offset < 0 || offset > len(src) {
		return ""
	}
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	line := src[start:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return string(bytes.TrimSuffix(line, []byte("\r")))
}
