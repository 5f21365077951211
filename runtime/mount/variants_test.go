package mount

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Of the variants of a mounted tool, callers have the one whose features are on, be they those of the mounted server or those
// of the server that it is mounted on.
//
// REQ TOOL-26
func TestMountVariants(t *testing.T) {
	variant := func(says, feature string) server.Item {
		return server.Item{Definition: &mcp.Tool{Name: "find", Description: says}, Handler: roomtest.Says(says), Access: server.Access{Features: []string{feature}}}
	}
	check := func(t *testing.T, s *server.Server, selected *toolset.Set, on *server.Server) {
		servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
			c := roomtest.NewClient(t, s, rev, `{}`)
			for want, features := range map[string][]string{"plain": nil, "ranked": {"ranked"}} {
				servertest.Check(t, selected.Use(on, toolset.Selection{Features: features}))
				servertest.Contains(t, "list", c.Must("tools/list", `{}`), `"tools":[{"name":"a_find","description":"`+want+`","inputSchema":{"type":"object","additionalProperties":false}}]`)
				servertest.Contains(t, "call", c.Must("tools/call", `{"name":"a_find"}`), `"`+want+`"`)
			}
		})
	}
	add := func(s *server.Server) *server.Server {
		servertest.Check(t, s.Add(variant("plain", "!ranked")))
		servertest.Check(t, s.Add(variant("ranked", "ranked")))
		return s
	}
	t.Run("selected there", func(t *testing.T) {
		var set toolset.Set
		search, s := add(roomtest.NewServer(set.Options(nil))), roomtest.NewServer(nil)
		servertest.Check(t, On(s, "a_", search))
		check(t, s, &set, search)
	})
	t.Run("selected here", func(t *testing.T) {
		var set toolset.Set
		search, s := add(roomtest.NewServer(nil)), roomtest.NewServer(set.Options(nil))
		servertest.Check(t, On(s, "a_", search))
		check(t, s, &set, s)
		if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "a_find"}, Handler: roomtest.Says("")}); err == nil {
			t.Error("a tool has the name of variants that do not exclude it")
		}
	})
}
