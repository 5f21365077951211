package toolsearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// A plan is a list of calls, in whose arguments results of earlier ones are bound to places.
type plan struct {
	Steps  []*step
	Return []string // the steps whose results are returned; none means the last
}

// A step is a call of a tool, or one for each item of an array.
type step struct {
	ID      string
	Tool    string
	Args    any
	ForEach *binding // to an array
	Where   *where
	Limit   int

	accepts *schema.Schema     // the output schema; nil if the tool has none
	result  *jsonschema.Schema // by which later steps know the result; nil if the tool has none
}

// A binding takes a value from the result of an earlier step, or from the item of forEach.
type binding struct {
	From    string `json:"$from"`
	Pointer string
}

// A where keeps the items of forEach that have a certain value at a pointer.
type where struct {
	Pointer string
	Equals  any
}

// item is the name by which a binding takes from the item of forEach.
const item = "item"

// bindingOf returns the binding that a value in arguments is, nil if it is none. What has the member $from can be nothing else.
func bindingOf(m map[string]any) (*binding, error) {
	if _, ok := m["$from"]; !ok {
		return nil, nil
	}
	from, ok := m["$from"].(string)
	pointer, ok2 := m["pointer"].(string)
	if len(m) != 2 || !ok || !ok2 || pointer != "" && pointer[0] != '/' {
		return nil, errors.New(`want {"$from": "STEP", "pointer": "/a/b"}`)
	}
	return &binding{from, pointer}, nil
}

// A checker checks a plan against the schemas of its tools, as the caller of a call sees them.
type checker struct {
	prover
	call  *server.Call
	steps map[string]*step // those before the one that is checked
}

// check checks a plan, and completes it. After that no call can have arguments that its input schema does not allow, if the
// tools before it return what their output schemas say, which is checked. The error names the place.
func (p *plan) check(ctx context.Context, c *server.Call) error {
	k := &checker{call: c, steps: map[string]*step{}}
	for i, s := range p.Steps {
		at := fmt.Sprintf("steps[%d]", i)
		if s.ID == item || k.steps[s.ID] != nil {
			return fmt.Errorf("%s.id: want one that no other step has, and not %q, got %q", at, item, excerpt.Of(s.ID))
		}
		if err := k.step(ctx, at, s); err != nil {
			return err
		}
		k.steps[s.ID] = s
	}
	for i, id := range p.Return {
		if k.steps[id] == nil {
			return fmt.Errorf("return[%d]: there is no step %q", i, excerpt.Of(id))
		}
	}
	if len(p.Return) == 0 {
		p.Return = []string{p.Steps[len(p.Steps)-1].ID}
	}
	return nil
}

// step checks a step: its tool exists, what it repeats is an array, and whatever its arguments can be, the tool's input schema
// allows them. It sets the schemas by which later steps know the result. At is the place of the step in the plan, for errors.
func (k *checker) step(ctx context.Context, at string, s *step) error {
	t, err := k.tool(ctx, s.Tool)
	if err != nil {
		return fmt.Errorf("%s.tool: %w", at, err)
	}
	input, err := schema.CompileStrict(t.InputSchema)
	if out := outputOf(k.call, t); err == nil && len(out) > 0 {
		if s.accepts, err = schema.CompileStrict(out); err == nil {
			s.result = s.accepts.Compiled()
		}
	}
	if err != nil {
		return fmt.Errorf("%s.tool: a schema of %s cannot be used: %w", at, s.Tool, err)
	}
	each, err := k.forEach(at, s)
	if err != nil {
		return err
	}
	if s.Args == nil {
		s.Args = map[string]any{}
	}
	args, _, err := k.schemaOf(at+".args", s.Args, each)
	if err != nil {
		return err
	}
	if each != nil && s.result != nil { // the step has a result for each item
		s.result = &jsonschema.Schema{Types: only("array"), Items2020: s.result}
	}
	return k.fits(at+".args", args, input.Compiled())
}

