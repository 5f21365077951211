package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Definitions holds what a server says about itself, and everything that it offers.
type Definitions struct {
	Revision          string                  `json:"protocolVersion"`
	Info              *mcp.Implementation     `json:"serverInfo,omitempty"`
	Instructions      string                  `json:"instructions,omitempty"`
	Capabilities      *mcp.ServerCapabilities `json:"capabilities"`
	Tools             []*mcp.Tool             `json:"tools,omitempty"`
	Prompts           []*mcp.Prompt           `json:"prompts,omitempty"`
	Resources         []*mcp.Resource         `json:"resources,omitempty"`
	ResourceTemplates []*mcp.ResourceTemplate `json:"resourceTemplates,omitempty"`
}

// Definitions requests all lists.
func (s *Server) Definitions(ctx context.Context) (*Definitions, error) {
	about := s.Server()
	d := &Definitions{
		Revision: s.Revision().String(), Info: about.Info, Instructions: about.Instructions, Capabilities: &about.Capabilities,
	}
	err := collect(&d.Tools, s.Tools(ctx))
	if err == nil {
		err = collectSome(&d.Prompts, s.Prompts(ctx))
	}
	if err == nil {
		err = collectSome(&d.Resources, s.Resources(ctx))
	}
	if err == nil {
		err = collectSome(&d.ResourceTemplates, s.ResourceTemplates(ctx))
	}
	return d, err
}

// collectSome is like collect, for a list that a server may lack although it declares the capability: many servers
// with resources do not support templates.
func collectSome[T any](list *[]T, items iter.Seq2[T, error]) error {
	err := collect(list, items)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound {
		return nil
	}
	return err
}

// collect appends items to a list, up to the first error.
func collect[T any](list *[]T, items iter.Seq2[T, error]) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		*list = append(*list, item)
	}
	return nil
}

// Tool returns a tool by its name.
func (s *Server) Tool(ctx context.Context, name string) (*mcp.Tool, error) {
	var names []string
	for t, err := range s.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	err := s.Unknown("tool", name, names)
	err.Hides = !s.asks
	return nil, err
}

// Unknown returns the error for a name that is not among those that the server offers.
func (s *Server) Unknown(what, name string, known []string) *UnknownError {
	_, given := s.opener.target.Header["Authorization"]
	return &UnknownError{What: what, Name: name, Known: known, Given: given, LoggedIn: s.opener.login != nil && s.opener.login.Issuer() != ""}
}

// An UnknownError says that a server does not offer an item with the given name.
type UnknownError struct {
	What, Name string
	Known      []string
	Hides      bool // it may be offered to clients that can ask their user, and this one cannot

	// It may be offered to those with its scope, which the token of the command line, or of a login, may lack.
	Given, LoggedIn bool
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the server has no %s %q", e.What, e.Name)
}

// Definitions shows all, with a line for each.
func (p *Printer) Definitions(d *Definitions) {
	name, version := "a server without a name", ""
	if d.Info != nil {
		name, version = cmp.Or(d.Info.Title, d.Info.Name), d.Info.Version
	}
	p.paragraph("", strings.Join(strings.Fields(name+" "+version+", revision "+d.Revision), " "))
	if d.Instructions != "" {
		p.heading("Instructions")
		p.paragraph("  ", d.Instructions)
	}
	var tools, prompts, resources [][]string
	for _, t := range d.Tools {
		tools = append(tools, []string{"  " + t.Name, brief(t.Description)})
	}
	for _, prompt := range d.Prompts {
		prompts = append(prompts, []string{"  " + prompt.Name, brief(prompt.Description)})
	}
	for _, r := range d.Resources {
		resources = append(resources, []string{"  " + r.URI, brief(cmp.Or(r.Description, r.Title, r.Name))})
	}
	for _, t := range d.ResourceTemplates {
		resources = append(resources, []string{"  " + t.URITemplate, brief(cmp.Or(t.Description, t.Title, t.Name))})
	}
	for _, part := range []struct {
		title string
		rows  [][]string
	}{{"Tools", tools}, {"Prompts", prompts}, {"Resources", resources}} {
		if len(part.rows) > 0 {
			p.heading(part.title)
			p.table(part.rows)
		}
	}
}

