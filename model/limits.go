package model

import "github.com/mcpgen/mcpgen/parser"

// Limits that no schema comes near. They end what would otherwise not end.
const (
	maxErrors    = 100     // that are reported
	maxChain     = 1000    // declarations of which each must be known before the one before it
	maxInstances = 10_000  // of generic declarations
	maxCopies    = 1 << 18 // types and members that inheritance and utility types copy
	maxArms      = 1000    // of a distributed intersection
	maxPattern   = 10_000  // bytes of a template literal type's regular expression
)

// exceeded reports, once, that a limit is reached.
func (l *lowerer) exceeded(s *scope, pos parser.Pos, what string) {
	if !l.said[what] {
		l.said[what] = true
		l.errorf(s, pos, "%s", what)
	}
}

// copying counts the parts of a type that is used in one more place.
func (l *lowerer) copying(s *scope, pos parser.Pos, e *Expr) bool {
	if l.copies += l.size(e); l.copies > maxCopies {
		l.exceeded(s, pos, "inheritance and utility types make this schema too large")
		return false
	}
	return true
}

// size counts the parts of a type.
func (l *lowerer) size(e *Expr) int {
	if e == nil {
		return 0
	}
	if n := l.sizes[e]; n > 0 {
		return n
	}
	n := 1 + len(e.Values) + l.size(e.Elem) + l.size(e.Rest)
	for _, x := range e.Elems {
		n += l.size(x.Type)
	}
	for _, m := range e.Members {
		n += l.size(m.Type)
	}
	for _, a := range e.Arms {
		n += l.size(a.Expr)
	}
	l.sizes[e] = n
	return n
}
