package client

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// REQ TOOL-24
func TestToolTitle(t *testing.T) {
	t.Parallel()
	annotations := &mcp.ToolAnnotations{Title: "annotated"}
	for want, tool := range map[string]*mcp.Tool{
		"titled":    {Name: "name", Title: "titled", Annotations: annotations},
		"annotated": {Name: "name", Annotations: annotations},
		"name":      {Name: "name", Annotations: new(mcp.ToolAnnotations)},
		"bare":      {Name: "bare"},
	} {
		if got := ToolTitle(tool); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
