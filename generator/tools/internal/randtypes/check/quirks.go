package check

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

var (
	marshaler       = reflect.TypeFor[json.Marshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Quirks are where encoding/json itself does not read what it writes, or depends on where a value
// stands. They are found by the type.
const (
	pointerMethods = "methods of pointers in maps"
	textKeys       = "keys of strings with methods"
	quotedTexts    = "the option string beside methods"
	nullPointers   = "null for pointers to any"
)

// quirksOf returns the quirks of a type.
func quirksOf(t reflect.Type) map[string]bool {
	found := make(map[string]bool)
	type visit struct {
		t     reflect.Type
		inMap bool
	}
	seen := make(map[visit]bool)
	var look func(t reflect.Type, inMap bool)
	look = func(t reflect.Type, inMap bool) {
		if seen[visit{t, inMap}] {
			return
		}
		seen[visit{t, inMap}] = true
		for _, i := range []reflect.Type{marshaler, textMarshaler} {
			if inMap && reflect.PointerTo(t).Implements(i) && !t.Implements(i) {
				found[pointerMethods] = true
			}
		}
		switch t.Kind() {
		case reflect.Map:
			if t.Key().Kind() == reflect.String && t.Key().Implements(textMarshaler) {
				found[textKeys] = true
			}
			look(t.Elem(), true)
		case reflect.Pointer, reflect.Slice:
			look(t.Elem(), false)
		case reflect.Array:
			look(t.Elem(), inMap)
		case reflect.Struct:
			for f := range t.Fields() {
				elem := f.Type
				if elem.Kind() == reflect.Pointer {
					elem = elem.Elem()
				}
				_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if strings.Contains(options, "string") && elem.Kind() < reflect.Array && reflect.PointerTo(elem).Implements(textUnmarshaler) {
					found[quotedTexts] = true
				}
				look(f.Type, inMap)
			}
		}
	}
	look(t, false)
	return found
}

// quirk reports whether a type has a quirk that shows in what is done.
func (s *subject) quirk(names ...string) bool {
	for _, name := range names {
		if s.quirks[name] {
			note(name)
			return true
		}
	}
	return false
}
