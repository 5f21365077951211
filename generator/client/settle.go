package client

import (
	"cmp"
	"fmt"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/mcp"
)

// LeftOut describes a part of a contract that no client can have: a tool, a prompt, an argument of a prompt or a resource
// template.
type LeftOut struct {
	Kind    string // "tool", "prompt" or "resource template"
	Name    string
	Pointer string // the JSON pointer of the part, within the lists: "/tools/4"
	Msg     string
}

func (l *LeftOut) Error() string {
	return fmt.Sprintf("%s %q: %q: %s", l.Kind, l.Name, "#"+l.Pointer, l.Msg)
}

// Settle returns a contract without the parts that no client can have: those that are listed again, of which the first
// counts, and resource templates with an invalid URI template.
func (c *Contract) Settle() (*Contract, []*LeftOut) {
	var left []*LeftOut
	settled := &Contract{Server: c.Server}
	// is reports whether a client can have a part; first has the pointers of the parts seen so far.
	is := func(kind, name, what, key, pointer string, first map[string]string, err error) bool {
		msg := ""
		if at, again := first[key]; again {
			msg = fmt.Sprintf("%s is listed again, first at %q", what, "#"+at)
		} else if err != nil {
			msg = fmt.Sprintf("%q is no URI template: %v", key, err)
		}
		if msg != "" {
			left = append(left, &LeftOut{kind, name, pointer, msg})
			return false
		}
		first[key] = pointer
		return true
	}
	first := map[string]string{}
	for i, t := range c.Tools {
		if is("tool", t.Name, "it", t.Name, fmt.Sprintf("/tools/%d", i), first, nil) {
			settled.Tools = append(settled.Tools, t)
		}
	}
	first = map[string]string{}
	for i, p := range c.Prompts {
		pointer := fmt.Sprintf("/prompts/%d", i)
		if !is("prompt", p.Name, "it", p.Name, pointer, first, nil) {
			continue
		}
		var arguments []mcp.PromptArgument
		inner := map[string]string{}
		for j, a := range p.Arguments {
			if is("prompt", p.Name, fmt.Sprintf("the argument %q", a.Name), a.Name, fmt.Sprintf("%s/arguments/%d", pointer, j), inner, nil) {
				arguments = append(arguments, a)
			}
		}
		if len(arguments) < len(p.Arguments) {
			p.Arguments = arguments
		}
		settled.Prompts = append(settled.Prompts, p)
	}
	first = map[string]string{}
	for i, t := range c.ResourceTemplates {
		_, err := uritemplate.New(t.URITemplate)
		if is("resource template", t.Name, "it", t.URITemplate, fmt.Sprintf("/resourceTemplates/%d", i), first, err) {
			settled.ResourceTemplates = append(settled.ResourceTemplates, t)
		}
	}
	return settled, left
}

// Contents counts what a server offers to a client: "2 tools, 1 prompt", for example.
func (c *Contract) Contents() string {
	return cmp.Or(contract.Count(contract.Number{N: len(c.Tools), Noun: "tool"}, contract.Number{N: len(c.Prompts), Noun: "prompt"},
		contract.Number{N: len(c.ResourceTemplates), Noun: "resource template"}), "nothing to call")
}

// IsOther reports whether other is evidently the contract of another server: both offer something, but have nothing
// in common.
func (c *Contract) IsOther(other *Contract) bool {
	if len(c.Tools)+len(c.Prompts)+len(c.ResourceTemplates) == 0 || len(other.Tools)+len(other.Prompts)+len(other.ResourceTemplates) == 0 {
		return false
	}
	mine := map[string]bool{}
	for _, path := range c.paths() {
		mine[path] = true
	}
	for _, path := range other.paths() {
		if mine[path] {
			return false
		}
	}
	return true
}

// paths returns the names of everything that a server offers, by kind.
func (c *Contract) paths() (all []string) {
	for i := range c.Tools {
		all = append(all, "tools/"+c.Tools[i].Name)
	}
	for i := range c.Prompts {
		all = append(all, "prompts/"+c.Prompts[i].Name)
	}
	for i := range c.ResourceTemplates {
		all = append(all, "resources/"+c.ResourceTemplates[i].URITemplate)
	}
	return all
}
