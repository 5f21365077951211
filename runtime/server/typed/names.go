package typed

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Package encoding/json takes a member whose name is that of a field in other letters, small or
// capital, for that field. Schemas do not, so that such a member would get past what they say. It is
// refused.

// A shape is what of a type matters for the names of members.
type shape struct {
	fields map[string]*shape // of a struct, by their names in JSON
	folded map[string]string // the same names, by themselves without regard to case
	elem   *shape            // of what an array, a slice or a map holds
}

// shapes are those of the types that came up, as types refer to each other.
type shapes map[reflect.Type]*shape

// of returns the shape of a type, nil if there are no structs in it that encoding/json reads itself.
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
	case reflect.Struct:
		s.fields, s.folded = map[string]*shape{}, map[string]string{}
		for name, f := range fields(t) {
			s.fields[name] = all.of(f)
			s.folded[fold(name)] = name
		}
	}
	return s
}

// reads reports whether a type reads JSON by a method of its own.
func reads(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// A field is one of a struct or of what is embedded in it.
type field struct {
	typ    reflect.Type
	depth  int
	tagged bool
	many   bool // there are others of the same right to the name
}

// fields returns the types of the fields that encoding/json reads, by their names. Of several with one
// name it reads the least embedded one, of these the one that is tagged, and none if that is not
// clear, either.
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

// jsonName returns the name of a field in JSON, empty if it has none, or the struct whose fields it
// embeds.
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

// tagName returns the name in the tag of a field, empty if there is none that is valid.
func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return ""
		}
	}
	return name
}

// fold returns a name that is the same for all that encoding/json takes for one.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// check returns what is wrong with the names of the members in arguments that are valid JSON.
func (s *shape) check(args wire.Raw) error {
	d := wire.NewDecoder(args)
	s.value(&d)
	return d.Finish()
}

var anyObject wire.Type

func (s *shape) value(d *wire.Decoder) {
	switch kind := d.Kind(); {
	case s != nil && kind == wire.KindObject:
		for o := d.Object(&anyObject); o.Next(); {
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

// refuse fails if the name is that of a field but for its case.
func (s *shape) refuse(d *wire.Decoder, name string) {
	if right, ok := s.folded[fold(name)]; ok {
		d.Fail(fmt.Sprintf("unknown member; did you mean %s instead of %q?", right, excerpt.Of(name)))
	}
}
