package model

import "slices"

// A meeting is the kinds of a newer and of an older type at the same place.
type meeting struct{ newer, older Kind }

// others means all kinds of an older type without a separate rule.
const others Kind = ""

// A rule makes the type that accepts what n, the newer one, or o accepts; nil means that the two conflict. narrow
// says that o accepts less, in a way that an encoder must check.
type rule func(m *merger, at site, n, o *Expr) (merged *Expr, narrow bool)

// rules returns the rules for all meetings that are not conflicts.
func rules() map[meeting]rule {
	return map[meeting]rule{
		{Ref, others}:     (*merger).mergeRef,
		{Union, others}:   (*merger).mergeUnion,
		{Unknown, others}: keepNewer(true),
		{Raw, others}:     keepNewer(true),

		{Unknown, Unknown}: keepNewer(false),
		{Raw, Raw}:         keepNewer(false),
		{Boolean, Boolean}: keepNewer(false),
		{Null, Null}:       keepNewer(false),
		{ID, ID}:           keepNewer(false),
		{Literal, Literal}: keepSame,
		{Tuple, Tuple}:     mergeTuples,

		{Number, Number}:   keepNewer(false),
		{Number, Integer}:  keepNewer(false),
		{Integer, Integer}: keepOlder,
		{Integer, Number}:  keepOlder,

		{String, String}:  mergeStrings,
		{String, Enum}:    mergeStrings,
		{String, Literal}: mergeStringLiteral,
		{Enum, Enum}:      mergeEnums,
		{Enum, String}:    openEnum,
		{Enum, Literal}:   mergeEnumLiteral,

		{Struct, Struct}:       (*merger).mergeMembers,
		{Struct, AnyObject}:    keepNewer(false),
		{Struct, Map}:          mergeStructMap,
		{Map, Map}:             mergeMaps,
		{Map, AnyObject}:       keepNewer(false),
		{Map, Struct}:          mergeMapStruct,
		{AnyObject, AnyObject}: keepNewer(false),
		{AnyObject, Map}:       keepNewer(false),
		{AnyObject, Struct}:    openStruct,

		{Array, Array}:         mergeElements,
		{Array, OneOrMany}:     mergeArrayOneOrMany,
		{OneOrMany, OneOrMany}: mergeElem,
		{OneOrMany, Array}:     mergeOneOrManyArray,
		{OneOrMany, others}:    mergeOne,
		{Nullable, Nullable}:   mergeElements,
		{Nullable, others}:     mergeOne,
	}
}

// merge makes the type that accepts what n, the newer one, or o accepts, by the rule for their kinds.
func (m *merger) merge(at site, n, o *Expr) (merged *Expr, narrow bool) {
	r := m.rules[meeting{n.Kind, o.Kind}]
	if r == nil {
		r = m.rules[meeting{n.Kind, others}]
	}
	if r != nil {
		if merged, narrow = r(m, at, n, o); merged != nil {
			return merged, narrow
		}
	}
	m.errorf("cannot merge %s: %s in %s, %s in %s; decide it in the table of exceptions",
		at.path, describe(n), m.newest(), describe(o), at.rev)
	return n, false
}

func keepNewer(narrow bool) rule {
	return func(_ *merger, _ site, n, _ *Expr) (*Expr, bool) { return n, narrow }
}

func keepOlder(_ *merger, _ site, _, o *Expr) (*Expr, bool) { return o, false }

func keepSame(_ *merger, _ site, n, o *Expr) (*Expr, bool) {
	if !same(n, o) {
		return nil, false
	}
	return n, false
}

// mergeTuples merges tuples that are the same, element by element: what is declared in them is in both revisions.
func mergeTuples(m *merger, at site, n, o *Expr) (*Expr, bool) {
	if !same(n, o) {
		return nil, false
	}
	for i, x := range n.Elems {
		m.merge(at.element(), x.Type, o.Elems[i].Type)
	}
	return n, false
}

