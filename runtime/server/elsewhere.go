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
}

// OnChange makes the server call f with each change that its clients are notified of, until stop is called: changes
// of lists, whatever their cause, and of resources, reported by [Server.ResourceUpdated]. F passes them on to other
// processes, which call [Server.ChangedElsewhere]. It must not block: the caller that made the change waits for it.
//
// A Change does not say what was added or removed: each process registers what it offers.
func (s *Server) OnChange(f func(Change)) (stop func()) {
	s.hearers.add(&f)
	return func() { s.hearers.remove(&f) }
}

// tell calls the functions of OnChange.
func (s *Server) tell(c Change) {
	for _, f := range s.hearers.all() {
		(*f)(c)
	}
}

// ChangedElsewhere notifies the clients of this server that subscribe to it of a change in another process. It does
// not call the functions of [Server.OnChange].
func (s *Server) ChangedElsewhere(c Change) {
	var kind listKind
	if c.Tools || c.Any {
		kind |= toolsList
	}
	if c.Prompts || c.Any {
		kind |= promptsList
	}
	if c.Resources || c.Any {
		kind |= resourcesList
	}
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
	for _, m := range s.mounts.all() {
		m.into.ChangedElsewhere(c)
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
