package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// methods holds what the program adds: custom requests and notifications, and extensions.
type methods struct {
	mu            sync.RWMutex
	requests      map[string]customMethod
	notifications map[string]NotificationHandler
	extensions    map[string]*Extension // by identifier
}

type customMethod struct {
	handle    Handler
	extension *Extension // nil if it belongs to none
}

func (m *methods) request(name string) (customMethod, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	h, ok := m.requests[name]
	return h, ok
}

func (m *methods) notification(name string) NotificationHandler {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.notifications[name]
}

// AddMethod makes the server handle requests of a custom method, in every revision. It returns an error if the
// method is taken by the protocol, an extension, or an earlier AddMethod. Package typed has a version for handlers
// with typed params and results.
func (s *Server) AddMethod(method string, h Handler) error {
	if err := checkMethod(method, h == nil, 0); err != nil {
		return fmt.Errorf("server: AddMethod: %w", err)
	}
	m := &s.methods
	m.mu.Lock()
	defer m.mu.Unlock()
	if other, taken := m.requests[method]; taken {
		return fmt.Errorf("server: AddMethod: %w", errTaken(method, other))
	}
	if m.requests == nil {
		m.requests = make(map[string]customMethod)
	}
	m.requests[method] = customMethod{handle: h}
	return nil
}

// AddNotification makes the server handle notifications of a custom method, in every revision. It returns an error
// if the method is taken. Package typed has a version for handlers with typed params.
func (s *Server) AddNotification(method string, h NotificationHandler) error {
	if err := checkMethod(method, h == nil, 0); err != nil {
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

// checkMethod checks a method that is added for all revisions since the given one, zero meaning all.
func checkMethod(method string, without bool, since wire.Revision) error {
	switch {
	case method == "":
		return errors.New("the method must have a name")
	case without:
		return fmt.Errorf("%q has no handler", method)
	case isProtocols(method, since):
		return fmt.Errorf("%q is a method of the protocol; use middleware to handle it differently", method)
	}
	return nil
}

// errTaken is the error for a method that was added before.
func errTaken(method string, by customMethod) error {
	if by.extension != nil {
		return fmt.Errorf("%q is a method of the extension %s", method, by.extension.ID)
	}
	return fmt.Errorf("%q was added before", method)
}

// isProtocols reports whether the server itself handles a method in any revision since the given one. Requests
// about tasks belong to the protocol in one revision, and to an extension in later ones.
func isProtocols(method string, since wire.Revision) bool {
	m := mcp.ServerMethod(method)
	switch {
	case m == nil:
		return false
	case m.Notification || !isOrIn(m.ServerCapability, mcp.ServerCapabilityTasks):
		return true
	}
	return slices.ContainsFunc(taught.Revisions(), func(rev wire.Revision) bool { return rev >= since && m.Reaches(wire.Server, rev) })
}

// isOrIn reports whether a capability is the other one or a part of it.
func isOrIn(capability, of string) bool {
	rest, ok := strings.CutPrefix(capability, of)
	return ok && (rest == "" || rest[0] == '.')
}
