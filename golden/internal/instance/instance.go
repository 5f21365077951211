// Package instance makes random JSON values that are valid for a type of a schema: what tests of
// the generated codecs feed them with.
package instance

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/model"
)

// A Source makes instances. The same seed makes the same instances.
type Source struct {
	Schema   *model.Schema // merged
	Rand     *rand.Rand
	Revision string // the revision that they are valid in; empty: any, with members of all
	Unknown  bool   // also adds members, and arms of unions, that no schema declares
}

// maxDepth is where values stop nesting: beyond it what may be absent is absent.
const maxDepth = 5

// Of returns an instance of a type, false if the revision does not have the type.
func (s *Source) Of(t *model.Type) (json.RawMessage, bool) {
	if s.Revision != "" && !t.Revs.Has(s.Revision) {
		return nil, false
	}
	return []byte(s.value(t.Expr, 0)), true
}

func (s *Source) has(revs model.Revs) bool { return s.Revision == "" || revs.Has(s.Revision) }

func (s *Source) chance(percent int) bool { return s.Rand.IntN(100) < percent }

func (s *Source) value(e *model.Expr, depth int) string {
	switch e.Kind {
	case model.Ref:
		return s.value(s.Schema.Type(e.Name).Expr, depth)
	case model.String:
		return quote(s.text(true))
	case model.Integer:
		return s.integer()
	case model.Number:
		return s.number()
	case model.Boolean:
		return strconv.FormatBool(s.chance(50))
	case model.Null:
		return "null"
	case model.ID:
		if s.chance(50) {
			return quote(s.text(true))
		}
		return s.integer()
	case model.Literal:
		b, _ := json.Marshal(e.Value)
		return string(b)
	case model.Enum:
		values := slices.DeleteFunc(slices.Clone(e.Values), func(v *model.EnumValue) bool { return !s.has(v.Revs) })
		if e.Open && (len(values) == 0 || s.chance(20)) {
			return quote("x-" + s.text(false))
		}
		return quote(values[s.Rand.IntN(len(values))].Value)
	case model.Nullable:
		if s.chance(30) {
			return "null"
		}
		return s.value(e.Elem, depth)
	case model.OneOrMany:
		if s.chance(50) {
			return s.value(e.Elem, depth)
		}
		return s.array(e.Elem, depth, 2)
	case model.Array:
		return s.array(e.Elem, depth, 0)
	case model.Map:
		return s.object(depth, func() string { return s.value(e.Elem, depth+1) })
	case model.AnyObject:
		return s.object(depth, func() string { return s.any(depth + 1) })
	case model.Struct:
		return s.structure(e, depth)
	case model.Union:
		return s.union(e, depth)
	case model.Raw:
		if e.Elem.Kind == model.Unknown {
			return s.any(depth)
		}
		return s.object(depth, func() string { return s.any(depth + 1) })
	case model.Unknown:
		return s.any(depth)
	}
	panic("no instances of " + string(e.Kind))
}

