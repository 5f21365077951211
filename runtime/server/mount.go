package server

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Mount offers what another server offers: its tools and prompts, with the prefix before their names, its resources
// and templates by their own URIs, and completions, all with their Access. Calls are handled as if they had been
// registered with s, in the same process; what other adds or removes later, and updates of its resources, reach the
// clients of s. If other has a toolset, it applies, too.
//
// Everything else is that of s: its options, Define among them, middleware, sessions, tasks, instructions. Custom
// methods and extensions of other are not mounted. It is an error if other has middleware or Visible, which would
// not be called, or if a name or a URI is taken. If other adds such a name later, it is logged and left out.
func (s *Server) Mount(prefix string, other *Server) error {
	fail := func(format string, args ...any) error { return fmt.Errorf("server: Mount: "+format, args...) }
	switch {
	case other == nil:
		return fail("want a server, got nil")
	case other.opts.Visible != nil || other.opts.Middleware != nil:
		return fail("%s has Visible or Middleware, which would not be called; move them to the options of the server that it is mounted on", other.info.Name)
	case s.reaches(other):
		return fail("%s is %s, or is mounted on it", s.info.Name, other.info.Name)
	}
	m := &mount{prefix: prefix, into: s, from: other}
	other.mounts.add(m)
	if err := m.exchange(); err != nil {
		other.mounts.remove(m)
		m.clear()
		return fail("%w", err)
	}
	s.listChanged(toolsList | promptsList | resourcesList)
	return nil
}

// reaches reports whether s is other or is mounted on it.
func (s *Server) reaches(other *Server) bool {
	return s == other || slices.ContainsFunc(s.mounts.all(), func(m *mount) bool { return m.into.reaches(other) })
}

// A mount is a server that is mounted on another.
type mount struct {
	prefix     string
	into, from *Server
	mu         sync.Mutex // held by exchange
}

// update registers what has changed on the other server.
func (m *mount) update(kind listKind) {
	if err := m.exchange(); err != nil {
		m.into.log().Error("mcp: an item of a mounted server is left out", "mounted", m.from.info.Name, "error", err)
	}
	m.into.listChanged(kind)
}

// exchange replaces the items that the mount has registered with those that the other server has now. The error is
// about items that it left out, because the name is taken or [Options.Define] made the definition invalid.
func (m *mount) exchange() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.from.scoped.Load() {
		m.into.scoped.Store(true)
	}
	selected := m.from.selection.Load()
	err := errors.Join(
		bring(m, selected, "tool", &m.into.tools, &m.from.tools, func(t *tool) (*tool, error) {
			def := selected.describe(*t.def)
			def.Name = m.prefix + def.Name
			return m.into.newTool(def, t.run)
		}),
		bring(m, selected, "prompt", &m.into.prompts, &m.from.prompts, func(p *prompt) (*prompt, error) {
			def := *p.def
			def.Name = m.prefix + def.Name
			return m.into.newPrompt(def, p.run)
		}),
		bring(m, selected, "resource", &m.into.resources, &m.from.resources, func(r *resource) (*resource, error) {
			return m.into.newResource(*r.def, r.run)
		}),
		bring(m, selected, "template", &m.into.templates, &m.from.templates, func(t *template) (*template, error) {
			return m.into.newTemplate(*t.def, t.match, t.run)
		}),
	)
	for k, f := range m.from.completers.all() {
		if k.kind == "prompt" {
			k.name = m.prefix + k.name
		}
		m.into.completers.add(k, f)
	}
	return err
}

// bring replaces the mounted items of one kind with the selected items, each changed by adapt. An item that a
// toolset has selected no longer belongs to a feature.
func bring[T kind](m *mount, selected *selection, name string, into, from *registry[T], adapt func(T) (T, error)) error {
	var items []T
	var left []error
	order, _ := from.sorted()
	for _, t := range order {
		own := t.common()
		if selected != nil && !selected.has(own) {
			continue
		}
		adapted, err := adapt(t)
		if err != nil {
			left = append(left, err)
			continue
		}
		i := adapted.common()
		i.scopes, i.gate, i.from = own.scopes, own.gate, m
		if selected != nil && i.gate != nil {
			i.gate = new(*i.gate)
			i.gate.feature = ""
		}
		items = append(items, adapted)
	}
	for _, key := range into.exchange(m, items) {
		left = append(left, fmt.Errorf("%s %q: %w", name, key, errExists))
	}
	return errors.Join(left...)
}

// clear removes the items that the mount has registered. It leaves completers, which have no effect without them.
func (m *mount) clear() {
	m.into.tools.exchange(m, nil)
	m.into.prompts.exchange(m, nil)
	m.into.resources.exchange(m, nil)
	m.into.templates.exchange(m, nil)
}
