package gotype

// Package encoding/json accepts a member whose name differs from that of a field only in case. Schemas do not, so they
// would not be applied to such a member. It is refused, and so is a duplicate member, of which another reader of the same
// text may see the other. The shape of a type, which does not change, says what its names are.

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

// A shape is what the check of member names needs to know of a type.
type shape struct {
	fields map[string]*shape // of a struct, by their names in JSON
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
		s.fields = map[string]*shape{}
		all.fields(s, t)
	}
	return s
}

// fields adds the fields of a struct to its shape, and those of structs that it embeds: breadth first, since a field hides
// those that are embedded deeper. If encoding/json decodes none of several fields with one name, it is a name all the same.
func (all shapes) fields(s *shape, t reflect.Type) {
	seen := map[reflect.Type]bool{}
	for queue := []reflect.Type{t}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if seen[t] {
			continue
		}
		seen[t] = true
		for f := range t.Fields() {
			name, embeds := jsonName(f)
			if embeds != nil {
				queue = append(queue, embeds)
			} else if _, hidden := s.fields[name]; name != "" && !hidden {
				s.fields[name] = all.of(f.Type)
			}
		}
	}
}

// reads reports whether a type has its own method to decode JSON.
func reads(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
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

// check checks the names of the members of valid JSON.
func (s *shape) check(args wire.Raw) error {
	d := wire.NewDecoder(args)
	s.value(&d)
	return d.Finish()
}

var anyObject wire.Type

// value reads a value, and checks the names in it. A nil shape is that of a value without names that are known.
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
	for right := range s.fields {
		if strings.EqualFold(right, name) {
			d.Fail(fmt.Sprintf("unknown member; did you mean %s instead of %q?", right, excerpt.Of(name)))
		}
	}
}