// array writes at least `least` elements, but never exactly one where least is more than that.
func (s *Source) array(elem *model.Expr, depth, least int) string {
	n := least + s.Rand.IntN(3)
	if depth > maxDepth {
		n = least
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = s.value(elem, depth+1)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (s *Source) object(depth int, value func() string) string {
	var parts []string
	if depth <= maxDepth {
		for i := range s.Rand.IntN(3) {
			parts = append(parts, quote(strconv.Itoa(i)+s.text(true))+":"+value())
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (s *Source) structure(e *model.Expr, depth int) string {
	var parts []string
	for _, m := range e.Members {
		required := !m.Optional
		if s.Revision != "" {
			required = m.Required.Has(s.Revision)
		}
		// A revision that has an optional literal has it written always, so that leaving it out would not come back.
		always := required || m.Type.Kind == model.Literal && s.Revision != ""
		if !s.has(m.Revs) || !always && (depth > maxDepth || s.chance(50)) {
			continue
		}
		typ := m.Type
		for _, v := range m.Narrowings {
			if s.Revision != "" && v.Revs.Has(s.Revision) {
				typ = v.Type
			}
		}
		v := s.value(typ, depth+1)
		if m.Optional && !m.Pointer && v == `""` && s.isString(m.Type) { // the same as absent
			if !required {
				continue
			}
			v = `"x"`
		}
		parts = append(parts, quote(m.Name)+":"+v)
	}
	if s.Unknown && s.chance(40) {
		for i := range 1 + s.Rand.IntN(3) {
			parts = append(parts, quote("x-"+strconv.Itoa(i)+s.text(true))+":"+s.any(depth+1))
		}
	}
	s.Rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return "{" + strings.Join(parts, ",") + "}"
}

// isString reports whether Go holds the values of a type in a string.
func (s *Source) isString(e *model.Expr) bool {
	if e.Kind == model.Ref {
		return s.isString(s.Schema.Type(e.Name).Expr)
	}
	return e.Kind == model.String || e.Kind == model.Enum
}

func (s *Source) union(e *model.Expr, depth int) string {
	if s.Unknown && e.Plan != nil && hasUnknown(e.Plan) && s.chance(20) {
		return `{"type":"x-unknown","method":"x/unknown","mode":"x-unknown","resultType":"x-unknown","x":` + s.any(depth+1) + `}`
	}
	var arms []*model.Arm
	for _, a := range e.Arms {
		if s.has(a.Revs) {
			arms = append(arms, a)
		}
	}
	if len(arms) == 0 { // JSONValue, at a revision that had no name for it
		return s.any(depth)
	}
	arm := arms[s.Rand.IntN(len(arms))].Expr
	return s.value(s.selected(arm, e.Plan), depth)
}

// hasUnknown reports whether a plan finds no arm for an object without a member that it asks for by name.
func hasUnknown(p *model.Plan) bool {
	for p != nil && p.On == model.TestKey {
		p = p.None
	}
	return p == nil || p.On != ""
}

// selected returns the type of an arm with the value of a member by which a plan knows it, where the type
// allows others: what answers a method has a type that may be anything.
func (s *Source) selected(arm *model.Expr, p *model.Plan) *model.Expr {
	if p == nil || p.On != model.TestValue || len(p.In) > 0 || arm.Kind != model.Ref {
		return arm
	}
	e := *s.Schema.Type(arm.Name).Expr
	i := slices.IndexFunc(e.Members, func(m *model.Member) bool { return m.Name == p.Member && m.Type.Kind != model.Literal })
	if e.Kind != model.Struct || i < 0 {
		return arm
	}
	e.Members = slices.Clone(e.Members)
	of := slices.IndexFunc(p.Cases, func(c model.Case) bool { return c.Then.Arm == arm.Name })
	if of < 0 { // known by its absence
		e.Members = slices.Delete(e.Members, i, i+1)
		return &e
	}
	only := *e.Members[i]
	only.Type, only.Optional, only.Required = &model.Expr{Kind: model.Literal, Value: p.Cases[of].Values[0]}, false, only.Revs
	e.Members[i] = &only
	return &e
}

// any writes any JSON value.
func (s *Source) any(depth int) string {
	n := 7
	if depth > maxDepth {
		n = 5
	}
	switch s.Rand.IntN(n) {
	case 0:
		return "null"
	case 1:
		return "true"
	case 2:
		return quote(s.text(true))
	case 3:
		return []string{"123456789012345678901234567890", "1.0", "-0", "1e400", "0.1000"}[s.Rand.IntN(5)]
	case 4:
		return s.integer()
	case 5:
		return s.object(depth, func() string { return s.any(depth + 1) })
	}
	return s.array(&model.Expr{Kind: model.Unknown}, depth, 0)
}

func (s *Source) integer() string {
	switch s.Rand.IntN(4) {
	case 0:
		return strconv.FormatInt(s.Rand.Int64(), 10)
	case 1:
		return strconv.FormatInt(math.MinInt64+s.Rand.Int64N(10), 10)
	}
	return strconv.Itoa(s.Rand.IntN(200) - 100)
}

func (s *Source) number() string {
	f := s.Rand.NormFloat64() * math.Pow(10, float64(s.Rand.IntN(40)-20))
	if s.chance(30) {
		f = float64(s.Rand.IntN(100))
	}
	b, _ := json.Marshal(f)
	return string(b)
}

// text makes a string that exercises escaping. It is not empty unless it may be.
func (s *Source) text(empty bool) string {
	runes := []rune("abcXYZ019 _-/\"\\\n\t\u0001\u007fäé߀漢\u2028😀�")
	n := s.Rand.IntN(12)
	if !empty {
		n++
	}
	b := make([]rune, n)
	for i := range b {
		b[i] = runes[s.Rand.IntN(len(runes))]
	}
	return string(b)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
