package contract

import (
	"slices"
	"strconv"
	"strings"
)

// An oracle decides whether all values of one schema, the smaller, are values of another, the larger. It says so
// only where that is certain.
type oracle struct {
	*work
	small, large *object // roots, for references
	ids          map[*object]int
	known        map[pairKey]*pairState
	looking      *pairState // the innermost pair that is being looked at
	provisional  []pairKey  // pairs that are contained if those are that are being looked at
	depth        int
	emptied      map[string]bool // which schemas have no values; those that are being looked at are assumed to have none
}

// newOracle returns an oracle for two schemas, which are the roots of their references. It has no steps, so that nothing is
// certain, if references lead elsewhere (a part has an $id), or if validators do not agree what a root means.
func newOracle(small, large *object) *oracle {
	o := &oracle{
		work: newWork(small, large), small: small, large: large,
		ids: map[*object]int{}, known: map[pairKey]*pairState{}, looking: &pairState{}, emptied: map[string]bool{},
	}
	for _, root := range []*object{small, large} {
		walk(nil, root, func(_ *place, s any) {
			if part, ok := s.(*object); ok && part != root && part.get("$id") != nil {
				o.left = 0 // references in it lead elsewhere
			}
		})
		if circular(root) {
			o.left = 0
		}
	}
	return o
}

const (
	maxEnumerated = 1000 // values of a type, looked at one by one
	maxApart      = 5    // how deep two objects are searched for what they cannot share
)

// A pairKey names smaller schemas that all apply, and a larger one.
type pairKey struct {
	small string
	large int
}

// A pairState is what is known of a pair.
type pairState struct {
	open      bool // it is being looked at
	contained bool
	final     bool // that does not depend on pairs that are being looked at
	depth     int  // of the pair
	lowest    int  // the depth of the outermost pair that the answer depends on
}

// contained reports whether all values that are valid against all of the smaller schemas are valid against the
// larger one. Types that contain themselves are contained in others unless there is a reason against it.
func (o *oracle) contained(small []any, schema any) bool {
	large := asObject(schema)
	if large != nothing && len(saying(large)) == 0 {
		return true
	}
	if o.tooMuch(len(small)) {
		return false
	}
	key := pairKey{o.key(small), o.id(large)}
	if s := o.known[key]; s != nil {
		if !s.final {
			o.looking.lowest = min(o.looking.lowest, s.lowest)
		}
		return s.open || s.contained
	}
	s := &pairState{open: true, depth: o.depth, lowest: o.depth}
	o.known[key] = s
	outer, since := o.looking, len(o.provisional)
	o.looking = s
	o.depth++
	s.contained = o.holds(small, large) || o.empty(small)
	o.depth--
	o.looking, s.open = outer, false
	switch {
	case !s.contained: // even if more than holds is assumed
		s.final = true
		for _, k := range o.provisional[since:] {
			delete(o.known, k)
		}
		o.provisional = o.provisional[:since]
	case s.lowest == s.depth:
		s.final = true
		for _, k := range o.provisional[since:] {
			o.known[k].final = true
		}
		o.provisional = o.provisional[:since]
	default:
		o.provisional = append(o.provisional, key)
		outer.lowest = min(outer.lowest, s.lowest)
	}
	return s.contained
}

// tooMuch reports whether an answer about some schemas would cost too much.
func (o *oracle) tooMuch(schemas int) bool {
	return !o.spend(1+schemas) || o.depth > maxCompared
}

func (o *oracle) id(s *object) int {
	if _, ok := o.ids[s]; !ok {
		o.ids[s] = len(o.ids)
	}
	return o.ids[s]
}

// key names schemas that all apply.
func (o *oracle) key(all []any) string {
	var b []byte
	for _, s := range all {
		b = append(strconv.AppendInt(b, int64(o.id(asObject(s))), 36), ' ')
	}
	return string(b)
}

// A meet is what schemas say that all apply.
type meet struct {
	o     *oracle
	root  *object
	parts []*object // without references and allOf
	never bool
}

