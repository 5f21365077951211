// Package apps is for tools whose calls a host shows as a page: MCP Apps, the extension io.modelcontextprotocol/ui. A server
// offers the page as a resource, and the definition of the tool refers to it:
//
//	apps.Add(s, apps.Page{URI: "ui://weather/chart", Name: "chart", HTML: chart})
//	s.AddTool(mcp.Tool{Name: "forecast", Meta: apps.Meta("ui://weather/chart")}, forecast)
//
// The host shows the page in a frame, with the arguments and the result of the call, and the page may call tools of the same
// server through it. Clients without the extension call the tool as any other, so its content should say in text what the
// page shows. The directive //mcp:app does all this for annotated functions.
//
// See https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx, SEP-1865.
package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps/csp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MIMEType is the media type of pages.
const MIMEType = "text/html;profile=mcp-app"

// The keys of metadata.
const (
	metaUI  = "ui"
	metaURI = "ui/resourceUri" // deprecated; some hosts know only this one
)

// A Page is an HTML document that hosts show.
type Page struct {
	URI         string // it begins with ui://
	Name        string
	Title       string
	Description string
	HTML        string          // the whole document
	Meta        ui.ResourceMeta // what it needs from elsewhere, and of the browser; nothing by default
}

// Add offers a page, or replaces the one with that URI that it has added before. The error says what hosts would refuse.
//
// REQ APP-01, APP-02, APP-03
func Add(s *server.Server, p Page) error {
	if err := check(&p); err != nil {
		return fmt.Errorf("apps: the page %q: %w", p.URI, err)
	}
	def := &mcp.Resource{URI: p.URI, Name: p.Name, Title: p.Title, Description: p.Description, MIMEType: MIMEType}
	meta, err := wire.Marshal(wire.Any, &p.Meta)
	if err != nil {
		return fmt.Errorf("apps: the page %q: %w", p.URI, err)
	}
	if string(meta) != "{}" {
		def.Meta = mcp.MetaObject{metaUI: meta}
	}
	result := &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
		&mcp.TextResourceContents{URI: p.URI, MIMEType: MIMEType, Text: p.HTML, Meta: def.Meta},
	}}
	read := func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) { return result, nil }
	return s.SetItems(source(p.URI), server.Item{Definition: def, Handler: server.ResourceHandler(read)})
}

// A source tells the items of one page from those of others.
type source string

func check(p *Page) error {
	u, err := url.Parse(p.URI)
	switch {
	case err != nil || u.Scheme != "ui" || u.Host == "":
		return errors.New("want a URI that begins with ui://, such as ui://weather/chart")
	case p.Name == "":
		return errors.New("want a name")
	case !strings.Contains(strings.ToLower(p.HTML[:min(len(p.HTML), 1000)]), doctype):
		return errors.New("want an HTML document, which begins with <!doctype html>")
	}
	_, left := csp.Header(p.Meta.Csp)
	return errors.Join(left...)
}

const doctype = "<!doctype html"

// Meta returns the metadata of a tool's definition, which says by which page hosts show calls of the tool, and who may call it:
// by default the model, and pages of the server. The URI is empty for a tool that has no page and is called by pages.
//
// REQ APP-04, APP-05
func Meta(uri string, visibility ...ui.ToolVisibility) mcp.MetaObject {
	m := mcp.MetaObject{metaUI: raw(struct {
		URI        string              `json:"resourceUri,omitempty"`
		Visibility []ui.ToolVisibility `json:"visibility,omitempty"`
	}{uri, visibility})}
	if uri != "" {
		m[metaURI] = raw(uri)
	}
	return m
}

// raw returns the JSON of texts.
func raw(v any) wire.Raw {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts have no errors
	}
	return text
}

// ForApps returns a filter of tools that only pages call, such as those of their buttons. Clients that show no pages do not see
// them in lists, since their models would. They can be called by anybody: there are hosts that show pages and do not declare it.
// It concerns the tools whose [Meta] says so.
//
// REQ APP-06
func ForApps() server.Filter {
	return server.Filter{
		Concerns: func(i *server.Item) bool {
			t, ok := i.Definition.(*mcp.Tool)
			return ok && !ForModels(t)
		},
		Admit: func(_ context.Context, c *server.Call, _ *server.Item) (bool, error) {
			return c.Method() != mcp.MethodListTools.Name || Shown(c), nil
		},
	}
}

// ForModels reports whether models may call a tool.
//
// REQ APP-05
func ForModels(t *mcp.Tool) bool {
	var m ui.ToolMeta
	if wire.Decode(t.Meta[metaUI], &m) != nil || m.Visibility == nil {
		return true
	}
	return slices.Contains(m.Visibility, ui.ToolVisibilityModel)
}

// Shown reports whether the client of a call shows pages, so that a tool may leave to the page what the page shows.
//
// REQ APP-07
func Shown(c *server.Call) bool {
	settings, _ := c.Extension(ui.Extension) // no settings are no JSON
	var declared ui.ClientCapabilities
	return wire.Decode(settings, &declared) == nil && slices.Contains(declared.MIMETypes, MIMEType)
}
