package toolsearch

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool that is for pages alone is neither found nor called in a plan: both are what a model does.
//
// REQ APP-06
func TestForPagesAlone(t *testing.T) {
	s := newServer(t, nil, nil)
	servertest.Check(t, s.Add(server.Item{
		Definition: &mcp.Tool{Name: "press_button", Description: "Presses the button.", InputSchema: wire.Raw(open), Meta: apps.Meta("", ui.ToolVisibilityApp)},
		Handler:    server.ToolHandler(echo),
	}))
	c := roomtest.NewClient(t, s, mcp.V2025_06_18, `{"extensions":{"`+ui.Extension+`":{"mimeTypes":["`+apps.MIMEType+`"]}}}`)
	if found, failed := call(c, searchTool, `{"query":"press_button"}`); strings.Contains(found, "press_button") || failed != "" {
		t.Errorf("found %s %s", found, failed)
	}
	_, failed := call(c, planTool, `{"steps":[{"id":"a","tool":"press_button"}]}`)
	if !strings.Contains(failed, "press_button is for pages alone") {
		t.Errorf("got %s", failed)
	}
	if got, failed := call(c, "press_button", `{}`); got != "{}" {
		t.Errorf("a page cannot call it: %s %s", got, failed)
	}
}
