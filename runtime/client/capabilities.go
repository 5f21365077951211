package client

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// capabilities returns what the client declares in a revision: the capabilities that it has handlers for, and
// [Options.Capabilities].
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic and, for extensions, SEP-2133.
func (o *Options) capabilities(rev wire.Revision) mcp.ClientCapabilities {
	c := o.Capabilities
	modern := rev.Since(mcp.V2026_07_28)
	// REQ CAP-07, ROOT-01
	if o.Roots != nil && c.Roots == nil {
		c.Roots = new(mcp.ClientCapabilitiesRoots)
		if !modern {
			c.Roots.ListChanged = new(true)
		}
	}
	// REQ CAP-07, SAMP-01
	if o.Sample != nil && c.Sampling == nil {
		c.Sampling = new(mcp.ClientCapabilitiesSampling)
	}
	visits := o.ElicitURL != nil && mcp.HasElicitRequestParams(rev, (*mcp.ElicitRequestURLParams)(nil))
	// REQ CAP-07, ELIC-01
	if c.Elicitation == nil && (o.Elicit != nil || visits) {
		c.Elicitation = new(mcp.ClientCapabilitiesElicitation)
		if o.Elicit != nil {
			c.Elicitation.Form = mcp.JSONObject{}
		}
		if o.ElicitURL != nil {
			c.Elicitation.URL = mcp.JSONObject{}
		}
	}
	tasks := o.Tasks && modern
	// REQ EXT-01
	if len(o.Extensions) > 0 || tasks {
		c.Extensions = maps.Clone(c.Extensions)
		if c.Extensions == nil {
			c.Extensions = map[string]wire.Raw{}
		}
		// REQ XTASK-01
		if tasks {
			c.Extensions[extension.Extension] = wire.Raw("{}")
		}
		for _, x := range o.Extensions {
			c.Extensions[x.ID] = x.settings()
		}
	}
	return c
}

// An Extension is an extension of the protocol that the client takes part in. It is declared in
// initialize, and since 2026-07-28 in every request.
type Extension struct {
	// ID is the extension's name with its prefix: "io.modelcontextprotocol/tasks".
	ID string
	// Settings is a JSON object. Absent means that there are none.
	Settings wire.Raw
	// ResultTypes are the types of results that the extension adds, by method, such as
	// {"tools/call": {"task"}}. Results of unknown types are errors.
	ResultTypes map[string][]string
}

func (x *Extension) settings() wire.Raw {
	if x.Settings == nil {
		return wire.Raw("{}")
	}
	return x.Settings
}

// declared is what a server declares, decoded from JSON, so that new capabilities need no code here.
type declared map[string]any

func declaredBy(c *mcp.ServerCapabilities) (declared, error) {
	text, err := wire.Marshal(wire.Any, c)
	if err != nil {
		return nil, err
	}
	var d declared
	return d, json.Unmarshal(text, &d)
}

// has reports whether a capability, a path such as "tools.listChanged", is declared: it is an
// object or true.
func (d declared) has(path string) bool {
	var value any = map[string]any(d)
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	_, object := value.(map[string]any)
	return object || value == true
}
