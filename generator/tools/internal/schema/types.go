package schema

import (
	"cmp"
	"go/constant"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// Patterns of values that are spelled as strings. They mean the same in Go and in ECMA-262.
const (
	// Duration matches what time.ParseDuration accepts.
	Duration = `^[-+]?(0|(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
	// Integer and Unsigned match integers that are keys, or are written as strings.
	Integer  = `^(0|-?[1-9][0-9]*)$`
	Unsigned = `^(0|[1-9][0-9]*)$`
	// Float matches a JSON number that is written as a string.
	Float = `^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$`
)

// A writer writes one schema.
type writer struct {
	exact bool                 // with the keywords of exact.go
	open  bool                 // objects may have members that are not declared
	defs  map[string]string    // schemas by name; empty while it is being written
	sites map[*ir.Type]int     // at how many places a type is used
	done  map[*ir.Type]members // types that have been written: a reference, if they stand in defs
}

// maxRepeated is how many bytes a schema may spend on repeating a type at several places.
const maxRepeated = 512

// count counts the places at which types are used, each place once, however often it is written.
func (w *writer) count(t *ir.Type) {
	t = deref(t)
	if w.sites == nil {
		w.sites = map[*ir.Type]int{}
		w.done = map[*ir.Type]members{}
	}
	if w.sites[t]++; w.sites[t] > 1 {
		return
	}
	if t.Key != nil {
		w.count(t.Key)
	}
	if t.Elem != nil {
		w.count(t.Elem)
	}
	w.countAll(t.Fields)
	for _, a := range t.Arms {
		if t.Discriminator == "" {
			w.count(a.Type)
		}
		w.countAll(deref(a.Type).Fields)
	}
}

func (w *writer) countAll(ps []*ir.Property) {
	for _, p := range ps {
		w.count(p.Type)
	}
}

func (w *writer) addDefs(m *members) {
	if len(w.defs) == 0 {
		return
	}
	var defs members
	for _, name := range slices.Sorted(maps.Keys(w.defs)) {
		defs.set(name, w.defs[name])
	}
	m.set("$defs", defs.json())
}

// object returns the schema of an object with these properties. The discriminator of a union's
// arm comes first.
func (w *writer) object(discriminator *member, fields []*ir.Property, open bool) members {
	m := members{{"type", `"object"`}}
	var properties members
	var required []string
	if discriminator != nil {
		properties.set(discriminator.name, members{{"type", `"string"`}, {"const", quote(discriminator.value)}}.String())
		required = append(required, quote(discriminator.name))
	}
	for _, p := range fields {
		properties.set(p.Name, w.property(p).String())
		if p.Required {
			required = append(required, quote(p.Name))
		}
	}
	if len(properties) > 0 {
		m.set("properties", properties.json())
	}
	if len(required) > 0 {
		m.set("required", list(required))
	}
	if !open && !w.open {
		m.set("additionalProperties", "false")
	}
	return m
}

// property returns the schema of a property. Constraints are added to the schema of its type before null is allowed, to
// which they do not apply. Then come the keywords that only describe it, which may be beside a reference, too.
func (w *writer) property(p *ir.Property) members {
	t := deref(p.Type)
	var m members
	if p.Quoted {
		m = quoted(t)
		w.known(&m, quotedValues(t), t)
		w.exactQuoted(&m, t, p.Constraints)
	} else {
		m = w.typ(t)
		constrain(&m, t, p.Constraints)
		w.name(&m, t, p.Constraints)
		w.exactConstraints(&m, t, p.Constraints)
		w.parts(&m, t, p.Constraints)
	}
	elsewhere := refers(m)
	if p.Type.Kind == ir.Option {
		m = orNull(m)
	}
	if text := description(p, elsewhere); text != "" {
		m.set("description", quote(text))
	}
	if p.Default != nil {
		m.set("default", w.literal(p.Default, p))
	}
	if len(p.Examples) > 0 {
		var all []string
		for _, l := range p.Examples {
			all = append(all, w.literal(l, p))
		}
		m.set("examples", list(all))
	}
	if p.Header != "" {
		m.set("x-mcp-header", quote(p.Header))
	}
	return m
}

// orNull returns the schema of null and of what another schema says.
func orNull(m members) members {
	const null = `{"type":"null"}`
	if len(m) == 1 && m[0].name == "anyOf" {
		return members{{"anyOf", strings.TrimSuffix(m[0].value, "]") + "," + null + "]"}}
	}
	return members{{"anyOf", list([]string{m.String(), null})}}
}

// parts adds the schemas of constrained items, keys and values.
func (w *writer) parts(m *members, t *ir.Type, c *ir.Constraints) {
	if c == nil {
		return
	}
	part := func(keyword string, t *ir.Type, c *ir.Constraints) {
		if c != nil {
			m.set(keyword, w.property(&ir.Property{Type: t, Constraints: c}).String())
		}
	}
	part("items", t.Elem, c.Items)
	part("additionalProperties", t.Elem, c.Values)
	if c.Keys != nil {
		names := keys(t.Key)
		constrain(&names, t.Key, c.Keys)
		m.set("propertyNames", names.String())
	}
}

// described returns the schema of a type that is not that of a property.
func (w *writer) described(t *ir.Type) members {
	t = deref(t)
	m := w.typ(t)
	if text := cmp.Or(withValues(t.Doc, t, nil), example(t, nil)); text != "" && !refers(m) {
		m.set("description", quote(text))
	}
	return m
}

// typ returns the schema of a type, without a description.
func (w *writer) typ(t *ir.Type) members {
	t = deref(t)
	if !inDefs(t) {
		return w.shared(t)
	}
	if _, ok := w.defs[t.Name]; !ok {
		if w.defs == nil {
			w.defs = map[string]string{}
		}
		w.defs[t.Name] = ""
		w.define(t, w.inline(t))
	}
	return reference(t)
}

// shared returns the schema of a type, or a reference to it if repeating it would cost too much.
func (w *writer) shared(t *ir.Type) members {
	if m, ok := w.done[t]; ok {
		return slices.Clone(m)
	}
	m := w.inline(t)
	if t.Kind == ir.Struct && t.Name != "" && (w.sites[t]-1)*len(m.String()) > maxRepeated {
		w.define(t, m)
		m = reference(t)
	}
	if w.done != nil {
		w.done[t] = m
	}
	return slices.Clone(m)
}

func (w *writer) define(t *ir.Type, m members) {
	if w.defs == nil {
		w.defs = map[string]string{}
	}
	if t.Doc != "" {
		m.set("description", quote(t.Doc))
	}
	w.defs[t.Name] = m.String()
}

func reference(t *ir.Type) members { return members{{"$ref", quote("#/$defs/" + t.Name)}} }

// refers reports whether a schema is a reference.
func refers(m members) bool { return len(m) > 0 && m[0].name == "$ref" }

// inline returns the schema of a type itself, with those of its parts: typ and shared decide whether a place has it or
// a reference to it.
func (w *writer) inline(t *ir.Type) members {
	if t.Schema != "" {
		m := parse(t.Schema)
		w.exactType(&m, t)
		return m
	}
	m := scalar(t)
	if !t.IsClosed() && !t.Named {
		w.bound(&m, t)
	}
	w.name(&m, t, nil)
	w.exactType(&m, t)
	w.known(&m, spelled(t), t)
	switch t.Kind {
	case ir.Slice:
		m.set("items", w.described(t.Elem).String())
	case ir.Array:
		m.set("items", w.described(t.Elem).String())
		n := strconv.FormatInt(t.Len, 10)
		m.set("minItems", n)
		m.set("maxItems", n)
	case ir.Map:
		names, key := keys(t.Key), deref(t.Key)
		w.exactKeys(&names, key)
		w.known(&names, quotedValues(key), key)
		if names != nil {
			m.set("propertyNames", names.String())
		}
		m.set("additionalProperties", w.described(t.Elem).String())
	case ir.Struct:
		m = w.object(nil, t.Fields, t.Open)
	case ir.Union:
		var arms []string
		if t.Discriminator == "" {
			for _, a := range t.Arms {
				arms = append(arms, w.described(a.Type).String())
			}
			m.set("anyOf", list(arms))
			break
		}
		for _, a := range t.Arms {
			s := deref(a.Type) // even a recursive arm stands here, since elsewhere it has no discriminator
			arm := w.object(&member{t.Discriminator, a.Value}, s.Fields, s.Open)
			if s.Doc != "" {
				arm.set("description", quote(s.Doc))
			}
			arms = append(arms, arm.String())
		}
		m.set("oneOf", list(arms))
	}
	return m
}

// scalar returns what a schema says about a type without its parts.
func scalar(t *ir.Type) members {
	var m members
	switch t.Kind {
	case ir.Bool:
		m.set("type", `"boolean"`)
	case ir.Int, ir.Uint, ir.BigInt:
		m.set("type", `"integer"`)
	case ir.Float, ir.Number:
		m.set("type", `"number"`)
	case ir.String, ir.Bytes, ir.Time, ir.Duration, ir.URL, ir.Text:
		m.set("type", `"string"`)
	case ir.Slice, ir.Array:
		m.set("type", `"array"`)
	case ir.Map, ir.Struct:
		m.set("type", `"object"`)
	case ir.Union:
		if t.Discriminator != "" {
			m.set("type", `"object"`)
		}
	}
	if t.IsClosed() {
		m.set("enum", list(values(t)))
		return m
	}
	switch t.Kind {
	case ir.Bytes:
		m.set("contentEncoding", `"base64"`)
	case ir.Time:
		m.set("format", `"date-time"`)
	case ir.Duration:
		m.set("pattern", quote(Duration))
	case ir.URL:
		m.set("format", `"uri"`)
	}
	return m
}

// bound adds the bounds of a type of numbers. Those of 64 bits are in exact schemas alone: they cost a model 61
// bytes, tell it nothing, and JavaScript cannot represent them.
func (w *writer) bound(m *members, t *ir.Type) {
	for _, b := range bounds(t) {
		if w.exact || t.Bits < 64 || b.value == "0" {
			m.set(b.name, b.value)
		}
	}
}

// bounds returns the keywords minimum and maximum of a type of numbers.
func bounds(t *ir.Type) members {
	switch {
	case t.Kind == ir.Int:
		limit := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits-1))
		return members{{"minimum", new(big.Int).Neg(limit).String()}, {"maximum", limit.Sub(limit, big.NewInt(1)).String()}}
	case t.Kind == ir.Uint:
		limit := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
		return members{{"minimum", "0"}, {"maximum", limit.Sub(limit, big.NewInt(1)).String()}}
	case t.Kind == ir.Float && t.Bits == 32:
		limit := strconv.FormatFloat(math.MaxFloat32, 'g', -1, 32) // as a float32 is written
		return members{{"minimum", "-" + limit}, {"maximum", limit}}
	}
	return nil
}

// keys returns the schema of the keys of a map; nil if it accepts all.
func keys(t *ir.Type) members {
	t = deref(t)
	switch {
	case t.IsClosed():
		return members{{"enum", list(quotedValues(t))}}
	case t.Kind == ir.Int:
		return members{{"pattern", quote(Integer)}}
	case t.Kind == ir.Uint:
		return members{{"pattern", quote(Unsigned)}}
	}
	return nil
}

// quoted returns the schema of a number or boolean that is written as a string.
func quoted(t *ir.Type) members {
	m := members{{"type", `"string"`}}
	switch {
	case t.Kind == ir.Bool:
		m.set("enum", `["true","false"]`)
	case t.IsClosed():
		m.set("enum", keys(t)[0].value)
	case t.Kind == ir.Int:
		m.set("pattern", quote(Integer))
	case t.Kind == ir.Uint:
		m.set("pattern", quote(Unsigned))
	default:
		m.set("pattern", quote(Float))
	}
	return m
}

// constrain adds the constraints that a directive gives. They replace those of the type, which are wider.
func constrain(m *members, t *ir.Type, c *ir.Constraints) {
	if c == nil {
		return
	}
	if c.Enum != nil {
		*m = slices.DeleteFunc(*m, func(k member) bool { return slices.Contains([]string{"minimum", "maximum", "examples", known}, k.name) })
		m.set("enum", literals(c.Enum))
	}
	if t.Kind == ir.Duration {
		return // which a description says
	}
	if c.Min != nil {
		m.set("minimum", number(c.Min))
	}
	if c.Max != nil {
		m.set("maximum", number(c.Max))
	}
	if c.Above != nil {
		*m = slices.DeleteFunc(*m, func(k member) bool { return k.name == "minimum" })
		m.set("exclusiveMinimum", number(c.Above))
	}
	if c.Below != nil {
		*m = slices.DeleteFunc(*m, func(k member) bool { return k.name == "maximum" })
		m.set("exclusiveMaximum", number(c.Below))
	}
	if c.MultipleOf != "" && inBinary(c.MultipleOf) {
		m.set("multipleOf", c.MultipleOf)
	}
	if c.Unique {
		m.set("uniqueItems", "true")
	}
	least, most := "minLength", "maxLength"
	switch t.Kind {
	case ir.Slice, ir.Array:
		least, most = "minItems", "maxItems"
	case ir.Map:
		least, most = "minProperties", "maxProperties"
	}
	length := strconv.Itoa
	if t.Kind == ir.Bytes {
		length = func(n int) string { return strconv.Itoa((n + 2) / 3 * 4) } // of their base64, with padding
	}
	if c.MinLen != nil {
		m.set(least, length(*c.MinLen))
	}
	if c.MaxLen != nil {
		m.set(most, length(*c.MaxLen))
	}
	if c.Pattern != "" {
		m.set("pattern", quote(c.Pattern))
	}
	if c.Format != "" {
		m.set("format", quote(c.Format))
	}
}

// known adds the values of an enum of a result, which may have other values, as examples, which do not limit it.
func (w *writer) known(m *members, values []string, t *ir.Type) {
	switch {
	case !t.MoreValues:
	case w.exact:
		m.set(known, list(values))
	default:
		if *m == nil { // examples alone would look like a schema of anything
			m.set("type", `"string"`)
		}
		m.set("examples", list(values))
	}
}

// quotedValues returns the values of an enum as strings.
func quotedValues(t *ir.Type) []string {
	all := values(t)
	for i, v := range all {
		if v[0] != '"' {
			all[i] = quote(v)
		}
	}
	return all
}

// inBinary reports whether a float64 is exactly a number. Validators that calculate with them refuse multiples of other
// numbers: to those in JavaScript, 0.07 is no multiple of 0.01.
func inBinary(number string) bool {
	exact, ok := new(big.Rat).SetString(number)
	f, err := strconv.ParseFloat(number, 64)
	return ok && err == nil && exact.Cmp(new(big.Rat).SetFloat64(f)) == 0
}

func values(t *ir.Type) []string {
	var all []string
	for _, v := range t.Enum {
		all = append(all, v.JSON)
	}
	return all
}

func literals(ls []*ir.Literal) string {
	var all []string
	for _, l := range ls {
		all = append(all, l.JSON)
	}
	return list(all)
}

// number returns a number in JSON: integers exactly, others as the shortest decimal that is the same float64.
func number(v constant.Value) string {
	if v.Kind() == constant.Int {
		return v.ExactString()
	}
	f, _ := constant.Float64Val(v)
	return strconv.FormatFloat(f, 'g', -1, 64)
}