// tool returns the tool of a step, if it can be called in a plan.
func (k *checker) tool(ctx context.Context, name string) (*mcp.Tool, error) {
	if name == searchTool || name == planTool {
		return nil, fmt.Errorf("%s is called by itself, not in a plan", name)
	}
	i := k.call.Tool(ctx, name)
	if i == nil {
		return nil, fmt.Errorf("there is no tool %q; find one with %s", excerpt.Of(name), searchTool)
	}
	t := i.Definition.(*mcp.Tool)
	if !apps.ForModels(t) {
		return nil, fmt.Errorf("%s is for pages alone", name)
	}
	_, tasked := k.call.Extension(tasks.Extension)
	if s := t.Execution.GetTaskSupport(); s == mcp.ToolExecutionTaskSupportRequired || tasked && s != mcp.ToolExecutionTaskSupportForbidden {
		return nil, fmt.Errorf("%s runs as a task, whose result comes later; call it by itself", name)
	}
	return t, nil
}

// forEach checks what a step repeats, and returns the schema of the items; nil if it repeats nothing.
func (k *checker) forEach(at string, s *step) (*jsonschema.Schema, error) {
	if s.ForEach == nil && (s.Where != nil || s.Limit != 0) {
		return nil, fmt.Errorf("%s: where and limit are about the items of forEach, which is missing", at)
	}
	if s.ForEach == nil {
		return nil, nil
	}
	list, err := k.bound(s.ForEach, nil)
	if err == nil && (!slices.Equal(typesOf(list), []string{"array"}) || list.PrefixItems != nil) {
		err = fmt.Errorf("want an array of items with one schema, got %s", or(typesOf(list)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s.forEach: %w", at, err)
	}
	each := items(list)
	if s.Where == nil {
		return each, nil
	}
	of, err := member(each, s.Where.Pointer)
	if err != nil {
		return nil, fmt.Errorf("%s.where: %w", at, err)
	}
	return each, check(at+".where.equals", of, s.Where.Equals) // which no item would have
}

// bound returns the schema of what a binding takes.
func (k *checker) bound(b *binding, each *jsonschema.Schema) (*jsonschema.Schema, error) {
	from := k.steps[b.From]
	switch {
	case b.From == item && each != nil:
		return member(each, b.Pointer)
	case b.From == item:
		return nil, fmt.Errorf("%q is there only in args of a step with forEach", item)
	case from == nil:
		return nil, fmt.Errorf("there is no step %q before this one", excerpt.Of(b.From))
	case from.result == nil:
		return nil, fmt.Errorf("nothing is known of the result of %q: %s has no output schema", b.From, from.Tool)
	}
	return member(from.result, b.Pointer)
}

// schemaOf returns a schema that describes arguments, and whether there is a binding in them. Without one it has them as they are.
func (k *checker) schemaOf(at string, args any, each *jsonschema.Schema) (s *jsonschema.Schema, binds bool, err error) {
	add := func(name string, arg any) *jsonschema.Schema {
		child, bound, e := k.schemaOf(schema.Place(at, name), arg, each)
		binds, err = binds || bound, cmp.Or(err, e)
		return child
	}
	switch v := args.(type) {
	case map[string]any:
		if b, e := bindingOf(v); b != nil || e != nil {
			if e == nil {
				s, e = k.bound(b, each)
			}
			return s, true, placed(at, e)
		}
		s = &jsonschema.Schema{Types: only("object"), Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: false}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.Properties[name], s.Required = add(name, v[name]), append(s.Required, name)
		}
	case []any:
		s = &jsonschema.Schema{Types: only("array"), Items2020: nothing, MinItems: new(len(v)), MaxItems: new(len(v))}
		for i, arg := range v {
			s.PrefixItems = append(s.PrefixItems, add(strconv.Itoa(i), arg))
		}
	}
	if !binds {
		s = &jsonschema.Schema{Const: &args}
	}
	return s, binds, err
}
