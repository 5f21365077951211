package args

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Name is a name for an integer.
type Name[T int64 | uint64] struct {
	Name  string
	Value T
}

// Named reads an integer of a type with constants: the name of a constant, or a number. With coercion, case does
// not matter, and the number may be in a string.
func Named[T int64 | uint64](d *Decoder, list []Name[T]) T {
	var token []byte
	i := -1
	switch d.begin() {
	case wire.KindString:
		s := d.w.String()
		i = slices.IndexFunc(list, func(n Name[T]) bool { return n.Name == s || d.coerce && strings.EqualFold(n.Name, s) })
		if d.coerce && i < 0 && isNumber([]byte(s)) {
			token = []byte(s)
		}
	case wire.KindNumber:
		token = d.w.Raw()
	default:
		d.w.Skip()
	}
	d.end = d.w.Offset()
	if len(token) > 0 {
		i = indexOf(list, token)
	}
	if i >= 0 {
		return list[i].Value
	}
	d.want(anyOf(list))
	return 0
}

// anyOf lists the names.
func anyOf[T int64 | uint64](list []Name[T]) string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	return oneOf(names)
}

// PutName writes an integer of a type with constants as the name of its constant, or else as a string with the number.
func PutName[T int64 | uint64](e *wire.Encoder, v T, list []Name[T]) {
	for _, n := range list {
		if n.Value == v {
			e.String(n.Name)
			return
		}
	}
	e.String(fmt.Sprint(v))
}

// indexOf returns the index of a number, -1 if it is not in the list.
func indexOf[T int64 | uint64](list []Name[T], token []byte) int {
	negative, magnitude, f := parseInteger(token)
	if f != exact {
		return -1
	}
	v := T(magnitude)
	if negative {
		v = -v
	}
	if v != 0 && (v < 0) != negative {
		return -1 // beyond the type
	}
	return slices.IndexFunc(list, func(n Name[T]) bool { return n.Value == v })
}
