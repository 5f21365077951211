package contract

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// clientVersion is the version of the format of clients' lock files.
const clientVersion = 1

// clientKind distinguishes the lock file of a client from that of a server.
const clientKind = "client"

// FormatClient returns the lock file of a client: what the server lists, with a line for each property, and the Go
// names that were made from it.
func FormatClient(d *Definitions, goNames map[string]string) ([]byte, error) {
	root, server := &object{}, &object{}
	root.set("version", json.Number(fmt.Sprint(clientVersion)))
	root.set("kind", clientKind)
	setText(server, "name", d.Server.Name)
	setText(server, "title", d.Server.Title)
	setText(server, "version", d.Server.Version)
	if len(server.names) > 0 {
		root.set("server", server)
	}
	tools, prompts, resources := map[string]*object{}, map[string]*object{}, map[string]*object{}
	for i := range d.Tools {
		t := &d.Tools[i]
		o, err := toolObject(t)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		tools[t.Name] = o
	}
	for i := range d.Prompts {
		p, o := &d.Prompts[i], &object{}
		setText(o, "title", p.Title)
		setText(o, "description", p.Description)
		o.set("arguments", argumentsSchema(p))
		prompts[p.Name] = o
	}
	for i := range d.ResourceTemplates {
		t, o := &d.ResourceTemplates[i], &object{}
		o.set("name", t.Name)
		setText(o, "title", t.Title)
		setText(o, "description", t.Description)
		setText(o, "mimeType", t.MIMEType)
		resources[t.URITemplate] = o
	}
	same := func(o *object) *object { return o }
	section(root, "tools", tools, same)
	section(root, "prompts", prompts, same)
	section(root, "resources", resources, same)
	all := &object{}
	for _, path := range names(goNames, nil) {
		all.set(path, goNames[path])
	}
	if len(goNames) > 0 {
		root.set("names", all)
	}
	var b strings.Builder
	print(&b, root, 0, 3, map[*object]bool{})
	b.WriteByte('\n')
	return []byte(b.String()), nil
}

// toolObject returns the entry of a tool in the lock file of a client.
func toolObject(t *mcp.Tool) (*object, error) {
	o := &object{}
	setText(o, "title", t.Title)
	setText(o, "description", t.Description)
	if t.Annotations != nil {
		raw, err := wire.Marshal(wire.Any, t.Annotations)
		if err != nil {
			return nil, err
		}
		hints, err := decode("annotations", raw)
		if err != nil {
			return nil, err
		}
		o.set("annotations", hints)
	}
	setText(o, "taskSupport", string(t.Execution.GetTaskSupport()))
	if o.get("taskSupport") == string(mcp.ToolExecutionTaskSupportForbidden) {
		o.remove("taskSupport")
	}
	for _, s := range []struct {
		name   string
		schema wire.Raw
	}{{"input", t.InputSchema}, {"output", t.OutputSchema}} {
		if s.schema == nil {
			continue
		}
		schema, err := decode(s.name, s.schema)
		if err != nil {
			return nil, err
		}
		o.set(s.name, schema)
	}
	return o, nil
}

// IsClient reports whether a file is the lock file of a client, and not that of a server.
func IsClient(data []byte) bool {
	var head struct{ Kind string }
	return json.Unmarshal(data, &head) == nil && head.Kind == clientKind
}

// ParseClient reads the lock file of a client. Its errors begin with the name of the file.
func ParseClient(file string, data []byte) (d *Definitions, goNames map[string]string, err error) {
	if err := refuseConflict(file, data, "mcpgen client"); err != nil {
		return nil, nil, err
	}
	v, err := decode(file, data)
	if err != nil {
		return nil, nil, err
	}
	p := &parser{file: file}
	root := p.object("", v, "version", "kind", "server", "tools", "prompts", "resources", "names")
	switch version := text(root.get("version")); {
	case p.err != nil:
	case root.get("kind") != clientKind:
		p.fail("kind", "want %q", clientKind)
	case version != fmt.Sprint(clientVersion):
		p.fail("version", "want %d, got %s: use the mcpgen that wrote it, or remove the file", clientVersion, version)
	}
	d, goNames = &Definitions{}, map[string]string{}
	if s := root.get("server"); s != nil {
		o := p.object("server", s, "name", "title", "version")
		d.Server = mcp.Implementation{
			Name: p.optional("server.name", o.get("name")), Title: p.optional("server.title", o.get("title")), Version: p.optional("server.version", o.get("version")),
		}
	}
	p.entries(root, "tools", []string{"title", "description", "annotations", "taskSupport", "input", "output"}, func(path, name string, o *object) {
		d.Tools = append(d.Tools, p.tool(path, name, o))
	})
	p.entries(root, "prompts", []string{"title", "description", "arguments"}, func(path, name string, o *object) {
		arguments := argumentsOf(child(o, "arguments")) // in their order, which the next line does not keep
		p.schema(path+".arguments", o.get("arguments"))
		d.Prompts = append(d.Prompts, mcp.Prompt{
			Name: name, Title: p.optional(path+".title", o.get("title")), Description: p.optional(path+".description", o.get("description")),
			Arguments: arguments,
		})
	})
	p.entries(root, "resources", []string{"name", "title", "description", "mimeType"}, func(path, uri string, o *object) {
		d.ResourceTemplates = append(d.ResourceTemplates, mcp.ResourceTemplate{
			URITemplate: uri, Name: p.str(path+".name", o.get("name")), Title: p.optional(path+".title", o.get("title")),
			Description: p.optional(path+".description", o.get("description")), MIMEType: p.optional(path+".mimeType", o.get("mimeType")),
		})
	})
	if all := root.get("names"); all != nil {
		o := p.object("names", all)
		for _, path := range members(o) {
			goNames[path] = p.str("names."+path, o.values[path])
		}
	}
	return d, goNames, p.err
}

// tool reads a tool of a client's lock file. Its schemas come from a server, and may be anything.
func (p *parser) tool(path, name string, o *object) mcp.Tool {
	t := mcp.Tool{Name: name, Title: p.optional(path+".title", o.get("title")), Description: p.optional(path+".description", o.get("description"))}
	if a := o.get("annotations"); a != nil {
		t.Annotations = &mcp.ToolAnnotations{}
		if err := wire.Decode([]byte(text(a)), t.Annotations); err != nil {
			p.fail(path+".annotations", "%v", err)
		}
	}
	if task := p.optional(path+".taskSupport", o.get("taskSupport")); task != "" {
		t.Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupport(task)}
	}
	if o.get("input") == nil {
		p.fail(path+".input", "missing")
	}
	t.InputSchema = wire.Raw(text(o.get("input")))
	if o.get("output") != nil {
		t.OutputSchema = wire.Raw(text(o.get("output")))
	}
	return t
}
