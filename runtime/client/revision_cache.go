package client

import (
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A RevisionCache remembers the revision that a server spoke last. Connections to the same server (the same
// command, or the same origin) should share one: a server of an older revision is then not probed for a newer one
// first, unless it no longer speaks the older one. The zero value is empty. The methods for text are for storing
// it.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning.
type RevisionCache struct {
	mu  sync.Mutex
	rev wire.Revision
}

// Revision returns the revision that is remembered, [wire.Any] if there is none.
func (c *RevisionCache) Revision() wire.Revision {
	if c == nil {
		return wire.Any
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rev
}

func (c *RevisionCache) remember(rev wire.Revision) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rev = rev
}

// MarshalText returns the name of the revision, empty if there is none.
func (c *RevisionCache) MarshalText() ([]byte, error) {
	if rev := c.Revision(); rev != wire.Any {
		return []byte(rev.String()), nil
	}
	return []byte{}, nil
}

// UnmarshalText parses what MarshalText returned.
func (c *RevisionCache) UnmarshalText(text []byte) error {
	rev := wire.Any
	if len(text) > 0 {
		var err error
		if rev, err = wire.ParseRevision(string(text)); err != nil {
			return err
		}
	}
	c.remember(rev)
	return nil
}
