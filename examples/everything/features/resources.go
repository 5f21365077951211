package features

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// resources are what can be read by a URI of their own.
var resources = []struct {
	mcp.Resource
	run server.ResourceHandler
}{
	{
		mcp.Resource{URI: "test://static-text", Name: "static-text", Description: "A text that never changes", MIMEType: "text/plain"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			r := server.TextResource("text/plain", "This is the content of the static text resource.")
			r.TTLMs, r.CacheScope = new(time.Minute.Milliseconds()), mcp.CacheScopePublic
			return r, nil
		},
	},
	{
		mcp.Resource{URI: "test://static-binary", Name: "static-binary", Description: "An image that never changes", MIMEType: "image/png"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
				&mcp.BlobResourceContents{MIMEType: "image/png", Blob: wire.Base64{Text: png}},
			}}, nil
		},
	},
	{
		mcp.Resource{URI: watched, Name: "watched-resource", Description: "A text to subscribe to", MIMEType: "text/plain"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "Watched."), nil
		},
	},
	{
		mcp.Resource{URI: "test://input-required-resource", Name: "input-required-resource", Description: "A text that the user is asked about", MIMEType: "text/plain"},
		func(ctx context.Context, c *server.Call, _ string) (*mcp.ReadResourceResult, error) {
			greeting, err := greet(ctx, c)
			return server.TextResource("text/plain", greeting), err
		},
	},
}

// The template has one variable.
const (
	templatePrefix = "test://template/"
	templateSuffix = "/data"
	templateURI    = templatePrefix + "{id}" + templateSuffix
)

func (e *everything) addResources() error {
	for _, r := range resources {
		if err := e.AddResource(r.Resource, r.run); err != nil {
			return err
		}
	}
	t := mcp.ResourceTemplate{URITemplate: templateURI, Name: "template", Description: "Data by their id", MIMEType: "application/json"}
	return e.AddTemplate(t, matchTemplate, readTemplate)
}

// matchTemplate is what a library for URI templates would do.
func matchTemplate(uri string) (vars map[string]string, ok bool) {
	rest, ok1 := strings.CutPrefix(uri, templatePrefix)
	id, ok2 := strings.CutSuffix(rest, templateSuffix)
	id, err := url.PathUnescape(id)
	return map[string]string{"id": id}, ok1 && ok2 && err == nil && id != "" && !strings.Contains(id, "/")
}

func readTemplate(_ context.Context, _ *server.Call, _ string, vars map[string]string) (*mcp.ReadResourceResult, error) {
	id := vars["id"]
	data, err := json.Marshal(struct {
		ID           string `json:"id"`
		TemplateTest bool   `json:"templateTest"`
		Data         string `json:"data"`
	}{id, true, "Data for ID: " + id})
	return server.TextResource("application/json", string(data)), err
}
