// Package golines counts the lines of Go files.
package golines

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Count counts the lines of a text: a line with a part of a token has code, others with a part of a comment are
// comments. Blank lines are neither.
func Count(text []byte) (code, comments int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	inCode, inComment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		in := inCode
		if tok == token.COMMENT {
			in = inComment
		}
		first := file.Line(pos)
		for l := first; l <= first+strings.Count(lit, "\n"); l++ {
			in[l] = true
		}
	}
	for l := range inCode {
		delete(inComment, l)
	}
	return len(inCode), len(inComment)
}
