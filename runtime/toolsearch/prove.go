package toolsearch

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
)

// A plan is proved, not tried: what a binding takes from a result has a schema, the place where it goes has another, and every
// value of the first must be one of the second. The prover errs on one side only. In the schema that describes a value it may
// overlook whatever it does not know, which makes the proof harder; in the schema that a value must satisfy it overlooks nothing
// but annotations, and refuses what it cannot prove.

// anything and nothing are the schemas of all values and of none.
var anything, nothing = &jsonschema.Schema{Bool: new(true)}, &jsonschema.Schema{Bool: new(false)}

// only returns one type.
func only(name string) *jsonschema.Types {
	t := new(jsonschema.Types)
	t.Add(name)
	return t
}

// follow returns the schema to which a reference leads, without what is beside the reference.
func follow(s *jsonschema.Schema) (*jsonschema.Schema, error) {
	for range 100 {
		if s.Ref == nil {
			return s, nil
		}
		s = s.Ref
	}
	return nil, errors.New("its references lead to each other")
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// split returns the steps of a JSON pointer.
func split(pointer string) (steps []string) {
	if pointer != "" {
		for step := range strings.SplitSeq(pointer[1:], "/") {
			steps = append(steps, unescape.Replace(step))
		}
	}
	return steps
}

// member returns the schema of what a JSON pointer leads to in a value. It must be there in every value.
func member(s *jsonschema.Schema, pointer string) (_ *jsonschema.Schema, err error) {
	for _, step := range split(pointer) {
		if s, err = follow(s); err != nil {
			return nil, err
		}
		switch {
		case !slices.Equal(typesOf(s), []string{"object"}):
			return nil, fmt.Errorf("pointer %s: want an object around %q, got %s", excerpt.Of(pointer), excerpt.Of(step), or(typesOf(s)))
		case !slices.Contains(s.Required, step):
			return nil, fmt.Errorf("pointer %s: %q may be absent: the output schema does not require it", excerpt.Of(pointer), excerpt.Of(step))
		}
		s = property(s, step)
	}
	return follow(s)
}

// property returns the schema of a member of objects, as far as it is known.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if p := s.Properties[name]; p != nil {
		return p
	}
	switch others := s.AdditionalProperties.(type) {
	case *jsonschema.Schema:
		if len(s.PatternProperties) == 0 {
			return others
		}
	case bool:
		if !others && len(s.PatternProperties) == 0 {
			return nothing
		}
	}
	return anything
}

// items returns the schema of the items of arrays, after those that have schemas of their own, as far as it is known.
func items(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Items2020 != nil {
		return s.Items2020
	}
	if all, ok := s.Items.(*jsonschema.Schema); ok { // before 2020-12
		return all
	}
	return anything
}

// typesOf returns the types that values may have.
func typesOf(s *jsonschema.Schema) []string {
	if s.Types == nil {
		return []string{"null", "boolean", "number", "string", "array", "object"}
	}
	return s.Types.ToStrings()
}

// or joins types as a sentence does.
func or(types []string) string { return strings.Join(types, " or ") }

// A prover proves that values of one schema are values of another.
type prover struct{ pairs int } // that have been compared

// The proofs of a plan may compare so many pairs of schemas, and a place may be named by so many bytes. Schemas can be recursive.
const (
	maxProof = 20_000
	maxPlace = 1000
)

// unproved returns a keyword of a schema that is not understood where a value must satisfy it, empty if there is none.
func unproved(s *jsonschema.Schema) string {
	_, before2020 := s.Items.([]*jsonschema.Schema)
	for _, k := range []struct {
		name string
		used bool
	}{
		{"allOf", s.AllOf != nil}, {"oneOf", s.OneOf != nil}, {"not", s.Not != nil}, {"if", s.If != nil},
		{"prefixItems", s.PrefixItems != nil}, {"items", before2020}, {"contains", s.Contains != nil},
		{"dependentSchemas", s.DependentSchemas != nil}, {"dependentRequired", s.DependentRequired != nil},
		{"dependencies", s.Dependencies != nil}, {"propertyNames", s.PropertyNames != nil},
		{"minProperties", s.MinProperties != nil}, {"maxProperties", s.MaxProperties != nil}, {"patternProperties", s.PatternProperties != nil},
		{"unevaluatedProperties", s.UnevaluatedProperties != nil}, {"unevaluatedItems", s.UnevaluatedItems != nil},
		{"$dynamicRef", s.DynamicRef != nil}, {"$recursiveRef", s.RecursiveRef != nil},
	} {
		if k.used {
			return k.name
		}
	}
	return ""
}

