package client

import "github.com/mcpgen/mcpgen/mcp"

// ToolTitle returns the name under which a tool is to be shown to people.
func ToolTitle(t *mcp.Tool) string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil && t.Annotations.Title != "":
		return t.Annotations.Title
	}
	return t.Name
}
