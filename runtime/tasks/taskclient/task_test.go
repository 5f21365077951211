package taskclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// taskServer returns a server whose tools are tasks: slow, asks, fails, breaks and endless. The
// tool plain is none.
func taskServer(t *testing.T, support mcp.ToolExecutionTaskSupport) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(&taskserver.Options{PollInterval: 5 * time.Second})}})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { must(s.Shutdown(context.Background())) })
	tool := func(name string, support mcp.ToolExecutionTaskSupport, run func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error)) {
		t.Helper()
		must(s.AddTool(mcp.Tool{Name: name, Execution: &mcp.ToolExecution{TaskSupport: support}},
			func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) { return run(ctx, c) }))
	}
	tool("slow", support, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
		time.Sleep(50 * time.Second)
		return server.TextResult("task: " + fmt.Sprint(taskserver.ID(c) != "")), nil
	})
	tool("plain", "forbidden", func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
		return server.TextResult("task: " + fmt.Sprint(taskserver.ID(c) != "")), nil
	})
	tool("asks", support, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
		time.Sleep(time.Minute)
		form := new(mcp.ElicitRequestFormParams)
		must(wire.Decode([]byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}`), form))
		sum := ""
		for range 2 {
			answer, err := c.Elicit(ctx, form)
			if err != nil {
				return nil, err
			}
			sum += string(answer.Content["n"])
		}
		return server.TextResult(sum), nil
	})
	tool("fails", support, func(context.Context, *server.Call) (*mcp.CallToolResult, error) { return nil, errors.New("no disk") })
	tool("breaks", support, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: 42, Message: "broken"}
	})
	tool("endless", support, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	return s
}

// inBothEras runs a test in a bubble for each era that has tasks.
func inBothEras(t *testing.T, test func(t *testing.T, opts *client.Options)) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(rev.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, &client.Options{Revisions: []wire.Revision{rev}, Extensions: enabled}) })
		})
	}
}

func text(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

// REQ TASK-03, TASK-09, TASK-10, XTASK-05: CallTool returns the result of a tool, whether or not the
// server makes a task of the call.
func TestCallToolWithTasks(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		asked := 0
		opts.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			asked++
			return elicit.Accept(map[string]int{"n": 6 + asked})
		}}
		c := connect(t, taskServer(t, "required"), opts)
		for tool, want := range map[string]string{"slow": "task: true", "plain": "task: false", "asks": "78", "fails": "no disk"} {
			r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			if text(r) != want || r.GetIsError() != (tool == "fails") {
				t.Errorf("%s: got %+v", tool, r)
			}
		}
		_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "breaks"})
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != 42 {
			t.Errorf("breaks: %v", err)
		}

		// Where either will do, the client has no use for a task up to 2025-11-25; then the server decides.
		c = connect(t, taskServer(t, "optional"), opts)
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "slow"})
		if want := fmt.Sprintf("task: %t", opts.Revisions[0] == mcp.V2026_07_28); err != nil || text(r) != want {
			t.Errorf("an optional task: got %+v, %v", r, err)
		}
	})
}

// REQ TASK-03, XTASK-03: a client that does not take tasks gets none; where the tool demands one, that
// is an error.
func TestCallToolWithoutTasks(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		opts.Extensions = nil
		c := connect(t, taskServer(t, "optional"), opts)
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "slow"})
		if err != nil || text(r) != "task: false" {
			t.Errorf("got %+v, %v", r, err)
		}
		c = connect(t, taskServer(t, "required"), opts)
		if r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "slow"}); err == nil {
			t.Errorf("got %+v", r)
		}
	})
}

// REQ TASK-03, TASK-13, XTASK-16, TASK-10: a task is started, looked at, and resumed by its id over another
// connection.
func TestStart(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		s := taskServer(t, "optional")
		c := connect(t, s, opts)
		params := &mcp.CallToolRequestParams{Name: "slow", Task: &mcp.TaskMetadata{TTL: new(int64(90_000))}}
		task, err := taskclient.Start(t.Context(), c, params)
		if err != nil {
			t.Fatal(err)
		}
		state, err := task.Get(t.Context())
		if err != nil || state.Status != mcp.TaskStatusWorking || state.ID != task.ID() || state.PollInterval != 5*time.Second ||
			time.Since(state.CreatedAt) != 0 {
			t.Errorf("state %+v, %v", state, err)
		}
		if ttl := map[bool]time.Duration{true: 90 * time.Second, false: time.Hour}[opts.Revisions[0] == mcp.V2025_11_25]; state.TTL != ttl {
			t.Errorf("ttl %v", state.TTL)
		}
		id := task.ID()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := task.Result(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a short wait: %v", err)
		}
		cancel()
		c.Close()

		c = connect(t, s, opts)
		began := time.Now()
		r, err := taskclient.Of(c, id).Result(t.Context())
		if err != nil || text(r) != "task: true" {
			t.Errorf("got %+v, %v", r, err)
		}
		if took := time.Since(began); took != 50*time.Second { // every 5 s, from 1 s on
			t.Errorf("it took %v", took)
		}
		// An answer at once.
		task, err = taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "plain", Task: new(mcp.TaskMetadata)})
		if err != nil {
			t.Fatalf("plain, which is not to be called as a task: %v", err)
		}
		if task.ID() != "" {
			t.Errorf("plain: task %q", task.ID())
		}
		if r, err := task.Result(t.Context()); err != nil || text(r) != "task: false" {
			t.Errorf("plain: %+v, %v", r, err)
		}
		if state, err := task.Get(t.Context()); err != nil || state.Status != mcp.TaskStatusCompleted || !strings.Contains(string(state.Result), "task: false") {
			t.Errorf("plain: %+v, %v", state, err)
		}
		if err := task.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// REQ TASK-15, XTASK-11, CANC-10: who gives up a call gives up its task; and a task can be cancelled by
// its handle.
func TestCancelTask(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		var mu sync.Mutex
		var told []string
		onTask := func(_ context.Context, t *tasks.Task) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, string(t.Status))
		}
		opts.Extensions = []client.Extension{taskclient.Enable(&taskclient.Options{OnTask: onTask})}
		c := connect(t, taskServer(t, "required"), opts)
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "endless"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Second)
		mu.Lock()
		if opts.Revisions[0] == mcp.V2025_11_25 && strings.Join(told, " ") != "cancelled" {
			t.Errorf("told %q", told)
		}
		told = nil
		mu.Unlock()

		task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "endless"})
		if err != nil {
			t.Fatal(err)
		}
		if opts.Revisions[0] == mcp.V2026_07_28 { // REQ XTASK-13
			sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{
				Extra: wire.Extra{{Name: "taskIds", Value: wire.Raw(`["` + task.ID() + `"]`)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
		}
		waited := make(chan error)
		go func() { _, err := task.Result(t.Context()); waited <- err }()
		time.Sleep(time.Minute)
		if err := task.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-waited; err != taskclient.ErrCancelled {
			t.Errorf("who waited got %v", err)
		}
		// It is over: up to 2025-11-25 that is an error.
		if err := task.Cancel(t.Context()); (err != nil) != (opts.Revisions[0] == mcp.V2025_11_25) {
			t.Errorf("cancelled again: %v", err)
		}
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if opts.Revisions[0] == mcp.V2026_07_28 && strings.Join(told, " ") != "working cancelled" {
			t.Errorf("told %q", told)
		}
	})
}

// A client that cannot answer what a task asks gives the call up, and its task.
func TestTaskAsksInVain(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		no := errors.New("not now")
		opts.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) { return nil, no }}
		c := connect(t, taskServer(t, "required"), opts)
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "asks"})
		if opts.Revisions[0] == mcp.V2025_11_25 { // the server hears of it
			if err != nil || !r.GetIsError() || !strings.Contains(text(r), "not now") {
				t.Errorf("got %+v, %v", r, err)
			}
			return
		}
		if e, ok := errors.AsType[*client.InputError](err); !ok || !errors.Is(e, no) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// REQ TASK-05: a client ignores that a server wants a task, and runs the request as ever.
func TestClientHostsNoTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet})
		err := s.AddTool(mcp.Tool{Name: "t"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			m, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Task: &mcp.TaskMetadata{}})
			if err != nil {
				return nil, err
			}
			return server.TextResult(m.Model), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, s, &client.Options{Revisions: []wire.Revision{mcp.V2025_11_25}, Extensions: enabled,
			Sample: func(_ context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
				if p.Task == nil {
					t.Error("the server does not want a task")
				}
				return &mcp.CreateMessageResult{Model: "m", Role: mcp.RoleAssistant,
					Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}}, nil
			}})
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
		if err != nil || text(r) != "m" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// A task is started, and its status and result requested, through the middleware.
func TestTaskMiddleware(t *testing.T) {
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		calls := map[string]int{}
		opts.Send = []client.Middleware{func(next client.SendFunc) client.SendFunc {
			return func(ctx context.Context, c *client.Call) error {
				calls[c.Method.Name]++
				return next(ctx, c)
			}
		}}
		c := connect(t, taskServer(t, "required"), opts)
		task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "slow"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := task.Result(t.Context()); err != nil {
			t.Fatal(err)
		}
		payloads := 0
		if opts.Revisions[0] == mcp.V2025_11_25 {
			payloads = 1
		}
		if calls["tools/call"] != 1 || calls["tasks/get"] == 0 || calls["tasks/result"] != payloads {
			t.Errorf("got %v", calls)
		}
	})
}
