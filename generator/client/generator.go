package client

import (
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
	calls    []*call
	untyped  []Untyped
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
	return &generator{contract: c, options: o, names: newNames(o.Names)}
}

// lower finds out which methods and types there are.
func (g *generator) lower() {
	g.nameCalls()
	for _, c := range g.calls {
		c.args = g.lowerSchema(c, c.tool.InputSchema, false)
		if c.tool.OutputSchema != nil {
			c.out = g.lowerSchema(c, c.tool.OutputSchema, true)
		}
	}
}

// nameCalls gives the methods their names.
func (g *generator) nameCalls() {
	var wishes []wish
	for i := range g.contract.Tools {
		t := &g.contract.Tools[i]
		c := &call{tool: t}
		g.calls = append(g.calls, c)
		wishes = append(wishes, wish{"tools/" + t.Name, camel(t.Name, "Tool"), &c.name})
	}
	g.names.fulfill(make(scope), wishes)
}

// lowerSchema makes a type of a schema of a tool.
func (g *generator) lowerSchema(c *call, schema wire.Raw, output bool) *typ {
	part, name := "input", c.name+"Args"
	if output {
		part, name = "output", c.name+"Result"
	}
	l := &lowering{g: g, tool: c.tool.Name, output: output, path: "tools/" + c.tool.Name + "/" + part + "#"}
	if len(schema) == 0 {
		schema = wire.Raw(`{"type":"object"}`)
	}
	root, err := parseNode(schema, "")
	if err != nil {
		l.fail("", err.Error())
		return nil
	}
	return l.root(root, name)
}
