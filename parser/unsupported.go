package parser

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// maxJudged is how much source after a failure esbuild receives: its parser's stack grows with the nesting, and Go
// ends a process whose stack exceeds its limit.
const maxJudged = 16 << 10

// maxStatement is how much of the statement before the failure it receives.
const maxStatement = 1 << 20

// What makes esbuild's parser look ahead is bounded: nested words double its time, and each angle bracket
// in an expression has it try the rest as type arguments.
const (
	maxBacktracks = 8
	maxAngles     = 100
)

// explain returns where the failure is and what is said about it. The parser alone decides what is
// accepted; esbuild only tells TypeScript that a schema may not use from what is not TypeScript.
// It is given the source from the statement on in which the parser stopped.
func (f *failure) explain(src string, statement int) (off int, msg string) {
	if f.verdict == invalid {
		return f.off, f.msg
	}
	end := min(len(src), f.off+maxJudged)
	if f.off-statement > maxStatement || strings.Count(src[f.off:end], "<") > maxAngles {
		return f.off, f.msg
	}
	judged := strings.ToValidUTF8(src[statement:end], "") // it may end inside a character
	off, msg, ok := notTypeScript(judged)
	if !ok || end < len(src) && off == len(judged) {
		return f.off, f.msg
	}
	off += statement
	if f.verdict == unexpected && off >= f.off && strings.TrimSpace(src[f.off:off]) == "" {
		return f.off, "not TypeScript: " + f.msg // the same place, and it says what would be right
	}
	return off, "not TypeScript: " + msg
}

// notTypeScript returns esbuild's first complaint about a source, if it has one.
func notTypeScript(src string) (off int, msg string, ok bool) {
	if strings.Count(src, "infer")+strings.Count(src, "=>") > maxBacktracks {
		return 0, "", false
	}
	res := api.Transform(src, api.TransformOptions{
		Loader:   api.LoaderTS,
		Target:   api.ESNext,
		LogLevel: api.LogLevelSilent,
	})
	if len(res.Errors) == 0 || res.Errors[0].Location == nil {
		return 0, "", false
	}
	first := res.Errors[0]
	lines := newLineTable(src)
	line := min(max(first.Location.Line, 1), len(lines.starts))
	return min(lines.starts[line-1]+first.Location.Column, len(src)), first.Text, true
}

// refuseStatement ends the parse at a statement that is no declaration of a schema.
func (p *parser) refuseStatement() {
	construct := "statements other than declarations"
	switch p.tok.kind {
	case ident:
		switch p.tok.text {
		case "function", "async":
			construct = "functions"
		case "class", "abstract":
			construct = "classes"
		case "namespace":
			construct = "namespaces"
		case "module":
			construct = "module declarations"
		case "global":
			construct = "global declarations"
		case "let", "var", "using":
			p.unsupported(p.tok.start, "variables are not supported in a schema: write const")
		}
	case '@':
		construct = "decorators"
	case ')', ']', '}', ',', ':', '=', '?', '>', '|', '&', '*', arrow, ellipsis:
		p.unexpected("expected a declaration, found %s", p.found())
	}
	p.unsupported(p.tok.start, "%s are not supported in a schema", construct)
}
