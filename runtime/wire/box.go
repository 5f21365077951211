package wire

// A Box makes a [Value] of a union, which is an interface and cannot decode itself.
type Box[T Encodable] struct {
	Value T
	From  func(*Decoder) T // decodes the union
}

func (b *Box[T]) EncodeWire(e *Encoder) {
	if b == nil || any(b.Value) == nil {
		e.fail("nothing to encode: the value is nil")
		return
	}
	b.Value.EncodeWire(e)
}

func (b *Box[T]) DecodeWire(d *Decoder) { b.Value = b.From(d) }