// brief returns the first paragraph of a text, on one line.
func brief(text string) string {
	first, _, _ := strings.Cut(text, "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Tool shows all about a tool.
func (p *Printer) Tool(t *mcp.Tool) error {
	var input, output any
	if err := json.Unmarshal(t.InputSchema, &input); err != nil {
		return fmt.Errorf("the input schema of %s: %w", t.Name, err)
	}
	p.paragraph("", t.Name)
	if title := client.ToolTitle(t); title != t.Name {
		p.paragraph("", title)
	}
	if t.Description != "" {
		p.heading("Description")
		p.paragraph("  ", t.Description)
	}
	p.members("Arguments", input)
	if t.OutputSchema != nil {
		if err := json.Unmarshal(t.OutputSchema, &output); err != nil {
			return fmt.Errorf("the output schema of %s: %w", t.Name, err)
		}
		p.members("Result", output)
	}
	if t.Execution != nil {
		p.heading("Tasks")
		p.paragraph("  ", string(t.Execution.GetTaskSupport()))
	}
	if t.Annotations != nil {
		hints, err := wire.Marshal(wire.Any, t.Annotations)
		if err != nil {
			return err
		}
		p.heading("Hints")
		p.paragraph("  ", string(hints))
	}
	return nil
}

// members shows the members of an object by its schema, and those of objects in it.
func (p *Printer) members(title string, schema any) {
	s := rows{schemaOf: schemaOf{schema}}
	s.add("", schema, 0)
	p.heading(title)
	switch {
	case len(s.all) > maxRows:
		s.all = append(s.all[:maxRows], []string{"  …"})
	case len(s.all) == 0 && title == "Arguments":
		s.all = [][]string{{"  none"}}
	case len(s.all) == 0:
		s.all = [][]string{{"  " + s.describe(schema, 0)}}
	}
	p.table(s.all)
}

// deepestRow is how many levels of nested objects and lists are shown, and maxRows how many members.
const (
	deepestRow = 3
	maxRows    = 1000
)

// rows has a row for each member of an object, named as on the command line, and for those of what is in it: [] is an item
// of a list, and * a member of a map.
type rows struct {
	schemaOf
	all [][]string
}

// add adds rows for what is in a schema: for the items of a list, and for each member, followed by what is in it. Path
// is empty at the root.
func (s *rows) add(path string, schema any, depth int) {
	if depth > deepestRow || len(s.all) > maxRows {
		return
	}
	if items := s.items(schema); items != nil {
		s.add(path+"[]", items, depth+1)
	}
	members := map[string]any{}
	if values, ok := s.object(schema)["additionalProperties"].(map[string]any); ok {
		members["*"] = values
	}
	maps.Copy(members, s.properties(schema))
	list, _ := s.object(schema)["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := members[name]
		needed := "optional"
		if slices.Contains(list, any(name)) {
			needed = "required"
		}
		description, _ := s.object(member)["description"].(string)
		about := brief(description)
		if limits := s.limits(member); limits != "" {
			about = strings.TrimSpace(about + " (" + limits + ")")
		}
		if path != "" {
			name = path + "." + name
		}
		s.all = append(s.all, []string{"  " + name, s.describe(member, 0), needed, about})
		s.add(name, member, depth+1)
	}
}

// Prompt shows all about a prompt.
func (p *Printer) Prompt(prompt *mcp.Prompt) {
	p.paragraph("", prompt.Name)
	if prompt.Description != "" {
		p.heading("Description")
		p.paragraph("  ", prompt.Description)
	}
	p.heading("Arguments")
	rows := [][]string{}
	for _, a := range prompt.Arguments {
		needed := "optional"
		if a.Required != nil && *a.Required {
			needed = "required"
		}
		rows = append(rows, []string{"  " + a.Name, needed, brief(a.Description)})
	}
	if len(rows) == 0 {
		rows = [][]string{{"  none"}}
	}
	p.table(rows)
}
