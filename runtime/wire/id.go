package wire

import "strconv"

// An ID is the id of a JSON-RPC request or a progress token: a string or an integer. It remembers which, so that 1
// and "1" are different ids. IDs compare with ==. The zero ID is absent.
type ID struct {
	str  string
	num  int64
	kind Kind // KindInvalid: absent, KindString or KindNumber
}

// IntID returns the integer id n.
func IntID(n int64) ID { return ID{num: n, kind: KindNumber} }

// StringID returns the string id s.
func StringID(s string) ID { return ID{str: s, kind: KindString} }

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id.kind == KindInvalid }

// Int returns the id if it is an integer.
func (id ID) Int() (n int64, ok bool) { return id.num, id.kind == KindNumber }

// Str returns the id if it is a string.
func (id ID) Str() (s string, ok bool) { return id.str, id.kind == KindString }

// String returns the id for messages: 7, "a", or the empty string if it is absent.
func (id ID) String() string {
	switch id.kind {
	case KindNumber:
		return strconv.FormatInt(id.num, 10)
	case KindString:
		return quote(id.str)
	}
	return ""
}

// EncodeWire writes the id. An absent id is an error.
func (id ID) EncodeWire(e *Encoder) {
	switch id.kind {
	case KindNumber:
		e.Int(id.num)
	case KindString:
		e.String(id.str)
	default:
		e.fail("the id is absent")
	}
}

// DecodeWire reads the id.
func (id *ID) DecodeWire(d *Decoder) { *id = d.ID() }

// MarshalJSON returns the id's JSON text. An absent id is an error.
func (id ID) MarshalJSON() ([]byte, error) { return Marshal(Any, id) }

// UnmarshalJSON reads the id. Fractions, exponents, null, and integers that exceed 64 bits are errors.
func (id *ID) UnmarshalJSON(data []byte) error { return Decode(data, id) }
