package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Mount offers what another server offers: its tools and prompts, with the prefix before their names, its
// resources and templates by their own URIs, and completions, all with their Access. Calls are handled as if
// they had been registered with s, in the same process; what other adds or removes later, and updates of its
// resources, reach the clients of s. If other has a toolset, that holds, too.
//
// Everything else is s's: its options, middleware, sessions, tasks, instructions. Custom methods and extensions
// of other are not mounted. It is an error if other has middleware or Visible, which would be passed by, or if
// a name or a URI is taken. Such a name that other adds later is logged and left out.
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
	if taken := m.exchange(); len(taken) > 0 {
		other.mounts.remove(m)
		m.clear()
		return fail("%s: %w", strings.Join(taken, ", "), errExists)
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
	if taken := m.exchange(); len(taken) > 0 {
		m.into.log().Error("mcp: what a mounted server offers is left out, since the name is taken", "mounted", m.from.info.Name, "names", taken)
	}
	m.into.listChanged(kind)
}

// exchange replaces what the mount has brought before by what there is now. It returns the names and URIs that
// are taken.
func (m *mount) exchange() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.from.scoped.Load() {
		m.into.scoped.Store(true)
	}
	selected := m.from.selection.Load()
	taken := slices.Concat(
		m.into.tools.exchange(m, bring(selected, &m.from.tools, func(e *entry[tool]) any { return &e.item.def }, func(e *entry[tool]) {
			def := selected.describe(e.item.def)
			def.Name = m.prefix + e.key
			e.key, e.item = def.Name, &tool{def, e.item.run, e.item.headers, e.scopes, e.gate}
		})),
		m.into.prompts.exchange(m, bring(selected, &m.from.prompts, func(e *entry[prompt]) any { return &e.item.def }, func(e *entry[prompt]) {
			def := e.item.def
			def.Name = m.prefix + e.key
			e.key, e.item = def.Name, &prompt{def, e.item.run, e.scopes, e.gate}
		})),
		m.into.resources.exchange(m, bring(selected, &m.from.resources, func(e *entry[resource]) any { return &e.item.def }, func(e *entry[resource]) {
			e.item = &resource{e.item.def, e.item.run, e.scopes, e.gate}
		})),
		m.into.templates.exchange(m, bring(selected, &m.from.templates, func(e *entry[template]) any { return &e.item.def }, func(e *entry[template]) {
			e.item = &template{e.item.def, e.item.match, e.item.run, e.item.scopes, e.gate}
		})),
	)
	for k, f := range m.from.completers.all() {
		if k.kind == "prompt" {
			k.name = m.prefix + k.name
		}
		m.into.completers.add(k, f)
	}
	return taken
}

// bring returns the items of a registry that are selected, as adapt changes them. What a toolset selects is no
// feature any more.
func bring[T any](selected *selection, r *registry[T], def func(*entry[T]) any, adapt func(*entry[T])) (items []*entry[T]) {
	order, _ := r.sorted()
	for _, e := range order {
		if selected != nil && !selected.has(def(e), e.gate) {
			continue
		}
		e = &entry[T]{key: e.key, item: e.item, scopes: e.scopes, gate: e.gate}
		if selected != nil && e.gate != nil {
			e.gate = new(*e.gate)
			e.gate.feature = ""
		}
		adapt(e)
		items = append(items, e)
	}
	return items
}

// clear takes back what the mount has brought, except completers, which are of no use without the rest.
func (m *mount) clear() {
	m.into.tools.exchange(m, nil)
	m.into.prompts.exchange(m, nil)
	m.into.resources.exchange(m, nil)
	m.into.templates.exchange(m, nil)
}
