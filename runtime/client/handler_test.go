package client

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Every notification comes to its callback or method, and nonsense to none.
//
// REQ RES-13 RES-11 TOOL-25 PRM-08 LOG-02 CANC-06 CANC-09 META-02 EXT-06 STDIO-15
func TestNotifications(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []string
		opts := &Options{
			OnChange: func(_ context.Context, change Change) {
				switch {
				case change.Tools:
					got = append(got, "tools")
				case change.Prompts:
					got = append(got, "prompts")
				case change.Resources:
					got = append(got, "resources")
				default:
					got = append(got, change.URI)
				}
			},
			Methods: []Method{
				handleNotification("notifications/x", func(_ context.Context, params *wire.Raw) {
					got = append(got, "x "+string(*params))
				}),
				handleNotification("notifications/resources/updated", func(_ context.Context, p *mcp.ResourceUpdatedNotificationParams) {
					got = append(got, "again "+p.URI)
				}),
				handleNotification("notifications/progress", func(_ context.Context, p *mcp.ProgressNotificationParams) {
					got = append(got, fmt.Sprint("progress ", p.Progress))
				}),
			},
		}
		_, f := dial(t, legacyServer(nil), opts)
		for _, n := range [][2]string{
			{"notifications/tools/list_changed", ""},
			{"notifications/tools/list_changed", `{"_meta":{"x":1},"y":2}`},
			{"notifications/prompts/list_changed", `{}`},
			{"notifications/resources/list_changed", `{"_meta":null}`},
			{"notifications/resources/updated", `{"uri":"a:b"}`},
			{"notifications/resources/updated", `{"uri":7}`},
			{"notifications/resources/updated", ``},
			{"notifications/message", `{"level":"info","data":1}`},
			{"notifications/message", `{"level":"info"}`},
			{"notifications/cancelled", `{"requestId":5}`},
			{"notifications/cancelled", `{}`},
			{"notifications/progress", `{"progressToken":1,"progress":"x"}`},
			{"notifications/progress", `{"progressToken":"of no call","progress":5}`},
			{"notifications/tasks", `{"a":1}`},
			{"notifications/x", `{"a":1}`},
			{"notifications/x", ``},
			{"notifications/y", ``},
			{"", ``},
		} {
			f.notice(n[0], n[1])
		}
		want := []string{"tools", "tools", "prompts", "resources", "a:b", "again a:b", "progress 5", `x {"a":1}`, "x {}"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
