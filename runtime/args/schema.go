package args

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Schema says which values a type takes that has a JSON form of its own: what the JSON Schema says that a directive
// gives. Its members are the keywords of that name, and an empty Schema takes all values. Generated code makes Schemas, and
// they do not change. See https://json-schema.org/draft/2020-12/json-schema-validation
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

// Matches reports whether a schema takes the value that comes next, and leaves that to be read. Otherwise it records what
// is wrong, and skips the value.
func (d *Decoder) Matches(s *Schema) bool {
	if d.attempt(s) {
		return true
	}
	d.begin()
	d.skip()
	d.good = false
	return false
}

// attempt reports whether a schema takes the value that comes next, which stays there, and records what is wrong.
func (d *Decoder) attempt(s *Schema) bool {
	problems, more := d.mistakes(s)
	for _, p := range problems {
		d.add(p)
	}
	d.more += more
	return len(problems) == 0
}

// mistakes returns what is wrong with the value that comes next, by a schema, and how much more. The value stays there.
func (d *Decoder) mistakes(s *Schema) (problems []string, more int) {
	trial := *d
	trial.coerce, trial.problems, trial.more = false, nil, 0
	trial.match(s)
	if trial.w.Failed() {
		return nil, 0 // it is not JSON, which reading it finds, too
	}
	return trial.problems, trial.more
}

// match reads the value that comes next, and records where a schema does not take it.
func (d *Decoder) match(s *Schema) {
	before := len(d.problems)
	for i := range s.AllOf {
		d.attempt(&s.AllOf[i])
	}
	d.oneMatches(s.AnyOf, false)
	d.oneMatches(s.OneOf, true)
	kind := d.begin()
	if s.Not != nil {
		if problems, _ := d.mistakes(s.Not); len(problems) == 0 {
			d.skip()
			d.want("another value")
			return
		}
	}
	if len(d.problems) > before { // one message for a value is enough
		d.skip()
		return
	}
	if s.Types != nil && !s.takes(kind) {
		d.skip()
		d.want(typesText(s.Types))
		return
	}
	if s.Enum != nil {
		value := *d
		if raw := value.Raw(); !slices.ContainsFunc(s.Enum, func(text string) bool { return sameScalar(text, raw) }) {
			d.skip()
			d.want(choices(s.Enum))
			return
		}
	}
	switch kind {
	case wire.KindString:
		d.matchString(s)
	case wire.KindNumber:
		d.matchNumber(s)
	case wire.KindArray:
		d.matchArray(s)
	case wire.KindObject:
		d.matchObject(s)
	default:
		d.skip()
	}
}

// oneMatches records a problem if none of the alternatives takes the value that comes next, or more than one do that may not.
func (d *Decoder) oneMatches(list []Schema, exactly bool) {
	if len(list) == 0 {
		return
	}
	kind := d.begin()
	var first []string // of each alternative of the value's type
	var last []string
	taken := 0
	for i := range list {
		problems, _ := d.mistakes(&list[i])
		if len(problems) == 0 {
			taken++
		} else if list[i].takes(kind) {
			first, last = append(first, problems[0]), problems
		}
	}
	value := *d
	value.skip()
	switch {
	case taken == 1, taken > 1 && !exactly:
	case taken > 1:
		value.want("a value of one alternative, not of " + strconv.Itoa(taken))
		d.problems, d.more = value.problems, value.more
	case len(first) == 1: // whose mistakes are those that count
		for _, p := range last {
			d.add(p)
		}
	case len(first) == 0:
		var all []string
		for i := range list {
			for _, t := range list[i].Types {
				if !slices.Contains(all, t) {
					all = append(all, t)
				}
			}
		}
		value.want(typesText(all))
		d.problems, d.more = value.problems, value.more
	default:
		d.add(strings.Join(first, "; or "))
	}
}

// typeNames are the names that JSON Schema has for kinds of values.
var typeNames = map[wire.Kind]string{
	wire.KindNull: "null", wire.KindBool: "boolean", wire.KindNumber: "number", wire.KindString: "string", wire.KindArray: "array", wire.KindObject: "object",
}

// takes reports whether a schema takes values of a kind.
func (s *Schema) takes(kind wire.Kind) bool {
	name := typeNames[kind]
	switch {
	case s.Types != nil:
		return slices.Contains(s.Types, name) || name == "number" && slices.Contains(s.Types, "integer")
	case s.Enum != nil:
		return slices.ContainsFunc(s.Enum, func(text string) bool { return wire.Raw(text).Kind() == kind })
	}
	return true
}

