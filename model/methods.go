package model

import (
	"slices"
	"strings"
)

// direction is what the schemas say about one request or notification type.
type direction struct {
	notification                bool
	toServer, toClient, asInput Revs
	results                     []Result
}

// direct records who sends what in one revision, and the results.
func (m *merger) direct(s *Schema) {
	rev := Revs{s.Revisions[0]}
	names := func(union string) []string { // with those of the unions in it
		var out []string
		seen := map[string]bool{}
		var add func(e *Expr)
		add = func(e *Expr) {
			for _, a := range alternatives(e) {
				t := s.byName[a.Name]
				switch {
				case a.Kind != Ref:
					m.errorf("%s: %s is made of %s, not of named requests and notifications", rev[0], union, describe(a))
				case seen[a.Name]:
				case t.Expr.Kind == Union || t.Expr.Kind == Ref:
					seen[a.Name] = true
					m.parts[a.Name] = true
					add(t.Expr)
				default:
					out = append(out, a.Name)
				}
			}
		}
		if t := s.byName[union]; t != nil {
			add(t.Expr)
		}
		return out
	}
	get := func(name string) *direction {
		d := m.methods[name]
		if d == nil {
			d = &direction{}
			m.methods[name] = d
		}
		return d
	}
	add := func(union string, f func(d *direction)) {
		for _, name := range names(union) {
			if methodOf(s.byName[name].Expr) == "" {
				m.errorf("%s: %s in %s has no literal method", rev[0], name, union)
				continue
			}
			f(get(name))
		}
	}
	add(clientRequest, func(d *direction) { d.toServer = d.toServer.with(rev) })
	add(serverRequest, func(d *direction) { d.toClient = d.toClient.with(rev) })
	add(inputRequest, func(d *direction) { d.asInput = d.asInput.with(rev) })
	add(clientNotification, func(d *direction) { d.notification = true; d.toServer = d.toServer.with(rev) })
	add(serverNotification, func(d *direction) { d.notification = true; d.toClient = d.toClient.with(rev) })
	m.sentByTable(s, get)
	for _, t := range s.Types {
		if methodOf(t.Expr) == "" {
			continue
		}
		d := m.methods[t.Name]
		if d == nil && s.Base != nil {
			m.errorAt(t, "nobody sends %s: name it in %s, or say who does by %q in the table of exceptions", t.Name,
				strings.Join([]string{clientRequest, serverRequest, clientNotification, serverNotification}, ", "), sent)
			continue
		}
		if d == nil {
			m.errorAt(t, "nobody sends %s: it is in none of %s", t.Name,
				strings.Join([]string{clientRequest, serverRequest, clientNotification, serverNotification, inputRequest}, ", "))
			continue
		}
		if !d.notification {
			m.addResults(s, t, d)
		}
	}
}

// sentByTable records who sends what according to the table, for the schema of an extension.
func (m *merger) sentByTable(s *Schema, get func(name string) *direction) {
	rev := Revs{s.Revisions[0]}
	m.x.each(sent, func(e exception) bool {
		t := s.byName[e.at]
		if !e.speaksOf(rev[0]) || t == nil || methodOf(t.Expr) == "" || e.to != "client" && e.to != "server" {
			return false
		}
		d := get(e.at)
		d.notification = strings.HasSuffix(e.at, "Notification")
		if e.to == "client" {
			d.toServer = d.toServer.with(rev)
		} else {
			d.toClient = d.toClient.with(rev)
		}
		return true
	})
}

// alternatives returns the arms of a union, or a single type as the only one.
func alternatives(e *Expr) []*Expr {
	if e.Kind != Union {
		return []*Expr{e}
	}
	var out []*Expr
	for _, a := range e.Arms {
		out = append(out, a.Expr)
	}
	return out
}

