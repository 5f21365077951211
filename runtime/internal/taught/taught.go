// Package taught lists the revisions that the runtime speaks. Package mcp, which is generated, may know later ones:
// a revision is added here once the runtime has everything that it demands beyond types, and tests that show it.
package taught

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Revisions returns the revisions that the runtime speaks, oldest first. The slice is the caller's.
func Revisions() []wire.Revision {
	return []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2026_07_28}
}
