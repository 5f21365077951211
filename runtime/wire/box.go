package wire

// A Box makes a [Value] of a union, which is an interface and therefore has no DecodeWire.
type Box[T Encodable] struct {
	Value T
	From  func(*Decoder) T // decodes the union; required for decoding
}

// EncodeWire writes the value. A nil value is an error.
func (b *Box[T]) EncodeWire(e *Encoder) {
	if b == nil || any(b.Value) == nil {
		e.fail("nothing to encode: the value is nil")
		return
	}
	b.Value.EncodeWire(e)
}

// DecodeWire reads the union.
func (b *Box[T]) DecodeWire(d *Decoder) { b.Value = b.From(d) }
