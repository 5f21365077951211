package contract

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/harmless"
)

// A Change is one difference between two contracts.
type Change struct {
	Breaking bool   `json:"breaking"`
	Kind     string `json:"kind"` // tool, prompt or resource
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"` // what changed of it, such as input.days; empty for all of it
	Text     string `json:"text"`
	Cure     string `json:"cure,omitempty"` // what would not break callers, or what a client can do; empty if nothing breaks
	shape    string // the forms of the type whose change it is, and where in it; empty if it is no change of a type
	wording  bool   // it is about a description
	client   bool   // it is for those who write a client
}

// String returns the change on one line, such as `tool forecast: input.days: removed`.
func (c Change) String() string {
	name := c.Name
	if harmless.Line(name) != name {
		name = strconv.Quote(name)
	}
	s := c.Kind + " " + name + ": "
	if c.Path != "" {
		s += c.Path + ": "
	}
	return s + c.Text
}

// sameAs reports whether two changes are of one path of one thing; without a path, whether they say the same, or both that the
// thing is gone.
func (c Change) sameAs(d Change) bool {
	return c.Kind == d.Kind && c.Name == d.Name && c.Path == d.Path && (c.Path != "" || c.Text == d.Text || c.gone() && d.gone())
}

// gone reports whether a tool, prompt or resource no longer exists.
func (c Change) gone() bool {
	return c.Path == "" && (strings.HasPrefix(c.Text, "removed") || strings.HasPrefix(c.Text, "renamed"))
}

// Compare returns what changed from one contract to the next: tools first, then prompts, then
// resources, each in order of their names.
func Compare(old, new *Contract) []Change {
	return slices.DeleteFunc(compare(&changes{}, old, new), func(c Change) bool { return c.wording })
}

// compare returns what has changed between two contracts, words included, which only those who write a client are shown. A
// contract from when the objects of results were closed is compared with a new one as if its objects were, too.
func compare(l *changes, old, new *Contract) []Change {
	if old.closed {
		new = new.withClosedResults()
	}
	compareEach(l, "tool", old.Tools, new.Tools, func(a, b *Tool) {
		l.description("", a.Description, b.Description)
		l.promises(a, b)
		l.demands(a, b)
		l.access(&a.Access, &b.Access)
		l.schemas("input", a.input, b.input, false)
		l.results("output", a.result(), b.result(), a.output, b.output)
	})
	compareEach(l, "prompt", old.Prompts, new.Prompts, func(a, b *Prompt) {
		l.description("", a.Description, b.Description)
		l.access(&a.Access, &b.Access)
		l.schemas("arguments", a.arguments, b.arguments, false)
		l.results("result", a.Result, b.Result, nil, nil)
	})
	compareEach(l, "resource", old.Resources, new.Resources, l.resources)
	return l.all
}

// compareEach compares the entries of one kind, in the order of their names.
func compareEach[V any](l *changes, kind string, old, new map[string]*V, both func(a, b *V)) {
	for _, name := range names(old, new) {
		l.kind, l.name = kind, name
		a, b := old[name], new[name]
		if a == nil || b == nil {
			addedOrRemoved(l, a, b, old, new)
			continue
		}
		both(a, b)
	}
}

// resources compares two resources of one URI or template, by which callers read them: so another name breaks nobody. A MIME
// type is a promise about the contents.
func (l *changes) resources(a, b *Resource) {
	l.description("", a.Description, b.Description)
	if a.Name != b.Name {
		l.add("name", false, "changed from %s to %s", a.Name, b.Name)
	}
	switch {
	case a.MIMEType == b.MIMEType:
	case a.MIMEType == "":
		l.add("MIME type", false, "added: %s", b.MIMEType)
	case b.MIMEType == "":
		l.add("MIME type", true, "removed, was %s", a.MIMEType).cure("keep the MIME type").forClient("be ready for contents of any type")
	default:
		l.add("MIME type", true, "changed from %s to %s", a.MIMEType, b.MIMEType).cure("keep the MIME type").forClient("read contents of the new type")
	}
	l.access(&a.Access, &b.Access)
	if a.variables != nil && b.variables != nil {
		l.schemas("variables", a.variables, b.variables, false)
	}
	l.results("contents", a.Result, b.Result, a.output, b.output)
}

// changes collects the changes of one entry after the other.
type changes struct {
	client     bool // they are for those who write a client
	kind, name string
	all        []Change
	moved      map[string]map[string]string // by kind, the old names of entries that were renamed
}

// maxFresh is how many new entries are compared with each one that is gone, to find renamings.
const maxFresh = 50

func (l *changes) add(path string, breaking bool, format string, args ...any) *Change {
	l.all = append(l.all, Change{Breaking: breaking, Kind: l.kind, Name: l.name, Path: shortened(path), Text: shortened(fmt.Sprintf(format, args...)), client: l.client})
	return &l.all[len(l.all)-1]
}

// cure says what would not break callers, if the change does.
func (c *Change) cure(format string, args ...any) *Change {
	if c.Breaking && !c.client {
		c.Cure = shortened(fmt.Sprintf(format, args...))
	}
	return c
}

// forClient adds what the author of a client can do about the change, if it breaks the client.
func (c *Change) forClient(format string, args ...any) {
	if c.Breaking && c.client {
		c.Cure = shortened(fmt.Sprintf(format, args...))
	}
}

// description compares the digests of two descriptions.
func (l *changes) description(path, old, new string) {
	switch {
	case old == new:
		return
	case old == "":
		l.add(path, false, "description added")
	case new == "":
		l.add(path, false, "description removed")
	default:
		l.add(path, false, "description changed")
	}
	l.all[len(l.all)-1].wording = true
}

