package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A generator holds what is known while a package is generated.
type generator struct {
	contract *Contract
	options  Options
	names    *names
	types    []*typ // that have names, in the order of their use
	shared   map[shape]*typ
	sharings map[sharing][]*typ // the same, by their texts
	groups   map[shape]*group   // of the schemas read so far
	order    []*group
	enums    map[string]bool  // the values of the enums of arguments, by [valuesKey]
	known    map[string]bool  // the same of an earlier reading
	chosen   map[shape]*group // of an earlier reading, which has found the names of groups; nil in the first
	calls    []*call
	prompts  []*promptCall
	reads    []*readCall
	untyped  []Untyped
	mistaken map[part]*Error // the first mistakes of schemas that are not read again
	errs     []error
	file     *jen.File
}

// A call is a method of the client.
type call struct {
	name string // of the method
	tool *mcp.Tool
	args *typ
	out  *typ // nil if the tool has no output schema
}

func newGenerator(c *Contract, o Options) *generator {
	return &generator{
		contract: c, options: o, names: newNames(o.Names),
		shared: make(map[shape]*typ), sharings: make(map[sharing][]*typ), groups: make(map[shape]*group), enums: make(map[string]bool),
	}
}

// lower determines the methods and types.
func (g *generator) lower() {
	g.nameCalls()
	for _, c := range g.calls {
		c.args = g.lowerSchema(c, c.tool.InputSchema, false)
		if c.tool.OutputSchema != nil {
			c.out = g.lowerSchema(c, c.tool.OutputSchema, true)
		}
	}
	for _, c := range g.prompts {
		g.lowerPrompt(c)
	}
	for _, c := range g.reads {
		g.lowerTemplate(c)
	}
	if len(g.errs) == 0 {
		g.collect()
	}
}

// collect finds the types that have names, in the order of their use.
func (g *generator) collect() {
	seen := make(map[*typ]bool)
	var visit func(t *typ)
	visit = func(t *typ) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		if t.name != "" {
			g.types = append(g.types, t)
		}
		visit(t.elem)
		for _, f := range t.fields {
			visit(f.typ)
		}
		for _, a := range t.arms {
			visit(a.typ)
		}
	}
	for _, c := range g.calls {
		visit(c.args)
		visit(c.out)
	}
	state := make(map[*typ]int)
	for _, t := range g.types {
		g.breakCycles(t, state)
	}
}

// The states of types whose members are visited.
const (
	visiting = 1 + iota
	visited
)

// breakCycles turns members by which a type would always contain itself, which no value can, into raw values.
func (g *generator) breakCycles(t *typ, state map[*typ]int) {
	if state[t] != 0 {
		return
	}
	state[t] = visiting
	for _, f := range t.fields {
		if !f.required || f.typ.kind != structKind && f.typ.kind != tupleKind {
			continue
		}
		if state[f.typ] == visiting {
			f.at.Why = "it contains itself without end: no value is valid"
			f.typ = &typ{kind: rawKind, why: f.at.Why}
			g.untyped = append(g.untyped, f.at)
			continue
		}
		g.breakCycles(f.typ, state)
	}
	state[t] = visited
}

// nameCalls gives the methods their names.
func (g *generator) nameCalls() {
	var wishes []wish
	for i := range g.contract.Tools {
		t := &g.contract.Tools[i]
		c := &call{tool: t}
		wishes = append(wishes, wish{"tools/" + t.Name, camel(t.Name, "Tool"), &c.name})
		g.calls = append(g.calls, c)
	}
	for i := range g.contract.Prompts {
		p := &g.contract.Prompts[i]
		c := &promptCall{prompt: p}
		name := strings.TrimSuffix(camel(p.Name, ""), "Prompt") + "Prompt"
		wishes = append(wishes, wish{"prompts/" + p.Name, name, &c.name})
		g.prompts = append(g.prompts, c)
	}
	wished := make(map[string]bool)
	for _, w := range wishes {
		wished[w.name] = true
	}
	for i := range g.contract.ResourceTemplates {
		r := &g.contract.ResourceTemplates[i]
		c := &readCall{template: r}
		name := "Read" + camel(r.Name, "Resource")
		if wished[name] {
			name += "Resource" // there is a tool that does it, too
		}
		wished[name] = true
		wishes = append(wishes, wish{"resources/" + r.URITemplate, name, &c.name})
		g.reads = append(g.reads, c)
	}
	g.names.fulfill(newScope(), wishes)
}

// lowerSchema makes a type of a schema of a tool.
func (g *generator) lowerSchema(c *call, schema wire.Raw, output bool) *typ {
	part, name := "input", c.name+"Args"
	if output {
		part, name = "output", c.name+"Result"
	}
	l := &lowering{
		g: g, tool: c.tool.Name, output: output, path: "tools/" + c.tool.Name + "/" + part + "#",
		memo: make(map[string]*typ), active: make(map[*typ]bool), checked: make(map[*node]bool),
	}
	if len(schema) == 0 {
		schema = wire.Raw(`{"type":"object"}`)
	}
	if why := g.whyMistaken(c.tool.Name, output); why != "" {
		t := &typ{}
		l.raw(t, &node{}, why)
		return t
	}
	d, err := parseDocument(schema)
	if err != nil {
		l.fail("", err.Error())
		return &typ{}
	}
	l.document = d
	if output {
		g.adopt(d.root)
	}
	t := l.root(name)
	if t.path == l.path { // its own type, and not one of several
		what := "The arguments of"
		if output {
			what = "The result of"
		}
		t.doc = what + " the tool " + c.tool.Name + "."
	}
	return t
}

// mistakes returns the mistakes in schemas.
func (g *generator) mistakes() (list []*Error) {
	for _, err := range g.errs {
		if e, ok := errors.AsType[*Error](err); ok {
			list = append(list, e)
		}
	}
	return list
}

// A part is one of the schemas of a tool.
type part struct {
	tool   string
	output bool
}

// whyMistaken returns why a schema is not read again, its first mistake, empty if it has none.
func (g *generator) whyMistaken(tool string, output bool) string {
	if e := g.mistaken[part{tool, output}]; e != nil {
		return fmt.Sprintf("the schema has a mistake: %q: %s", "#"+e.Pointer, e.Msg)
	}
	return ""
}
