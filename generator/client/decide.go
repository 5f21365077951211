package client

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A union is a type whose arms must be told apart.
type union struct {
	typ           *typ
	at            *node
	flats         []*flat // of the arms
	discriminator *node
}

// decide determines how the arms of unions are told apart, once all of their members are known. A union whose arms
// cannot be told apart becomes a raw value.
func (l *lowering) decide() {
	for _, u := range l.unions {
		if why := l.tell(u); why != "" {
			l.raw(u.typ, u.at, why)
		}
	}
	l.unions = nil
}

// tell decides how to tell the arms of one union apart, or returns why it cannot.
func (l *lowering) tell(u *union) (why string) {
	t := u.typ
	var arrays, objects []int
	for i, a := range t.arms {
		switch a.class {
		case kindArray:
			arrays = append(arrays, i)
		case kindObject:
			objects = append(objects, i)
		}
	}
	if len(arrays) > 1 {
		return "its arms (oneOf, anyOf) are several kinds of arrays, which nothing in them tells apart"
	}
	if len(objects) < 2 {
		return ""
	}
	if t.test = tellByValue(t, objects); t.test != nil {
		return ""
	}
	if t.test = u.tellByName(objects); t.test != nil {
		return ""
	}
	if t.test = tellByKey(t, objects); t.test != nil {
		return ""
	}
	return "its arms (oneOf, anyOf) are objects that nothing tells apart: neither a constant in each of them, nor a member that only one of them requires"
}

// tellByValue finds a member that all arms require, and whose constants differ.
func tellByValue(t *typ, objects []int) *test {
	for _, f := range t.arms[objects[0]].typ.fields {
		made := &test{member: f.key, other: -1}
		seen := make(map[value]bool)
		for _, i := range objects {
			values := t.arms[i].typ.constants(f.key)
			for _, v := range values {
				v.name = ""
				if seen[v] {
					values = nil
					break
				}
				seen[v] = true
			}
			if len(values) == 0 {
				made = nil
				break
			}
			made.cases = append(made.cases, testCase{values, i})
		}
		if made != nil {
			return made
		}
	}
	return nil
}

// constants returns the values that a required member may have, nil if they are not enumerated.
func (t *typ) constants(key string) []value {
	f := t.field(key)
	switch {
	case t.kind != structKind || f == nil || !f.required:
		return nil
	case f.typ.kind == constKind:
		return []value{f.typ.value}
	case !f.typ.open:
		return f.typ.values
	}
	return nil
}

// field returns the field of a member, nil if there is none. All fields are known by then.
func (t *typ) field(key string) *field {
	if t.index == nil {
		t.index = make(map[string]*field, len(t.fields))
		for _, f := range t.fields {
			t.index[f.key] = f
		}
	}
	return t.index[key]
}

// tellByName follows the discriminator of OpenAPI, a member whose value names the definition of the arm.
func (u *union) tellByName(objects []int) *test {
	if u.discriminator == nil || u.discriminator.str("propertyName") == "" {
		return nil
	}
	made := &test{member: u.discriminator.str("propertyName"), other: -1}
	for _, i := range objects {
		def := u.flats[i].definition()
		f := u.typ.arms[i].typ.field(made.member)
		if def == nil || f == nil || !f.required || f.typ.kind != stringKind {
			return nil
		}
		var values []value
		if mapping := u.discriminator.get("mapping"); mapping != nil {
			for _, m := range mapping.members {
				if strings.TrimPrefix(m.value.text, "#") == def.pointer || m.value.text == definition(def.pointer) {
					values = append(values, value{kind: stringKind, text: m.name})
				}
			}
		}
		if len(values) == 0 {
			values = []value{{kind: stringKind, text: definition(def.pointer)}}
		}
		made.cases = append(made.cases, testCase{values, i})
	}
	all := make(map[value]bool)
	for _, c := range made.cases {
		for _, v := range c.values {
			if all[v] {
				return nil
			}
			all[v] = true
		}
	}
	return made
}

// tellByKey finds for each arm but the last a member that it requires, and that no later arm declares.
func tellByKey(t *typ, objects []int) *test {
	made := &test{other: -1, proven: true}
	left := slices.Clone(objects)
	declaring, any := make(map[string]int), 0 // how many of left declare a member, and how many may have any
	count := func(t *typ, n int) {
		if t.mayHaveAny() {
			any += n
			return
		}
		for _, f := range t.fields {
			declaring[f.key] += n
		}
	}
	for _, i := range left {
		count(t.arms[i].typ, 1)
	}
	for len(left) > 0 {
		found := -1
		for at, i := range left {
			own := t.arms[i].typ
			if own.kind != structKind || any > 1 || any == 1 && !own.mayHaveAny() {
				continue
			}
			alone := 1
			if own.mayHaveAny() {
				alone = 0 // it is not counted
			}
			for _, f := range own.fields {
				if f.required && declaring[f.key] == alone {
					made.keys = append(made.keys, keyCase{f.key, i})
					made.proven = made.proven && !slices.ContainsFunc(objects, func(j int) bool { return i != j && !t.arms[j].typ.forbids(f.key) })
					found = at
					break
				}
			}
			if found >= 0 {
				break
			}
		}
		if found < 0 {
			break
		}
		count(t.arms[left[found]].typ, -1)
		left = slices.Delete(left, found, found+1)
	}
	switch len(left) {
	case 0:
		return made
	case 1:
		if t.arms[left[0]].typ.kind == structKind {
			made.other = left[0]
			return made
		}
	}
	return nil
}

// mayHaveAny reports whether a type may have members of any name, of which it knows the type.
func (t *typ) mayHaveAny() bool { return t.kind != structKind || t.elem != nil }

// forbids reports whether an object that has a member is not valid.
func (t *typ) forbids(key string) bool {
	return t.kind == structKind && t.closed && t.field(key) == nil
}

// json returns the JSON text of a value.
func (v value) json() string {
	if v.kind == stringKind {
		return string(wire.AppendString(nil, v.text))
	}
	return v.text
}