// meetOf returns what schemas say together. Their references are replaced by what they refer to.
func (o *oracle) meetOf(root *object, all []any) *meet {
	m := &meet{o: o, root: root}
	seen := map[*object]bool{}
	var add func(schema any)
	add = func(schema any) {
		s := asObject(schema)
		if s == nothing {
			m.never = true
		}
		if s == nothing || seen[s] || len(s.names) == 0 {
			return
		}
		seen[s] = true
		o.spend(1)
		if slices.Equal(s.names, []string{"$ref"}) && resolve(root, s) != nil {
			add(resolve(root, s))
			return
		}
		m.parts = append(m.parts, s)
		if s.get("$ref") != nil {
			if target := resolve(root, s); target != nil {
				add(target)
			}
		}
		list, _ := s.get("allOf").([]any)
		for _, part := range list {
			add(part)
		}
	}
	for _, s := range all {
		add(s)
	}
	return m
}

// and returns the schemas of a meet, without the list of arms of one of them, and with another schema.
func (m *meet) and(part *object, arms string, more any) []any {
	all := []any{more}
	m.o.spend(len(m.parts))
	for _, p := range m.parts {
		if p == part {
			p = without(p, arms)
		}
		if p = without(p, "$ref", "allOf"); len(p.names) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// without returns a schema without some keywords.
func without(s *object, keywords ...string) *object {
	if !slices.ContainsFunc(keywords, func(k string) bool { return s.get(k) != nil }) {
		return s
	}
	rest := &object{}
	for _, k := range s.names {
		if !slices.Contains(keywords, k) {
			rest.set(k, s.values[k])
		}
	}
	return rest
}

// arms calls a function with each case of the first list of arms, until it returns false. It reports
// whether there is one, and all were true.
func (m *meet) arms(each func(all []any) bool) (some, all bool) {
	for _, p := range m.parts {
		for _, k := range []string{"oneOf", "anyOf"} {
			list, ok := p.get(k).([]any)
			if !ok {
				continue
			}
			for _, arm := range list {
				if !each(m.and(p, k, arm)) {
					return true, false
				}
			}
			return true, true
		}
	}
	return false, false
}

// holds is contained for a pair that is looked at for the first time. Each demand of the larger schema is one that
// must hold for all values of the smaller.
func (o *oracle) holds(small []any, large *object) bool {
	m := o.meetOf(o.small, small)
	if m.never {
		return true
	}
	if large == nothing {
		return false
	}
	rest := large
	if large.get("$ref") != nil {
		if end := expand(o.large, large); end.get("$ref") != nil && resolve(o.large, end) != nil {
			return slices.ContainsFunc(small, func(s any) bool { // a circle of references, which says nothing
				return expand(o.small, asObject(s)).get("$ref") == end.get("$ref")
			})
		}
		if target := resolve(o.large, large); target != nil {
			if !o.contained(small, target) {
				return false
			}
			rest = without(rest, "$ref")
		}
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		list, ok := large.get(k).([]any)
		if !ok {
			continue
		}
		rest = without(rest, k)
		if !o.combined(m, k, list) {
			return false
		}
	}
	return o.meets(m, rest)
}

// combined reports whether all values of a meet are valid against schemas under a keyword.
func (o *oracle) combined(m *meet, keyword string, list []any) bool {
	if o.tooMuch(len(m.parts)) {
		return false
	}
	o.depth++
	defer func() { o.depth-- }()
	small := make([]any, len(m.parts))
	for i, p := range m.parts {
		small[i] = p
	}
	if keyword == "allOf" {
		return !slices.ContainsFunc(list, func(s any) bool { return !o.contained(small, s) })
	}
	for i, arm := range list {
		if o.contained(small, arm) && (keyword == "anyOf" || o.apartFromOthers(m, list, i)) {
			return true
		}
	}
	for _, p := range m.parts {
		if was, ok := p.get(keyword).([]any); ok && o.same(keyword, was, list) {
			return true
		}
	}
	if some, all := m.arms(func(all []any) bool { return o.combined(o.meetOf(o.small, all), keyword, list) || o.empty(all) }); some {
		return all
	}
	if values, ok := o.values(m); ok {
		return !slices.ContainsFunc(values, func(v any) bool { return o.accepts(o.large, wrapped(keyword, list), v) != yes })
	}
	return o.byType(m, func(m *meet) bool { return o.combined(m, keyword, list) })
}

// byType splits a meet of values of several types, and reports whether something is true of each type.
func (o *oracle) byType(m *meet, each func(m *meet) bool) bool {
	all := typesOf(m)
	if len(all) < 2 || len(all) == 2 && all[0] == "fraction" && all[1] == "integer" {
		return false
	}
	for _, name := range all {
		if name == "fraction" {
			name = "number"
		}
		if narrowed := (&meet{o: o, root: m.root, parts: append(slices.Clone(m.parts), wrapped("type", name))}); !each(narrowed) {
			return false
		}
	}
	return true
}

func wrapped(keyword string, value any) *object {
	s := &object{}
	s.set(keyword, value)
	return s
}

// apartFromOthers reports whether no value of a meet is valid against any of the arms but one.
func (o *oracle) apartFromOthers(m *meet, arms []any, one int) bool {
	for i, arm := range arms {
		if i != one && !o.apart(m, o.meetOf(o.large, []any{arm}), 0) {
			return false
		}
	}
	return true
}

// apart reports whether it is certain that a smaller and a larger schema have no value in common. Two objects are searched for a
// member that both require and that cannot be valid for both, to some depth.
func (o *oracle) apart(a, b *meet, depth int) bool {
	if a.never || b.never {
		return true
	}
	if values, ok := o.values(a); ok {
		return !slices.ContainsFunc(values, func(v any) bool { return b.accepts(v) != no })
	}
	if values, ok := o.values(b); ok {
		return !slices.ContainsFunc(values, func(v any) bool { return a.accepts(v) != no })
	}
	types := slices.DeleteFunc(typesOf(a), func(name string) bool { return !slices.Contains(typesOf(b), name) })
	if len(types) == 0 {
		return true
	}
	if len(types) > 1 || types[0] != "object" || depth == maxApart {
		return false
	}
	for _, name := range slices.Concat(requiredBy(a).names, requiredBy(b).names) {
		x, y := o.meetOf(a.root, a.members(name, true)), o.meetOf(b.root, b.members(name, true))
		if o.apart(x, y, depth+1) {
			return true
		}
	}
	return false
}

// same reports whether two values of a keyword are the same but for what says nothing about values.
func (o *oracle) same(keyword string, a, b any) bool {
	assumed := map[[2]*object]bool{}
	var schemas func(a, b any) bool
	value := func(k string, a, b any) bool {
		switch {
		case slices.Contains(mapKeywords, k):
			x, y := a.(*object), b.(*object)
			return len(x.names) == len(y.names) && !slices.ContainsFunc(x.names, func(name string) bool {
				v, ok := y.values[name]
				return !ok || !schemas(x.values[name], v)
			})
		case slices.Contains(singleKeywords, k):
			return schemas(a, b)
		case slices.Contains(listKeywords, k):
			return slices.EqualFunc(a.([]any), b.([]any), schemas)
		case k == "$ref":
			return true // see below
		}
		return !strings.HasPrefix(k, "$") && equal(a, b) && !refers(a)
	}
	schemas = func(v, w any) bool {
		a, b := asObject(v), asObject(w)
		if !o.spend(1) || (a == nothing) != (b == nothing) {
			return false
		}
		if assumed[[2]*object{a, b}] {
			return true
		}
		assumed[[2]*object{a, b}] = true
		x, y := saying(a), saying(b)
		if len(x) != len(y) || slices.ContainsFunc(x, func(k string) bool { v, ok := b.values[k]; return !ok || !value(k, a.values[k], v) }) {
			return false
		}
		if a.get("$ref") == nil {
			return true
		}
		to, too := resolve(o.small, a), resolve(o.large, b)
		return to != nil && too != nil && schemas(to, too)
	}
	return value(keyword, a, b)
}

// refers reports whether v, the value of a keyword not known to have schemas, may contain references.
func refers(v any) bool {
	switch v := v.(type) {
	case *object:
		return slices.ContainsFunc(v.names, func(name string) bool {
			return slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef"}, name) || refers(v.values[name])
		})
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}

// silent lists the keywords that say nothing about values.
var silent = append([]string{worded, "default", "x-mcp-header", "x-known", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor"}, ignored...)

// saying returns the keywords of a schema that say something about values.
func saying(s *object) []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(k string) bool { return slices.Contains(silent, k) })
}
