package server

// A Change is a change that clients are notified of. A program of several processes passes it on, so that clients
// of one process are notified of changes in the others. Package encoding/json can encode and decode it.
type Change struct {
	// Tools, Prompts and Resources say that these lists have changed.
	Tools     bool `json:"tools,omitempty"`
	Prompts   bool `json:"prompts,omitempty"`
	Resources bool `json:"resources,omitempty"`

	// Updated has the URIs of resources that have changed.
	Updated []string `json:"updated,omitempty"`

	// Any says that anything may have changed: every list and every resource.
	Any bool `json:"any,omitempty"`

	// Elsewhere says that the change has happened in another process, which passes it on itself.
	Elsewhere bool `json:"-"`
}

// tell calls the functions of OnChange.
func (s *Server) tell(c Change) {
	for _, f := range s.hearers.all() {
		(*f)(c)
	}
}

// lists returns the lists that have changed.
func (c *Change) lists() (kind listKind) {
	if c.Tools || c.Any {
		kind |= toolsList
	}
	if c.Prompts || c.Any {
		kind |= promptsList
	}
	if c.Resources || c.Any {
		kind |= resourcesList
	}
	return kind
}

// notifyOf notifies the clients that subscribe to it of a change.
func (s *Server) notifyOf(c Change) {
	kind := c.lists()
	for _, t := range s.subscribers.all() {
		t.mark(kind, "")
		if c.Any {
			t.markAll()
			continue
		}
		for _, uri := range c.Updated {
			// REQ SUB-02
			if t.subscribed(uri) {
				t.mark(0, uri)
			}
		}
	}
}

// markAll records that all resources that the client subscribes to may have changed.
func (t *subscriber) markAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.uris) == 0 {
		return
	}
	if t.updated == nil {
		t.updated = make(map[string]struct{}, len(t.uris))
	}
	for uri := range t.uris {
		t.updated[uri] = struct{}{}
	}
	t.schedule()
}
