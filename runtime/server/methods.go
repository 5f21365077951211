package server

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What the program adds to the protocol is kept by method. An extension may have the same method as another one in other
// revisions, if the protocol has made an extension of a part of itself; so a method of a name has a range of revisions.
//
// The extensions, and what is made of them, are replaced, never changed, so that a request may read on after it has given the
// lock back.

// methods holds what the program adds: custom requests and notifications, and extensions.
type methods struct {
	mu            sync.RWMutex
	requests      map[string][]*customMethod     // one for each range of revisions; made of the extensions by set
	notifications map[string]NotificationHandler // of AddNotification; changed in place, and read with mu held
	extensions    []*Extension                   // in the order in which they were added, also those of AddMethod

	// The methods whose requests may require the scopes of an extension. Every request looks there, so it takes no lock. Nil
	// before the first extension.
	scoped atomic.Pointer[map[string]bool]
}

// A customMethod is a method in the revisions of its extension, of which AddMethod makes one without an ID.
type customMethod struct {
	handle    Handler
	extension *Extension
}

// request returns the method of that name in a revision, nil if there is none.
func (m *methods) request(name string, rev wire.Revision) *customMethod {
	m.mu.RLock()
	defer m.mu.RUnlock()
	// At most one has it in the revision: put refuses a second one.
	for _, c := range m.requests[name] {
		if c.extension.in(rev) {
			return c
		}
	}
	return nil
}

// notification returns the handler of notifications of that name, nil if there is none.
func (m *methods) notification(name string) NotificationHandler {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.notifications[name]
}

// has reports whether there is a method of that name.
func (m *methods) has(name string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.requests[name] != nil || m.notifications[name] != nil
}

// all returns the extensions.
func (m *methods) all() []*Extension {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.extensions // which is replaced, never changed
}

// in returns the extensions that a revision has, in the order in which they were added.
func (m *methods) in(rev wire.Revision) iter.Seq[*Extension] {
	return func(yield func(*Extension) bool) {
		for _, e := range m.all() {
			if e.in(rev) && !yield(e) {
				return
			}
		}
	}
}

// wrappers returns the wrappers of tools that extensions have, the first of which is outermost.
func wrappers(extensions []*Extension) (all []ToolWrapper) {
	for _, e := range extensions {
		if e.Tool != nil {
			all = append(all, e.Tool)
		}
	}
	return all
}

// AddMethod makes the server handle requests of a custom method, in every revision. It returns an error if the
// method is taken by the protocol, an extension, or an earlier AddMethod. Package typed has a version for handlers
// with typed params and results.
func (s *Server) AddMethod(method string, h Handler) error {
	if err := checkMethod(method, h == nil, mcp.ServerMethod(method) != nil); err != nil {
		return fmt.Errorf("server: AddMethod: %w", err)
	}
	if _, _, err := s.methods.put(&Extension{Methods: map[string]Handler{method: h}}); err != nil {
		return fmt.Errorf("server: AddMethod: %w", err)
	}
	return nil
}

// AddNotification makes the server handle notifications of a custom method, in every revision, or the one that tells it of changed
// roots, which it ignores otherwise: [mcp.MethodRootsListChangedNotification], which only a session has. It returns an error
// if the method is taken. Package typed has a version for handlers with typed params.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/roots
func (s *Server) AddNotification(method string, h NotificationHandler) error {
	protocols := mcp.ServerMethod(method) != nil && method != mcp.MethodRootsListChangedNotification.Name
	if err := checkMethod(method, h == nil, protocols); err != nil {
		return fmt.Errorf("server: AddNotification: %w", err)
	}
	m := &s.methods
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notifications[method] != nil {
		return fmt.Errorf("server: AddNotification: %q was added before", method)
	}
	if m.notifications == nil {
		m.notifications = make(map[string]NotificationHandler)
	}
	m.notifications[method] = h
	return nil
}

// checkMethod checks a method that is added. Without says that it has no handler, and protocols that it is one of the protocol
// that is not free.
func checkMethod(method string, without, protocols bool) error {
	switch {
	case method == "":
		return errors.New("the method must have a name")
	case without:
		return fmt.Errorf("%q has no handler", method)
	case protocols:
		return fmt.Errorf("%q is a method of the protocol; use middleware to handle it differently", method)
	}
	return nil
}

