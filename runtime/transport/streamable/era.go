package streamable

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// isModern decides the era of a request, once; the server, which decides by the same metadata, comes to the same. It is
// modern if the metadata has keys that only that era has, or if the header has a version that does not belong to the
// legacy era.
func (h *Handler) isModern(version string, meta wire.Raw) bool {
	switch {
	case !h.modern:
		return false
	case len(h.legacy) == 0:
		return true
	}
	if version != "" {
		if rev, err := wire.ParseRevision(version); err != nil || rev >= mcp.Modern {
			return true
		}
	}
	return server.IsModern(meta)
}
