package apps_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const chart = "<!doctype html><title>Chart</title>"

// newServer returns a server with a page, a tool that has it, and tools for pages and models alone.
func newServer(t testing.TB) *server.Server {
	s := server.New(mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	err := apps.Add(s, apps.Page{
		URI: "ui://weather/chart", Name: "chart", Title: "Chart", Description: "The weather to come.", HTML: chart,
		Meta: ui.ResourceMeta{
			Csp: &ui.ResourceCsp{ConnectDomains: []string{"https://api.example.com"}}, PrefersBorder: new(true),
			Permissions: &ui.ResourcePermissions{Camera: new(ui.ResourcePermissionsCamera)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, meta := range map[string]mcp.MetaObject{
		"forecast": apps.Meta("ui://weather/chart"),
		"refresh":  apps.Meta("", ui.ToolVisibilityApp),
		"think":    apps.Meta("ui://weather/chart", ui.ToolVisibilityModel),
		"plain":    nil,
	} {
		err := s.Add(server.Item{
			Definition: &mcp.Tool{Name: name, Meta: meta, InputSchema: wire.Raw(`{"type":"object"}`)},
			Handler: func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				return server.TextResult(fmt.Sprint(apps.Shown(c))), nil
			},
			Filters: []server.Filter{apps.ForApps()},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// host are the capabilities of a client that shows pages of these media types.
func host(types string) client.Options {
	return client.Options{Extensions: []client.Extension{{ID: ui.Extension, Settings: wire.Raw(`{"mimeTypes":` + types + `}`)}}}
}

// Hosts of every revision see all tools and the page; other clients do not see the tools that are for pages alone.
//
// REQ APP-01, APP-02, APP-03, APP-04, APP-05, APP-06, APP-07
func TestNegotiated(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		for name, c := range map[string]struct {
			opts  client.Options
			shows bool
		}{
			"host":         {host(`["text/html;profile=mcp-app"]`), true},
			"one of many":  {host(`["text/plain","text/html;profile=mcp-app"]`), true},
			"other types":  {host(`["text/html"]`), false},
			"none":         {host(`[]`), false},
			"no list":      {host(`"text/html;profile=mcp-app"`), false},
			"no extension": {client.Options{}, false},
		} {
			t.Run(name, func(t *testing.T) {
				cl := mcptest.Connect(t, newServer(t), &mcptest.Options{Revision: rev, Client: c.opts})
				list, err := cl.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, tool := range list.Tools {
					got = append(got, tool.Name+" "+string(tool.Meta["ui"])+" "+string(tool.Meta["ui/resourceUri"]))
				}
				want := []string{
					`forecast {"resourceUri":"ui://weather/chart"} "ui://weather/chart"`,
					`plain  `,
					`refresh {"visibility":["app"]} `,
					`think {"resourceUri":"ui://weather/chart","visibility":["model"]} "ui://weather/chart"`,
				}
				if !c.shows {
					want = slices.Delete(want, 2, 3)
				}
				if !slices.Equal(got, want) {
					t.Errorf("got %q", got)
				}
				r, err := cl.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "refresh"})
				if err != nil {
					t.Errorf("the tool for pages: %v, %v", r, err)
				}
				if r, err = cl.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "forecast"}); err != nil {
					t.Fatal(err)
				}
				if text := r.Content[0].(*mcp.TextContent).Text; text != fmt.Sprint(c.shows) {
					t.Errorf("the tool takes the client for one that shows pages: %s", text)
				}
				resources, err := cl.ListResources(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				const meta = `{"csp":{"connectDomains":["https://api.example.com"]},"permissions":{"camera":{}},"prefersBorder":true}`
				if l := resources.Resources; len(l) != 1 || l[0].MIMEType != apps.MIMEType || string(l[0].Meta["ui"]) != meta || l[0].Description != "The weather to come." || (l[0].Title == "Chart") != (rev >= mcp.V2025_06_18) {
					t.Errorf("got the resources %+v", l)
				}
				page, err := cl.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "ui://weather/chart"})
				if err != nil {
					t.Fatal(err)
				}
				text, ok := page.Contents[0].(*mcp.TextResourceContents)
				if !ok || len(page.Contents) != 1 || text.Text != chart || text.MIMEType != apps.MIMEType || text.URI != "ui://weather/chart" || string(text.Meta["ui"]) != meta {
					t.Errorf("got the page %+v", page.Contents)
				}
			})
		}
	})
}

func TestAdd(t *testing.T) {
	for want, p := range map[string]apps.Page{
		`apps: the page "": want a URI that begins with ui://, such as ui://weather/chart`:                                           {Name: "a", HTML: chart},
		`apps: the page "https://a/b": want a URI that begins with ui://, such as ui://weather/chart`:                                {URI: "https://a/b", Name: "a", HTML: chart},
		`apps: the page "ui:chart": want a URI that begins with ui://, such as ui://weather/chart`:                                   {URI: "ui:chart", Name: "a", HTML: chart},
		`apps: the page "ui://%zz": want a URI that begins with ui://, such as ui://weather/chart`:                                   {URI: "ui://%zz", Name: "a", HTML: chart},
		`apps: the page "ui://c": want an HTML document, which begins with <!doctype html>`:                                          {URI: "ui://c", Name: "a"},
		`apps: the page "ui://a": want a name`:                                                                                       {URI: "ui://a", HTML: chart},
		`apps: the page "ui://a": want an HTML document, which begins with <!doctype html>`:                                          {URI: "ui://a", Name: "a", HTML: "<p>"},
		`apps: the page "ui://b": want an HTML document, which begins with <!doctype html>`:                                          {URI: "ui://b", Name: "a", HTML: strings.Repeat(" ", 1000) + chart},
		`apps: the page "ui://a": frameDomains[1]: want an origin, such as https://api.example.com or https://*.example.com, got ""`: {URI: "ui://a", Name: "a", HTML: chart, Meta: ui.ResourceMeta{Csp: &ui.ResourceCsp{FrameDomains: []string{"https://a.b", ""}}}},
	} {
		s := server.New(mcp.Implementation{Name: "a", Version: "1"}, nil)
		if err := apps.Add(s, p); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		for range s.Items() {
			t.Errorf("%s: the page is there", want)
		}
	}
	s := newServer(t)
	if err := apps.Add(s, apps.Page{URI: "ui://weather/chart", Name: "new", HTML: "<!-- a --><!DOCTYPE html>"}); err != nil {
		t.Errorf("a page cannot be replaced: %v", err)
	}
	if err := apps.Add(s, apps.Page{URI: "ui://weather/other", Name: "other", HTML: chart}); err != nil {
		t.Error(err)
	}
	var names []string
	for i := range s.Items() {
		if r, ok := i.Definition.(*mcp.Resource); ok {
			names = append(names, r.Name)
			if r.Meta != nil {
				t.Errorf("%s needs nothing, and has metadata: %v", r.Name, r.Meta)
			}
		}
	}
	if !slices.Equal(names, []string{"new", "other"}) {
		t.Errorf("got the pages %q", names)
	}
}

// addForecast adds a tool with a page, and one that a button of the page calls.
func addForecast(s *server.Server, forecast, refresh server.ToolHandler) error {
	return errors.Join(
		apps.Add(s, apps.Page{URI: "ui://weather/chart", Name: "chart", HTML: chart}),
		s.AddTool(mcp.Tool{
			Name:        "forecast",
			InputSchema: wire.Raw(`{"type":"object"}`),
			Meta:        apps.Meta("ui://weather/chart"),
		}, forecast),
		s.AddTool(mcp.Tool{
			Name:        "refresh",
			InputSchema: wire.Raw(`{"type":"object"}`),
			Meta:        apps.Meta("", ui.ToolVisibilityApp),
		}, refresh),
	)
}

func Example() {
	s := server.New(mcp.Implementation{Name: "weather", Version: "1.0.0"}, &server.Options{Filters: []server.Filter{apps.ForApps()}})
	rain := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Rain until noon."), nil
	}
	if err := addForecast(s, rain, rain); err != nil {
		log.Fatal(err)
	}
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	list, err := calls.ListTools(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range list.Tools { // as a client sees them that shows no pages
		fmt.Println(t.Name, string(t.Meta["ui"]))
	}
	// Output:
	// forecast {"resourceUri":"ui://weather/chart"}
}
