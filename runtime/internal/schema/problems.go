package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// maxProblems is how many problems an error lists. The others are counted.
const maxProblems = 20

// A ValueError lists where a value does not fit its schema.
type ValueError struct {
	Problems []Problem
	More     int // how many problems are not in Problems
}

// A Problem is one thing that is wrong with a value.
type Problem struct {
	Path []string // the steps to its place; empty for the value itself
	Msg  string   // "maximum: got 20, want 14"
}

func (e *ValueError) Error() string { return strings.Join(e.Lines(""), "; ") }

// Lines returns the problems, a line each, which says where the problem is below a place.
func (e *ValueError) Lines(place string) []string {
	var list []string
	for _, p := range e.Problems {
		line := p.Msg
		if at := Place(place, p.Path...); at != "" {
			line = at + ": " + line
		}
		list = append(list, line)
	}
	slices.Sort(list) // they come in any order
	if e.More > 0 {
		list = append(list, "… and "+strconv.Itoa(e.More)+" more")
	}
	return list
}

// Place returns the place of a part of what is at a place: "steps[2].args.city".
func Place(at string, steps ...string) string {
	for _, step := range steps {
		step = excerpt.Cut(step, 100)
		if _, err := strconv.Atoi(step); err == nil {
			at += "[" + step + "]"
		} else {
			at += "." + step
		}
	}
	return strings.TrimPrefix(at, ".")
}

// newError returns an error with the innermost causes.
func newError(err *jsonschema.ValidationError) *ValueError {
	e := &ValueError{}
	p := message.NewPrinter(language.English)
	var visit func(*jsonschema.ValidationError)
	visit = func(err *jsonschema.ValidationError) {
		for _, cause := range err.Causes {
			visit(cause)
		}
		switch {
		case len(err.Causes) > 0:
		case len(e.Problems) == maxProblems:
			e.More++
		default:
			e.Problems = append(e.Problems, Problem{path(err.InstanceLocation), excerpt.Cut(shorten(err.ErrorKind).LocalizedString(p), maxMessage)})
		}
	}
	visit(err)
	return e
}

const (
	// maxMessage is how many bytes a problem may have.
	maxMessage = 1000
	// maxSteps is how many steps of a path a problem shows.
	maxSteps = 20
)

// path returns the steps to a place, cut if they are long or many.
func path(steps []string) []string {
	var short []string
	if n := len(steps) - maxSteps; n > 0 {
		short, steps = append(short, "…"), steps[n:]
	}
	for _, step := range steps {
		short = append(short, excerpt.Cut(step, 40))
	}
	return short
}

// shorten cuts a value that would hide what is wanted of it.
func shorten(k jsonschema.ErrorKind) jsonschema.ErrorKind {
	switch k := k.(type) {
	case *kind.Format:
		if s, ok := k.Got.(string); ok {
			return &kind.Format{Got: excerpt.Of(s), Want: k.Want, Err: k.Err}
		}
	case *kind.Pattern:
		return &kind.Pattern{Got: excerpt.Of(k.Got), Want: k.Want}
	}
	return k
}

// short shortens an error about a schema.
func short(err error) error {
	invalid := (*jsonschema.SchemaValidationError)(nil)
	if e := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) && errors.As(invalid.Err, &e) {
		return newError(e)
	}
	if text := err.Error(); len(text) > maxMessage {
		return errors.New(excerpt.Cut(text, maxMessage))
	}
	return err
}
