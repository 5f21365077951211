package gotype

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Package encoding/json accepts a member whose name differs from that of a field only in case. Schemas do
// not, so they would not be applied to such a member. It is refused, and so is a duplicate member, of which another
// reader of the same text may see the other.

// A shape is what the check of member names needs to know of a type.
type shape struct {
	fields map[string]*shape // of a struct, by their names in JSON
	folded map[string]string // the same names, by their case-folded forms
	elem   *shape            // of the elements of an array, a slice, a map, or a value of any kind
}

// shapeOf returns the shape of a type; see [shapes.of].
func shapeOf[T any]() *shape { return shapes{}.of(reflect.TypeFor[T]()) }

// shapes holds the shapes of the types seen so far, since types may refer to each other.
type shapes map[reflect.Type]*shape

// of returns the shape of a type, nil if the type has its own method to decode JSON.
func (all shapes) of(t reflect.Type) *shape {
	for {
		if reads(t) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			break
		}
		t = t.Elem()
	}
	if s, ok := all[t]; ok {
		return s
	}
	s := &shape{}
	all[t] = s
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Map:
		s.elem = all.of(t.Elem())
	case reflect.Interface:
		s.elem = s
	case reflect.Struct:
		s.fields, s.folded = map[string]*shape{}, map[string]string{}
		for name, f := range fields(t) {
			s.fields[name] = all.of(f)
			s.folded[fold(name)] = name
		}
	}
	return s
}

// reads reports whether a type has its own method to decode JSON.
func reads(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// A field is a field of a struct, or of a struct that is embedded in it.
type field struct {
	typ    reflect.Type
	depth  int
	tagged bool
	many   bool // other fields have an equal claim to the name
}

// fields returns the types of the fields that encoding/json decodes, by their names. Of several fields with
// one name it takes the least embedded one, of these the tagged one, and none if there are several.
func fields(t reflect.Type) map[string]reflect.Type {
	found := map[string]field{}
	seen := map[reflect.Type]bool{}
	for depth, level := 0, []reflect.Type{t}; len(level) > 0; depth++ {
		times := map[reflect.Type]int{}
		for _, t := range level {
			times[t]++
		}
		var next []reflect.Type
		for _, t := range level {
			if seen[t] {
				continue
			}
			seen[t] = true
			for i := range t.NumField() {
				f := t.Field(i)
				switch name, embeds := jsonName(f); {
				case embeds != nil:
					next = append(next, embeds)
				case name != "":
					add(found, name, field{f.Type, depth, name == tagName(f), times[t] > 1})
				}
			}
		}
		level = next
	}
	types := map[string]reflect.Type{}
	for name, f := range found {
		if !f.many {
			types[name] = f.typ
		}
	}
	return types
}

func add(found map[string]field, name string, f field) {
	before, ok := found[name]
	switch {
	case !ok, f.depth == before.depth && f.tagged && !before.tagged:
		found[name] = f
	case f.depth == before.depth && f.tagged == before.tagged:
		before.many = true
		found[name] = before
	}
}

// jsonName returns the name of a field in JSON, empty if it has none, or the struct that it embeds.
func jsonName(f reflect.StructField) (name string, embeds reflect.Type) {
	t := f.Type
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	structure := t.Kind() == reflect.Struct
	switch tag := f.Tag.Get("json"); {
	case tag == "-", !f.IsExported() && !(f.Anonymous && structure):
		return "", nil
	case tagName(f) != "":
		return tagName(f), nil
	case f.Anonymous && structure:
		return "", t
	}
	return f.Name, nil
}

// tagName returns the name in the tag of a field, empty if it has no valid one.
func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ""
		}
	}
	return name
}

// fold returns the same name for all names that encoding/json treats as equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// check checks the names of the members of valid JSON.
func (s *shape) check(args wire.Raw) error {
	d := wire.NewDecoder(args)
	s.value(&d)
	return d.Finish()
}

var anyObject wire.Type

func (s *shape) value(d *wire.Decoder) {
	switch kind := d.Kind(); {
	case s != nil && kind == wire.KindObject:
		seen := map[string]bool{}
		for o := d.Object(&anyObject); o.Next(); {
			if seen[o.Name] {
				d.Fail("duplicate member " + strconv.Quote(excerpt.Of(o.Name)))
			}
			seen[o.Name] = true
			below := s.elem
			if s.fields != nil {
				var ok bool
				if below, ok = s.fields[o.Name]; !ok {
					s.refuse(d, o.Name)
				}
			}
			below.value(d)
		}
	case s != nil && s.elem != nil && kind == wire.KindArray:
		for a := d.Array(); a.Next(); {
			s.elem.value(d)
		}
	default:
		d.Skip()
	}
}

// refuse fails if the name differs from that of a field only in case.
func (s *shape) refuse(d *wire.Decoder, name string) {
	if right, ok := s.folded[fold(name)]; ok {
		d.Fail(fmt.Sprintf("unknown member; did you mean %s instead of %q?", right, excerpt.Of(name)))
	}
}
