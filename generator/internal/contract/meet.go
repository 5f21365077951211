package contract

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/args"
)

// meets reports whether all values of a meet are valid against a schema without references and lists of schemas.
func (o *oracle) meets(m *meet, large *object) bool {
	if o.tooMuch(len(m.parts)) {
		return false
	}
	o.depth++
	defer func() { o.depth-- }()
	large = without(large, silent...)
	for _, k := range slices.Clone(large.names) { // what is demanded in the same words
		if slices.Contains(plainKeywords, k) && slices.ContainsFunc(m.parts, func(p *object) bool { return text(p.get(k)) == text(large.get(k)) }) {
			large = without(large, k)
		}
	}
	if len(large.names) == 0 || o.each(m, large) {
		return true
	}
	some, all := m.arms(func(all []any) bool {
		arm := o.meetOf(m.root, all)
		return arm.never || o.meets(arm, large) || o.empty(all)
	})
	return some && all
}

// plainKeywords mean the same wherever they are.
var plainKeywords = []string{
	"type", "const", "enum", "pattern", "format", "contentEncoding", "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "maximum",
	"exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "multipleOf", "uniqueItems", "x-go-type", "x-go-min", "x-go-max", "x-go-minlen",
	"x-go-maxlen", "x-go-above", "x-go-below", "x-go-multipleof", "x-go-oneof",
}

// understood keywords are compared by their meaning; any other by its text.
var understood = append([]string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "items", "prefixItems"}, plainKeywords...)

// asserting keywords are not understood, but mean the same wherever they are. What others mean can depend on those beside
// them, as with contains and minContains.
var asserting = []string{"not", "dependentRequired", "dependentSchemas"}

// said reports whether a meet says in the same words what is not understood of the larger schema.
func (o *oracle) said(m *meet, large *object) bool {
	others := func(s *object) []string {
		return slices.DeleteFunc(saying(s), func(k string) bool {
			return slices.Contains(understood, k) || slices.Contains(asserting, k) || slices.Contains([]string{"$ref", "allOf", "anyOf", "oneOf"}, k)
		})
	}
	by := func(p *object, k string) bool { return p.get(k) != nil && o.same(k, p.get(k), large.get(k)) }
	rest := others(large)
	for _, k := range large.names {
		switch {
		case strings.HasPrefix(k, "$"), strings.HasPrefix(k, "unevaluated"): // which depends on what is elsewhere
			return false
		case slices.Contains(asserting, k) && !slices.ContainsFunc(m.parts, func(p *object) bool { return by(p, k) }):
			return false
		}
	}
	return len(rest) == 0 || slices.ContainsFunc(m.parts, func(p *object) bool {
		return len(others(p)) == len(rest) && !slices.ContainsFunc(rest, func(k string) bool { return !by(p, k) })
	})
}

// each is meets for the values of each type. A type with few values is decided by looking at each of them, where its keywords
// alone do not decide.
func (o *oracle) each(m *meet, large *object) bool {
	if values, ok := o.values(m); ok {
		return o.allAccepted(o.large, large, values)
	}
	if !o.said(m, large) {
		return false
	}
	for _, name := range typesOf(m) {
		if o.typed(m, name, large) {
			continue
		}
		values, ok := finite(m, name)
		if !ok || !o.allAccepted(o.large, large, slices.DeleteFunc(values, func(v any) bool { return m.accepts(v) == no })) {
			return false
		}
	}
	return true
}

func (o *oracle) allAccepted(root, s *object, values []any) bool {
	return !slices.ContainsFunc(values, func(v any) bool { return o.accepts(root, s, v) != yes })
}

// typed is meets for the values of one type.
func (o *oracle) typed(m *meet, name string, large *object) bool {
	l := &meet{o: o, root: o.large, parts: []*object{large}}
	if !slices.Contains(typesOf(l), name) || listed(large) != nil || large.get("x-go-type") != nil || !spelled(m, name, large) {
		return false
	}
	switch name {
	case "integer", "fraction":
		return within(numbersOf(m, name), numbersOf(l, name))
	case "string":
		return stringsWithin(m, large)
	case "array":
		return o.arrays(m, l)
	case "object":
		return o.objects(m, l)
	}
	return true
}

