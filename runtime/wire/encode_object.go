package wire

import "strconv"

// BeginObject begins an object of no particular [Type]. It fails and returns false where values nest
// too deep. Members follow, each begun by [Encoder.Key] or [Encoder.Name], then
// [Encoder.EndObject].
func (e *Encoder) BeginObject() bool {
	if !e.Enter() {
		return false
	}
	e.buf = append(e.buf, '{')
	return true
}

// EndObject ends an object that BeginObject began.
func (e *Encoder) EndObject() {
	e.buf = append(e.buf, '}')
	e.Leave()
}

// Name begins a member whose name may need escapes.
func (e *Encoder) Name(name string) {
	e.comma('{')
	e.String(name)
	e.buf = append(e.buf, ':')
}

// Enter counts a level of nesting. It fails and returns false beyond [MaxDepth], and after an error,
// so that a value that contains itself comes to an end.
func (e *Encoder) Enter() bool {
	if e.err != nil {
		return false
	}
	if e.depth++; e.depth > MaxDepth {
		e.fail("nesting is deeper than " + strconv.Itoa(MaxDepth) + " levels; does the value contain itself?")
		return false
	}
	return true
}

// Leave ends a level that Enter counted.
func (e *Encoder) Leave() { e.depth-- }

// MarshalFunc is [Marshal] for a value that cannot encode itself: encode writes it.
func MarshalFunc[T any](rev Revision, v *T, encode func(*T, *Encoder)) ([]byte, error) {
	return Marshal(rev, &encodable[T]{v, encode})
}

type encodable[T any] struct {
	v      *T
	encode func(*T, *Encoder)
}

func (b *encodable[T]) EncodeWire(e *Encoder) { b.encode(b.v, e) }
