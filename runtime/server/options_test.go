package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A negative option is no limit.
func TestNegativeOptions(t *testing.T) {
	s := newServer(&Options{PageSize: -1, Share: -1, MaxListens: -1, MaxKept: -1, StateTTL: -1, LogRate: -1, AskTimeout: -1, ProgressInterval: -1})
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
	if !s.listens.Take(owner, 20_000) || !s.kept.Take(owner, 1<<40) {
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

func TestShareOfAll(t *testing.T) {
	for share, want := range map[int]int{0: 25, -1: 100, 40: 40, 200: 100} {
		if got := newServer(&Options{Share: share}).opts.Share; got != want {
			t.Errorf("Share %d is %d, want %d", share, got, want)
		}
	}
}

// A limitedStore refuses to list what is no number of tasks.
type limitedStore struct{ store.Store }

func (s limitedStore) List(ctx context.Context, under, after string, most int) ([]store.Record, error) {
	if most <= 0 {
		return nil, fmt.Errorf("at most %d tasks", most)
	}
	return s.Store.List(ctx, under, after, most)
}

// REQ TASK-07
func TestNegativeTaskOptions(t *testing.T) {
	s := newServer(&Options{PageSize: -1, Tasks: &TaskOptions{TTL: -1, MaxTTL: -1, PollInterval: -1, MaxRunning: -1, MaxTasks: -1, MaxBytes: -1}})
	keepTasks(s, limitedStore{new(store.Memory)})
	add(t, s.AddTool(mcp.Tool{Name: "work", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}}, says("done")))
	c := newClient(t, s, mcp.V2026_07_28, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	created := wire.Raw(c.Must("tools/call", `{"name":"work"}`))
	contains(t, "task", string(created), `"ttlMs":null`)
	if interval := created.StringAt("pollIntervalMs"); interval != "" {
		t.Errorf("poll interval %s", interval)
	}
	contains(t, "task", c.Must("tasks/get", fmt.Sprintf(`{"taskId":%q}`, created.StringAt("taskId"))), `"ttlMs":null`)

	old := newClient(t, s, mcp.V2025_11_25, `{}`)
	old.Principal = "ann"
	old.Must("tools/call", `{"name":"work","task":{}}`)
	contains(t, "list", old.Must("tasks/list", `{}`), `"ttl":null`)

	r, owner := s.tasks, share.Of("ann", "", nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range 20_000 {
		if _, gone, err := r.room.enter(fmt.Sprint(i), owner, 1<<20); err != nil || gone != nil {
			t.Fatalf("task %d: %v, %v", i, gone, err)
		}
	}
	for said, want := range map[int64]time.Duration{0: 0, 5: 5 * time.Millisecond, 1 << 60: 0} {
		if got := r.opts.ttl(&mcp.TaskMetadata{TTL: &said}); got != want {
			t.Errorf("a client that says %d gets %s, want %s", said, got, want)
		}
	}
}
