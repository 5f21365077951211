package contract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Change is one difference between two contracts.
type Change struct {
	Breaking bool   `json:"breaking"`
	Kind     string `json:"kind"` // tool, prompt or resource
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"` // what changed of it, such as input.days; empty for all of it
	Text     string `json:"text"`
}

// String returns the change on one line, such as `tool forecast: input.days: removed`.
func (c Change) String() string {
	s := c.Kind + " " + c.Name + ": "
	if c.Path != "" {
		s += c.Path + ": "
	}
	return s + c.Text
}

// Compare returns what changed from one contract to the next: tools first, then prompts, then
// resources, each in order of their names.
func Compare(old, new *Contract) []Change {
	var l changes
	for _, name := range names(old.Tools, new.Tools) {
		l.kind, l.name = "tool", name
		a, b := old.Tools[name], new.Tools[name]
		if a == nil || b == nil {
			addedOrRemoved(&l, a, b, old.Tools, new.Tools)
			continue
		}
		l.promises(a, b)
		l.demands(a, b)
		l.scopes(a.Scopes, b.Scopes)
		l.schemas("input", a.input, b.input, false)
		l.results("output", a.result(), b.result(), a.output, b.output)
	}
	for _, name := range names(old.Prompts, new.Prompts) {
		l.kind, l.name = "prompt", name
		a, b := old.Prompts[name], new.Prompts[name]
		if a == nil || b == nil {
			addedOrRemoved(&l, a, b, old.Prompts, new.Prompts)
			continue
		}
		l.scopes(a.Scopes, b.Scopes)
		l.schemas("arguments", a.arguments, b.arguments, false)
		l.results("result", a.Result, b.Result, nil, nil)
	}
	for _, uri := range names(old.Resources, new.Resources) {
		l.kind, l.name = "resource", uri
		a, b := old.Resources[uri], new.Resources[uri]
		if a == nil || b == nil {
			addedOrRemoved(&l, a, b, old.Resources, new.Resources)
			continue
		}
		if a.Name != b.Name {
			l.add("name", false, "changed from %s to %s", a.Name, b.Name)
		}
		switch {
		case a.MIMEType == b.MIMEType:
		case a.MIMEType == "":
			l.add("MIME type", false, "added: %s", b.MIMEType)
		case b.MIMEType == "":
			l.add("MIME type", true, "removed, was %s", a.MIMEType)
		default:
			l.add("MIME type", true, "changed from %s to %s", a.MIMEType, b.MIMEType)
		}
		l.scopes(a.Scopes, b.Scopes)
		if a.variables != nil && b.variables != nil {
			l.schemas("variables", a.variables, b.variables, false)
		}
		l.results("contents", a.Result, b.Result, a.output, b.output)
	}
	return l.all
}

// changes collects the changes of one entry after the other.
type changes struct {
	kind, name string
	all        []Change
	fresh      map[string][]string // by kind, the names that the old contract lacks
}

// maxFresh is how many new entries are held against each that is gone, to tell what was renamed.
const maxFresh = 50

func (l *changes) add(path string, breaking bool, format string, args ...any) {
	l.all = append(l.all, Change{breaking, l.kind, l.name, shortened(path), shortened(fmt.Sprintf(format, args...))})
}

// addedOrRemoved reports an entry that only one contract has. One that only its name tells from a
// new one was perhaps renamed.
func addedOrRemoved[V any](l *changes, a, b *V, old, new map[string]*V) {
	if a == nil {
		l.add("", false, "added")
		return
	}
	fresh, ok := l.fresh[l.kind]
	if !ok {
		fresh = slices.DeleteFunc(names(new, nil), func(name string) bool { return old[name] != nil })
		if l.fresh == nil {
			l.fresh = map[string][]string{}
		}
		l.fresh[l.kind] = fresh
	}
	var same []string
	for _, name := range fresh[:min(len(fresh), maxFresh)] {
		if reflect.DeepEqual(new[name], a) {
			same = append(same, name)
		}
	}
	if len(same) > 0 {
		l.add("", true, "removed, or renamed to %s", strings.Join(same, " or "))
		return
	}
	l.add("", true, "removed")
}

func (l *changes) promises(a, b *Tool) {
	for _, p := range promises {
		switch {
		case slices.Contains(a.Promises, p) && !b.promised(p):
			l.add("", true, "no longer %s", p)
		case slices.Contains(b.Promises, p) && !a.promised(p):
			l.add("", false, "%s now", p)
		}
	}
}

func (l *changes) demands(a, b *Tool) {
	for _, d := range demands {
		before, now := slices.Contains(a.Demands, d), slices.Contains(b.Demands, d)
		switch {
		case now && !before:
			l.add("", d != "strict" || len(declared(a.input, required(a.input)).names) > 0, "%s now", d)
		case before && !now:
			l.add("", false, "no longer %s", d)
		}
	}
}

func (l *changes) scopes(a, b []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			l.add("", false, "scope %s removed: callers need it no longer", s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			l.add("", true, "scope %s added", s)
		}
	}
}

// promised reports whether a tool gives a promise, by itself or because it changes nothing at all.
func (t *Tool) promised(p string) bool {
	return slices.Contains(t.Promises, p) ||
		(p == "nondestructive" || p == "idempotent") && slices.Contains(t.Promises, "readonly")
}

func (l *changes) schemas(path string, a, b *object, returned bool) {
	c := &comparer{changes: l, old: a, new: b, returned: returned, seen: map[[2]*object]bool{}}
	c.schema(path, a, b)
}
