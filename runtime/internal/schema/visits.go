package schema

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A walk goes where the validator will go, from a schema and a value, and counts what that takes. It goes into every branch,
// while the validator may leave some out: what is walked within a limit is validated within it, too.
type walk struct {
	steps       int   // how many are left
	unevaluated bool  // schemas note which members and items they have evaluated
	err         error // why the walk ended
}

var (
	errEndless = errors.New("the schema refers to itself without end")
	errDynamic = errors.New("$dynamicRef and $recursiveRef of a metaschema are not supported")
)

// perStep is how many names or short strings can be compared in one step.
const perStep = 16

// spend counts steps.
func (w *walk) spend(steps int) {
	if w.steps -= steps; w.steps < 0 {
		w.err = ErrSteps
	}
}

// visit counts the application of a schema to a value, with those below it. Above are the schemas that led here for the
// same value.
func (w *walk) visit(s *jsonschema.Schema, v any, above []*jsonschema.Schema) {
	if s == nil || w.err != nil {
		return
	}
	w.spend(1 + len(above)/perStep)
	switch {
	case s.Bool != nil:
		return
	case slices.Contains(above, s):
		w.err = errEndless
		return
	}
	w.compare(s, v)
	switch v := v.(type) {
	case map[string]any:
		w.members(s, v)
	case []any:
		w.items(s, v)
	case string:
		w.spend(len(v) >> 10)
		if s.Format != nil {
			w.spend(len(v) / perStep)
		}
		w.match(s.Pattern, v)
	case json.Number:
		w.spend(numberWeight(v))
	}
	above = append(above, s)
	for _, sub := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else} {
		w.visit(sub, v, above)
	}
	w.dynamic(s, s.RecursiveRef, v, above)
	if s.DynamicRef != nil {
		w.dynamic(s, s.DynamicRef.Ref, v, above)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		w.each(list, v, above)
	}
	object, _ := v.(map[string]any)
	for name, sub := range s.DependentSchemas {
		if _, ok := object[name]; ok {
			w.visit(sub, v, above)
		}
	}
	for name, dependency := range s.Dependencies {
		if _, ok := object[name]; ok {
			w.each(schemas(dependency), v, above)
		}
	}
}

// dynamic visits what a dynamic reference of s leads to. Within a schema without others in it, that is what it leads to
// statically.
func (w *walk) dynamic(s, to *jsonschema.Schema, v any, above []*jsonschema.Schema) {
	const here = location + "#"
	if to != nil && !(strings.HasPrefix(s.Location, here) && strings.HasPrefix(to.Location, here)) {
		w.err = errDynamic
	}
	w.visit(to, v, above)
}

func (w *walk) each(list []*jsonschema.Schema, v any, above []*jsonschema.Schema) {
	for _, s := range list {
		w.visit(s, v, above)
	}
}

// schemas returns the schemas in v, which may be one, a list, or something else.
func schemas(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}

// compare counts the comparison of a value with those of a schema, and of its names with those that are required.
func (w *walk) compare(s *jsonschema.Schema, v any) {
	n := 0
	if s.Const != nil {
		n++
	}
	if s.Enum != nil {
		n += len(s.Enum.Values)
	}
	if n > 0 {
		w.spend(n * weight(v) / perStep)
	}
	if _, ok := v.(map[string]any); !ok {
		return
	}
	n = len(s.Required) + len(s.DependentSchemas) + len(s.Dependencies)
	for _, names := range s.DependentRequired {
		n += 1 + len(names)
	}
	for _, dependency := range s.Dependencies {
		names, _ := dependency.([]string)
		n += len(names)
	}
	w.spend(n / 4)
}

// members visits the members of an object.
func (w *walk) members(s *jsonschema.Schema, object map[string]any) {
	w.spend(w.tracked(len(object)))
	for name, v := range object {
		sub, evaluated := s.Properties[name]
		w.visit(sub, v, nil)
		for pattern, sub := range s.PatternProperties {
			if w.match(pattern, name) {
				evaluated = true
				w.visit(sub, v, nil)
			}
		}
		if !evaluated {
			w.each(schemas(s.AdditionalProperties), v, nil)
			w.visit(s.UnevaluatedProperties, v, nil)
		}
		w.visit(s.PropertyNames, name, nil)
	}
}

// items visits the items of an array.
func (w *walk) items(s *jsonschema.Schema, array []any) {
	w.spend(w.tracked(len(array)))
	if s.UniqueItems {
		w.spend(weight(array))
	}
	first := s.PrefixItems
	rest := append([]*jsonschema.Schema{s.Items2020, s.UnevaluatedItems}, schemas(s.AdditionalItems)...)
	switch items := s.Items.(type) { // before 2020-12
	case []*jsonschema.Schema:
		first = items
	case *jsonschema.Schema:
		rest = append(rest, items)
	}
	for i, v := range array {
		if i < len(first) {
			w.visit(first[i], v, nil)
		} else {
			w.each(rest, v, nil)
		}
		w.visit(s.Contains, v, nil)
	}
}

// match counts a match of a regular expression, and returns whether it does. The expression may be nil.
func (w *walk) match(re jsonschema.Regexp, s string) bool {
	p, ok := re.(*pattern)
	if !ok || w.err != nil {
		return false
	}
	w.spend(1 + len(s)*p.size>>6) // each instruction may run for each character
	return w.err == nil && p.MatchString(s)
}

// tracked returns how many steps it takes to go through n members or items, whatever is applied to them.
func (w *walk) tracked(n int) int {
	if w.unevaluated {
		return n
	}
	return n / perStep
}

// weight returns what it costs to compare a value, in fractions of a step (see perStep).
func weight(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += perStep/2 + weight(item)
		}
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case json.Number:
		n += perStep / 2 * (1 + numberWeight(v))
	case string:
		n += len(v) >> 6
	}
	return n
}

// numberWeight returns how many steps it takes to convert a number to a fraction.
func numberWeight(n json.Number) int {
	for i := range len(n) {
		if n[i]|0x20 == 'e' {
			return 8
		}
	}
	return len(n) / 16
}
