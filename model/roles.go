package model

import "slices"

// isDirection reports whether a type only says who sends what.
func isDirection(t *Type) bool {
	switch t.Name {
	case clientRequest, serverRequest, clientNotification, serverNotification, clientResult, serverResult:
		return true
	}
	return false
}

// isEnvelope reports whether a type is JSON-RPC's own: it carries the version mark, or is made of
// types that do.
func isEnvelope(s *Schema, t *Type) bool {
	seen := map[string]bool{} // a name is looked at once: one that is no envelope decides
	var envelope func(e *Expr) bool
	envelope = func(e *Expr) bool {
		switch e.Kind {
		case Struct:
			v := e.member("jsonrpc")
			return v != nil && v.Type.Kind == Literal && methodOf(e) == ""
		case Ref:
			if seen[e.Name] {
				return true
			}
			seen[e.Name] = true
			t := s.byName[e.Name]
			return t != nil && envelope(t.Expr)
		case Array:
			return envelope(e.Elem)
		case Union:
			return !slices.ContainsFunc(e.Arms, func(a *Arm) bool { return !envelope(a.Expr) })
		}
		return false
	}
	return t != nil && !isError(t) && envelope(t.Expr)
}

// isError reports whether a type stands for an error code: an error object with that code, or a
// whole response that holds one.
func isError(t *Type) bool {
	e := t.Expr
	if e.Kind != Struct {
		return false
	}
	if m := e.member("error"); m != nil && m.Type.Kind == Struct {
		e = m.Type
	}
	code := e.member("code")
	return code != nil && code.Type.Kind == Literal && e.member("message") != nil
}

// errorData returns the member that holds the data of an error type, nil if it declares none.
func errorData(t *Type) *Member {
	e := t.Expr
	if m := e.member("error"); m != nil {
		e = m.Type
	}
	if d := e.member("data"); d != nil && d.Type.Kind != Unknown {
		return d
	}
	return nil
}

// methodOf returns the literal method of a request or notification.
func methodOf(e *Expr) string {
	if m := e.member("method"); m != nil && m.Type.Kind == Literal {
		s, _ := m.Type.Value.(string)
		return s
	}
	return ""
}

// assignRoles gives every type its role.
func (m *merger) assignRoles() {
	bases := m.bases()
	for _, t := range m.out.Types {
		t.Role = m.roleOf(t, bases)
	}
	reached := m.reach()
	for _, t := range m.out.Types {
		switch {
		case t.Role != RoleBase:
		case reached[t.Name]:
			t.Role = RoleData
		case m.parts[t.Name]:
			t.Role = RoleDirection
		}
	}
	// A request that is data is what it is inside a result: without the envelope.
	for _, t := range m.out.Types {
		if t.Role == RoleData && m.methods[t.Name] != nil {
			t.Expr.Members = slices.DeleteFunc(t.Expr.Members, func(x *Member) bool {
				from := m.out.byName[x.From]
				return from != nil && from.Role == RoleEnvelope && x.Name != "method" && x.Name != "params"
			})
		}
	}
}

// bases returns the names of types that others extend, and of the parts of JSON-RPC's own types.
func (m *merger) bases() map[string]bool {
	bases := map[string]bool{}
	for _, t := range m.out.Types {
		for _, b := range t.Bases {
			bases[b] = true
		}
		if isEnvelope(m.out, t) {
			t.Expr.walk(func(e *Expr) { bases[e.Name] = true })
		}
	}
	return bases
}

// roleOf returns the role of a type, if it does not depend on references to the type.
func (m *merger) roleOf(t *Type, bases map[string]bool) Role {
	switch d := m.methods[t.Name]; {
	case isDirection(t):
		return RoleDirection
	case isError(t):
		return RoleError
	case isEnvelope(m.out, t):
		return RoleEnvelope
	case d != nil && d.notification:
		return RoleNotification
	case d != nil:
		return RoleRequest
	case bases[t.Name], m.parts[t.Name], m.flattened[t.Name]:
		return RoleBase
	}
	return RoleData
}

// reach returns the names of the types that are sent and received: data, and what data, params, results
// and the data of errors refer to. A request among them is data, too.
func (m *merger) reach() map[string]bool {
	reached := map[string]bool{}
	var visit func(name string)
	inside := func(e *Expr) {
		e.walk(func(x *Expr) {
			if x.Kind == Ref {
				visit(x.Name)
			}
		})
	}
	visit = func(name string) {
		if t := m.out.byName[name]; t != nil && !reached[name] && !m.out.IsImported(t) {
			reached[name] = true
			if t.Role == RoleRequest || t.Role == RoleNotification {
				// Sent as a value of its own: as an arm of InputRequest.
				t.Role = RoleData
			}
			inside(t.Expr)
		}
	}
	for _, t := range m.out.Types {
		switch t.Role {
		case RoleData:
			visit(t.Name)
		case RoleRequest, RoleNotification:
			if p := t.Expr.member("params"); p != nil {
				inside(p.Type)
			}
			for _, r := range m.methods[t.Name].results {
				visit(r.Name)
			}
		case RoleError:
			if d := errorData(t); d != nil {
				inside(d.Type)
			}
		}
	}
	return reached
}
