package args

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MaxStream is how many bytes of JSON a [Stream] may hold.
const MaxStream = 16 << 20

// A Stream collects the items that a function yields. The zero Stream is empty.
type Stream struct {
	items []byte // with commas between them
	n     int
}

// Collect adds an item to a stream, and returns its JSON text. The error says which part cannot be encoded, and why, or
// that the stream would exceed [MaxStream].
func Collect[T any](s *Stream, item *T, put func(*T, *wire.Encoder)) (wire.Raw, error) {
	raw, err := Encode(item, put)
	if e, ok := err.(*ResultError); ok {
		path := fmt.Sprintf("result[%d]", s.n)
		if e.Path != "" && e.Path[0] != '[' {
			path += "."
		}
		return nil, &ResultError{path + e.Path, e.Msg}
	}
	if err != nil {
		return nil, err
	}
	if len(s.items)+len(raw)+1 > MaxStream {
		return nil, fmt.Errorf("the results of the tool exceed the limit of %d MiB", MaxStream>>20)
	}
	if s.n > 0 {
		s.items = append(s.items, ',')
	}
	s.items = append(s.items, raw...)
	s.n++
	return raw, nil
}

// Len returns how many items there are.
func (s *Stream) Len() int { return s.n }

// Result returns the object with the items: {"result":[…]}.
func (s *Stream) Result() wire.Raw {
	const head, tail = `{"result":[`, `]}`
	b := make([]byte, 0, len(head)+len(s.items)+len(tail))
	return append(append(append(b, head...), s.items...), tail...)
}