// fits returns an error that names the place if a value of a may not be a value of b.
func (p *prover) fits(at string, a, b *jsonschema.Schema) error {
	wrong := func(format string, args ...any) error { return fmt.Errorf(at+": "+format, args...) }
	if p.pairs++; p.pairs > maxProof || len(at) > maxPlace {
		return errors.New("it takes too many steps to compare the schemas")
	}
	a, err := follow(a)
	if err != nil {
		return wrong("%w", err)
	}
	if b.Ref != nil {
		if err := p.fits(at, a, b.Ref); err != nil {
			return err
		}
	}
	switch {
	case a.Bool != nil && !*a.Bool, b.Bool != nil && *b.Bool:
		return nil
	case b.Bool != nil:
		return wrong("there is no such member")
	case a.Const != nil:
		return check(at, b, *a.Const)
	case a.Enum != nil:
		return check(at, b, a.Enum.Values...)
	}
	for _, arms := range [][]*jsonschema.Schema{a.AnyOf, a.OneOf} { // each arm by itself
		if arms != nil && a.Types == nil {
			for _, arm := range arms {
				if err := p.fits(at, arm, b); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if b.AnyOf != nil && !slices.ContainsFunc(b.AnyOf, func(arm *jsonschema.Schema) bool { return p.fits(at, a, arm) == nil }) {
		return wrong("none of the alternatives of its schema takes all that is bound here")
	}
	if name := unproved(b); name != "" {
		return wrong("it cannot be proved that what is bound here satisfies %q of its schema", name)
	}
	if b.Const != nil || b.Enum != nil {
		return wrong("want one of certain values, and what is bound here may be another")
	}
	have, want := typesOf(a), typesOf(b)
	for _, t := range have {
		if !slices.Contains(want, t) && (t != "integer" || !slices.Contains(want, "number")) {
			return wrong("want %s, got %s", or(want), or(have))
		}
	}
	if bound := beyond(a, b, have); bound != "" {
		return wrong("want %s, which what is bound here may not satisfy", bound)
	}
	if slices.Contains(have, "array") {
		for i, item := range a.PrefixItems {
			if err := p.fits(schema.Place(at, strconv.Itoa(i)), item, items(b)); err != nil {
				return err
			}
		}
		if err := p.fits(at+"[]", items(a), items(b)); err != nil {
			return err
		}
	}
	if slices.Contains(have, "object") {
		return p.properties(at, a, b)
	}
	return nil
}

// check validates values that are known.
func check(at string, s *jsonschema.Schema, values ...any) error {
	for _, v := range values {
		if err := schema.Validate(s, v); err != nil {
			return placed(at, err)
		}
	}
	return nil
}

// placed puts a place before each problem of a value there.
func placed(at string, err error) error {
	if e := (*schema.ValueError)(nil); errors.As(err, &e) {
		return errors.New(strings.Join(e.Lines(at), "\n"))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", at, err)
	}
	return err
}

// beyond returns a keyword of b, with its value, that values of a may not satisfy; empty if there is none.
func beyond(a, b *jsonschema.Schema, types []string) string {
	number := slices.Contains(types, "number") || slices.Contains(types, "integer")
	text, array := slices.Contains(types, "string"), slices.Contains(types, "array")
	for _, k := range []struct {
		concerns   bool
		name       string
		have, want *big.Rat
		sign       int // 1 of a bound from above, -1 from below, 0 if both must be the same
	}{
		{number, "maximum", a.Maximum, b.Maximum, 1}, {number, "exclusiveMaximum", a.ExclusiveMaximum, b.ExclusiveMaximum, 1},
		{number, "minimum", a.Minimum, b.Minimum, -1}, {number, "exclusiveMinimum", a.ExclusiveMinimum, b.ExclusiveMinimum, -1},
		{number, "multipleOf", a.MultipleOf, b.MultipleOf, 0},
		{text, "maxLength", rat(a.MaxLength), rat(b.MaxLength), 1}, {text, "minLength", rat(a.MinLength), rat(b.MinLength), -1},
		{array, "maxItems", rat(a.MaxItems), rat(b.MaxItems), 1}, {array, "minItems", rat(a.MinItems), rat(b.MinItems), -1},
	} {
		if !k.concerns || k.want == nil {
			continue
		}
		if k.have == nil || k.have.Cmp(k.want)*k.sign > 0 || k.sign == 0 && k.have.Cmp(k.want) != 0 {
			value, _ := k.want.Float64()
			return k.name + " " + strconv.FormatFloat(value, 'f', -1, 64)
		}
	}
	switch {
	case text && b.Pattern != nil && (a.Pattern == nil || a.Pattern.String() != b.Pattern.String()):
		return "pattern " + b.Pattern.String()
	case text && b.Format != nil && (a.Format == nil || a.Format.Name != b.Format.Name):
		return "format " + b.Format.Name
	case text && b.ContentEncoding != nil && a.ContentEncoding != b.ContentEncoding:
		return "contentEncoding " + b.ContentEncoding.Name
	case text && b.ContentMediaType != nil && a.ContentMediaType != b.ContentMediaType:
		return "contentMediaType " + b.ContentMediaType.Name
	case array && b.UniqueItems && !a.UniqueItems:
		return "uniqueItems true"
	}
	return ""
}

func rat(n *int) *big.Rat {
	if n == nil {
		return nil
	}
	return new(big.Rat).SetInt64(int64(*n))
}

// properties compares the members of objects.
func (p *prover) properties(at string, a, b *jsonschema.Schema) error {
	for _, name := range b.Required {
		if !slices.Contains(a.Required, name) {
			return fmt.Errorf("%s: %v is required, and may be absent", at, name)
		}
	}
	names := map[string]*jsonschema.Schema{}
	maps.Copy(names, a.Properties)
	maps.Copy(names, b.Properties)
	const others = "\x00" // a name that no schema has
	for _, name := range append(slices.Sorted(maps.Keys(names)), others) {
		if err := p.fits(schema.Place(at, strings.ReplaceAll(name, others, "*")), property(a, name), property(b, name)); err != nil {
			return err
		}
	}
	return nil
}