// typesText names types for a message.
func typesText(types []string) string {
	if len(types) == 0 {
		return "another value"
	}
	var all []string
	for _, t := range types {
		switch t {
		case "null":
		case "array", "object", "integer":
			t = "an " + t
		default:
			t = "a " + t
		}
		all = append(all, t)
	}
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// choices returns scalars, given as JSON texts, for a message.
func choices(texts []string) string {
	shown := slices.Clone(texts[:min(len(texts), maxListed)])
	for i, t := range shown {
		shown[i] = cut(t, maxExcerpt)
	}
	if len(texts) > maxListed {
		shown = append(shown, "…")
	}
	if len(texts) == 1 {
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

// sameScalar reports whether two JSON texts are the same scalar.
func sameScalar(x string, y wire.Raw) bool {
	return wire.Raw(x).Kind() == y.Kind() && distinctText(wire.Raw(x)) == distinctText(y)
}

func (d *Decoder) matchString(s *Schema) {
	v := d.String()
	if s.MinLength != nil || s.MaxLength != nil {
		least, most := within(s.MinLength, s.MaxLength)
		d.Length(v, least, most)
	}
	if s.Match != nil {
		d.Format(v, "a match of "+s.Pattern, s.Match().MatchString)
	}
	if s.IsFormat != nil {
		d.Format(v, s.Format, s.IsFormat)
	}
}

// matchNumber reads a number, and checks it against a schema. That it is an integer is checked by a copy of the decoder, which
// has the problems.
func (d *Decoder) matchNumber(s *Schema) {
	if slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number") {
		whole := *d
		if whole.BigInt(); !whole.good {
			d.skip()
			d.good, d.problems, d.more = false, whole.problems, whole.more
			return
		}
	}
	token := d.number("a number", false)
	f, _ := strconv.ParseFloat(string(token), 64) // what is out of range is infinite
	switch {
	case s.Minimum != nil && f < *s.Minimum:
		d.want("a number of at least " + formatFloat(*s.Minimum))
	case s.Maximum != nil && f > *s.Maximum:
		d.want("a number of at most " + formatFloat(*s.Maximum))
	case s.Above != nil && f <= *s.Above:
		d.want("a number above " + formatFloat(*s.Above))
	case s.Below != nil && f >= *s.Below:
		d.want("a number below " + formatFloat(*s.Below))
	}
	if s.MultipleOf != "" {
		d.MultipleOf(s.MultipleOf)
	}
}

// within returns the bounds of a count.
func within(least, most *int) (int, int) {
	low, high := 0, math.MaxInt
	if least != nil {
		low = *least
	}
	if most != nil {
		high = *most
	}
	return low, high
}

func (d *Decoder) matchArray(s *Schema) {
	start, n := d.start, 0
	var seen map[string]bool
	twice := false
	for a := d.w.Array(); a.Next(); n++ {
		if s.Unique {
			item := *d
			text := distinctText(item.Raw())
			twice = twice || seen[text]
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[text] = true
		}
		if s.Items != nil {
			d.match(s.Items)
		} else {
			d.w.Skip()
		}
	}
	d.start, d.end, d.good = start, d.w.Offset(), true
	least, most := within(s.MinItems, s.MaxItems)
	d.Count(n, least, most, "item")
	if twice {
		d.want("items that differ from each other")
	}
}

// distinctText returns the same text for the same scalar.
func distinctText(raw wire.Raw) string {
	switch raw.Kind() {
	case wire.KindString:
		w := wire.NewDecoder(raw)
		return `"` + w.String()
	case wire.KindNumber:
		return decimal.Parse(bytes.TrimSpace(raw)).String()
	}
	return strings.TrimSpace(string(raw))
}

func (d *Decoder) matchObject(s *Schema) {
	start, n := d.start, 0
	seen := map[string]bool{}
	for o := d.w.Object(&anyObject); o.Next(); n++ {
		name := o.Name
		d.begin()
		i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
		switch {
		case seen[name]:
			d.problem(d.start, "", "given twice")
			d.w.Skip()
		case i >= 0:
			d.match(&s.Properties[i].Schema)
		case s.Closed:
			d.problem(d.start, "", "unknown member")
			d.w.Skip()
		case s.Additional != nil:
			d.match(s.Additional)
		default:
			d.w.Skip()
		}
		seen[name] = true
	}
	d.start, d.end, d.good = start, d.w.Offset(), true
	for _, p := range s.Properties {
		if p.Required && !seen[p.Name] {
			d.problem(start, p.Name, "required")
		}
	}
	least, most := within(s.MinProperties, s.MaxProperties)
	d.Count(n, least, most, "member")
}

// PutJSONAs is [PutJSON] for a type with a schema. Encoding fails where that does not take what v writes.
func PutJSONAs(v json.Marshaler, s *Schema, e *wire.Encoder) {
	if raw, ok := marshal(v.MarshalJSON, e); ok && keeps(raw, s, e) {
		PutRaw(raw, e)
	}
}

// keeps makes encoding fail unless a schema takes a value, which is written next.
func keeps(raw wire.Raw, s *Schema, e *wire.Encoder) bool {
	if raw == nil {
		return true // which fails
	}
	problems, _ := New(raw, false).mistakes(s)
	if len(problems) > 0 {
		e.Fail("its schema does not take it: " + strings.TrimPrefix(problems[0], whole+": "))
	}
	return len(problems) == 0
}
