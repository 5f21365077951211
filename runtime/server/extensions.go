package server

import (
	"fmt"
	"maps"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Extension is an addition to the protocol that both sides may agree on. The server declares it, in
// initialize and in server/discover; its methods are for clients that declare it, too.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
type Extension struct {
	ID       string   // vendor prefix and name: "com.example/search"
	Settings wire.Raw // the settings that the server declares, an object; absent means {}
	Methods  map[string]Handler

	// Since is the first revision in which the extension is declared and its methods are served. Zero
	// means every revision.
	Since wire.Revision
}

// AddExtension offers an extension, or replaces the one with that identifier. It returns an error if the
// extension is not valid, or if one of its methods is taken.
func (s *Server) AddExtension(e Extension) error {
	if err := checkExtension(&e); err != nil {
		return fmt.Errorf("server: AddExtension: %w", err)
	}
	m := &s.methods
	m.mu.Lock()
	defer m.mu.Unlock()
	for method := range e.Methods {
		if other, taken := m.requests[method]; taken && (other.extension == nil || other.extension.ID != e.ID) {
			return fmt.Errorf("server: AddExtension: %w", errTaken(method, other))
		}
	}
	if m.requests == nil {
		m.requests = make(map[string]customMethod)
	}
	if m.extensions == nil {
		m.extensions = make(map[string]*Extension)
	}
	if before := m.extensions[e.ID]; before != nil {
		for method := range before.Methods {
			delete(m.requests, method)
		}
	}
	m.extensions[e.ID] = &e
	for method, h := range e.Methods {
		m.requests[method] = customMethod{h, &e}
	}
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
		if err := checkMethod(method, h == nil, e.Since); err != nil {
			return fmt.Errorf("extension %q: %w", e.ID, err)
		}
	}
	return nil
}

// Extension returns the settings with which the client of the call declares an extension, and reports
// whether it declares it.
func (c *Call) Extension(id string) (settings wire.Raw, ok bool) {
	settings, ok = c.Capabilities().Extensions[id]
	return settings, ok
}

// mayUse returns an error if the client does not declare an extension. Nil means no extension.
func (c *Call) mayUse(e *Extension) error {
	if e == nil {
		return nil
	}
	_, declared := c.Extension(e.ID)
	switch {
	case declared:
		return nil
	case !c.modern():
		return methodNotFound(c.req.Method)
	}
	// REQ EXT-02, XTASK-14
	return needsExtension(e.ID)
}

// needsExtension returns the error for a client that does not declare an extension.
func needsExtension(id string) error {
	return &MissingCapabilityError{Required: mcp.ClientCapabilities{Extensions: map[string]wire.Raw{id: wire.Raw("{}")}}}
}

// declaredExtensions returns base with the extensions that the server declares in a revision.
func (m *methods) declaredExtensions(rev wire.Revision, base map[string]wire.Raw) map[string]wire.Raw {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := maps.Clone(base)
	for id, e := range m.extensions {
		if rev < e.Since {
			continue
		}
		if all == nil {
			all = make(map[string]wire.Raw)
		}
		all[id] = e.Settings
		if len(e.Settings) == 0 {
			all[id] = wire.Raw("{}")
		}
	}
	return all
}

// validExtensionID reports whether id is a metadata key with a prefix: labels separated by dots, a slash,
// and a name.
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

// validName reports whether s has only letters and digits, and between them also the bytes of inner.
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