// errTaken is the error for a method that was added before.
func errTaken(method string, by *customMethod) error {
	if e := by.extension; e.ID != "" {
		return fmt.Errorf("%q is a method of %s", method, e)
	}
	return fmt.Errorf("%q was added before", method)
}

// An extension may handle a method of the protocol that this package leaves to others, but none of its own:
// middleware is for that.

// isOwn reports whether the server itself handles a method in some of the revisions of an extension.
func (s *Server) isOwn(method string, e *Extension) bool {
	m := mcp.ServerMethod(method)
	switch {
	case m == nil:
		return false
	case m.Notification: // methods of extensions are requests, so the name is never free
		return true
	}
	_, own := s.declares(m.ServerCapability)
	return own && slices.ContainsFunc(taught.Revisions(), func(rev wire.Revision) bool { return e.in(rev) && m.Reaches(wire.Server, rev) })
}

// put adds an extension, in place of the one with that identifier. The error says which method is taken: only by one that
// exists in a revision of both, since a part of the protocol may become an extension. Items reports whether items have to be
// made again, because of this extension or the one that it replaces. Undo puts back what it replaced, and leaves what has been
// added since.
func (m *methods) put(e *Extension) (items bool, undo func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to := len(m.extensions), len(m.extensions) // behind the last one, unless there is one to be replaced
	if at := slices.IndexFunc(m.extensions, func(other *Extension) bool { return other.ID != "" && other.ID == e.ID }); at >= 0 {
		from, to = at, at+1
	}
	old := m.extensions[from:to] // one or none
	for method := range e.Methods {
		for _, other := range m.requests[method] {
			if !slices.Contains(old, other.extension) && other.extension.overlaps(e) {
				return false, nil, errTaken(method, other)
			}
		}
	}
	m.set(slices.Replace(slices.Clone(m.extensions), from, to, e)) // a copy: requests may be reading the slice
	return e.concernsItems() || slices.ContainsFunc(old, (*Extension).concernsItems), func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if at := slices.Index(m.extensions, e); at >= 0 { // else it has been replaced in the meantime
			m.set(slices.Replace(slices.Clone(m.extensions), at, at+1, old...))
		}
	}, nil
}

// set sets the extensions, and notes what handles their methods, and which of these may require scopes. The caller holds mu.
func (m *methods) set(extensions []*Extension) {
	requests, scoped := make(map[string][]*customMethod), make(map[string]bool)
	for _, e := range extensions {
		for method, h := range e.Methods {
			requests[method] = append(requests[method], &customMethod{h, e})
			if e.Scopes != nil {
				scoped[method] = true
			}
		}
		if e.Scopes != nil && e.Listen != nil {
			scoped[mcp.MethodSubscriptionsListen.Name] = true
		}
	}
	m.extensions, m.requests = extensions, requests
	m.scoped.Store(&scoped)
}

// requires reports whether requests of a method may require the scopes of an extension.
func (m *methods) requires(method string) bool {
	scoped := m.scoped.Load()
	return scoped != nil && (*scoped)[method]
}

// grant subscribes t to what extensions have of what the client of a subscription asks for, and returns what the
// acknowledgement says of it.
func (m *methods) grant(ctx context.Context, c *Call, t *Subscription, asked wire.Extra) (granted wire.Extra, err error) {
	for e := range m.in(c.rev) {
		if e.Listen == nil {
			continue
		}
		more, err := e.Listen(ctx, c, asked, t)
		if err != nil {
			return nil, err
		}
		granted = append(granted, more...)
	}
	return granted, nil
}

// declare adds the extensions, and what they add to capabilities, to what the server declares to the caller of c.
func (m *methods) declare(c *Call, caps *mcp.ServerCapabilities) {
	caps.Extensions = maps.Clone(caps.Extensions) // it may be that of Options.Capabilities
	for e := range m.in(c.rev) {
		if e.ID != "" {
			if caps.Extensions == nil {
				caps.Extensions = make(map[string]wire.Raw)
			}
			caps.Extensions[e.ID] = wire.Raw("{}")
			if len(e.Settings) > 0 {
				caps.Extensions[e.ID] = e.Settings
			}
		}
		if e.Capabilities != nil {
			e.Capabilities(c, caps)
		}
	}
}
