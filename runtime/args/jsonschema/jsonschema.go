// Package jsonschema checks values against the JSON Schemas that directives give to types which have a JSON form of their own.
// The code that `mcpgen tools` generates uses it for such types, and changes together with it.
//
// It checks what the generator knows to be checkable, and says what is wrong as package args does. For any schema, of any
// source, there are validators in packages validate of the server and outputcheck of the client.
package jsonschema

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Schema says which values a type takes. Its members are the keywords of that name, and an empty Schema takes all values.
// Generated code makes Schemas, and they do not change. See https://json-schema.org/draft/2020-12/json-schema-validation
type Schema struct {
	Types []string // nil for all
	Enum  []string // JSON texts of scalars; nil if all values are allowed

	Minimum, Maximum, Above, Below *float64 // the last two are the exclusive bounds
	MultipleOf                     string

	MinLength, MaxLength *int
	Pattern              string // as the message has it
	Match                func() *regexp.Regexp
	Format               string // what the message says is wanted
	IsFormat             func(string) bool

	Items              *Schema
	MinItems, MaxItems *int
	Unique             bool // the items are scalars

	Properties                   []Property
	Additional                   *Schema // of members that are no properties; nil for any
	Closed                       bool    // there are none
	MinProperties, MaxProperties *int

	AllOf, AnyOf, OneOf []Schema
	Not                 *Schema
}

// A Property is a member of the objects that a [Schema] takes.
type Property struct {
	Name     string
	Required bool
	Schema   Schema
}

// Takes reports whether a schema takes the value that comes next in d, and leaves that to be read. Otherwise it records what is
// wrong, and skips the value.
func (s *Schema) Takes(d *args.Decoder) bool {
	trial := s.try(d)
	if !trial.Wrong() {
		return true
	}
	d.Raw()
	d.Report(trial)
	return false
}

// JSON returns a Marshaler that writes what v writes, and fails where the schema does not take that.
func (s *Schema) JSON(v json.Marshaler) json.Marshaler { return &checkedJSON{v, s} }

type checkedJSON struct {
	v json.Marshaler
	s *Schema
}

// MarshalJSON implements [json.Marshaler].
func (c *checkedJSON) MarshalJSON() ([]byte, error) {
	raw, err := c.v.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return raw, c.s.check(raw)
}

// Text returns a TextMarshaler that writes what v writes, and fails where the schema does not take that text.
func (s *Schema) Text(v encoding.TextMarshaler) encoding.TextMarshaler { return &checkedText{v, s} }

type checkedText struct {
	v encoding.TextMarshaler
	s *Schema
}

// MarshalText implements [encoding.TextMarshaler].
func (c *checkedText) MarshalText() ([]byte, error) {
	text, err := c.v.MarshalText()
	if err != nil {
		return nil, err
	}
	return text, c.s.check(wire.AppendString(nil, string(text)))
}

// check returns an error unless the schema takes a value, or that is not JSON.
func (s *Schema) check(raw wire.Raw) error {
	if len(raw) == 0 {
		raw = wire.Raw("null") // as package args writes it
	}
	d := args.New(raw, false)
	s.read(d)
	if !d.Wrong() {
		return nil
	}
	first, _, _ := strings.Cut(d.Finish().Error(), "\n")
	return errors.New("its schema does not take it: " + strings.TrimPrefix(first, "arguments: "))
}

// try returns a trial that has read the value that comes next in d, where that stays.
func (s *Schema) try(d *args.Decoder) *args.Decoder {
	trial := d.Trial()
	s.read(trial)
	return trial
}

// read reads the value that comes next, and records where the schema does not take it.
func (s *Schema) read(d *args.Decoder) {
	taken := true
	for i := range s.AllOf {
		if trial := s.AllOf[i].try(d); trial.Wrong() {
			d.Report(trial)
			taken = false
		}
	}
	taken = oneTakes(s.AnyOf, d, false) && taken
	taken = oneTakes(s.OneOf, d, true) && taken
	if !taken { // one message for a value is enough
		d.Skip()
		return
	}
	if s.Not != nil && !s.Not.try(d).Wrong() {
		refuse(d, "another value")
		return
	}
	if s.Types != nil && d.Type(s.Types...) == "" {
		return
	}
	if s.Enum != nil {
		value := d.Trial().Raw()
		if !slices.ContainsFunc(s.Enum, func(text string) bool { return same(wire.Raw(text), value) }) {
			refuse(d, choices(s.Enum))
			return
		}
	}
	switch d.Kind() {
	case wire.KindString:
		s.readString(d)
	case wire.KindNumber:
		s.readNumber(d)
	case wire.KindArray:
		s.readArray(d)
	case wire.KindObject:
		s.readObject(d)
	default:
		d.Skip()
	}
}

// refuse reads a value that is not what is wanted.
func refuse(d *args.Decoder, want string) {
	d.Raw()
	d.Check(false, want)
}

