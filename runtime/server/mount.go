package server

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Mount offers what another server offers: its tools and prompts, with the prefix before their names, its
// resources and templates by their own URIs, and completions, all with their Access. Calls are handled as if
// they had been registered with s, in the same process; what other adds or removes later, and updates of its
// resources, reach the clients of s. If other has a toolset, that holds, too.
//
// Everything else is s's: its options, Define among them, middleware, sessions, tasks, instructions. Custom methods
// and extensions of other are not mounted. It is an error if other has middleware or Visible, which would be passed
// by, or if a name or a URI is taken. Such a name that other adds later is logged and left out.
func (s *Server) Mount(prefix string, other *Server) error {
	fail := func(format string, args ...any) error { return fmt.Errorf("server: Mount: "+format, args...) }
	switch {
	case other == nil:
		return fail("want a server, got nil")
	case other.opts.Visible != nil || other.opts.Middleware != nil:
		return fail("%s has Visible or Middleware, which the calls of another server pass by; move them to the options of that", other.info.Name)
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

// reaches reports whether s is other, or is mounted on it.
func (s *Server) reaches(other *Server) bool {
	return s == other || slices.ContainsFunc(s.mounts.all(), func(m *mount) bool { return m.into.reaches(other) })
}

// A mount is one server on another.
type mount struct {
	prefix     string
	into, from *Server
	mu         sync.Mutex // held by exchange
}

// mounts are those of one server on others.
type mounts struct {
	mu   sync.Mutex
	list []*mount
}

func (ms *mounts) all() []*mount {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	return ms.list
}

func (ms *mounts) add(m *mount) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.list = append(slices.Clip(ms.list), m)
}

func (ms *mounts) remove(m *mount) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.list = slices.DeleteFunc(slices.Clone(ms.list), func(other *mount) bool { return other == m })
}

// update brings what has changed.
func (m *mount) update(kind listKind) {
	if err := m.exchange(); err != nil {
		m.into.log().Error("mcp: what a mounted server offers is left out", "mounted", m.from.info.Name, "error", err)
	}
	m.into.listChanged(kind)
}

// exchange replaces what the mount has brought before by what there is now. The error is about what it leaves out:
// the name is taken, or [Options.Define] has made something invalid.
func (m *mount) exchange() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.from.scoped.Load() {
		m.into.scoped.Store(true)
	}
	selected := m.from.selection.Load()
	err := errors.Join(
		bring(m, selected, "tool", &m.into.tools, &m.from.tools, func(t *tool) any { return &t.def }, func(e *entry[tool]) (err error) {
			def := selected.describe(e.item.def)
			def.Name = m.prefix + e.key
			e.key = def.Name
			if e.item, err = m.into.newTool(def, e.item.run); err == nil {
				e.item.scopes, e.item.gate = e.scopes, e.gate
			}
			return err
		}),
		bring(m, selected, "prompt", &m.into.prompts, &m.from.prompts, func(p *prompt) any { return &p.def }, func(e *entry[prompt]) (err error) {
			def := e.item.def
			def.Name = m.prefix + e.key
			e.key = def.Name
			if e.item, err = m.into.newPrompt(def, e.item.run); err == nil {
				e.item.scopes, e.item.gate = e.scopes, e.gate
			}
			return err
		}),
		bring(m, selected, "resource", &m.into.resources, &m.from.resources, func(r *resource) any { return &r.def }, func(e *entry[resource]) (err error) {
			if e.item, err = m.into.newResource(e.item.def, e.item.run); err == nil {
				e.item.scopes, e.item.gate = e.scopes, e.gate
			}
			return err
		}),
		bring(m, selected, "template", &m.into.templates, &m.from.templates, func(t *template) any { return &t.def }, func(e *entry[template]) (err error) {
			scopes := e.item.scopes
			if e.item, err = m.into.newTemplate(e.item.def, e.item.match, e.item.run); err == nil {
				e.item.scopes, e.item.gate = scopes, e.gate
			}
			return err
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

// bring replaces the items of one kind by those that are selected, as adapt changes them. What a toolset selects is no
// feature any more.
func bring[T any](m *mount, selected *selection, kind string, into, from *registry[T], def func(*T) any, adapt func(*entry[T]) error) error {
	var items []*entry[T]
	var left []error
	order, _ := from.sorted()
	for _, e := range order {
		if selected != nil && !selected.has(def(e.item), e.gate) {
			continue
		}
		e = &entry[T]{key: e.key, item: e.item, scopes: e.scopes, gate: e.gate}
		if selected != nil && e.gate != nil {
			e.gate = new(*e.gate)
			e.gate.feature = ""
		}
		if err := adapt(e); err != nil {
			left = append(left, err)
			continue
		}
		items = append(items, e)
	}
	for _, key := range into.exchange(m, items) {
		left = append(left, fmt.Errorf("%s %q: %w", kind, key, errExists))
	}
	return errors.Join(left...)
}

// clear takes back what the mount has brought, except completers, which are of no use without the rest.
func (m *mount) clear() {
	m.into.tools.exchange(m, nil)
	m.into.prompts.exchange(m, nil)
	m.into.resources.exchange(m, nil)
	m.into.templates.exchange(m, nil)
}
