package wire

import "strconv"

// BeginObject begins an object of no particular [Type]. It fails and returns false if values nest too deeply.
// The members follow, each begun by [Encoder.Key] or [Encoder.Name], and then [Encoder.EndObject].
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
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.String(name)
	e.buf = append(e.buf, ':')
}

// Enter counts a level of nesting. It fails beyond [MaxDepth], and returns false then and after any error, so that
// encoding a value that contains itself ends.
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

// Leave ends a level that Enter has begun.
func (e *Encoder) Leave() { e.depth-- }

// MarshalFunc returns the JSON text of a value without EncodeWire, which encode writes. The error is that of [Marshal].
func MarshalFunc[T any](rev Revision, v *T, encode func(*T, *Encoder)) ([]byte, error) {
	return Marshal(rev, &encodable[T]{v, encode})
}

type encodable[T any] struct {
	v      *T
	encode func(*T, *Encoder)
}

func (b *encodable[T]) EncodeWire(e *Encoder) { b.encode(b.v, e) }