// oneTakes reports whether one of the alternatives takes the value that comes next, or any number of them unless exactly is
// true. Otherwise it records what is wrong. The value stays there.
func oneTakes(list []Schema, d *args.Decoder, exactly bool) bool {
	if len(list) == 0 {
		return true
	}
	kind := d.Kind()
	var refused []*args.Decoder // by the alternatives for values of that kind
	taken := 0
	for i := range list {
		trial := list[i].try(d)
		if !trial.Wrong() {
			taken++
		} else if list[i].takes(kind) {
			refused = append(refused, trial)
		}
	}
	if taken == 1 || taken > 1 && !exactly {
		return true
	}
	if len(refused) == 0 || taken > 1 {
		trial := d.Trial()
		if taken > 1 {
			refuse(trial, "a value of one alternative, not of "+strconv.Itoa(taken))
		} else {
			trial.Type(typesOf(list)...)
		}
		refused = []*args.Decoder{trial}
	}
	d.Report(refused...)
	return false
}

// takes reports whether a schema takes values of a kind.
func (s *Schema) takes(kind wire.Kind) bool {
	switch {
	case s.Types != nil:
		return slices.Contains(s.Types, kind.String()) || kind == wire.KindNumber && slices.Contains(s.Types, "integer")
	case s.Enum != nil:
		return slices.ContainsFunc(s.Enum, func(text string) bool { return wire.Raw(text).Kind() == kind })
	}
	return true
}

// typesOf returns the types that schemas name.
func typesOf(list []Schema) (all []string) {
	for i := range list {
		for _, t := range list[i].Types {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// choices returns scalars, given as JSON texts, for a message.
func choices(texts []string) string {
	const maxListed, maxExcerpt = 20, 40
	var shown []string
	for i, text := range texts {
		if i == maxListed {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, excerpt.Cut(text, maxExcerpt))
	}
	if len(texts) == 1 {
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

func (s *Schema) readString(d *args.Decoder) {
	v := d.String()
	d.Length(v, atLeast(s.MinLength), atMost(s.MaxLength))
	if s.Match != nil {
		d.Format(v, "a match of "+s.Pattern, s.Match().MatchString)
	}
	if s.IsFormat != nil {
		d.Format(v, s.Format, s.IsFormat)
	}
}

// maxDigits bounds integers, because the type may write them out, as it does those of [args.Decoder.BigInt].
const maxDigits = 4096

func (s *Schema) readNumber(d *args.Decoder) {
	text := d.Raw()
	if slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number") {
		n := decimal.Parse(text)
		d.Check(n.IsInteger(), "an integer")
		d.Check(n.Digits()+n.Exponent <= maxDigits, "an integer of at most 4096 digits")
	}
	f, _ := strconv.ParseFloat(string(text), 64) // what is out of range is infinite
	bound := func(limit *float64, ok func(limit float64) bool, words string) {
		if limit != nil && !ok(*limit) {
			d.Check(false, words+strconv.FormatFloat(*limit, 'g', -1, 64))
		}
	}
	bound(s.Minimum, func(limit float64) bool { return f >= limit }, "a number of at least ")
	bound(s.Maximum, func(limit float64) bool { return f <= limit }, "a number of at most ")
	bound(s.Above, func(limit float64) bool { return f > limit }, "a number above ")
	bound(s.Below, func(limit float64) bool { return f < limit }, "a number below ")
	if s.MultipleOf != "" {
		d.MultipleOf(s.MultipleOf)
	}
}

// atLeast returns the bound below a count.
func atLeast(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// atMost returns the bound above a count.
func atMost(n *int) int {
	if n == nil {
		return math.MaxInt
	}
	return *n
}

func (s *Schema) readArray(d *args.Decoder) {
	var seen map[string]bool // the items, by a text that is the same for the same scalar
	twice := false
	list := args.Slice(d, func(_ *struct{}, d *args.Decoder) {
		if s.Unique {
			text := textOf(d.Trial().Raw())
			twice = twice || seen[text]
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[text] = true
		}
		if s.Items != nil {
			s.Items.read(d)
		} else {
			d.Skip()
		}
	})
	d.Count(len(list), atLeast(s.MinItems), atMost(s.MaxItems), "item")
	d.Check(!twice, "items that differ from each other")
}

// same reports whether two JSON texts are the same scalar.
func same(x, y wire.Raw) bool { return x.Kind() == y.Kind() && textOf(x) == textOf(y) }

// textOf returns the same text for the same scalar.
func textOf(raw wire.Raw) string {
	switch raw.Kind() {
	case wire.KindString:
		return `"` + raw.StringAt()
	case wire.KindNumber:
		return decimal.Parse(raw).String()
	}
	return string(raw)
}

func (s *Schema) readObject(d *args.Decoder) {
	name := ""
	members := args.Map(d, func(_ *args.Decoder, of string) string {
		name = of
		return of
	}, func(_ *struct{}, d *args.Decoder) {
		i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
		switch {
		case i >= 0:
			s.Properties[i].Schema.read(d)
		case s.Closed:
			d.Raw()
			d.Problem("", "unknown member")
		case s.Additional != nil:
			s.Additional.read(d)
		default:
			d.Skip()
		}
	})
	for _, p := range s.Properties {
		if _, given := members[p.Name]; p.Required && !given {
			d.Problem(p.Name, "required")
		}
	}
	d.Count(len(members), atLeast(s.MinProperties), atMost(s.MaxProperties), "member")
}
