package storetest

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A taskServer is one of several that keep their tasks in the same store.
type taskServer struct {
	storeTester
	member *store.Member
	caller wire.Caller
}

func (t storeTester) taskServer() *taskServer {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	m, err := store.Join(t.Context(), t.store, &store.MemberOptions{TTL: 2 * time.Second, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{
		Logger: quiet, Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Member: m})},
	})
	t.Cleanup(func() {
		s.Shutdown(context.Background())
		m.Leave(context.Background())
	})
	ts := &taskServer{storeTester: t, member: m}
	ts.caller = s.Caller(&server.CallerOptions{
		Principal:    "ada",
		Capabilities: mcp.ClientCapabilities{Extensions: map[string]wire.Raw{extension.Extension: wire.Raw("{}")}},
	})
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
	return ts
}

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
	r := new(extension.GetTaskResult)
	t.until("the task is "+string(want), func() bool {
		*r = extension.GetTaskResult{}
		if err := t.caller.Call(t.Context(), &extension.MethodGetTask, &extension.GetTaskRequestParams{TaskID: id}, r); err != nil {
			t.Fatal(err)
		}
		return r.Status == want
	})
	return r
}

// testTasks has two servers that know each other's tasks. One of them ends.
func testTasks(t storeTester) {
	a, b := t.taskServer(), t.taskServer()
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