// The types of values: numbers are integers, or fractions.
var valueTypes = []string{"array", "boolean", "fraction", "integer", "null", "object", "string"}

// typesOf returns the types that the values of a meet can have, sorted.
func typesOf(m *meet) []string {
	all := slices.Clone(valueTypes)
	for _, p := range m.parts {
		if t := p.get("type"); t != nil {
			all = slices.DeleteFunc(all, func(name string) bool { return !hasType(t, name) })
		}
	}
	return all
}

// hasType reports whether one of the types that a schema lists, or its only one, is one of valueTypes.
func hasType(listed any, name string) bool {
	is := func(v any) bool { return v == name || v == "number" && (name == "integer" || name == "fraction") }
	if list, ok := listed.([]any); ok {
		return slices.ContainsFunc(list, is)
	}
	return is(listed)
}

// A span is a set of numbers.
type span struct {
	low, high           *big.Rat // nil if there is none
	aboveLow, belowHigh bool     // without the bound itself
	step                *big.Rat // of which all are multiples; nil if there is none
	integers            bool
}

func rational(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok || !isBearable(string(n)) {
		return nil
	}
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// numbersOf returns the integers, or the fractions, of a meet.
func numbersOf(m *meet, name string) *span {
	s := &span{integers: name == "integer"}
	for _, p := range m.parts {
		for _, k := range []string{"minimum", "exclusiveMinimum"} {
			if r := rational(p.get(k)); r != nil && (s.low == nil || r.Cmp(s.low) > 0 || r.Cmp(s.low) == 0 && !s.aboveLow) {
				s.low, s.aboveLow = r, k == "exclusiveMinimum"
			}
		}
		for _, k := range []string{"maximum", "exclusiveMaximum"} {
			if r := rational(p.get(k)); r != nil && (s.high == nil || r.Cmp(s.high) < 0 || r.Cmp(s.high) == 0 && !s.belowHigh) {
				s.high, s.belowHigh = r, k == "exclusiveMaximum"
			}
		}
		if r := rational(p.get("multipleOf")); r != nil && r.Sign() > 0 {
			s.step = common(s.step, r)
		}
	}
	step := s.step
	if s.integers {
		step = common(step, big.NewRat(1, 1))
	}
	if step == nil {
		return s
	}
	if s.low != nil {
		s.low, s.aboveLow = next(s.low, step, s.aboveLow), false
	}
	if s.high != nil {
		s.high, s.belowHigh = new(big.Rat).Neg(next(new(big.Rat).Neg(s.high), step, s.belowHigh)), false
	}
	return s
}

// common returns the smallest number of which all are multiples that are multiples of two others.
func common(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	x, y := new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom())
	gcd := new(big.Int).GCD(nil, nil, x, y)
	lcm := new(big.Int).Mul(x, new(big.Int).Div(y, gcd))
	return new(big.Rat).SetFrac(lcm, new(big.Int).Mul(a.Denom(), b.Denom()))
}

