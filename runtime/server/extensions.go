package server

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Extension is a set of methods beyond the protocol that both sides may agree on, by its
// identifier, from 2026-07-28 on. The server declares it; its methods are for clients that declare
// it, too.
type Extension struct {
	ID       string   // vendor prefix and name: "com.example/search"
	Settings wire.Raw // what the server declares of it, an object; absent means {}
	Methods  map[string]Handler
}

type extensions struct {
	mu      sync.RWMutex
	by      map[string]*Extension
	methods map[string]*Extension
}

// AddExtension offers an extension, or replaces the one of that identifier.
func (s *Server) AddExtension(e Extension) error {
	if err := checkExtension(&e); err != nil {
		return fmt.Errorf("server: AddExtension: %w", err)
	}
	x := &s.extensions
	x.mu.Lock()
	defer x.mu.Unlock()
	for method := range e.Methods {
		if other := x.methods[method]; other != nil && other.ID != e.ID {
			return fmt.Errorf("server: AddExtension: extension %q has the method %q already", other.ID, method)
		}
	}
	by, methods := map[string]*Extension{}, map[string]*Extension{}
	maps.Copy(by, x.by)
	by[e.ID] = &e
	for _, e := range by {
		for method := range e.Methods {
			methods[method] = e
		}
	}
	x.by, x.methods = by, methods
	return nil
}

func checkExtension(e *Extension) error {
	if !validExtensionID(e.ID) {
		return fmt.Errorf("extension %q: want a prefix, a slash and a name, such as \"com.example/search\"", e.ID)
	}
	if len(e.Settings) > 0 {
		if err := checkSchema(e.Settings); err != nil {
			return fmt.Errorf("extension %q: settings: %w", e.ID, err)
		}
	}
	for method, h := range e.Methods {
		if own(method) || h == nil {
			return errors.New("extension " + e.ID + ": method " + method + " has no handler, or is the protocol's own")
		}
	}
	return nil
}

// Extension returns the settings with which the client of the call declares an extension, and
// whether it does.
func (c *Call) Extension(id string) (settings wire.Raw, ok bool) {
	settings, ok = c.Capabilities().Extensions[id]
	return settings, ok
}

// request finds the handler of an extension's method. The error says that the client does not
// declare the extension.
func (x *extensions) request(c *Call) (h Handler, ok bool, err error) {
	x.mu.RLock()
	e := x.methods[c.req.Method]
	x.mu.RUnlock()
	// REQ EXT-02, EXT-03
	if e == nil || !c.modern() {
		return nil, false, nil
	}
	// REQ EXT-02, XTASK-14
	if _, ok := c.Extension(e.ID); !ok {
		return nil, false, &MissingCapabilityError{Required: mcp.ClientCapabilities{
			Extensions: map[string]wire.Raw{e.ID: wire.Raw("{}")},
		}}
	}
	return e.Methods[c.req.Method], true, nil
}

// settings returns what the server declares of its extensions, added to base.
func (x *extensions) settings(base map[string]wire.Raw) map[string]wire.Raw {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.by) == 0 {
		return base
	}
	all := maps.Clone(base)
	if all == nil {
		all = make(map[string]wire.Raw)
	}
	for id, e := range x.by {
		all[id] = e.Settings
		if len(e.Settings) == 0 {
			all[id] = wire.Raw("{}")
		}
	}
	return all
}

// validExtensionID reports whether id is a key of metadata that has a prefix: labels separated by
// dots, a slash, and a name.
//
// REQ EXT-01, META-03, META-04
func validExtensionID(id string) bool {
	prefix, name, ok := strings.Cut(id, "/")
	if !ok {
		return false
	}
	for label := range strings.SplitSeq(prefix, ".") {
		if !validName(label, "-") || !isLetter(label[0]) {
			return false
		}
	}
	return validName(name, "-_.")
}

// validName reports whether s has letters and digits, and inside also the bytes of inner.
//
// REQ EXT-01, META-03, META-04
func validName(s, inner string) bool {
	if s == "" || !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte(inner, s[i]) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isLetter(c) || '0' <= c && c <= '9' }
