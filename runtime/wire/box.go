package wire

// A Box makes a [Value] of a union, which is an interface and cannot decode itself.
type Box[T Encodable] struct {
	Value T
	From  func(*Decoder) T // decodes the union
}

// EncodeWire writes the value. No value is an error.
func (b *Box[T]) EncodeWire(e *Encoder) {
	if b == nil || any(b.Value) == nil {
		e.fail("nothing to encode: the value is nil")
		return
	}
	b.Value.EncodeWire(e)
}

// DecodeWire reads the union by From, which must be set.
func (b *Box[T]) DecodeWire(d *Decoder) { b.Value = b.From(d) }