// next returns the first multiple of a step that is at least, or above, a number.
func next(from, step *big.Rat, above bool) *big.Rat {
	q := new(big.Rat).Quo(from, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // the floor
	if at := new(big.Rat).SetInt(n); at.Cmp(q) < 0 || above {
		n.Add(n, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

func (s *span) empty() bool {
	if s.low != nil && s.high != nil {
		if order := s.low.Cmp(s.high); order > 0 || order == 0 && (s.aboveLow || s.belowHigh || !s.integers && s.low.IsInt()) {
			return true
		}
	}
	return !s.integers && s.step != nil && s.step.IsInt()
}

// within reports whether all numbers of a span are in another. It may say false of some that are: it compares the bounds and the
// steps, each by itself.
func within(a, b *span) bool {
	switch {
	case a.empty():
		return true
	case b.low != nil && (a.low == nil || a.low.Cmp(b.low) < 0 || a.low.Cmp(b.low) == 0 && b.aboveLow && !a.aboveLow):
		return false
	case b.high != nil && (a.high == nil || a.high.Cmp(b.high) > 0 || a.high.Cmp(b.high) == 0 && b.belowHigh && !a.belowHigh):
		return false
	case b.step == nil:
		return true
	}
	step := a.step
	if a.integers {
		step = common(step, big.NewRat(1, 1))
	}
	return step != nil && new(big.Rat).Quo(step, b.step).IsInt()
}

// count returns the largest lower limit, or the smallest upper one, under a keyword; -1 if there is none.
func (m *meet) count(keyword string, sign int) int64 {
	n := int64(-1)
	for _, p := range m.parts {
		if r := rational(p.get(keyword)); r != nil {
			v := new(big.Int).Div(r.Num(), r.Denom())
			if sign > 0 && !r.IsInt() {
				v.Add(v, big.NewInt(1))
			}
			if !v.IsInt64() {
				v = big.NewInt(1 << 62)
			}
			switch v := max(v.Int64(), 0); {
			case n < 0:
				n = v
			case sign > 0:
				n = max(n, v)
			default:
				n = min(n, v)
			}
		}
	}
	return n
}

// sizes reports whether sizes from low to high, which is -1 if there is no limit and else not below low, are in the limits
// of a schema.
func sizes(low, high int64, l *meet, lower, upper string) bool {
	least, most := l.count(lower, 1), l.count(upper, -1)
	return max(low, 0) >= least && (most < 0 || high >= 0 && high <= most)
}

// stringsWithin reports whether all strings of a meet are valid. What spells a value in a string, and how, is only known
// to be the same in the same words.
func stringsWithin(m *meet, large *object) bool {
	low, high := m.count("minLength", 1), m.count("maxLength", -1)
	if high >= 0 && low > high {
		return true
	}
	for _, k := range []string{"pattern", "format", "contentEncoding"} {
		if large.get(k) != nil {
			return false // or it had been in the meet, and left out
		}
	}
	l := &meet{parts: []*object{large}}
	return sizes(low, high, l, "minLength", "maxLength")
}

// spelled reports whether the values that strings spell, and the numbers that no float is exactly, are in the bounds of
// a schema. Name is the type of the values.
func spelled(m *meet, name string, large *object) bool {
	some := func(is func(p *object) bool) bool { return slices.ContainsFunc(m.parts, is) }
	for _, l := range limits {
		if !strings.HasPrefix(l.lower, "x-go-") {
			continue
		}
		for _, side := range []struct {
			keyword, exclusive string
			sign               int
		}{{l.lower, l.above, 1}, {l.upper, l.below, -1}} {
			most := tighter(large, side.keyword, side.exclusive, side.sign, l.counts && side.sign > 0)
			if most.keyword != "" && !some(func(p *object) bool {
				b := tighter(p, side.keyword, side.exclusive, side.sign, l.counts && side.sign > 0)
				return b.keyword != "" && b.order(most, side.sign) >= 0
			}) {
				return false
			}
		}
	}
	by, ok := large.get("x-go-multipleof").(json.Number)
	return !ok || some(func(p *object) bool {
		s := step(p, name == "string")
		return s != "" && args.IsMultipleOf(s, string(by))
	})
}

// itemsAt returns the schemas of an item.
func itemsAt(m *meet, i int) (all []any) {
	m.o.spend(len(m.parts))
	for _, p := range m.parts {
		prefix, _ := p.get("prefixItems").([]any)
		if i < len(prefix) {
			all = append(all, prefix[i])
		} else if items := p.get("items"); items != nil {
			all = append(all, items)
		}
	}
	return all
}

// prefix returns how many items at most have schemas of their own.
func prefix(ms ...*meet) (n int) {
	for _, m := range ms {
		for _, p := range m.parts {
			list, _ := p.get("prefixItems").([]any)
			n = max(n, len(list))
		}
	}
	return n
}

func (m *meet) unique() bool {
	return slices.ContainsFunc(m.parts, func(p *object) bool { return p.get("uniqueItems") == true })
}

// lengths returns how many items arrays have at least and at most, which is -1 if there is no limit.
func (o *oracle) lengths(m *meet) (low, high int64) {
	low, high = m.count("minItems", 1), m.count("maxItems", -1)
	for i := range prefix(m) + 1 {
		if (high < 0 || int64(i) < high) && o.empty(itemsAt(m, i)) {
			high = int64(i)
		}
	}
	if m.unique() {
		n := prefix(m)
		if values, ok := o.values(o.meetOf(m.root, itemsAt(m, n))); ok && (high < 0 || int64(n+len(values)) < high) {
			high = int64(n + len(values))
		}
	}
	return low, high
}

// arrays is [oracle.typed] for arrays. Items beyond those with schemas of their own are all alike, so the first of them stands
// for the rest; items that no array is long enough for do not matter.
func (o *oracle) arrays(m, l *meet) bool {
	low, high := o.lengths(m)
	if high >= 0 && low > high {
		return true
	}
	if !sizes(low, high, l, "minItems", "maxItems") || l.unique() && !m.unique() && (high < 0 || high > 1) {
		return false
	}
	for i := range prefix(m, l) + 1 {
		if high >= 0 && int64(i) >= high {
			break
		}
		for _, s := range itemsAt(l, i) {
			if !o.contained(itemsAt(m, i), s) {
				return false
			}
		}
	}
	return true
}

// requiredBy returns the names of the members that objects must have.
func requiredBy(m *meet) *set {
	all := &set{}
	for _, p := range m.parts {
		for _, name := range required(p).names {
			all.add(name)
		}
	}
	return all
}

// members returns the schemas of a member: those that certainly apply, or else all that may. Without steps left, nothing is
// certain.
func (m *meet) members(name string, certain bool) (all []any) {
	if !m.o.spend(len(m.parts)) && certain {
		return nil
	}
	for _, p := range m.parts {
		declared := no
		if s, ok := p.values["properties"].(*object); ok && s.values[name] != nil {
			all, declared = append(all, s.values[name]), yes
		}
		patterns := child(p, "patternProperties")
		for _, pattern := range members(patterns) {
			is := m.o.match(pattern, name)
			if is == yes || is == perhaps && !certain {
				all = append(all, patterns.values[pattern])
			}
			declared = max(declared, is)
		}
		if rest, ok := p.values["additionalProperties"]; ok && (declared == no || declared == perhaps && !certain) {
			all = append(all, rest)
		}
		if names := p.get("propertyNames"); names != nil {
			if is := m.o.accepts(m.root, names, name); is == no || is == perhaps && !certain {
				all = append(all, false)
			}
		}
	}
	return all
}

// others returns the schemas of members that have neither a name nor a pattern in any of the parts.
func others(m *meet) (all []any) {
	for _, p := range m.parts {
		if rest, ok := p.values["additionalProperties"]; ok {
			all = append(all, rest)
		}
	}
	return all
}

// named returns all names that schemas mention, and whether no other member is possible in the first.
func (o *oracle) named(m, l *meet) (names []string, closed bool) {
	all := &set{}
	for _, x := range []*meet{m, l} {
		for _, p := range x.parts {
			for _, name := range declared(p, required(p)).names {
				all.add(name)
			}
		}
	}
	for _, p := range m.parts {
		closed = closed || p.values["additionalProperties"] == false && child(p, "patternProperties") == nil
	}
	if possible := namesOf(m); o.empty(possible) {
		closed = true
	} else if values, ok := o.values(o.meetOf(m.root, possible)); ok {
		closed = true
		for _, v := range values {
			if name, ok := v.(string); ok { // any value may be listed, without steps left
				all.add(name)
			}
		}
	}
	return all.names, closed || o.empty(others(m)) && len(patternsOf(m)) == 0
}

// textual is the schema of all strings.
var textual = wrapped("type", "string")

// namesOf returns the schemas of the names of members.
func namesOf(m *meet) []any {
	all := []any{textual}
	for _, p := range m.parts {
		if s := p.get("propertyNames"); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// patternsOf returns the patterns of names.
func patternsOf(m *meet) (all []string) {
	for _, p := range m.parts {
		all = append(all, members(child(p, "patternProperties"))...)
	}
	return all
}

// objects is [oracle.typed] for objects. First come the members that are possible, and those that there must be, since one says
// more about the other than the keywords do: as many members as there may be must all be there, and if no more than the required
// ones fit, no others are possible.
func (o *oracle) objects(m, l *meet) bool {
	names, closed := o.named(m, l)
	must := requiredBy(m)
	possible := &set{}
	for _, name := range names {
		if !o.empty(m.members(name, true)) {
			possible.add(name)
		}
	}
	low, high := max(m.count("minProperties", 1), int64(len(must.names))), m.count("maxProperties", -1)
	if closed && (high < 0 || high > int64(len(possible.names))) {
		high = int64(len(possible.names))
	}
	switch {
	case high >= 0 && low > high, slices.ContainsFunc(must.names, func(name string) bool { return !possible.has(name) }):
		return true // there are no values
	case closed && low == int64(len(possible.names)):
		for _, name := range possible.names {
			must.add(name)
		}
	}
	if high >= 0 && high == int64(len(must.names)) {
		possible, closed = must, true
	}
	if !sizes(low, high, l, "minProperties", "maxProperties") || slices.ContainsFunc(requiredBy(l).names, func(name string) bool { return !must.has(name) }) {
		return false
	}
	for _, name := range possible.names {
		for _, s := range l.members(name, false) {
			if !o.contained(m.members(name, true), s) {
				return false
			}
		}
	}
	return o.otherMembers(m, l, closed) && choices(m, l)
}

// otherMembers is objects for members whose names no schema mentions.
func (o *oracle) otherMembers(m, l *meet, closed bool) bool {
	large := l.parts[0]
	if s := large.get("propertyNames"); s != nil && !closed && !o.contained(namesOf(m), s) {
		return false
	}
	if closed {
		return true
	}
	patterns, were := child(large, "patternProperties"), patternsOf(m)
	rest := large.get("additionalProperties") // or nil, which takes all
	if !o.spend(len(were) * (len(members(patterns)) + len(m.parts))) {
		return false
	}
	for _, p := range members(patterns) {
		if !slices.Contains(were, p) && !o.contained(others(m), patterns.values[p]) {
			return false
		}
	}
	for _, p := range were {
		var small []any
		for _, part := range m.parts {
			if s := child(part, "patternProperties").get(p); s != nil {
				small = append(small, s)
			}
		}
		if patterns.get(p) == nil && !o.contained(small, rest) || slices.ContainsFunc(members(patterns), func(q string) bool { return !o.contained(small, patterns.values[q]) }) {
			return false
		}
	}
	return o.contained(others(m), rest)
}

// choices compares lists of members of which exactly one must be given.
func choices(m, l *meet) bool {
	for _, list := range nameLists(l.parts[0]) {
		if !slices.ContainsFunc(m.parts, func(p *object) bool {
			before := child(p, "properties")
			return p.get("additionalProperties") == false && slices.ContainsFunc(nameLists(p), func(old []string) bool { return grown(old, list, before) })
		}) {
			return false
		}
	}
	return true
}

// values returns the values of a meet, if they can be listed.
func (o *oracle) values(m *meet) ([]any, bool) {
	for _, p := range m.parts {
		if all := listed(p); all != nil {
			return slices.DeleteFunc(slices.Clone(all), func(v any) bool { return m.accepts(v) == no }), true
		}
	}
	if some, _ := m.arms(func([]any) bool { return false }); some {
		return nil, false
	}
	var all []any
	for _, name := range typesOf(m) {
		values, ok := finite(m, name)
		if !ok {
			return nil, false
		}
		all = append(all, values...)
	}
	return slices.DeleteFunc(all, func(v any) bool { return m.accepts(v) == no }), true
}

// finite returns all values of a type, and perhaps others, if there are few.
func finite(m *meet, name string) ([]any, bool) {
	switch name {
	case "boolean":
		return []any{false, true}, true
	case "null":
		return []any{nil}, true
	case "integer", "fraction":
		s := numbersOf(m, name)
		step := s.step
		if s.integers {
			step = common(step, big.NewRat(1, 1))
		}
		switch {
		case s.empty():
			return nil, true
		case s.low == nil || s.high == nil:
			return nil, false
		case s.low.Cmp(s.high) == 0:
			return []any{decimal(s.low)}, true
		case step == nil:
			return nil, false
		}
		most := new(big.Rat).Add(s.low, new(big.Rat).Mul(step, big.NewRat(maxEnumerated-1, 1)))
		if most.Cmp(s.high) < 0 {
			return nil, false
		}
		var all []any
		for n := s.low; n.Cmp(s.high) <= 0; n = new(big.Rat).Add(n, step) {
			all = append(all, decimal(n))
		}
		return all, true
	case "string":
		return []any{""}, m.count("maxLength", -1) == 0
	case "array":
		return []any{[]any{}}, m.count("maxItems", -1) == 0
	case "object":
		return []any{&object{}}, m.count("maxProperties", -1) == 0
	}
	return nil, false
}

// decimal returns a number as JSON. What has no end as a decimal is close enough: nothing compares it.
func decimal(r *big.Rat) json.Number {
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	n, exact := r.FloatPrec()
	if !exact {
		n = 300
	}
	return json.Number(r.FloatString(n))
}

// empty reports whether it is certain that no value is valid against all of some schemas. Types that always contain
// themselves have no values.
func (o *oracle) empty(all []any) bool {
	if len(all) == 0 {
		return false
	}
	m := o.meetOf(o.small, all)
	if m.never {
		return true
	}
	key := o.key(all)
	if is, ok := o.emptied[key]; ok {
		return is
	}
	if o.tooMuch(len(all)) {
		return false
	}
	o.depth++
	o.emptied[key] = true // unless there is a value without it
	is := o.hasNone(m)
	if o.depth--; is && o.depth > 0 {
		delete(o.emptied, key) // it may have been assumed of others
	} else {
		o.emptied[key] = is
	}
	return is
}

// hasNone is empty for a meet that is looked at for the first time.
func (o *oracle) hasNone(m *meet) bool {
	if some, none := m.arms(o.empty); some && none {
		return true
	}
	if slices.ContainsFunc(m.parts, func(p *object) bool { return listed(p) != nil }) {
		values, _ := o.values(m)
		return len(values) == 0
	}
	return !slices.ContainsFunc(typesOf(m), func(name string) bool { return !o.emptyType(m, name) })
}

// emptyType reports whether it is certain that no value of a type is in a meet.
func (o *oracle) emptyType(m *meet, name string) bool {
	switch name {
	case "integer", "fraction":
		return numbersOf(m, name).empty()
	case "string":
		low, high := m.count("minLength", 1), m.count("maxLength", -1)
		return high >= 0 && low > high || high == 0 && m.accepts("") == no
	case "array":
		low, high := o.lengths(m)
		return high >= 0 && low > high
	case "object":
		must := requiredBy(m)
		if slices.ContainsFunc(must.names, func(name string) bool { return o.empty(m.members(name, true)) }) {
			return true
		}
		low, high := max(m.count("minProperties", 1), int64(len(must.names))), m.count("maxProperties", -1)
		if high >= 0 && low > high {
			return true
		}
		if low <= int64(len(must.names)) {
			return false
		}
		names, closed := o.named(m, &meet{})
		return closed && low > int64(len(slices.DeleteFunc(names, func(name string) bool { return o.empty(m.members(name, true)) })))
	}
	return false
}
