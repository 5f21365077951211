package sharedtest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tasks tests that [shared.Tasks] keeps tasks in a store as [taskserver.Store] says, for one process and for several. Open
// returns a new store, and closes it with t.Cleanup.
func Tasks(t *testing.T, open func(t *testing.T) store.Store) {
	storetest.Tasks(t, func(t *testing.T) (a, b taskserver.Store) {
		s := open(t)
		return shared.NewTasks(join(t, s)), shared.NewTasks(join(t, s))
	})
	t.Run("a process ends", func(t *testing.T) { testTasksOfProcesses(t, open(t)) })
}

// join makes a member.
func join(t *testing.T, s store.Store) *store.Member {
	t.Helper()
	m, err := store.Join(t.Context(), s, &store.MemberOptions{TTL: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Leave(context.Background()) })
	return m
}

// A taskServer is one of several that keep their tasks in the same store.
type taskServer struct {
	*testing.T
	member *store.Member
	caller wire.Caller
}

func newTaskServer(t *testing.T, in store.Store) *taskServer {
	t.Helper()
	m := join(t, in)
	s := server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{
		Logger: slog.New(slog.DiscardHandler), Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Store: shared.NewTasks(m)})},
		Identity: func(context.Context) transport.Identity { return ada{} },
	})
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	ts := &taskServer{T: t, member: m}
	for _, name := range []string{"quick", "once"} {
		def := mcp.Tool{Name: name, Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}}
		if err := s.AddTool(def, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if name == "quick" {
				return server.TextResult("done"), nil
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}); err != nil {
			t.Fatal(err)
		}
	}
	near, far := inmem.Pair(0)
	go s.Serve(context.Background(), far)
	c, err := client.Connect(t.Context(), near, &client.Options{
		Revisions: []wire.Revision{mcp.V2026_07_28}, Extensions: []client.Extension{{
			ID: extension.Extension, ResultTypes: map[string][]string{mcp.MethodCallTool.Name: {string(extension.ResultTypeTask)}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ts.caller = c
	return ts
}

// ada is who calls the tools: tasks belong to a principal, whatever the process.
type ada struct{}

func (ada) Principal() string         { return "ada" }
func (ada) Missing([]string) []string { return nil }
func (ada) Expires() time.Time        { return time.Time{} }

// start begins a task and returns its id.
func (t *taskServer) start(tool string) string {
	t.Helper()
	var r extension.CreateTaskResult
	if err := t.caller.Call(t.Context(), &mcp.MethodCallTool, &mcp.CallToolRequestParams{Name: tool}, &r); err != nil {
		t.Fatal(err)
	}
	return r.TaskID
}

// become waits until a task has a status.
func (t *taskServer) become(id string, want extension.TaskStatus) *extension.GetTaskResult {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		r := new(extension.GetTaskResult)
		if err := t.caller.Call(t.Context(), &extension.MethodGetTask, &extension.GetTaskRequestParams{TaskID: id}, r); err != nil {
			t.Fatal(err)
		}
		if r.Status == want {
			return r
		}
		if time.Now().After(end) {
			t.Fatalf("the task is %s, want %s", r.Status, want)
		}
	}
}

// testTasksOfProcesses has two servers that know each other's tasks. One of them ends.
func testTasksOfProcesses(t *testing.T, in store.Store) {
	a, b := newTaskServer(t, in), newTaskServer(t, in)
	quick, once := a.start("quick"), a.start("once")
	if r := b.become(quick, extension.TaskStatusCompleted); len(r.Result) == 0 {
		t.Error("a task has no result at the other server")
	}
	cancelled := a.start("once")
	b.become(cancelled, extension.TaskStatusWorking)
	if err := b.caller.Call(t.Context(), &extension.MethodCancelTask, &extension.CancelTaskRequestParams{TaskID: cancelled}, new(extension.CancelTaskResult)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []*taskServer{a, b} {
		at.become(cancelled, extension.TaskStatusCancelled)
	}
	if err := a.member.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.become(once, extension.TaskStatusFailed)
	b.become(quick, extension.TaskStatusCompleted)
}
