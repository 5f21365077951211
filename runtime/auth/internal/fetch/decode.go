package fetch

import (
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decode decodes a JSON object into the struct that v points to. Duplicate members are refused at any depth.
// Package encoding/json matches the names of members and fields in any case. All names in OAuth's objects are in
// lower case, so members with other names are left out.
func Decode(data []byte, v any) error {
	members, err := Members(data)
	if err != nil {
		return err
	}
	for name := range members {
		if !lower(name) {
			delete(members, name)
		}
	}
	exact, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return json.Unmarshal(exact, v)
}

// Members returns the members of a JSON object. Duplicate members are refused at any depth.
func Members(data []byte) (map[string]json.RawMessage, error) {
	d := wire.NewDecoder(data)
	if d.Kind() != wire.KindObject {
		return nil, errors.New("want a JSON object")
	}
	members := wire.Map(&d, func(v *json.RawMessage, d *wire.Decoder) {
		d.Kind() // skips white space
		start := d.Offset()
		if skipUnique(d); !d.Failed() {
			*v = json.RawMessage(data[start:d.Offset()])
		}
	})
	return members, d.Finish()
}

// skipUnique reads a value, which must have no duplicate members.
func skipUnique(d *wire.Decoder) {
	switch d.Kind() {
	case wire.KindObject:
		wire.Map(d, func(_ *struct{}, d *wire.Decoder) { skipUnique(d) })
	case wire.KindArray:
		for a := d.Array(); a.Next(); {
			skipUnique(d)
		}
	default:
		d.Skip()
	}
}

// lower reports whether a name has only characters that no other character equals except for case.
func lower(name string) bool {
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' || c >= 0x80 {
			return false
		}
	}
	return true
}