// mergeRef merges the older type into the one that n refers to, which now declares it.
func (m *merger) mergeRef(at site, n, o *Expr) (merged *Expr, narrow bool) {
	if o.Kind == Ref && n.Name == o.Name {
		return n, false
	}
	x := m.out.byName[n.Name]
	if x == nil || x.Expr.Kind == Map && o.Kind == Struct {
		return nil, false
	}
	if o.Kind == Ref { // another name: only a union that has it as an arm takes it
		if at.old.byName[o.Name] == nil || x.Expr.Kind != Union || !hasArm(x.Expr, o.Name) {
			return nil, false
		}
	}
	x.Revs = x.Revs.with(Revs{at.rev})
	if o.Kind == Struct || o.Kind == Union || o.Kind == Enum {
		at.path = n.Name
	}
	x.Expr, narrow = m.merge(at, x.Expr, o)
	return n, narrow
}

// mergeStrings makes the type of the strings that match either pattern: all strings, if they are not the same.
func mergeStrings(_ *merger, _ site, n, o *Expr) (*Expr, bool) {
	if n.Pattern != o.Pattern {
		n.Pattern = ""
	}
	return n, false
}

func mergeStringLiteral(m *merger, at site, n, o *Expr) (*Expr, bool) {
	if _, ok := o.Value.(string); !ok {
		return nil, false
	}
	return mergeStrings(m, at, n, o)
}

func mergeEnums(_ *merger, _ site, n, o *Expr) (*Expr, bool) {
	n.Open = n.Open || o.Open
	for _, v := range o.Values {
		i := slices.IndexFunc(n.Values, func(w *EnumValue) bool { return w.Value == v.Value })
		if i < 0 {
			n.Values = append(n.Values, v)
		} else {
			n.Values[i].Revs = n.Values[i].Revs.with(v.Revs)
		}
	}
	return n, false
}

func openEnum(_ *merger, _ site, n, _ *Expr) (*Expr, bool) {
	n.Open = true
	return n, false
}

func mergeEnumLiteral(m *merger, at site, n, o *Expr) (*Expr, bool) {
	v, ok := o.Value.(string)
	if !ok {
		return nil, false
	}
	return mergeEnums(m, at, n, &Expr{Kind: Enum, Values: []*EnumValue{{Value: v, Revs: Revs{at.rev}}}})
}

// isAny reports whether an object whose values are e accepts everything that any other object accepts.
func isAny(e *Expr) bool { return e.Kind == Unknown || e.Kind == AnyObject }

func mergeStructMap(_ *merger, _ site, n, o *Expr) (*Expr, bool) {
	if !isAny(o.Elem) {
		return nil, false
	}
	return n, false
}

func mergeMaps(m *merger, at site, n, o *Expr) (*Expr, bool) {
	n.Elem, _ = m.merge(at.element(), n.Elem, o.Elem)
	return n, false
}

func mergeMapStruct(_ *merger, _ site, n, o *Expr) (*Expr, bool) {
	if !isAny(n.Elem) {
		return nil, false
	}
	o.Rest = n.Elem
	return o, false
}

func openStruct(_ *merger, _ site, _, o *Expr) (*Expr, bool) {
	o.Rest = &Expr{Kind: Unknown}
	return o, false
}

// mergeElements merges the elements of two arrays, or what two types allow besides null. If an encoder would have
// to check the older ones, they conflict.
func mergeElements(m *merger, at site, n, o *Expr) (merged *Expr, narrow bool) {
	n.Elem, narrow = m.merge(at.element(), n.Elem, o.Elem)
	if narrow {
		return nil, false
	}
	return n, false
}

// mergeArrayOneOrMany makes a type that reads what either allows, and writes the array that both accept.
func mergeArrayOneOrMany(m *merger, at site, n, o *Expr) (*Expr, bool) {
	o.Elem, _ = m.merge(at, n.Elem, o.Elem)
	o.Brackets = true
	return o, false
}

func mergeOneOrManyArray(m *merger, at site, n, o *Expr) (*Expr, bool) {
	n.Brackets = true
	return mergeElem(m, at, n, o)
}

func mergeElem(m *merger, at site, n, o *Expr) (*Expr, bool) {
	n.Elem, _ = m.merge(at, n.Elem, o.Elem)
	return n, false
}

// mergeOne merges a type into one that may now be several, or null.
func mergeOne(m *merger, at site, n, o *Expr) (*Expr, bool) {
	n.Elem, _ = m.merge(at, n.Elem, o)
	return n, true
}
