package client

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Era remembers which revision a server spoke last. Give the same one to every connection to
// the same server: to the same command, or to the same origin. A server of an older revision is
// then not asked first whether it speaks a newer one; if what is remembered turns out wrong, it
// is. The zero value remembers nothing. It can be stored as text.
type Era struct {
	mu  sync.Mutex
	rev wire.Revision
}

// Revision returns the revision, [wire.Any] if none is remembered.
func (e *Era) Revision() wire.Revision {
	if e == nil {
		return wire.Any
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.rev
}

func (e *Era) remember(rev wire.Revision) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rev = rev
}

// MarshalText returns the revision's name, empty if none is remembered.
func (e *Era) MarshalText() ([]byte, error) {
	if rev := e.Revision(); rev != wire.Any {
		return []byte(rev.String()), nil
	}
	return []byte{}, nil
}

// UnmarshalText reads what MarshalText returned.
func (e *Era) UnmarshalText(text []byte) error {
	rev := wire.Any
	if len(text) > 0 {
		var err error
		if rev, err = wire.ParseRevision(string(text)); err != nil {
			return err
		}
	}
	e.remember(rev)
	return nil
}
