// Package deployment adds arguments to tools that belong to a deployment rather than to their functions: the cluster or
// the tenant to work with, where a server has several.
//
//	cluster := &deployment.Param{Name: "cluster", Description: "Where to look.", Values: clusters}
//	s, err := pods.NewServer(deployment.Options(nil, cluster))
//	...
//	func List(ctx context.Context) ([]string, error) { return list(cluster.Value(ctx)) }
//
// The argument stands in the definition of each tool, is checked before the tool's own arguments, and is not among these.
package deployment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Param is an argument that a program adds to tools. It does not change once it is in Options.
type Param struct {
	Name        string
	Description string
	Values      []string               // those that are allowed; nil for any text
	Default     string                 // its value if it is left out; without one it is required
	For         func(t *mcp.Tool) bool // which tools have it; nil for all
}

// Options returns a copy of a server's options by which tools have these arguments. Opts may be nil. A server refuses a tool
// that declares an argument of such a name itself.
func Options(opts *server.Options, params ...*Param) *server.Options {
	o := option.Of(opts)
	define := o.Define
	o.Define = func(item any) {
		if define != nil {
			define(item)
		}
		t, ok := item.(*mcp.Tool)
		for _, p := range params {
			if ok && p.of(t) {
				if schema, err := p.add(t.InputSchema); err == nil { // else the wrapper refuses the tool
					t.InputSchema = schema
				}
			}
		}
	}
	wrappers := slices.Clip(o.WrapTools)
	for _, p := range params {
		wrappers = append(wrappers, p.wrap)
	}
	o.WrapTools = wrappers
	return &o
}

// Value returns the value of the argument in the call of a tool that has it, and the default elsewhere.
func (p *Param) Value(ctx context.Context) string {
	if v, ok := ctx.Value(p).(string); ok {
		return v
	}
	return p.Default
}

func (p *Param) of(t *mcp.Tool) bool { return p.For == nil || p.For(t) }

// schema returns the schema of the argument.
func (p *Param) schema() wire.Raw {
	return encode(struct {
		Type        string   `json:"type"`
		Description string   `json:"description,omitempty"`
		Enum        []string `json:"enum,omitempty"`
		Default     string   `json:"default,omitempty"`
	}{"string", p.Description, p.Values, p.Default})
}

// encode returns the JSON of texts.
func encode(v any) wire.Raw {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts have no errors
	}
	return raw
}

// add returns the schema of all arguments with this one. It is an error if that has one of this name, or cannot be read.
func (p *Param) add(schema wire.Raw) (wire.Raw, error) {
	root, err := wire.ExtraOf(wire.Any, schema)
	if err != nil {
		return nil, err
	}
	var properties wire.Extra
	if all, ok := root.Get("properties"); ok {
		properties, err = wire.ExtraOf(wire.Any, all)
	}
	if _, taken := properties.Get(p.Name); taken || err != nil {
		return nil, cmp.Or(err, errTaken)
	}
	properties.Set(p.Name, p.schema())
	all, err := object(properties)
	root.Set("properties", all)
	if p.Default == "" {
		var required []string
		if raw, ok := root.Get("required"); ok {
			err = cmp.Or(err, json.Unmarshal(raw, &required))
		}
		root.Set("required", encode(append(required, p.Name)))
	}
	if err != nil {
		return nil, err
	}
	return object(root)
}

var errTaken = errors.New("the tool has an argument of that name")

// object returns the object with these members.
func object(members wire.Extra) (raw wire.Raw, err error) {
	err = wire.DecodeExtra(members, &raw)
	return raw, err
}

// wrap returns the handler of a tool that takes the argument away, and checks it.
func (p *Param) wrap(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
	if !p.of(t) {
		return next, nil
	}
	if !p.has(t.InputSchema) {
		return nil, fmt.Errorf("deployment: argument %q: %w", p.Name, errTaken)
	}
	return func(ctx context.Context, c *server.Call, raw wire.Raw) (*mcp.CallToolResult, error) {
		value, rest, err := p.take(raw)
		if err != nil {
			return nil, err
		}
		return next(context.WithValue(ctx, p, value), c, rest)
	}, nil
}

// has reports whether the schema of all arguments has this one as Options has added it.
func (p *Param) has(schema wire.Raw) bool {
	var s struct{ Properties map[string]json.RawMessage }
	return json.Unmarshal(schema, &s) == nil && string(s.Properties[p.Name]) == string(p.schema())
}

// take returns the value of the argument, and the others.
func (p *Param) take(raw wire.Raw) (value string, rest wire.Raw, err error) {
	all, err := wire.ExtraOf(wire.Any, raw)
	if err != nil {
		return "", nil, err
	}
	given, ok := all.Get(p.Name)
	if !ok {
		if p.Default == "" {
			return "", nil, p.problem("required")
		}
		return p.Default, raw, nil
	}
	if err := wire.Decode(given, wire.Into(&value, wire.GetString)); err != nil {
		return "", nil, p.problem("want a string")
	}
	if p.Values != nil && !slices.Contains(p.Values, value) {
		return "", nil, p.problem(fmt.Sprintf("want one of %s, got %.60q", strings.Join(p.Values, ", "), value))
	}
	all = slices.DeleteFunc(all, func(m wire.Member[wire.Raw]) bool { return m.Name == p.Name })
	rest, err = object(all)
	return value, rest, err
}

func (p *Param) problem(what string) error {
	return &args.Error{Problems: []string{p.Name + ": " + what}}
}
