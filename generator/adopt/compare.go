package adopt

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/mcp"
	runtimeclient "github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Difference is what clients of a new server see otherwise than those of the old one.
type Difference struct {
	Breaking  bool
	What      string // on one line
	Cure      string
	Revisions []string // that have it; nil for all
	Accepted  bool
}

// Compare returns how a server differs from a recording, what breaks clients first. Schemas are compared by what they mean, results
// by bytes and by their JSON values, and errors by their kinds; those of the user's own calls by their texts, too.
func Compare(old, new *Recording) []Difference {
	c := &comparison{at: map[diffKey]int{}, can: map[string]bool{}}
	for i := range old.Revisions {
		a := &old.Revisions[i]
		c.revision = a.Revision
		at := slices.IndexFunc(new.Revisions, func(r Revision) bool { return r.Revision == a.Revision })
		if at < 0 {
			c.breaks("speak it", "the server does not speak revision %s", a.Revision)
			continue
		}
		b := &new.Revisions[at]
		c.about(a, b)
		c.offers(a.known(), b.known())
		c.outcomes(old.Calls, a, b)
	}
	for i := range c.all {
		if len(c.all[i].Revisions) == len(old.Revisions) {
			c.all[i].Revisions = nil
		}
	}
	slices.SortStableFunc(c.all, func(a, b Difference) int {
		if a.Breaking == b.Breaking {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[a.Breaking]
	})
	return c.all
}

// known returns what a revision offers without what the revision does not define, which its clients do not read.
func (r *Revision) known() *Revision {
	v, err := wire.ParseRevision(r.Revision)
	if err != nil {
		return r
	}
	k := *r
	k.Tools = knownTo(v, r.Tools, (*mcp.Tool).EncodeWire)
	k.Prompts = knownTo(v, r.Prompts, (*mcp.Prompt).EncodeWire)
	k.Resources = knownTo(v, r.Resources, (*mcp.Resource).EncodeWire)
	k.ResourceTemplates = knownTo(v, r.ResourceTemplates, (*mcp.ResourceTemplate).EncodeWire)
	return &k
}

// knownTo returns items as clients of a revision have them: encoded for it, and decoded again. An item that cannot be
// encoded stays as it is.
func knownTo[T any](v wire.Revision, items []T, put func(*T, *wire.Encoder)) (known []T) {
	for i := range items {
		item := items[i]
		text, err := wire.Marshal(v, encodable(func(e *wire.Encoder) { put(&items[i], e) }))
		var read T
		if err == nil && json.Unmarshal(text, &read) == nil {
			item = read
		}
		known = append(known, item)
	}
	return known
}

// encodable lets a function be a [wire.Encodable].
type encodable func(*wire.Encoder)

func (f encodable) EncodeWire(e *wire.Encoder) { f(e) }

// maxDifferences is how many differences are kept.
const maxDifferences = 10_000

// A comparison collects differences, each once for all revisions.
type comparison struct {
	revision string
	all      []Difference
	at       map[diffKey]int
	can      map[string]bool // by the schemas of a tool: whether they can be compared by meaning
}

// A diffKey is what makes the differences of several revisions one.
type diffKey struct {
	breaking   bool
	what, cure string
}

// add adds a difference in the current revision, or this revision to the difference that others have already. Beyond
// maxDifferences, a last one says that there are more.
func (c *comparison) add(breaking bool, cure, what string) {
	key := diffKey{breaking, what, cure}
	i, seen := c.at[key]
	switch {
	case !seen && len(c.all) >= maxDifferences:
		if len(c.all) == maxDifferences {
			c.all = append(c.all, Difference{Breaking: true, What: "there are more differences, which are not shown"})
		}
		return
	case !seen:
		i = len(c.all)
		c.at[key] = i
		c.all = append(c.all, Difference{Breaking: breaking, What: what, Cure: cure})
	}
	if d := &c.all[i]; !slices.Contains(d.Revisions, c.revision) {
		d.Revisions = append(d.Revisions, c.revision)
	}
}

// breaks adds a difference that breaks clients.
func (c *comparison) breaks(cure, format string, args ...any) {
	c.add(true, cure, fmt.Sprintf(format, args...))
}

// notes adds a difference that breaks no client.
func (c *comparison) notes(format string, args ...any) {
	c.add(false, "", fmt.Sprintf(format, args...))
}

// about compares what the servers say about themselves, but for their versions.
func (c *comparison) about(a, b *Revision) {
	was, is := treeOf(a.Info), treeOf(b.Info)
	c.members("server", was, is, "version")
	if a.Instructions != b.Instructions {
		c.notes("instructions: %s", changed(a.Instructions, b.Instructions))
	}
	c.capabilities("capabilities", treeOf(a.Capabilities), treeOf(b.Capabilities))
}

// capabilities compares objects of capabilities at all depths. What is gone or has changed breaks clients, and what is
// new does not.
func (c *comparison) capabilities(path string, was, is map[string]any) {
	for _, name := range sorted(was) {
		at := path + "." + name
		inner, isObject := was[name].(map[string]any)
		other, _ := is[name].(map[string]any)
		switch now, has := is[name]; {
		case !has:
			c.breaks("declare it", "%s: removed", line(at))
		case isObject:
			c.capabilities(at, inner, other)
		case !equal(was[name], now):
			c.breaks("declare the same", "%s: %s", line(at), changed(was[name], now))
		}
	}
	for _, name := range sorted(is) {
		if _, had := was[name]; !had {
			c.notes("%s: added", line(path+"."+name))
		}
	}
}

// offers compares the lists.
func (c *comparison) offers(a, b *Revision) {
	was, _ := a.contract().Settle()
	is, _ := b.contract().Settle()
	was.Tools, is.Tools = c.tools(was.Tools, is.Tools)
	changes, err := changesOf(was, is)
	if err != nil {
		c.breaks("", "the lists cannot be compared: %s", line(err.Error()))
	}
	c.changes(changes)
	items(c, "tool", a.Tools, b.Tools, func(t *mcp.Tool) string { return t.Name }, "title", "description", "inputSchema", "outputSchema", "annotations", "execution")
	items(c, "prompt", a.Prompts, b.Prompts, func(p *mcp.Prompt) string { return p.Name }, "description", "arguments")
	items(c, "resource template", a.ResourceTemplates, b.ResourceTemplates, func(t *mcp.ResourceTemplate) string { return t.URITemplate }, "name", "description", "mimeType")
	items(c, "resource", a.Resources, b.Resources, func(r *mcp.Resource) string { return r.URI })
	for _, r := range a.Resources {
		at := slices.IndexFunc(b.Resources, func(o mcp.Resource) bool { return o.URI == r.URI })
		switch {
		case at < 0:
			c.breaks("offer it", "resource %s: removed", line(r.URI))
		case r.MIMEType != "" && r.MIMEType != b.Resources[at].MIMEType:
			c.breaks("keep the MIME type", "resource %s: MIME type: %s", line(r.URI), changed(r.MIMEType, b.Resources[at].MIMEType))
		}
	}
	for _, r := range b.Resources {
		if !slices.ContainsFunc(a.Resources, func(o mcp.Resource) bool { return o.URI == r.URI }) {
			c.notes("resource %s: added", line(r.URI))
		}
	}
	for i := range a.Tools {
		t := &a.Tools[i]
		if now := b.tool(t.Name); now != nil {
			c.words(t.Name, "input", t.InputSchema, now.InputSchema)
			c.words(t.Name, "output", t.OutputSchema, now.OutputSchema)
			c.title(t, now)
		}
	}
}

func (c *comparison) changes(all []client.Change) {
	for _, ch := range all {
		cure := ""
		if ch.Breaking {
			cure = "offer what was offered"
		}
		c.add(ch.Breaking, cure, harmless.Line(cut(ch.String(), 5*maxShown)))
	}
}

// changesOf returns the changes of schemas, and of descriptions.
func changesOf(was, is *client.Contract) ([]client.Change, error) {
	changes, err := was.Changes(is)
	if err != nil {
		return nil, err
	}
	words, err := was.Descriptions(is)
	return append(changes, words...), err
}

// tools compares the tools that are in both lists, and returns those that are in one.
func (c *comparison) tools(was, is []mcp.Tool) (gone, added []mcp.Tool) {
	now := map[string]*mcp.Tool{}
	for i := range is {
		now[is[i].Name] = &is[i]
	}
	had := map[string]bool{}
	for i := range was {
		t := &was[i]
		other := now[t.Name]
		had[t.Name] = true
		switch {
		case other != nil:
			c.tool(t, other)
		case c.isComparable(t):
			gone = append(gone, *t)
		default:
			c.breaks("offer it", "tool %s: removed", line(t.Name))
		}
	}
	for i := range is {
		switch t := &is[i]; {
		case had[t.Name]:
		case c.isComparable(t):
			added = append(added, *t)
		default:
			c.notes("tool %s: added", line(t.Name))
		}
	}
	return gone, added
}

// tool compares two tools by what their schemas mean. Schemas with one meaning are written in many ways: the changes are those
// between the schemas as they are or, if these are fewer, as [normal] writes them.
func (c *comparison) tool(was, is *mcp.Tool) {
	if equal(treeOf(was), treeOf(is)) {
		return
	}
	one := func(t mcp.Tool) *client.Contract { return &client.Contract{Tools: []mcp.Tool{t}} }
	best, err := changesOf(one(*was), one(*is))
	if err != nil {
		c.breaks("keep the schemas as they were", "tool %s: it differs, and its schemas cannot be compared by what they mean", line(was.Name))
		return
	}
	if normalized, err := changesOf(one(normal(was)), one(normal(is))); err == nil && len(normalized) < len(best) {
		best = normalized
	}
	c.changes(best)
}

// isComparable reports whether the schemas of a tool can be compared by what they mean.
func (c *comparison) isComparable(t *mcp.Tool) bool {
	key := string(t.InputSchema) + string(t.OutputSchema)
	is, known := c.can[key]
	if !known {
		one := &client.Contract{Tools: []mcp.Tool{*t}}
		_, err := one.Changes(one)
		is = err == nil
		c.can[key] = is
	}
	return is
}

// title compares what people see as the name of a tool.
func (c *comparison) title(was, is *mcp.Tool) {
	if a, b := runtimeclient.ToolTitle(was), runtimeclient.ToolTitle(is); a != b {
		c.notes("tool %s: title: %s", line(was.Name), changed(a, b))
	}
}

// items compares the members of items beyond those that are compared by meaning, and the order of the items.
func items[T any](c *comparison, kind string, was, is []T, id func(*T) string, known ...string) {
	var before, after []string
	now := map[string]*T{}
	for i := range is {
		now[id(&is[i])] = &is[i]
	}
	had := map[string]bool{}
	for i := range was {
		name := id(&was[i])
		if had[name] || now[name] == nil {
			continue
		}
		had[name] = true
		before = append(before, name)
		c.members(kind+" "+line(name), treeOf(&was[i]), treeOf(now[name]), known...)
	}
	for i := range is {
		if name := id(&is[i]); had[name] {
			had[name] = false
			after = append(after, name)
		}
	}
	if !slices.Equal(before, after) {
		c.notes("%ss: listed in another order", kind)
	}
}

// members compares the members of two objects, but for those that are known.
func (c *comparison) members(what string, was, is map[string]any, known ...string) {
	for _, name := range sorted(was, is) {
		if !slices.Contains(known, name) && !equal(was[name], is[name]) {
			c.notes("%s: %s: %s", what, line(name), changed(was[name], is[name]))
		}
	}
}

// words compares what schemas say in words beside descriptions.
func (c *comparison) words(tool, part string, was, is []byte) {
	before, after := map[string]any{}, map[string]any{}
	for text, into := range map[*[]byte]map[string]any{&was: before, &is: after} {
		if tree, err := decode(*text); err == nil {
			collectWords(tree, part, into)
		}
	}
	c.members("tool "+line(tool), before, after)
}

// collectWords adds the titles and examples in a schema to into, by paths such as input.days.title. They leave out the
// keyword properties.
func collectWords(schema any, path string, into map[string]any) {
	switch s := schema.(type) {
	case map[string]any:
		for _, name := range sorted(s) {
			_, isText := s[name].(string)
			_, isList := s[name].([]any)
			if name == "title" && isText || name == "examples" && isList {
				into[path+"."+name] = s[name]
				continue
			}
			next := path
			if name != "properties" {
				next = path + "." + name
			}
			collectWords(s[name], next, into)
		}
	case []any:
		for i, item := range s {
			collectWords(item, fmt.Sprintf("%s[%d]", path, i), into)
		}
	}
}

// treeOf returns a value of the protocol as JSON has it.
func treeOf(v any) map[string]any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	tree, err := decode(text)
	if err != nil {
		return nil
	}
	o, _ := tree.(map[string]any)
	return o
}

