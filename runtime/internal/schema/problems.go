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

const (
	// maxProblems is how many problems an error lists. The others are counted.
	maxProblems = 20
	// maxListed is how many names or values a problem lists.
	maxListed = 20
)

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

func (e *ValueError) Error() string {
	return strings.Join(e.Lines(func(steps []string) string { return "/" + strings.Join(steps, "/") }), "; ")
}

// Lines returns the problems, a line each. Place returns the text for a path.
func (e *ValueError) Lines(place func(steps []string) string) []string {
	var list []string
	for _, p := range e.Problems {
		line := p.Msg
		if at := place(p.Path); at != "" {
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

// shorten cuts the lists of a problem, and their values.
func shorten(k jsonschema.ErrorKind) jsonschema.ErrorKind {
	switch k := k.(type) {
	case *kind.Format:
		if s, ok := k.Got.(string); ok {
			return &kind.Format{Got: excerpt.Of(s), Want: k.Want, Err: k.Err}
		}
	case *kind.Enum:
		return &kind.Enum{Want: values(k.Want)}
	case *kind.Const:
		return &kind.Const{Want: values([]any{k.Want})[0]}
	case *kind.Required:
		return &kind.Required{Missing: names(k.Missing)}
	case *kind.Dependency:
		return &kind.Dependency{Prop: excerpt.Of(k.Prop), Missing: names(k.Missing)}
	case *kind.DependentRequired:
		return &kind.DependentRequired{Prop: excerpt.Of(k.Prop), Missing: names(k.Missing)}
	case *kind.AdditionalProperties:
		return &kind.AdditionalProperties{Properties: names(k.Properties)}
	case *kind.PropertyNames:
		return &kind.PropertyNames{Property: excerpt.Of(k.Property)}
	case *kind.Pattern:
		return &kind.Pattern{Got: excerpt.Of(k.Got), Want: excerpt.Of(k.Want)}
	case *kind.MinContains:
		return &kind.MinContains{Got: k.Got[:min(len(k.Got), maxListed)], Want: k.Want}
	case *kind.MaxContains:
		return &kind.MaxContains{Got: k.Got[:min(len(k.Got), maxListed)], Want: k.Want}
	}
	return k
}

func values(list []any) []any {
	var short []any
	for i, v := range list {
		if i == maxListed {
			return append(short, "…")
		}
		if s, ok := v.(string); ok {
			v = excerpt.Of(s)
		}
		short = append(short, v)
	}
	return short
}

func names(list []string) []string {
	var short []string
	for i, name := range list {
		if i == maxListed {
			return append(short, "…")
		}
		short = append(short, excerpt.Of(name))
	}
	return short
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
