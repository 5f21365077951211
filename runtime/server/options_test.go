package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A negative option is no limit.
func TestNegativeOptions(t *testing.T) {
	s := newServer(&Options{PageSize: -1, MaxKept: -1, StateTTL: -1, NotifyRate: -1, AskTimeout: -1})
	for i := range 1001 {
		add(t, s.AddPrompt(mcp.Prompt{Name: fmt.Sprint(i)}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
			return nil, nil
		}))
	}
	add(t, s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.ListRoots(ctx)
		if err != nil {
			return nil, err
		}
		return TextResult(fmt.Sprint(len(r.Roots))), nil
	}))
	c := newClient(t, s, mcp.V2026_07_28, `{"roots":{}}`)
	var list mcp.ListPromptsResult
	if err := wire.Decode([]byte(c.Must("prompts/list", `{}`)), &list); err != nil || len(list.Prompts) != 1001 || list.NextCursor != nil {
		t.Errorf("%d prompts on one page, cursor %v, %v", len(list.Prompts), list.NextCursor, err)
	}
	owner := share.Of("ann", "", nil)
	if !s.kept.Take(owner, 1<<40) {
		t.Error("what clients share is limited")
	}
	var asked mcp.InputRequiredResult
	if err := wire.Decode([]byte(c.Must("tools/call", `{"name":"ask"}`)), &asked); err != nil {
		t.Fatal(err)
	}
	for key := range asked.InputRequests {
		contains(t, "result", c.Must("tools/call", fmt.Sprintf(`{"name":"ask","requestState":%q,"inputResponses":{%q:{"roots":[{"uri":"file:///a"}]}}}`,
			*asked.RequestState, key)), `"text":"1"`)
	}
	if first, err := OnceInMemory(-1)(t.Context(), "a", time.Now()); !first || err != nil {
		t.Error(first, err)
	}
}
