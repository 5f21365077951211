package contract

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
)

// pools hold what the values of a pair are made of.
type pools struct {
	numbers []any
	strings []any
	sizes   []int
	names   []string
}

// poolsOf collects values at, and beside, the bounds of schemas.
func poolsOf(roots ...*object) pools {
	var p pools
	var bounds, steps []*big.Rat
	names := &set{}
	for _, root := range roots {
		walk(nil, root, func(_ *place, s any) {
			o, ok := s.(*object)
			if !ok {
				return
			}
			for _, k := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
				if r := rational(o.get(k)); r != nil {
					bounds = append(bounds, r)
				}
			}
			if r := rational(o.get("multipleOf")); r != nil {
				steps = append(steps, r)
			}
			for _, k := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
				if r := rational(o.get(k)); r != nil {
					n := int(r.Num().Int64())
					p.sizes = append(p.sizes, n-1, n, n+1)
				}
			}
			for _, v := range listed(o) {
				if s, ok := v.(string); ok {
					p.strings = append(p.strings, s)
				} else if n, ok := v.(json.Number); ok {
					bounds = append(bounds, rational(n))
				}
			}
			for _, name := range declared(o, required(o)).names {
				names.add(name)
			}
		})
	}
	p.sizes = append(p.sizes, 0, 1, 2, 6)
	slices.Sort(p.sizes)
	p.sizes = slices.DeleteFunc(slices.Compact(p.sizes), func(n int) bool { return n < 0 })
	for _, letter := range []string{"b", "a", "B", "_", "é"} {
		for _, n := range p.sizes {
			p.strings = append(p.strings, strings.Repeat(letter, n))
		}
	}
	p.strings = unique(append(p.strings, "2026-07-28T10:00:00Z", "https://example.com/a"))
	add := func(r *big.Rat) { p.numbers = append(p.numbers, decimal(r)) }
	bounds = append(bounds, new(big.Rat))
	for n := range int64(11) { // so that some are no multiples, and there are enough that differ
		add(big.NewRat(n, 1))
	}
	for _, b := range bounds {
		for _, d := range []*big.Rat{{}, big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 2), big.NewRat(-1, 2), big.NewRat(1, 4), big.NewRat(-1, 4)} {
			add(new(big.Rat).Add(b, d))
		}
		for _, s := range steps {
			for _, step := range []*big.Rat{s, new(big.Rat).Mul(s, big.NewRat(2, 1)), common(s, big.NewRat(1, 1))} {
				at := next(b, step, false)
				for range 3 {
					add(at)
					at = new(big.Rat).Add(at, step)
				}
				at = next(b, step, false)
				for range 3 {
					at = new(big.Rat).Sub(at, step)
					add(at)
				}
			}
		}
	}
	p.numbers = unique(p.numbers)
	p.names = append(names.names, "zz", "a", "b", "x", "A", "B", "C", "D", "E", "bb", "cc", "_", "_b")
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	return p
}

// unique drops what a list has twice.
func unique(list []any) (all []any) {
	seen := map[string]bool{}
	for _, v := range list {
		if key := text(v); !seen[key] {
			seen[key] = true
			all = append(all, v)
		}
	}
	return all
}

// odd are values of each type.
var odd = []any{nil, true, json.Number("1"), json.Number("1.5"), "q", []any{}, &object{}}

// A valueMaker makes random values that are valid against a schema, at its bounds and those of another more often than
// not.
type valueMaker struct {
	*rand.Rand
	pools
	root    *object
	leaves  map[string][]any // values of schemas without parts
	ids     *oracle
	work    int  // on one value; what contains itself may have none
	formats bool // strings have the formats that schemas name
}

