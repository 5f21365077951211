package wire

import "encoding/json"

// An Option is an optional member of an object that may also be null: absent, null, or a value. The zero Option is an
// absent member. [Some] and [Null] return the others. It is what the members of a partial update are, where null
// removes and absence keeps (RFC 7396).
//
// Typed clients have Options where a schema allows null for an optional member, and parameters, fields and named
// results of annotated functions may be Options. With encoding/json, their fields need the option omitzero.
type Option[T any] struct {
	value T
	state optionState
}

type optionState uint8

const (
	optionAbsent optionState = iota
	optionNull
	optionSome
)

// Some returns the member that has the value v.
func Some[T any](v T) Option[T] { return Option[T]{v, optionSome} }

// Null returns the member that is null.
func Null[T any]() Option[T] { return Option[T]{state: optionNull} }

// Get returns the value, and whether there is one: neither absence nor null.
func (o Option[T]) Get() (value T, ok bool) { return o.value, o.state == optionSome }

// IsNull reports whether the member is null.
func (o Option[T]) IsNull() bool { return o.state == optionNull }

// IsZero reports whether the member is absent.
func (o Option[T]) IsZero() bool { return o.state == optionAbsent }

// MarshalJSON returns the JSON text of the value, and null without one.
func (o Option[T]) MarshalJSON() ([]byte, error) {
	if o.state != optionSome {
		return []byte("null"), nil
	}
	return json.Marshal(&o.value)
}

// UnmarshalJSON reads a value or null.
func (o *Option[T]) UnmarshalJSON(text []byte) error {
	*o = Option[T]{state: optionNull}
	if string(text) == "null" {
		return nil
	}
	o.state = optionSome
	return json.Unmarshal(text, &o.value)
}

// GetOption reads the value of a member, or its null.
func GetOption[T any](d *Decoder, decode func(*T, *Decoder)) Option[T] {
	if d.Null() {
		return Null[T]()
	}
	o := Option[T]{state: optionSome}
	decode(&o.value, d)
	return o
}

// PutOption writes the value of a member, or its null. The member is not absent.
func PutOption[T any](e *Encoder, o *Option[T], encode func(*T, *Encoder)) {
	if o.state == optionSome {
		encode(&o.value, e)
		return
	}
	e.Null()
}
