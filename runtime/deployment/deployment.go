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
	"context"
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
func (p *Param) schema() (wire.Raw, error) {
	return wire.MarshalFunc(wire.Any, p, func(p *Param, e *wire.Encoder) {
		if !e.BeginObject() {
			return
		}
		e.Key("type")
		e.String("string")
		if p.Description != "" {
			e.Key("description")
			e.String(p.Description)
		}
		if p.Values != nil {
			e.Key("enum")
			wire.PutSlice(e, p.Values, wire.PutString[string])
		}
		if p.Default != "" {
			e.Key("default")
			e.String(p.Default)
		}
		e.EndObject()
	})
}

var errTaken = errors.New("the tool has an argument of that name")

// add returns the schema of all arguments with this one.
func (p *Param) add(schema wire.Raw) (wire.Raw, error) {
	root, err := wire.ExtraOf(wire.Any, schema)
	if err != nil {
		return nil, err
	}
	properties := wire.Extra{}
	if all, ok := root.Get("properties"); ok {
		if properties, err = wire.ExtraOf(wire.Any, all); err != nil {
			return nil, err
		}
	}
	if _, taken := properties.Get(p.Name); taken {
		return nil, errTaken
	}
	own, err := p.schema()
	if err != nil {
		return nil, err
	}
	properties.Set(p.Name, own)
	all, err := object(properties)
	if err != nil {
		return nil, err
	}
	root.Set("properties", all)
	if p.Default == "" {
		var required []string
		if raw, ok := root.Get("required"); ok {
			if err := wire.Decode(raw, wire.Into(&required, func(v *[]string, d *wire.Decoder) { *v = wire.Slice(d, wire.GetString[string]) })); err != nil {
				return nil, err
			}
		}
		required = append(required, p.Name)
		list, err := wire.MarshalFunc(wire.Any, &required, func(v *[]string, e *wire.Encoder) { wire.PutSlice(e, *v, wire.PutString[string]) })
		if err != nil {
			return nil, err
		}
		root.Set("required", list)
	}
	return object(root)
}

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
	if err := p.has(t.InputSchema); err != nil {
		return nil, fmt.Errorf("deployment: argument %q: %w", p.Name, err)
	}
	return func(ctx context.Context, c *server.Call, raw wire.Raw) (*mcp.CallToolResult, error) {
		value, rest, err := p.take(raw)
		if err != nil {
			return nil, err
		}
		return next(context.WithValue(ctx, p, value), c, rest)
	}, nil
}

// has returns why the schema of all arguments does not have this one as Options has added it.
func (p *Param) has(schema wire.Raw) error {
	root, err := wire.ExtraOf(wire.Any, schema)
	if err != nil {
		return err
	}
	all, _ := root.Get("properties")
	properties, err := wire.ExtraOf(wire.Any, all)
	if err != nil {
		return err
	}
	own, err := p.schema()
	if got, _ := properties.Get(p.Name); err == nil && string(got) != string(own) {
		return errTaken
	}
	return err
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
	if given.Kind() != wire.KindString {
		return "", nil, p.problem("want a string")
	}
	d := wire.NewDecoder(given)
	value = d.String()
	if p.Values != nil && !slices.Contains(p.Values, value) {
		return "", nil, p.problem(fmt.Sprintf("want one of %s, got %.60q", strings.Join(p.Values, ", "), value))
	}
	var others wire.Extra
	for _, m := range all {
		if m.Name != p.Name {
			others = append(others, m)
		}
	}
	rest, err = object(others)
	return value, rest, err
}

func (p *Param) problem(what string) error {
	return &args.Error{Problems: []string{p.Name + ": " + what}}
}
