package model

import "slices"

// What a runtime must know of a method beyond its params and results, as far as the schemas say it.

// facts finds out how a request may be answered, and by what an HTTP header names what it is about.
func (m *merger) facts(me *Method) {
	for _, r := range me.Results {
		t := m.out.byName[r.Name]
		if r.Name == inputRequired {
			me.MayAsk = r.Revs
		}
		if lasts := t.Expr.member("ttlMs"); lasts != nil && m.extends(t, cacheable, map[string]bool{}) {
			me.Cacheable = lasts.Revs
		}
	}
	if covered := m.capability(serverCapabilities, me.ServerCap); me.ServerCap != "" && !covered.HasAll(me.ToServer) {
		me.Uncovered = slices.DeleteFunc(slices.Clone(me.ToServer), covered.Has)
	}
	m.x.each(header, func(e exception) bool {
		if e.at != me.Name || me.Params == "" {
			return false
		}
		params := m.out.deref(m.out.byName[me.Params].Expr)
		member := params.member(e.to.(string))
		if member == nil || member.Optional || m.out.deref(member.Type).Kind != String {
			return false
		}
		me.NameParam = member.Name
		return true
	})
}

// extends reports whether a type extends another, directly or not. The names on the way are in seen.
func (m *merger) extends(t *Type, base string, seen map[string]bool) bool {
	for _, b := range t.Bases {
		if b == base {
			return true
		}
		if next := m.out.byName[b]; next != nil && !seen[b] {
			seen[b] = true
			if m.extends(next, base, seen) {
				return true
			}
		}
	}
	return false
}

// beyond adds what the schemas do not say at all: under which key metadata has a type, and the headers of
// HTTP.
func (m *merger) beyond() {
	m.x.each(key, func(e exception) bool {
		t := m.out.byName[e.at]
		if t == nil || t.Role != RoleData {
			return false
		}
		t.Key = e.to.(string)
		return true
	})
	m.x.each(http, func(e exception) bool {
		if t := m.out.byName[e.at]; t == nil || t.Role != RoleData {
			return false
		}
		name, revs := e.to.(string), Revs{}
		for _, r := range m.x.revs {
			if e.speaksOf(r) {
				revs = append(revs, r)
			}
		}
		for _, h := range m.out.Headers {
			if h.Name == name {
				h.Revs = h.Revs.with(revs)
				return true
			}
		}
		m.out.Headers = append(m.out.Headers, &Header{Name: name, Doc: e.reason, Revs: revs})
		return true
	})
}
