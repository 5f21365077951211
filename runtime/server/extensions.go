package server

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An extension is everything that a package needs to add a part of the protocol from outside: methods, a wrapper of tools, a
// filter, topics of subscriptions, scopes, and what is declared. A server knows its extensions by these seams alone. Adding one
// is all or nothing: if a tool cannot be made with its wrapper, the extension is taken out again.

// An Extension is an addition to the protocol, by a package of its own. With an ID it is one that both sides may agree
// on: the server declares it, in initialize and in server/discover, and its methods are for clients that declare it, too.
// Without an ID its methods are for all clients; what it adds may be a part of the protocol that this package leaves to
// others. All fields are optional.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
type Extension struct {
	ID       string   // vendor prefix and name: "com.example/search"
	Settings wire.Raw // the settings that the server declares, an object; absent means {}

	// Methods handle requests, also of methods of the protocol, if the server itself does not handle them.
	Methods map[string]Handler

	// Since and Through are the first and the last revision in which there is the extension. Zero means no bound.
	Since, Through wire.Revision

	// Capabilities adds to what the server declares to the caller of c. What the revision does not have is left out.
	Capabilities func(c *Call, caps *mcp.ServerCapabilities)

	// Scopes returns the scopes that a request requires: one of Methods, or one for a subscription whose filter has
	// members that the protocol does not know. These may be members of another extension: [Call.Params] has them. The
	// scopes are checked before anything else sees the request.
	Scopes func(ctx context.Context, c *Call) []string

	// Listen is called for a request for a subscription whose filter has members that the protocol does not know. It
	// subscribes to those of the topics that the caller of c may have, and returns what the acknowledgement says of
	// them. What is sent to the subscription meanwhile comes after the acknowledgement. An error refuses the request.
	// The client need not have declared the extension.
	Listen func(ctx context.Context, c *Call, asked wire.Extra, to *Subscription) (granted wire.Extra, err error)

	// Tool is around all tools, also those added before, and around [Options].WrapTools.
	Tool ToolWrapper

	// Filter is one of the filters of all items, also of those added before.
	Filter *Filter

	// Value is for the package of the extension: see [Call.Extended].
	Value any
}

// String describes the extension in messages.
func (e *Extension) String() string {
	if e.ID == "" {
		return "an extension without an ID"
	}
	return "the extension " + e.ID
}

// in reports whether there is the extension in a revision. Both bounds are revisions that have it.
func (e *Extension) in(rev wire.Revision) bool {
	return rev >= e.Since && (e.Through == 0 || rev <= e.Through)
}

// concernsItems reports whether items are made with the extension.
func (e *Extension) concernsItems() bool { return e.Tool != nil || e.Filter != nil }

// overlaps reports whether there is a revision with both extensions.
func (e *Extension) overlaps(other *Extension) bool {
	return (e.Through == 0 || other.Since <= e.Through) && (other.Through == 0 || e.Since <= other.Through)
}

// AddExtension offers an extension, or replaces the one with that identifier; one without an identifier replaces none. It
// returns an error if the extension is not valid, if one of its methods is taken, or if its wrapper refuses a tool.
func (s *Server) AddExtension(e Extension) error {
	err := s.checkExtension(&e)
	var undo func()
	var items bool
	if err == nil {
		items, undo, err = s.methods.put(&e)
	}
	// Once it is there, items are made with it, also those that are being added: see registry.isStale.
	if err == nil && items {
		if err = s.renew(allLists); err != nil {
			undo()
			s.renew(allLists)
		} else {
			s.listChanged(allLists)
		}
	}
	if err != nil {
		return fmt.Errorf("server: AddExtension: %w", err)
	}
	return nil
}

// checkExtension checks what can be wrong with an extension by itself; methods.put compares it with the others.
func (s *Server) checkExtension(e *Extension) error {
	if e.ID != "" && !valid.ExtensionID(e.ID) {
		return fmt.Errorf("extension %q: want a prefix, a slash and a name, such as \"com.example/search\"", e.ID)
	}
	if len(e.Settings) > 0 {
		if err := checkSchema(e.Settings); err != nil {
			return fmt.Errorf("%s: settings: %w", e, err)
		}
	}
	for method, h := range e.Methods {
		if err := checkMethod(method, h == nil, s.isOwn(method, e)); err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	return nil
}

// Extended returns the Value of the server's extension with that identifier, nil if there is none.
func (c *Call) Extended(id string) any {
	for _, e := range c.server.methods.all() {
		if e.ID == id {
			return e.Value
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

// mayUse returns an error if the client does not declare an extension that has an ID. Through 2025-11-25 there is no error for
// that, and the methods of the extension do not exist for such a client.
//
// REQ EXT-02, XTASK-14
func (c *Call) mayUse(e *Extension) error {
	if e.ID == "" {
		return nil
	}
	_, declared := c.Extension(e.ID)
	switch {
	case declared:
		return nil
	case !c.modern():
		return methodNotFound(c.req.Method)
	}
	return needsExtension(e.ID)
}

// needsExtension returns the error for a client that does not declare an extension.
func needsExtension(id string) error {
	return &MissingCapabilityError{Required: mcp.ClientCapabilities{Extensions: map[string]wire.Raw{id: wire.Raw("{}")}}}
}
