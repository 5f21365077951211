package directive

import (
	"fmt"
	"go/token"
)

// A Problem is a mistake at a place.
type Problem struct {
	Pos      token.Pos
	Msg      string
	Old, New string // what stands at Pos, and what was probably meant; empty if nothing is near
}

// Problems collects the mistakes in a package. The zero value has none.
type Problems []Problem

// Addf adds a problem.
func (p *Problems) Addf(pos token.Pos, format string, args ...any) {
	*p = append(*p, Problem{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// Suggest says what is to replace what stands at the place of the last problem, unless that is empty.
func (p *Problems) Suggest(old, new string) {
	if last := &(*p)[len(*p)-1]; new != "" {
		last.Old, last.New = old, new
	}
}

// Once adds a problem if one of the directives before d has the same name.
func (p *Problems) Once(d *Directive, notes []*Directive) {
	for _, other := range notes {
		if other == d {
			return
		}
		if other.Name == d.Name {
			p.Addf(d.Pos(), "//mcp:%s stands here twice", d.Name)
			return
		}
	}
}
