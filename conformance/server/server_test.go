package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// eras are the revisions that the suite tries a server with.
var eras = []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}

func connect(t *testing.T, revision wire.Revision) *mcptest.Client {
	t.Helper()
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, s, &mcptest.Options{Revision: revision})
}

const (
	png = `{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==","mimeType":"image/png"}`
	wav = `{"type":"audio","data":"UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=","mimeType":"audio/wav"}`
)

// TestTools calls the tools that give the same in both eras.
func TestTools(t *testing.T) {
	for _, revision := range eras {
		t.Run(revision.String(), func(t *testing.T) {
			c := connect(t, revision)
			for tool, want := range map[string]string{
				"test_simple_text":            `{"content":[{"type":"text","text":"This is a simple text response for testing."}]}`,
				"test_image_content":          `{"content":[` + png + `]}`,
				"test_audio_content":          `{"content":[` + wav + `]}`,
				"test_embedded_resource":      `{"content":[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}]}`,
				"test_multiple_content_types": `{"content":[{"type":"text","text":"Multiple content types test:"},` + png + `,{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}]}`,
				"test_error_handling":         `{"content":[{"type":"text","text":"This tool intentionally returns an error for testing"}],"isError":true}`,
				"test_reconnection":           `{"content":[{"type":"text","text":"Reconnected."}]}`,
			} {
				r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
				if err != nil {
					t.Errorf("%s: %v", tool, err)
					continue
				}
				r.Meta = nil
				equal(t, revision, tool, r, want)
			}
		})
	}
}

func TestPrompts(t *testing.T) {
	for _, revision := range eras {
		t.Run(revision.String(), func(t *testing.T) {
			c := connect(t, revision)
			for _, test := range []struct {
				prompt string
				args   map[string]string
				want   string
			}{
				{"test_simple_prompt", nil,
					`[{"role":"user","content":{"type":"text","text":"This is a simple prompt for testing."}}]`},
				{"test_prompt_with_arguments", map[string]string{"arg1": "a", "arg2": "b"},
					`[{"role":"user","content":{"type":"text","text":"Prompt with arguments: arg1='a', arg2='b'"}}]`},
				{"test_prompt_with_embedded_resource", map[string]string{"resourceUri": "test://r"},
					`[{"role":"user","content":{"type":"resource","resource":{"uri":"test://r","mimeType":"text/plain","text":"Embedded resource content for testing."}}},` +
						`{"role":"user","content":{"type":"text","text":"Please process the embedded resource above."}}]`},
				{"test_prompt_with_image", nil,
					`[{"role":"user","content":` + png + `},{"role":"user","content":{"type":"text","text":"Please analyze the image above."}}]`},
			} {
				r, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: test.prompt, Arguments: test.args})
				if err != nil {
					t.Errorf("%s: %v", test.prompt, err)
					continue
				}
				equal(t, revision, test.prompt, &mcp.GetPromptResult{Messages: r.Messages}, `{"messages":`+test.want+`}`)
			}
		})
	}
}

func TestResources(t *testing.T) {
	for _, revision := range eras {
		t.Run(revision.String(), func(t *testing.T) {
			c := connect(t, revision)
			for uri, want := range map[string]string{
				"test://static-text":       `{"uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource."}`,
				"test://template/123/data": `{"uri":"test://template/123/data","mimeType":"application/json","text":"{\"id\":\"123\",\"templateTest\":true,\"data\":\"Data for ID: 123\"}"}`,
			} {
				r, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: uri})
				if err != nil {
					t.Errorf("%s: %v", uri, err)
					continue
				}
				equal(t, mcp.V2025_11_25, uri, &mcp.ReadResourceResult{Contents: r.Contents}, `{"contents":[`+want+`]}`)
			}
			const absent = "test://nonexistent-resource-for-conformance-testing"
			_, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: absent})
			if e, ok := err.(*jsonrpc.Error); !ok || string(e.Data) != `{"uri":"`+absent+`"}` || !client.IsNotFound(err) {
				t.Errorf("an absent resource: %v", err)
			}
		})
	}
}

// TestListed: the suite wants a description of everything, and all of a list on its first page.
func TestListed(t *testing.T) {
	c := connect(t, mcp.V2026_07_28)
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools.NextCursor != nil {
		t.Error("there is a second page of tools")
	}
	for _, tool := range tools.Tools {
		if tool.Description == "" {
			t.Errorf("the tool %s has no description", tool.Name)
		}
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range prompts.Prompts {
		if prompt.Description == "" {
			t.Errorf("the prompt %s has no description", prompt.Name)
		}
	}
	capabilities := c.Server().Capabilities
	if !capabilities.Tools.GetListChanged() || !capabilities.Prompts.GetListChanged() || !capabilities.Resources.GetSubscribe() ||
		capabilities.Completions == nil || capabilities.Extensions["io.modelcontextprotocol/tasks"] == nil {
		t.Errorf("the server declares %+v", capabilities)
	}
}

// equal compares what a value is in a revision with a JSON text.
func equal(t *testing.T, revision wire.Revision, what string, v wire.Encodable, want string) {
	t.Helper()
	data, err := wire.Marshal(revision, v)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	var g, w map[string]any
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	delete(g, "resultType")
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
