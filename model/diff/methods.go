package diff

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/model"
)

func (c *comparison) methods() {
	name := func(m *model.Method) string { return m.Name }
	pair(c.older.Methods, c.newer.Methods, name, func(older, newer *model.Method) {
		switch {
		case older == nil:
			c.add(Change{Kind: Added, What: Method, Name: newer.Name, New: direction(newer)})
		case newer == nil:
			c.add(Change{Kind: Removed, What: Method, Name: older.Name, Old: direction(older),
				Breaks: callers(older), Why: "it no longer exists"})
		default:
			c.method(older, newer)
		}
	})
}

// method compares a method in two revisions.
func (c *comparison) method(older, newer *model.Method) {
	before := len(c.changes)
	if a, b := direction(older), direction(newer); a != b {
		ch := Change{Kind: Changed, What: Method, Name: newer.Name, Old: a, New: b}
		for _, s := range callers(older) {
			if !slices.Contains(callers(newer), s) {
				ch.Breaks, ch.Why = append(ch.Breaks, s), "it is no longer sent this way"
			}
		}
		c.add(ch)
	}
	if a, b := older.Params, newer.Params; a != b {
		ch := Change{Kind: Changed, What: Method, Name: newer.Name, Old: "params " + orNone(a), New: "params " + orNone(b)}
		if b != "" && !newer.Optional {
			ch.Breaks, ch.Why = callers(newer), "its params have another type"
		}
		c.add(ch)
	}
	if a, b := results(older), results(newer); !slices.Equal(a, b) {
		ch := Change{Kind: Changed, What: Method, Name: newer.Name,
			Old: "result " + strings.Join(a, " | "), New: "result " + strings.Join(b, " | "), SentBy: receivers(callers(newer))}
		if slices.ContainsFunc(b, func(name string) bool { return !slices.Contains(a, name) }) {
			ch.Breaks, ch.Why = callers(newer), "the result may have another type"
		} else {
			ch.Breaks, ch.Why = receivers(callers(newer)), "the result can no longer have this type"
		}
		c.add(ch)
	}
	if older.ServerCap != newer.ServerCap {
		ch := Change{Kind: Changed, What: Method, Name: newer.Name, Old: "capability " + orNone(older.ServerCap), New: "capability " + orNone(newer.ServerCap)}
		switch {
		case older.ServerCap == "":
			ch.Breaks, ch.Why = []Side{Server}, "the capability must be declared"
		case newer.ServerCap != "":
			ch.Breaks, ch.Why = []Side{Client, Server}, "the capability that covers it has another name"
		}
		c.add(ch)
	}
	if len(c.changes) == before {
		c.docs(Method, "", newer.Name, older.Doc, newer.Doc)
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// callers returns the sides that send a method.
func callers(m *model.Method) (sides []Side) {
	if len(m.ToServer) > 0 {
		sides = append(sides, Client)
	}
	if len(m.ToClient)+len(m.AsInput) > 0 {
		sides = append(sides, Server)
	}
	return sides
}

// direction returns what a method is, and who sends it.
func direction(m *model.Method) string {
	kind := "request"
	if m.Notification {
		kind = "notification"
	}
	var from []string
	if len(m.ToServer) > 0 {
		from = append(from, "clients")
	}
	if len(m.ToClient) > 0 {
		from = append(from, "servers")
	}
	if len(m.AsInput) > 0 {
		from = append(from, "results of servers")
	}
	return kind + " of " + strings.Join(from, " and ")
}

// results returns the types that the result of a request may have.
func results(m *model.Method) (names []string) {
	for _, r := range m.Results {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}
