package model

import (
	"slices"

	"github.com/mcpgen/mcpgen/parser"
)

// facts sets MayAsk, Cacheable, Uncovered and NameParam of a method.
func (m *merger) facts(me *Method) {
	for _, r := range me.Results {
		if r.Name == inputRequired {
			me.MayAsk = r.Revs
		}
		for _, x := range m.out.byName[r.Name].Expr.Members {
			if x.From == cacheable {
				me.Cacheable = me.Cacheable.with(x.Revs)
			}
		}
	}
	if covered := m.capability(serverCapabilities, me.ServerCap); me.ServerCap != "" && !covered.HasAll(me.ToServer) {
		me.Uncovered = slices.DeleteFunc(slices.Clone(me.ToServer), covered.Has)
	}
	m.x.each(nameParam, func(e exception) bool {
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

// keys records the types of metadata by key.
func (m *merger) keys() {
	m.x.each(key, func(e exception) bool {
		t := m.out.byName[e.at]
		if t == nil || t.Role != RoleData {
			return false
		}
		t.Key = e.to.(string)
		return true
	})
}

// codes adds the error codes that the schemas do not have.
func (m *merger) codes() {
	m.x.each(code, func(e exception) bool {
		c := e.to.(errorCode)
		if m.out.byName[e.at] == nil || m.out.constant(c.name) != nil {
			return false
		}
		m.out.Consts = append(m.out.Consts, &Const{
			Name: c.name, Doc: Doc{Text: c.doc}, Revs: e.during(m.out.Revisions), Value: parser.Number(c.value),
		})
		return true
	})
}