// addedOrRemoved reports an entry that only one contract has. If an entry that is gone differs from a new one only
// by name, it was renamed, which is one change.
func addedOrRemoved[V any](l *changes, a, b *V, old, new map[string]*V) {
	moved, ok := l.moved[l.kind]
	if !ok {
		moved = renamed(old, new)
		if l.moved == nil {
			l.moved = map[string]map[string]string{}
		}
		l.moved[l.kind] = moved
	}
	keep := map[string]string{
		"tool": "keep the name, by //mcp:tool name=%s", "prompt": "keep the name, by //mcp:prompt name=%s", "resource": "serve %s, too",
	}[l.kind]
	switch to := moved[l.name]; {
	case to != "":
		l.add("", true, "renamed to %s", to).cure(keep, l.name).forClient("regenerate, and use %s", to)
	case a != nil:
		l.add("", true, "removed").cure("keep it, perhaps beside a new one").forClient("use another %s", l.kind)
	default:
		for _, to := range moved {
			if to == l.name {
				return // which the old name says
			}
		}
		l.add("", false, "added")
	}
}

// renamed returns the new names of entries that are gone, if exactly one old and one new entry have the same form.
func renamed[V any](old, new map[string]*V) map[string]string {
	missing := func(in, from map[string]*V) []string {
		all := slices.DeleteFunc(names(from, nil), func(name string) bool { return in[name] != nil })
		return all[:min(len(all), maxFresh)]
	}
	forms := make(map[string][]string) // the new entries by their forms
	for _, is := range missing(old, new) {
		f := formOf(any(new[is]))
		forms[f] = append(forms[f], is)
	}
	to := make(map[string]string)
	claims := make(map[string]int)
	for _, was := range missing(new, old) {
		same := forms[formOf(any(old[was]))]
		for _, is := range same {
			claims[is]++
		}
		if len(same) == 1 {
			to[was] = same[0]
		}
	}
	maps.DeleteFunc(to, func(_, is string) bool { return claims[is] > 1 })
	return to
}

// formOf returns a text that is the same for entries that differ in nothing but their names and descriptions.
func formOf(v any) string {
	var o *object
	switch v := v.(type) {
	case *Tool:
		o = v.object()
	case *Prompt:
		o = v.object()
	case *Resource:
		o = v.object()
		o.remove("name") // which follows the function's, as often as not
	}
	return form(o)
}

func (l *changes) promises(a, b *Tool) {
	for _, p := range Promises {
		switch {
		case slices.Contains(a.Promises, p) && !b.promised(p):
			l.add("", true, "no longer %s", p).cure("keep the promise, by //mcp:tool %s", p).forClient("see whether it may still be called without asking")
		case slices.Contains(b.Promises, p) && !a.promised(p):
			l.add("", false, "%s now", p)
		}
	}
}

func (l *changes) demands(a, b *Tool) {
	for _, d := range Demands {
		before, now := slices.Contains(a.Demands, d), slices.Contains(b.Demands, d)
		switch {
		case now && !before:
			breaking := d != "strict" || len(declared(a.input, required(a.input)).names) > 0
			l.add("", breaking, "%s now", d).cure("%s", map[string]string{"strict": "leave out strict", "task": "use task=optional", "confirm": "leave out confirm, or offer another tool that asks"}[d]).
				forClient("let calls run as tasks, by Tasks in client.Options")
		case before && !now:
			l.add("", false, "no longer %s", d)
		}
	}
}

// access compares what callers must have before they can use an entry at all.
func (l *changes) access(before, after *Access) {
	a, b := before.Scopes, after.Scopes
	for _, s := range a {
		if !slices.Contains(b, s) {
			l.add("", false, "scope %s removed: callers need it no longer", s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			l.add("", true, "scope %s added", s).cure("require only scopes that callers have, or offer another %s for it", l.kind)
		}
	}
	for _, need := range slices.Compact(sorted(slices.Concat(before.Needs, after.Needs))) {
		switch {
		case !slices.Contains(before.Needs, need):
			l.add("", true, "needs %s now", need).cure("do without it where a client does not have it")
		case !slices.Contains(after.Needs, need):
			l.add("", false, "no longer needs %s", need)
		}
	}
	switch {
	case before.MinRevision < after.MinRevision:
		l.add("", true, "only since revision %s", after.MinRevision).cure("offer it in older revisions, too")
	case before.MinRevision > after.MinRevision:
		l.add("", false, "no longer only since revision %s", before.MinRevision)
	}
}

// promised reports whether a tool makes a promise, explicitly or because it changes nothing at all.
func (t *Tool) promised(p string) bool {
	return slices.Contains(t.Promises, p) ||
		(p == "nondestructive" || p == "idempotent") && slices.Contains(t.Promises, "readonly")
}

// schemas compares two schemas. The oracle decides whether callers break, and the comparer says why: where they break and no
// change explains it, one says so of the whole schema. What is returned must have been valid before, what is sent must be now, so
// the oracle of returned schemas gets them the other way around.
func (l *changes) schemas(path string, a, b *object, returned bool) {
	if text(a) == text(b) {
		return
	}
	c := &comparer{changes: l, old: a, new: b, returned: returned, seen: map[[2]*object]bool{}}
	if c.oracle = newOracle(a, b); returned {
		c.oracle = newOracle(b, a)
	}
	c.harmless = form(a) == form(b)
	since := len(l.all)
	c.schema(path, a, b)
	if !c.harmless && !c.contains(a, b) && !slices.ContainsFunc(l.all[since:], func(c Change) bool { return c.Breaking }) {
		c.unexplained(path)
	}
}
