// Package mount puts servers together: one offers what others offer.
package mount

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// On makes s offer what another server offers: its tools and prompts, with the prefix before their names, its resources
// and templates by their own URIs, and completions. Their access, and the filters and texts that other has for them,
// stay the same. Calls are handled as if these things were registered with s, in the same process; what other adds,
// removes or changes later, and updates of its resources, reach the clients of s.
//
// Everything else is that of s: its options (also Define), middleware, sessions, tasks, instructions. Custom
// methods and extensions of other are not mounted. It is an error if other has middleware, which would not be called, or
// if a name or a URI is taken. If other adds such a name later, it is logged and left out.
func On(s *server.Server, prefix string, other *server.Server) error {
	fail := func(format string, args ...any) error { return fmt.Errorf("mount: "+format, args...) }
	switch {
	case other == nil:
		return fail("want a server, got nil")
	case len(other.Options().Middleware) > 0:
		return fail("%s has middleware, which would not be called; move it to the options of the server that it is mounted on", other.Info().Name)
	}
	m := &mounted{prefix: prefix, into: s, from: other}
	stop := server.NewEndpoint(other).OnChange(m.changed)
	if err := m.exchange(server.Change{Any: true}); err != nil {
		stop()
		m.clear()
		return fail("%w", err)
	}
	return nil
}

// reaches reports whether a server is to or has items of it, however far from there.
func reaches(from, to *server.Server, seen map[*server.Server]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for i := range from.Items() {
		if l, ok := i.Source.(list); ok && reaches(l.from, to, seen) {
			return true
		}
	}
	return false
}

// A mounted is a server that is mounted on another.
type mounted struct {
	prefix     string
	into, from *server.Server
	mu         sync.Mutex // held by exchange
}

// A list is what the mount brings into one list. It is the source of these items.
type list struct {
	*mounted
	of string
}

const (
	tools     = "tools"
	prompts   = "prompts"
	resources = "resources" // and templates
)

// listOf returns the list that an item is in.
func listOf(i *server.Item) string {
	switch i.Definition.(type) {
	case *mcp.Tool:
		return tools
	case *mcp.Prompt:
		return prompts
	}
	return resources
}

// changed brings what has changed on the other server.
func (m *mounted) changed(c server.Change) {
	if c.Relayed { // the same items are brought in that process
		m.into.Changed(c)
		return
	}
	if err := m.exchange(c); err != nil {
		m.into.Log().Error("mcp: an item of a mounted server is left out", "mounted", m.from.Info().Name, slog.Any("error", err))
	}
	if c.Any || len(c.Updated) > 0 {
		m.into.Changed(server.Change{Any: c.Any, Updated: c.Updated})
	}
}

// exchange replaces what the mount has brought into the lists that have changed. A change of no list may be one of
// completers.
func (m *mounted) exchange(c server.Change) error {
	noList := !c.Tools && !c.Prompts && !c.Resources
	if noList && !c.Any && len(c.Updated) > 0 {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if reaches(m.from, m.into, map[*server.Server]bool{}) {
		return fmt.Errorf("%s is %s, or is mounted on it", m.into.Info().Name, m.from.Info().Name)
	}
	items := map[string][]server.Item{}
	for i := range m.from.Items() {
		items[listOf(i)] = append(items[listOf(i)], m.adapt(i))
	}
	var errs []error
	set := func(of string, changed bool) {
		if changed || c.Any {
			errs = append(errs, m.into.SetItems(list{m, of}, items[of]...))
		}
	}
	set(tools, c.Tools)
	set(prompts, c.Prompts || noList)
	set(resources, c.Resources || noList)
	return errors.Join(errs...)
}

// clear removes what the mount has brought.
func (m *mounted) clear() {
	for _, of := range []string{tools, prompts, resources} {
		m.into.SetItems(list{m, of})
	}
}

// adapt returns an item of the other server as this one offers it. The filters of the other server decide about the item
// that they know.
func (m *mounted) adapt(i *server.Item) server.Item {
	own := *i
	switch d := i.Definition.(type) {
	case *mcp.Tool:
		named := *d
		named.Name = m.prefix + d.Name
		own.Definition = &named
	case *mcp.Prompt:
		named := *d
		named.Name = m.prefix + d.Name
		own.Definition = &named
	}
	own.Filters = nil
	for _, f := range i.Filters {
		own.Filters = append(own.Filters, server.Filter{Static: f.Static, Admit: func(ctx context.Context, c *server.Call, at *server.Item) (bool, error) {
			with := *i
			with.Vars = at.Vars
			return f.Admit(ctx, c, &with)
		}})
	}
	return own
}