// addResults pairs a request with its results: that of its XResultResponse, else XResult, else the empty result;
// and those that the table adds.
func (m *merger) addResults(s *Schema, t *Type, d *direction) {
	base := strings.TrimSuffix(t.Name, "Request")
	var names []string
	r := s.byName[base+"ResultResponse"]
	switch {
	case r != nil && r.Expr.member("result") != nil:
		for _, a := range alternatives(r.Expr.member("result").Type) {
			if a.Kind != Ref {
				m.errorAt(r, "the result of %s is %s: declare a type for it", r.Name, describe(a))
				continue
			}
			names = append(names, a.Name)
		}
	case s.byName[base+"Result"] != nil:
		names = append(names, base+"Result")
	case s.byName[emptyResult] != nil:
		names = append(names, emptyResult)
	default:
		m.errorAt(t, "%s has no result: want %sResult, %sResultResponse or EmptyResult", t.Name, base, base)
	}
	m.x.each(answer, func(e exception) bool {
		name := e.to.(string)
		if e.at != t.Name || !e.speaksOf(s.Revisions[0]) || s.byName[name] == nil {
			return false
		}
		names = append(names, name)
		return true
	})
	for _, n := range names {
		i := slices.IndexFunc(d.results, func(r Result) bool { return r.Name == n })
		if i < 0 {
			d.results = append(d.results, Result{n, t.Revs})
		} else {
			d.results[i].Revs = d.results[i].Revs.with(t.Revs)
		}
	}
	plain := base + "Result"
	slices.SortStableFunc(d.results, func(a, b Result) int {
		switch plain {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
}

// pair makes the methods, from the request and notification types.
func (m *merger) pair() {
	for _, t := range m.out.Types {
		d := m.methods[t.Name]
		if d == nil || t.Expr.Kind != Struct {
			continue
		}
		me := &Method{
			Name: methodOf(t.Expr), Type: t.Name, Notification: d.notification, Doc: t.Doc, Category: t.Category,
			Revs: t.Revs, ToServer: d.toServer, ToClient: d.toClient, AsInput: d.asInput, Results: d.results,
		}
		if p := t.Expr.member("params"); p != nil {
			if p.Type.Kind != Ref {
				m.errorAt(t, "%s.params is %s, not an object", t.Name, describe(p.Type))
				continue
			}
			me.Params, me.Optional = p.Type.Name, p.Optional
		}
		if prev := slices.IndexFunc(m.out.Methods, func(o *Method) bool { return o.Name == me.Name }); prev >= 0 {
			m.errorAt(t, "method %q is declared by %s too", me.Name, m.out.Methods[prev].Type)
			continue
		}
		if len(me.Results) > 1 {
			m.respond(me)
		}
		m.cover(me)
		m.facts(me)
		m.out.Methods = append(m.out.Methods, me)
	}
}

// respond declares the union of the types that the result of a request may have.
func (m *merger) respond(me *Method) {
	u := &Expr{Kind: Union, Plan: m.resultPlan(me)}
	for _, r := range me.Results {
		u.Arms = append(u.Arms, &Arm{Expr: &Expr{Kind: Ref, Name: r.Name}, Revs: r.Revs})
	}
	me.Response = strings.TrimSuffix(me.Type, "Request") + "Response"
	t := &Type{
		Name: me.Response, Role: RoleData, Revs: me.Revs, Category: me.Category, Inline: true, Expr: u,
		Doc: Doc{Text: "Any of the types that the result of " + me.Name + " may have."},
	}
	if other := m.out.byName[t.Name]; other != nil {
		m.errorAt(other, "%s is what the union of the results of %s would be called: rename it in the table of exceptions", t.Name, me.Name)
		return
	}
	m.out.byName[t.Name] = t
	m.out.Types = append(m.out.Types, t)
}

// resultPlan tells the types of a request's result apart: by resultType, whose values are in the table, if they
// have it, or else by a key that only one of them requires.
func (m *merger) resultPlan(me *Method) *Plan {
	const resultType = "resultType"
	plain := &Plan{Arm: me.Results[0].Name}
	values := &Plan{On: TestValue, Member: resultType}
	keys := plain
	for i, r := range me.Results {
		t := m.out.byName[r.Name]
		if x := t.Expr.member(resultType); x != nil && x.Fill != nil {
			v, _ := x.Fill.Value.(string)
			if j := slices.IndexFunc(values.Cases, func(c Case) bool { return slices.Contains(c.Values, v) }); j >= 0 {
				m.errorAt(t, "results of %s: %s and %s both have the resultType %q", me.Name, values.Cases[j].Then.Arm, r.Name, v)
			}
			values.Cases = append(values.Cases, Case{Values: []string{v}, Then: &Plan{Arm: r.Name}})
			continue
		}
		if i == 0 {
			continue
		}
		own := ""
		for _, x := range t.Expr.Members {
			if len(x.Required) > 0 && !slices.ContainsFunc(me.Results, func(o Result) bool {
				return o.Name != r.Name && m.out.byName[o.Name].Expr.member(x.Name) != nil
			}) {
				own = x.Name
			}
		}
		if own == "" {
			m.errorAt(t, "results of %s: a reader cannot tell %s from %s: neither resultType nor a required member of its own", me.Name, r.Name, plain.Arm)
			continue
		}
		keys = &Plan{On: TestKey, Member: own, Has: &Plan{Arm: r.Name}, None: keys}
	}
	if len(values.Cases) == 0 {
		return keys
	}
	values.None = keys
	return values
}

// cover finds the capability that a method belongs to. For a request it is the receiver's, for a
// notification the sender's.
func (m *merger) cover(me *Method) {
	const client, server = clientCapabilities, serverCapabilities
	m.x.each(covers, func(e exception) bool {
		path := e.to.(string)
		switch {
		case e.at != me.Name:
			return false
		case m.hasCapability(server, path):
			me.ServerCap = path
		case m.hasCapability(client, path):
			me.ClientCap = path
		default:
			return false
		}
		return true
	})
	if me.ServerCap != "" || me.ClientCap != "" {
		return
	}
	path := strings.Split(strings.TrimPrefix(me.Name, "notifications/"), "/")
	for i, word := range path { // list_changed → listChanged
		w := pathName(word)
		if w != "" {
			path[i] = strings.ToLower(w[:1]) + w[1:]
		}
	}
	find := func(side string) string {
		for n := len(path); n > 0; n-- {
			if c := strings.Join(path[:n], "."); m.hasCapability(side, c) {
				return c
			}
		}
		return ""
	}
	toServer, toClient := me.ToServer, me.ToClient.with(me.AsInput)
	if me.Notification {
		toServer, toClient = toClient, toServer
	}
	if len(toServer) > 0 {
		me.ServerCap = find(server)
	}
	if len(toClient) > 0 {
		me.ClientCap = find(client)
	}
}

func (m *merger) hasCapability(side, path string) bool { return m.capability(side, path) != nil }

// capability returns the revisions that have a capability, nil if there is none.
func (m *merger) capability(side, path string) Revs {
	t := m.out.byName[side]
	if t == nil {
		return nil
	}
	e, revs := t.Expr, t.Revs
	for _, key := range strings.Split(path, ".") {
		member := e.member(key)
		if member == nil {
			return nil
		}
		e, revs = m.out.deref(member.Type), revs.within(member.Revs)
	}
	return revs
}
