package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Definitions holds what a server lists.
type Definitions struct {
	Server            mcp.Implementation
	Tools             []mcp.Tool
	Prompts           []mcp.Prompt
	ResourceTemplates []mcp.ResourceTemplate
}

// CompareClient returns the changes from what a client knows about a server to what the server lists now. A change
// breaks if code that uses the client may have to change; its cure is for the authors of that code.
func CompareClient(old, new *Definitions) ([]Change, error) {
	all, err := compareClient(old, new)
	return slices.DeleteFunc(all, func(c Change) bool { return c.wording }), err
}

// ClientDescriptions returns which descriptions differ between what a client knows of a server and what the server lists
// now.
func ClientDescriptions(old, new *Definitions) ([]Change, error) {
	all, err := compareClient(old, new)
	return slices.DeleteFunc(all, func(c Change) bool { return !c.wording }), err
}

func compareClient(old, new *Definitions) ([]Change, error) {
	was, err := old.contract()
	if err != nil {
		return nil, err
	}
	is, err := new.contract()
	if err != nil {
		return nil, err
	}
	return compare(&changes{client: true}, was, is), nil
}

// contract returns what callers depend on. A name that is listed twice is an error, since callers could mean either.
func (d *Definitions) contract() (*Contract, error) {
	c := New()
	for i := range d.Tools {
		t := &d.Tools[i]
		if c.Tools[t.Name] != nil {
			return nil, fmt.Errorf("the tool %q is listed twice", t.Name)
		}
		tool, err := toolOf(t)
		if err != nil {
			return nil, err
		}
		c.Tools[t.Name] = tool
	}
	for i := range d.Prompts {
		p := &d.Prompts[i]
		if c.Prompts[p.Name] != nil {
			return nil, fmt.Errorf("the prompt %q is listed twice", p.Name)
		}
		arguments, err := comparableSchema(fmt.Sprintf("prompt %q: arguments", p.Name), []byte(text(argumentsSchema(p))))
		if err != nil {
			return nil, err
		}
		c.Prompts[p.Name] = &Prompt{Description: digest(p.Description), Result: MessagesResult, arguments: arguments}
	}
	for i := range d.ResourceTemplates {
		t := &d.ResourceTemplates[i]
		if c.Resources[t.URITemplate] != nil {
			return nil, fmt.Errorf("the resource template %q is listed twice", t.URITemplate)
		}
		c.Resources[t.URITemplate] = &Resource{Name: t.Name, Description: digest(t.Description), MIMEType: t.MIMEType, Result: WholeResult}
	}
	return c, nil
}

// toolOf returns the contract of a tool that a server lists. A hint is a promise if it says the better of two things: what a
// tool leaves open, its callers cannot depend on. A list does not say of what kind results are, so they are content.
func toolOf(t *mcp.Tool) (tool *Tool, err error) {
	tool = &Tool{Description: digest(t.Description), Result: ContentResult}
	if a := t.Annotations; a != nil {
		for i, given := range []bool{is(a.ReadOnlyHint, true), is(a.DestructiveHint, false), is(a.IdempotentHint, true), is(a.OpenWorldHint, false)} {
			if given {
				tool.Promises = append(tool.Promises, Promises[i])
			}
		}
	}
	switch t.Execution.GetTaskSupport() {
	case mcp.ToolExecutionTaskSupportRequired:
		tool.Demands = append(tool.Demands, "task")
		fallthrough
	case mcp.ToolExecutionTaskSupportOptional:
		tool.Promises = append(tool.Promises, "tasks")
	}
	if tool.input, err = comparableSchema(fmt.Sprintf("tool %q: inputSchema", t.Name), t.InputSchema); err != nil {
		return nil, err
	}
	declaredAlone(tool.input, true)
	if t.OutputSchema != nil {
		tool.output, err = comparableSchema(fmt.Sprintf("tool %q: outputSchema", t.Name), t.OutputSchema)
	}
	return tool, err
}

