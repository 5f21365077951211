// Package tree reads JSON of any shape into Go values, as encoding/json does, but with the rules of package wire: no name is
// twice in an object, and nesting has a bound.
package tree

import "github.com/mcpgen/mcpgen/runtime/wire"

// Decode returns a value: a map[string]any, an []any, a string, or the [wire.Raw] of a number, a boolean or null.
func Decode(raw wire.Raw) (v any, err error) {
	err = wire.Decode(raw, wire.Into(&v, get))
	return v, err
}

func get(v *any, d *wire.Decoder) {
	switch d.Kind() {
	case wire.KindObject:
		*v = wire.Map(d, get)
	case wire.KindArray:
		*v = wire.Slice(d, get)
	case wire.KindString:
		*v = d.String()
	default:
		*v = d.Raw()
	}
}

// Encode returns the text of a value of Decode. The members of objects are in the order of their names.
func Encode(v any) ([]byte, error) { return wire.MarshalFunc(wire.Any, &v, put) }

func put(v *any, e *wire.Encoder) {
	switch v := (*v).(type) {
	case map[string]any:
		wire.PutMap(e, v, put)
	case []any:
		wire.PutSlice(e, v, put)
	case string:
		e.String(v)
	case wire.Raw:
		e.Raw(v)
	}
}