// value returns a value of a schema, or false if it finds none.
func (g *valueMaker) value(schemas []any, depth int) (any, bool) {
	if len(schemas) == 0 {
		return odd[g.IntN(len(odd))], true
	}
	m := g.ids.meetOf(g.root, schemas)
	if g.work++; m.never || depth > 14 || g.work > 3000 {
		return nil, false
	}
	for _, part := range m.parts {
		for _, k := range []string{"oneOf", "anyOf"} {
			if arms, _ := part.get(k).([]any); len(arms) > 0 {
				return g.value(m.and(part, k, arms[g.IntN(len(arms))]), depth+1)
			}
		}
	}
	types := typesOf(m)
	if slices.ContainsFunc(m.parts, func(p *object) bool { return listed(p) != nil }) {
		types = nil
	}
	i := 0
	if len(types) > 0 {
		i = g.IntN(len(types))
	}
	switch {
	case types != nil && len(types) == 0:
		return nil, false
	case types != nil && types[i] == "array":
		return g.array(m, depth)
	case types != nil && types[i] == "object":
		return g.object(m, depth)
	}
	all := g.leaf(g.ids.key(schemas), m)
	if len(all) == 0 {
		return nil, false
	}
	return all[g.IntN(len(all))], true
}

// leaf returns values that have no parts.
func (g *valueMaker) leaf(key string, m *meet) []any {
	if !g.formats {
		key += "any format"
	}
	all, ok := g.leaves[key]
	if ok {
		return all
	}
	for _, p := range m.parts {
		all = append(all, listed(p)...)
	}
	if len(all) == 0 {
		all = slices.Concat([]any{nil, true, false}, g.numbers, g.strings)
	}
	all = slices.DeleteFunc(unique(all), func(v any) bool { return m.accepts(v) == no || g.formats && !rightFormat(m, v) })
	g.leaves[key] = all
	return all
}

// rightFormat knows the formats of the pairs, which accepts does not.
func rightFormat(m *meet, v any) bool {
	s, ok := v.(string)
	for _, p := range m.parts {
		f := p.get("format")
		if ok && (f == "date-time" && !strings.HasPrefix(s, "2026") || f == "uri" && !strings.HasPrefix(s, "https:")) {
			return false
		}
	}
	return true
}

// size returns a size in the limits of a meet.
func (g *valueMaker) size(m *meet, lower, upper string) int {
	low, high := int(max(m.count(lower, 1), 0)), int(m.count(upper, -1))
	if g.IntN(3) == 0 {
		return low
	}
	fit := slices.DeleteFunc(slices.Clone(g.sizes), func(n int) bool { return n < low || high >= 0 && n > high })
	if len(fit) == 0 {
		return low
	}
	return fit[g.IntN(len(fit))]
}

func (g *valueMaker) array(m *meet, depth int) (any, bool) {
	all := []any{}
	n := g.size(m, "minItems", "maxItems")
	if depth > 7 {
		n = int(max(m.count("minItems", 1), 0))
	}
	for i := range n {
		for range 4 {
			v, ok := g.value(itemsAt(m, i), depth+1)
			if ok && !(m.unique() && slices.ContainsFunc(all, func(w any) bool { return equal(v, w) })) {
				all = append(all, v)
				break
			}
		}
		if len(all) <= i {
			break
		}
	}
	return all, len(all) >= int(m.count("minItems", 1))
}

func (g *valueMaker) object(m *meet, depth int) (any, bool) {
	o := &object{}
	must := requiredBy(m)
	style := g.IntN(3) // few members, many, or others than those declared
	mentioned := &set{}
	for _, p := range m.parts {
		for _, name := range declared(p, required(p)).names {
			mentioned.add(name)
		}
	}
	least, most := int(m.count("minProperties", 1)), int(m.count("maxProperties", -1))
	if style == 2 {
		least = max(least, g.size(m, "minProperties", "maxProperties"))
	}
	for _, name := range must.names {
		v, ok := g.value(m.members(name, true), depth+1)
		if !ok {
			return nil, false
		}
		o.set(name, v)
	}
	for _, i := range g.Perm(len(g.names)) {
		name := g.names[i]
		wanted := len(o.names) < least || style == 1 && mentioned.has(name) || g.IntN(6) == 0
		if !wanted || must.has(name) || most >= 0 && len(o.names) >= most || depth > 7 && len(o.names) >= least {
			continue
		}
		if v, ok := g.value(m.members(name, true), depth+1); ok {
			o.set(name, v)
		}
	}
	return o, true
}
