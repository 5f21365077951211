package seams

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// A Handover keeps the sessions of the handlers in a process, one of which may take the place of another: while a server is
// configured anew, for instance. The zero value is empty.
//
// The mark of a session is how many handlers have had it: the handler with the last mark holds it. A session that was never
// saved has no mark.
type Handover struct {
	mu     sync.Mutex
	states map[string][]byte
	marks  map[string]int
}

// Open implements streamable.Keeper.
func (h *Handover) Open(context.Context) (id string, err error) { return rand.Text(), nil }

// Save implements streamable.Keeper.
func (h *Handover) Save(_ context.Context, s *streamable.KeptSession) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holds(s) {
		return new(streamable.ElsewhereError)
	}
	if h.states == nil {
		h.states, h.marks = make(map[string][]byte), make(map[string]int)
	}
	if s.Mark() == nil {
		s.SetMark(1)
		h.marks[s.ID()] = 1
	}
	h.states[s.ID()] = s.State()
	return nil
}

// Find implements streamable.Keeper. Whoever asks holds the session from then on.
func (h *Handover) Find(_ context.Context, id string) (*streamable.SavedSession, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state, ok := h.states[id]
	if !ok {
		return nil, nil
	}
	h.marks[id]++
	return &streamable.SavedSession{State: state, Mark: h.marks[id]}, nil
}

// Holds implements streamable.Keeper.
func (h *Handover) Holds(s *streamable.KeptSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.holds(s)
}

func (h *Handover) holds(s *streamable.KeptSession) bool {
	mark, _ := s.Mark().(int)
	return h.marks[s.ID()] == mark
}

// End implements streamable.Keeper.
func (h *Handover) End(_ context.Context, s *streamable.KeptSession) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.holds(s) {
		return new(streamable.ElsewhereError)
	}
	delete(h.states, s.ID())
	delete(h.marks, s.ID())
	return nil
}