// declaredAlone closes the objects of arguments that do not say whether they may have other members than those that
// they declare: a client sends no others, and a server does nothing with them. What has no members declared is a map,
// unless it is the root; what combines schemas stays as it is, since they may declare one member each.
func declaredAlone(s any, root bool) {
	o, ok := s.(*object)
	if !ok || o == nothing {
		return
	}
	properties := child(o, "properties")
	combined := slices.ContainsFunc(o.names, func(k string) bool {
		return slices.Contains([]string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties", "propertyNames"}, k)
	})
	if _, says := o.values["additionalProperties"]; !says && !combined && (root || properties != nil && len(properties.names) > 0) {
		o.set("additionalProperties", false)
	}
	for _, k := range []string{"properties", "$defs", "definitions"} {
		for _, name := range members(child(o, k)) {
			declaredAlone(child(o, k).values[name], false)
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		declaredAlone(o.values[k], false)
	}
	for _, k := range []string{"anyOf", "oneOf", "prefixItems"} {
		list, _ := o.get(k).([]any)
		if properties != nil && k != "prefixItems" || o.get("allOf") != nil {
			continue
		}
		for _, arm := range list {
			declaredAlone(arm, false)
		}
	}
}

func is(hint *bool, value bool) bool { return hint != nil && *hint == value }

// argumentsSchema returns the schema of a prompt's arguments.
func argumentsSchema(p *mcp.Prompt) *object {
	schema, properties := &object{}, &object{}
	schema.set("type", "object")
	var required []any
	for _, a := range p.Arguments {
		property := &object{}
		property.set("type", "string")
		setText(property, "title", a.Title)
		setText(property, "description", a.Description)
		properties.set(a.Name, property)
		if is(a.Required, true) {
			required = append(required, a.Name)
		}
	}
	if len(properties.names) > 0 {
		schema.set("properties", properties)
	}
	if len(required) > 0 {
		schema.set("required", required)
	}
	schema.set("additionalProperties", false)
	return schema
}

// argumentsOf returns the arguments of a prompt by their schema.
func argumentsOf(schema *object) (all []mcp.PromptArgument) {
	properties, required := child(schema, "properties"), required(schema)
	for _, name := range members(properties) {
		a := mcp.PromptArgument{Name: name}
		a.Title, _ = child(properties, name).get("title").(string)
		a.Description, _ = child(properties, name).get("description").(string)
		if required.has(name) {
			yes := true
			a.Required = &yes
		}
		all = append(all, a)
	}
	return all
}

// ignored lists the keywords that say nothing about values.
var ignored = append([]string{"$schema", "deprecated", "readOnly", "writeOnly", "example"}, wording...)

// comparableSchema parses a schema of any server so that it can be compared. A known keyword with an invalid value gets
// another name.
func comparableSchema(where string, schema []byte) (*object, error) {
	v, err := decode(where, schema)
	if err != nil {
		return nil, err
	}
	switch s := v.(type) {
	case bool:
		if !s {
			return nothing, nil
		}
		v = &object{}
	case *object:
	default:
		return nil, fmt.Errorf("%s: want a schema, got %s", where, shortened(text(v)))
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok {
			tidy(o)
		}
	})
	return v.(*object), nil
}

// tidy converts the schema of a server to the form in which schemas are compared.
func tidy(o *object) {
	description, _ := o.get("description").(string)
	var gone []string
	for _, k := range slices.Clone(o.names) {
		v := o.values[k]
		switch suits := keywords[k]; {
		case slices.Contains(ignored, k), strings.HasPrefix(k, "x-") && k != "x-mcp-header", k == "nullable" && v == false:
			gone = append(gone, k)
		case suits != nil && !suits(v):
			gone = append(gone, k)
			o.set(k+" (malformed)", v)
		}
	}
	o.remove(gone...)
	if description != "" {
		o.set(worded, digest(description))
	}
	list, _ := o.get("type").([]any)
	if name, ok := o.get("type").(string); ok && o.get("nullable") == true { // OpenAPI's
		list = []any{name, "null"}
		o.remove("nullable")
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !isString(v) }) {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		o.set("type", list)
	}
	if len(list) == 1 {
		o.set("type", list[0])
	}
	sortSchema(o)
}

// Definitions returns what a server with this contract lists, without descriptions, which a contract does not have,
// without keywords beyond JSON Schema, and without variants, which are offered with features alone.
func (c *Contract) Definitions() *Definitions {
	d := &Definitions{}
	for _, name := range names(c.Tools, nil) {
		if strings.Contains(name, VariantMark) {
			continue
		}
		t := c.Tools[name]
		tool := mcp.Tool{Name: name, InputSchema: published(t.input), Annotations: t.annotations()}
		if t.output != nil {
			tool.OutputSchema = published(t.output)
		}
		switch {
		case slices.Contains(t.Demands, "task"):
			tool.Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}
		case slices.Contains(t.Promises, "tasks"):
			tool.Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
		}
		d.Tools = append(d.Tools, tool)
	}
	for _, name := range names(c.Prompts, nil) {
		d.Prompts = append(d.Prompts, mcp.Prompt{Name: name, Arguments: argumentsOf(c.Prompts[name].arguments)})
	}
	for _, uri := range names(c.Resources, nil) {
		if r := c.Resources[uri]; r.variables != nil {
			d.ResourceTemplates = append(d.ResourceTemplates, mcp.ResourceTemplate{Name: r.Name, URITemplate: uri, MIMEType: r.MIMEType})
		}
	}
	return d
}

// annotations returns what a tool says about its effects.
func (t *Tool) annotations() *mcp.ToolAnnotations {
	a, some := &mcp.ToolAnnotations{}, false
	for i, hint := range []**bool{&a.ReadOnlyHint, &a.DestructiveHint, &a.IdempotentHint, &a.OpenWorldHint} {
		if slices.Contains(t.Promises, Promises[i]) {
			value := i == 0 || i == 2 // readonly and idempotent are what the hint says, the others the contrary
			*hint, some = &value, true
		}
	}
	if !some {
		return nil
	}
	return a
}

// published returns a schema without the keywords that only contracts have.
func published(schema *object) wire.Raw {
	v, err := decode("schema", []byte(text(schema)))
	if err != nil {
		panic(err) // it was a schema
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok {
			o.remove(slices.DeleteFunc(slices.Clone(o.names), func(k string) bool {
				return !strings.HasPrefix(k, "x-") || k == "x-mcp-header"
			})...)
		}
	})
	return wire.Raw(text(v))
}
