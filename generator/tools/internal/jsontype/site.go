package jsontype

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// A said is a place where a type was refused, and why.
type said struct {
	pos    token.Pos
	reason string
}

// A Direction says whether values of a type are decoded or encoded.
type Direction int

const (
	In  Direction = iota // arguments: read from JSON
	Out                  // results: written to JSON
)

// A Site is where a type is used.
type Site struct {
	Pos  token.Pos
	What string // for messages: "Forecast: parameter days"
	Dir  Direction
	Bare bool // a struct without fields says enough here: by being the one that it is, or by taking nothing

	Member bool // it is a member of an object, which may be absent

	form    *formSite // of a struct that is a form; nil of all others
	foreign bool      // it is in a struct of another module, which nobody here can change
}

// inside returns the site of the elements of a list or map.
func (w *Site) inside() *Site {
	elem := *w
	elem.Bare, elem.Member = false, false
	return &elem
}

// refuse adds a problem for a type, and returns a type that causes no further problems.
func (a *Analyzer) refuse(t types.Type, w *Site, format string, args ...any) *ir.Type {
	reason := fmt.Sprintf(format, args...)
	if s := (said{w.Pos, reason}); !a.said[s] { // of a type that several others embed, or that goes both ways
		a.said[s] = true
		a.problems.Addf(w.Pos, "%s: %s", short(w.What), reason)
	}
	form := &ir.Type{Kind: ir.Invalid, Go: t}
	a.refused[form] = reason
	return form
}

// A refusal records where a type was refused first, and how often.
type refusal struct {
	problem int // index of what was said
	places  int
}

// refuseAgain adds a problem for a type that was refused before. For fields of other modules' structs, of which
// there may be many, it only counts.
func (a *Analyzer) refuseAgain(t *ir.Type, w *Site, reason string) {
	if r := a.refusals[t]; r != nil && w.foreign {
		r.places++
		return
	}
	a.problems.Addf(w.Pos, "%s: %s", short(w.What), reason)
}

// countRefusals adds to problems that occur at several places how many these are.
func (a *Analyzer) countRefusals() {
	for _, r := range a.refusals {
		if r.places > 1 && r.problem >= 0 {
			(*a.problems)[r.problem].Msg += fmt.Sprintf(" (at %d places, of which this is the first)", r.places)
		}
	}
}

// short leaves out the middle of a long path.
func short(what string) string {
	const most = 200
	r := []rune(what)
	if len(r) <= most {
		return what
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
}
