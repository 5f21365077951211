package wire

import (
	"bytes"
	"errors"
)

// A Kind is the kind of a JSON value.
type Kind uint8

const (
	KindInvalid Kind = iota // not the beginning of a JSON value
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String returns the kind's name: "object".
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindArray:
		return "array"
	case KindObject:
		return "object"
	}
	return "invalid"
}

// kindOf returns the kind of a value that begins with c.
func kindOf(c byte) Kind {
	switch c {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return KindNumber
	}
	return KindInvalid
}

// Raw is a JSON value as it was received or will be sent. Nil (or empty) is no value; Raw("null") is null. A decoded
// Raw is valid JSON. Encoding does not validate it again; for a Raw from elsewhere there are [MarshalChecked],
// [AppendChecked] and [Raw.Check].
type Raw []byte

// String returns the text of the value, so that it is printed as such rather than as bytes.
func (r Raw) String() string { return string(r) }

// Kind returns the kind of the value, by its first character.
func (r Raw) Kind() Kind {
	if i := skipSpace(r, 0); i < len(r) {
		return kindOf(r[i])
	}
	return KindInvalid
}

// StringAt returns the string at path, which leads through nested objects; without a path, that which r itself is. It is
// empty if there is none, or if r is invalid up to there.
func (r Raw) StringAt(path ...string) string {
	d := Decoder{data: r}
	if len(path) == 0 {
		return d.String()
	}
	s, _ := d.PeekString(path...)
	return s
}

// Check returns an error unless r is exactly one JSON value in valid UTF-8 that nests no deeper than [MaxDepth].
func (r Raw) Check() error {
	d := Decoder{data: r}
	d.Skip()
	return d.finish()
}

// EncodeWire writes the value. An absent one is an error.
func (r Raw) EncodeWire(e *Encoder) { e.Raw(r) }

// DecodeWire reads any value.
func (r *Raw) DecodeWire(d *Decoder) { *r = d.Raw() }

// MarshalJSON returns the value, or null if there is none.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("null"), nil
	}
	return r, nil
}

// UnmarshalJSON sets r to a copy of data.
func (r *Raw) UnmarshalJSON(data []byte) error {
	if r == nil {
		return errors.New("wire: Raw.UnmarshalJSON on a nil pointer")
	}
	*r = bytes.Clone(data)
	return nil
}

// appendCompact appends r to dst without the white space between its tokens. It returns an error if r is not valid
// JSON.
func appendCompact(dst []byte, r Raw) ([]byte, error) {
	if err := r.Check(); err != nil {
		return dst, err
	}
	for i := 0; i < len(r); {
		switch r[i] {
		case ' ', '\t', '\r', '\n':
			i++
		case '"':
			end, _, _ := scanString(r, i+1)
			dst = append(dst, r[i:end+1]...)
			i = end + 1
		default:
			dst = append(dst, r[i])
			i++
		}
	}
	return dst, nil
}