// sorted returns the names of the members of objects, sorted.
func sorted(objects ...map[string]any) []string {
	all := map[string]bool{}
	for _, o := range objects {
		for name := range o {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// equal reports whether two JSON values are written alike, but for the order of members.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// maxShown is how many characters of a text from a server are shown.
const maxShown = 120

// short returns the beginning of a text.
func short(text string) string { return cut(text, maxShown) }

func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// line returns a text of a server on one line, without characters that would control a terminal.
func line(text string) string { return harmless.Line(short(text)) }

// changed says what a value was, and is; nil is absent.
func changed(was, is any) string {
	switch {
	case was == nil || was == "":
		return "added: " + shown(is)
	case is == nil || is == "":
		return "removed, was " + shown(was)
	}
	return "changed from " + shown(was) + " to " + shown(is)
}

func shown(v any) string { return line(string(encode(v))) }

// Accepted holds the differences that a file accepts: a line for each, as they are printed, from after the word that says whether
// they break clients. A * in it stands for any text; a line that begins with # is a comment.
type Accepted struct{ lines []acceptedLine }

type acceptedLine struct {
	number int
	match  *regexp.Regexp
	used   bool
}

// ParseAccepted reads the file.
func ParseAccepted(text []byte) *Accepted {
	a := &Accepted{}
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			match := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(strings.ToValidUTF8(l, "\ufffd")), `\*`, ".*") + "$")
			a.lines = append(a.lines, acceptedLine{number: n, match: match})
		}
	}
	return a
}

// Mark marks the differences that the file accepts.
func (a *Accepted) Mark(all []Difference) {
	for i := range all {
		for j := range a.lines {
			if l := &a.lines[j]; l.match.MatchString(all[i].What) {
				l.used, all[i].Accepted = true, true
			}
		}
	}
}

// Unused returns the numbers of the lines that accept nothing.
func (a *Accepted) Unused() (numbers []int) {
	for _, l := range a.lines {
		if !l.used {
			numbers = append(numbers, l.number)
		}
	}
	return numbers
}
