package client

import (
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/mcp"
)

// A promptCall is a method that gets a prompt.
type promptCall struct {
	name   string // of the method
	args   string // the type of its arguments
	prompt *mcp.Prompt
	fields []*field
}

// A readCall is a method that reads a resource of a template.
type readCall struct {
	name     string
	template *mcp.ResourceTemplate
	vars     []*variable
}

// A variable is one of a URI template.
type variable struct {
	name     string // in the template
	param    string // in Go
	list     bool
	optional bool // an empty one is left out
}

// lowerPrompt determines the arguments of a prompt.
func (g *generator) lowerPrompt(c *promptCall) {
	path := "prompts/" + c.prompt.Name
	c.args = g.names.typeName(path+"#", c.name+"Args")
	var wishes []wish
	for i := range c.prompt.Arguments {
		a := &c.prompt.Arguments[i]
		f := &field{key: a.Name, path: path + "#/" + a.Name, required: a.GetRequired(), typ: &typ{kind: stringKind}, doc: wrap(a.Description)}
		c.fields = append(c.fields, f)
		wishes = append(wishes, wish{ofField + f.path, camel(a.Name, "Argument"), &f.name})
	}
	g.names.fulfill(newScope(), wishes)
}

// lowerTemplate determines the variables of a resource template.
func (g *generator) lowerTemplate(c *readCall) {
	text := c.template.URITemplate
	taken := newScope("c", "ctx", "vars", "client", "mcp", "context", "errors", "wire", "string", "f", "none")
	seen := make(map[string]bool)
	for {
		_, rest, found := strings.Cut(text, "{")
		if !found {
			return
		}
		var expression string
		expression, text, _ = strings.Cut(rest, "}")
		optional := strings.ContainsAny(expression[:1], "?&;")
		for spec := range strings.SplitSeq(strings.TrimLeft(expression, "+#./;?&"), ",") {
			spec, list := strings.CutSuffix(spec, "*")
			name, _, _ := strings.Cut(spec, ":")
			if seen[name] {
				continue
			}
			seen[name] = true
			param := goname.Unexported(camel(name, "Value"))
			if token.IsKeyword(param) {
				param += "Value"
			}
			param = taken.free(param, nil)
			taken.taken[param] = true
			c.vars = append(c.vars, &variable{name: name, param: param, list: list, optional: optional})
		}
	}
}
