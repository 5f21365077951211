// Package diff compares two revisions of a protocol: what was added, removed and changed, and which side
// has to change because of it.
//
// A change breaks a side if programs that were correct are no longer correct in the newer revision: a sender that
// leaves out what is now required, or sends what is no longer allowed; a receiver that receives what it did not
// have to expect, or waits for what need no longer be sent. A receiver ignores members that it does not know, so a
// new optional member breaks nobody.
//
// It exists for the command mcpgen and its tests: its API promises nothing.
package diff

import (
	"cmp"
	"slices"

	"github.com/mcpgen/mcpgen/model"
)

// A Kind says how something changed.
type Kind string

const (
	Added      Kind = "added"
	Removed    Kind = "removed"
	Changed    Kind = "changed"
	Deprecated Kind = "deprecated"
	Documented Kind = "documented" // only the documentation differs
)

// A What says what changed.
type What string

const (
	Method   What = "method"
	Type     What = "type"
	Member   What = "member"   // of a struct
	Arm      What = "arm"      // of a union
	Value    What = "value"    // of an enumeration
	Constant What = "constant" // such as an error code
)

// A Class says what a change demands of programs that speak the protocol.
type Class string

const (
	Breaking      Class = "breaking"      // a side has to change
	Additive      Class = "additive"      // there is more to use
	Compatible    Class = "compatible"    // something else that breaks nobody
	Documentation Class = "documentation" // nothing at all
)

// A Change is one difference between two revisions.
type Change struct {
	Class Class  `json:"class"`
	Kind  Kind   `json:"kind"`
	What  What   `json:"what"`
	Of    string `json:"of,omitempty"` // the type whose member, arm or value it is
	Name  string `json:"name"`
	Old   string `json:"old,omitempty"` // in the notation of TypeScript
	New   string `json:"new,omitempty"`

	// SentBy has the sides that send the method or type, in one of the revisions at least.
	SentBy []Side `json:"sentBy,omitempty"`

	// Breaks has the sides that have to change, and Why says why.
	Breaks []Side `json:"breaks,omitempty"`
	Why    string `json:"why,omitempty"`
}

// A Side is one of the two sides of the protocol.
type Side string

const (
	Client Side = "client"
	Server Side = "server"
)

// Compare returns the differences between two models, each of one revision, as [model.Merge] makes them: methods
// first, then types, then constants, each in the order of the newer schema, with removed ones last.
func Compare(older, newer *model.Schema) []Change {
	c := &comparison{older: older, newer: newer, senders: map[string][]Side{}}
	c.trace(older)
	c.trace(newer)
	c.methods()
	c.types()
	c.constants()
	return c.changes
}

type comparison struct {
	older, newer *model.Schema
	senders      map[string][]Side // of the types that messages are made of
	changes      []Change
}

// add adds a change of a whole item: its class, and who sends it.
func (c *comparison) add(ch Change) {
	switch {
	case len(ch.Breaks) > 0:
		ch.Class = Breaking
	case ch.Kind == Added:
		ch.Class = Additive
	case ch.Kind == Documented:
		ch.Class = Documentation
	default:
		ch.Class = Compatible
	}
	switch {
	case ch.What == Constant || ch.SentBy != nil:
	case ch.What == Method:
		for _, s := range []*model.Schema{c.older, c.newer} {
			for _, m := range s.Methods {
				if m.Name == ch.Name {
					ch.SentBy = both(ch.SentBy, callers(m))
				}
			}
		}
	default:
		ch.SentBy = c.senders[cmp.Or(ch.Of, ch.Name)]
	}
	c.changes = append(c.changes, ch)
}

// Direction says which side sends what changed, empty if it is in no message.
func (ch Change) Direction() string {
	switch {
	case len(ch.SentBy) == 2:
		return "both ways"
	case len(ch.SentBy) == 1:
		return string(ch.SentBy[0]) + " → " + string(other(ch.SentBy[0]))
	}
	return ""
}

// trace notes which sides send each type.
func (c *comparison) trace(s *model.Schema) {
	for _, m := range s.Methods {
		asks := len(m.ToClient)+len(m.AsInput) > 0
		if len(m.ToServer) > 0 {
			c.sends(s, m.Params, Client)
			c.answers(s, m, Server)
		}
		if asks {
			c.sends(s, m.Params, Server)
			c.answers(s, m, Client)
		}
	}
	if s.Extension == "" {
		return
	}
	for _, t := range s.Types {
		if t.Role == model.RoleData && c.senders[t.Name] == nil { // it is in messages of the protocol, whoever sends them
			c.sends(s, t.Name, Client)
			c.sends(s, t.Name, Server)
		}
	}
}

func (c *comparison) answers(s *model.Schema, m *model.Method, side Side) {
	for _, r := range m.Results {
		c.sends(s, r.Name, side)
	}
	c.sends(s, m.Response, side)
}

// sends records that a side sends a type and everything in it.
func (c *comparison) sends(s *model.Schema, name string, side Side) {
	t := s.Type(name)
	if t == nil || slices.Contains(c.senders[name], side) {
		return
	}
	c.senders[name] = append(c.senders[name], side)
	slices.Sort(c.senders[name])
	each(t.Expr, func(e *model.Expr) {
		if e.Kind == model.Ref {
			c.sends(s, e.Name, side)
		}
	})
}

// each calls f for e and for all that it consists of.
func each(e *model.Expr, f func(*model.Expr)) {
	if e == nil {
		return
	}
	f(e)
	each(e.Elem, f)
	each(e.Rest, f)
	for _, x := range e.Elems {
		each(x.Type, f)
	}
	for _, m := range e.Members {
		each(m.Type, f)
	}
	for _, a := range e.Arms {
		each(a.Expr, f)
	}
}

// receivers returns the sides that receive what the given ones send.
func receivers(senders []Side) []Side {
	var out []Side
	for _, s := range []Side{Client, Server} {
		if slices.Contains(senders, other(s)) {
			out = append(out, s)
		}
	}
	return out
}

func other(s Side) Side {
	if s == Client {
		return Server
	}
	return Client
}

func both(a, b []Side) []Side {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// docs records a difference in the documentation alone.
func (c *comparison) docs(what What, of, name string, older, newer model.Doc) {
	switch {
	case older.Deprecated == "" && newer.Deprecated != "":
		c.add(Change{Kind: Deprecated, What: what, Of: of, Name: name, New: newer.Deprecated})
	case older.Text != newer.Text || older.Deprecated != newer.Deprecated:
		c.add(Change{Kind: Documented, What: what, Of: of, Name: name})
	}
}

// pair calls f for the items of two lists by name: in the order of the newer list, followed by items of the older
// one alone.
func pair[T any](older, newer []*T, name func(*T) string, f func(older, newer *T)) {
	byName := make(map[string]*T, len(older))
	for _, x := range older {
		byName[name(x)] = x
	}
	for _, x := range newer {
		f(byName[name(x)], x)
		delete(byName, name(x))
	}
	for _, x := range older {
		if byName[name(x)] != nil {
			f(x, nil)
		}
	}
}
