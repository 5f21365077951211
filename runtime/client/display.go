package client

import "github.com/mcpgen/mcpgen/mcp"

// ToolTitle returns the name of a tool to display: its title, that of its annotations, or its name.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools.
func ToolTitle(t *mcp.Tool) string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil && t.Annotations.Title != "":
		return t.Annotations.Title
	}
	return t.Name
}
