package taskclient_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// taskScript is a server of 2026-07-28 with the extension, whose task stands as shows says, call by
// call; the last one stays.
func taskScript(interval int, shows ...string) script {
	s := script{"server/discover": discovered(`{"tools":{},"prompts":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`)}
	s["tools/call"] = always(taskState(interval, `"resultType":"task","status":"working"`))
	next := 0
	s["tasks/get"] = func() string {
		show := shows[min(next, len(shows)-1)]
		next++
		return taskState(interval, `"resultType":"complete",`+show)
	}
	s["tasks/update"] = always(`{"resultType":"complete"}`)
	s["tasks/cancel"] = always(`{"resultType":"complete"}`)
	return s
}

func taskState(interval int, more string) string {
	poll := ""
	if interval > 0 {
		poll = fmt.Sprintf(`,"pollIntervalMs":%d`, interval)
	}
	return `{"taskId":"t","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"yesterday","ttlMs":null` + poll + `,` + more + `}`
}

const (
	shownWorking   = `"status":"working"`
	shownCompleted = `"status":"completed","result":{"resultType":"complete","content":[]}`
)

func shownAsking(keys ...string) string {
	var requests []string
	for _, key := range keys {
		requests = append(requests, fmt.Sprintf(`%q:{"method":"roots/list"}`, key))
	}
	return `"status":"input_required","inputRequests":{` + strings.Join(requests, ",") + `}`
}

const elicitation = `{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`

// REQ XTASK-16: the client asks as often as the server wants, and not more often if it does not say.
func TestPollInterval(t *testing.T) {
	for interval, want := range map[int]time.Duration{0: 3 * time.Second, 250: 750 * time.Millisecond, 1: 30 * time.Millisecond} {
		t.Run(fmt.Sprint(interval), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, f := dial(t, taskScript(interval, shownWorking, `"status":"odd"`, shownCompleted), &client.Options{Info: testInfo, Extensions: enabled})
				began := time.Now()
				if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != want {
					t.Errorf("it took %v, want %v", took, want)
				}
				if got := fmt.Sprint(f.methods()); got != "[tools/call tasks/get tasks/get tasks/get]" {
					t.Errorf("sent %s", got)
				}
				meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
					`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
				if got, want := f.sent()[1], `tasks/get {"_meta":`+meta+`,"taskId":"t"}`; got != want {
					t.Errorf("sent\n%s, want\n%s", got, want)
				}
			})
		})
	}
}

// REQ XTASK-16, XTASK-10: a question is answered once, however often it is shown.
func TestTaskQuestionsAnsweredOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, taskScript(0, shownAsking("a"), shownAsking("a"), shownAsking("b", "a"), shownWorking, shownCompleted),
			&client.Options{Info: testInfo, Extensions: enabled, Roots: []mcp.Root{}})
		began := time.Now()
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 3*time.Second { // a response is no reason to wait
			t.Errorf("it took %v", took)
		}
		var updates []string
		for _, line := range f.sent() {
			if strings.HasPrefix(line, "tasks/update ") {
				_, params, _ := strings.Cut(line, `,"taskId"`)
				updates = append(updates, params)
			}
		}
		want := []string{`:"t","inputResponses":{"a":{"roots":[]}}}`, `:"t","inputResponses":{"b":{"roots":[]}}}`}
		if !slices.Equal(updates, want) {
			t.Errorf("sent %q", updates)
		}
	})
}

// REQ XTASK-05, XTASK-08, EXT-07: what is no valid answer.
func TestInvalidTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for show, want := range map[string]string{
			`"status":"completed"`:                        "tasks/get: invalid result: result is missing, want that of a completed task",
			`"status":"failed"`:                           "tasks/get: invalid result: error is missing, want that of a failed task",
			`"status":"input_required"`:                   "tasks/get: invalid result: inputRequests is missing, want those of a task that requires input",
			`"status":"completed","result":{"content":7}`: "tools/call: CallToolResult: content",
			`"status":7`:                                  "tasks/get: ",
		} {
			c, f := dial(t, taskScript(0, show), &client.Options{Info: testInfo, Extensions: enabled})
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v", show, err)
			}
			f.sent()
			task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "x"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = task.Result(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("Result of %s: %v", show, err)
			}
		}

		s := taskScript(0, shownCompleted)
		s["tools/call"] = always(`{"resultType":"task","taskId":7}`)
		c, f := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled})
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err == nil || !strings.Contains(err.Error(), "taskId") {
			t.Errorf("a task without an id: %v", err)
		}
		if task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "x"}); err == nil || task != nil {
			t.Errorf("Start of a task without an id: %v, %v", task, err)
		}
		if sent := f.methods(); slices.Contains(sent, "tasks/get") {
			t.Errorf("sent %q", sent)
		}

		s = taskScript(0, shownCompleted)
		s["prompts/get"] = s["tools/call"]
		c, _ = dial(t, s, &client.Options{Info: testInfo, Extensions: enabled})
		_, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "x"})
		if e, ok := errors.AsType[*client.ResultError](err); !ok || !strings.Contains(e.Reason, `got "task"`) {
			t.Errorf("a prompt that is a task: %v", err)
		}
		c, _ = dial(t, taskScript(0, shownCompleted), &client.Options{Info: testInfo})
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); !errors.As(err, new(*client.ResultError)) {
			t.Errorf("a task for a client that takes none: %v", err)
		}
		s["tools/call"] = always(`{"resultType":"other","taskId":"t"}`)
		c, _ = dial(t, s, &client.Options{Info: testInfo, Extensions: enabled})
		_, err = c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
		if e, ok := errors.AsType[*client.ResultError](err); !ok || !strings.Contains(e.Reason, `got "other"`) {
			t.Errorf("a result of another type for a client that takes tasks: %v", err)
		}
		for _, none := range []wire.Encodable{nil, (*mcp.CallToolRequestParams)(nil)} {
			if err := c.Call(t.Context(), &mcp.MethodCallTool, none, new(mcp.CallToolResult)); err == nil || !strings.Contains(err.Error(), "a call of a tool needs params") {
				t.Errorf("params %#v: %v", none, err)
			}
		}
	})
}

// REQ XTASK-11: who gives up cancels by the request for it.
func TestGiveUpTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct {
			opts client.Options
			want any
			text string
		}{
			{client.Options{}, new(*client.InputError), "tools/call: "},
			{client.Options{Roots: []mcp.Root{}}, new(*client.RoundsError), fmt.Sprintf("tools/call: the server still asks for input after %d rounds", client.MaxRounds)},
		} {
			test.opts.Info, test.opts.Extensions = testInfo, enabled
			var shown []string
			for i := range client.MaxRounds + 1 {
				shown = append(shown, shownAsking(fmt.Sprint(i)))
			}
			c, f := dial(t, taskScript(0, shown...), &test.opts)
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
			if !errors.As(err, test.want) || !strings.HasPrefix(err.Error(), test.text) {
				t.Errorf("got %v", err)
			}
			sent := f.methods()
			if last := sent[len(sent)-1]; last != "tasks/cancel" {
				t.Errorf("sent %q", sent)
			}
			if slices.Contains(sent, "notifications/cancelled") {
				t.Errorf("sent %q", sent)
			}
		}
	})
}

// The connection breaks while the client waits.
func TestTaskConnectionBreaks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, taskScript(3_600_000, shownWorking), &client.Options{Info: testInfo, Extensions: enabled})
		go func() {
			time.Sleep(time.Minute)
			f.conn.Close()
		}()
		began := time.Now()
		_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
		if !errors.As(err, new(*jsonrpc.DisconnectedError)) || time.Since(began) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

// A server that shows the same request for input for long does not exhaust the rounds, and a handler that has failed is
// called again by the next Result. Who does not wait any longer asks for nothing more.
func TestResultAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		shown := slices.Repeat([]string{shownAsking("a")}, 2*client.MaxRounds)
		shown = append(shown, `"status":"completed","result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}`)
		opts := &client.Options{Info: testInfo, Extensions: enabled, Roots: []mcp.Root{}}
		c, _ := dial(t, taskScript(0, shown...), opts)
		if r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err != nil || text(r) != "done" {
			t.Errorf("got %v, %v", r, err)
		}

		fail := errors.New("not now")
		opts.Roots = nil
		opts.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}, fail
		}}
		const asking = `"status":"input_required","inputRequests":{"a":` + elicitation + `}`
		c, f := dial(t, taskScript(5000, asking, asking, shownWorking, shownCompleted), opts)
		task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = task.Result(ctx)
		if e, ok := errors.AsType[*jsonrpc.CallError](err); !ok || e.Method != "tools/call" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a short wait: %v", err)
		}
		if got := fmt.Sprint(f.methods()); got != "[tools/call]" {
			t.Errorf("sent %s", got)
		}
		began := time.Now()
		if _, err := task.Result(t.Context()); !errors.Is(err, fail) || time.Since(began) != 0 {
			t.Errorf("a handler that fails: %v after %v, want it at once", err, time.Since(began))
		}
		fail = nil
		if _, err := task.Result(t.Context()); err != nil {
			t.Errorf("a handler that has failed: %v", err)
		}
		if got := fmt.Sprint(f.methods()); got != "[tools/call tasks/get tasks/get tasks/update tasks/get tasks/get]" {
			t.Errorf("sent %s", got)
		}
	})
}

// A task that has ended without a result is not cancelled.
func TestEndedTaskIsNotCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, show := range []string{`"status":"cancelled"`, `"status":"failed","error":{"code":42,"message":"broken"}`} {
			c, f := dial(t, taskScript(0, show), &client.Options{Info: testInfo, Extensions: enabled})
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err == nil {
				t.Errorf("%s: no error", show)
			}
			if got := fmt.Sprint(f.methods()); got != "[tools/call tasks/get]" {
				t.Errorf("%s: sent %s", show, got)
			}
		}
	})
}

// Results of tasks are checked against the schema of the tool, if it is known which that is.
func TestOutputOfTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := taskScript(0, `"status":"completed","result":{"resultType":"complete","content":[],"structuredContent":7}`)
		s["tools/list"] = always(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"name":"x","inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}]}`)
		wrong := errors.New("want a string")
		checked := 0
		c, _ := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled, CheckOutput: func(_ context.Context, schema, output wire.Raw) error {
			checked++
			if string(schema) != `{"type":"string"}` || string(output) != "7" {
				t.Errorf("schema %s, output %s", schema, output)
			}
			return wrong
		}})
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		params := &mcp.CallToolRequestParams{Name: "x"}
		if _, err := c.CallTool(t.Context(), params); !errors.Is(err, wrong) {
			t.Errorf("CallTool: %v", err)
		}
		if err := c.Call(t.Context(), &mcp.MethodCallTool, params, new(mcp.CallToolResult)); !errors.Is(err, wrong) {
			t.Errorf("Call: %v", err)
		}
		task, err := taskclient.Start(t.Context(), c, params)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := task.Result(t.Context()); !errors.Is(err, wrong) {
			t.Errorf("Result: %v", err)
		}
		before := checked
		if _, err := taskclient.Of(c, task.ID()).Result(t.Context()); err != nil || checked != before {
			t.Errorf("Result of a tool that is not known: %v", err)
		}
	})
}

// A call that a handler makes while Start waits is an ordinary one, with the context of the handler.
func TestCallDuringStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := taskScript(0, `"status":"completed","result":{"resultType":"complete","content":[{"type":"text","text":"inner"}]}`)
		calls, task := 0, s["tools/call"]
		s["tools/call"] = func() string {
			if calls++; calls == 1 {
				return `{"resultType":"input_required","inputRequests":{"a":` + elicitation + `}}`
			}
			return task()
		}
		var c *client.Client
		c, f := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled, Elicit: elicit.Handler{Form: func(ctx context.Context, _ *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "inner"})
			if err != nil || len(r.Content) != 1 || text(r) != "inner" {
				t.Errorf("the inner call: %+v, %v", r, err)
			}
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}, nil
		}}})
		if outer, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "outer"}); err != nil || outer.ID() != "t" {
			t.Errorf("got %+v, %v", outer, err)
		}
		if got := fmt.Sprint(f.methods()); got != "[tools/call tools/call tasks/get tools/call]" {
			t.Errorf("sent %s", got)
		}
	})
}

// coreScript is a server of 2025-11-25 with tasks, whose tools are listed on two pages. Those that require tasks have
// them, whatever they are called by.
func coreScript(result string) script {
	return script{
		"initialize":   always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"s","version":"1"}}`),
		"tools/list":   always(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}},{"name":"b","inputSchema":{"type":"object"}}]}`),
		"tools/call":   always(result),
		"tasks/get":    always(`{"taskId":"t","status":"completed","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}`),
		"tasks/result": always(`{"content":[{"type":"text","text":"done"}]}`),
	}
}

const coreTask = `{"task":{"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null}}`

// A client lists the tools once to learn which of them support tasks, and again when they change.
//
// REQ TASK-03
func TestToolsAreListedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := coreScript(coreTask)
		c, f := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{mcp.V2025_11_25}})
		call := func(tool string) {
			t.Helper()
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool}); err != nil {
				t.Errorf("%s: %v", tool, err)
			}
		}
		const asTask = " tools/call tasks/get tasks/result"
		call("a")
		call("a")
		want := "tools/list" + asTask + asTask
		s["tools/call"] = always(`{"content":[]}`)
		call("b")
		want += " tools/call"
		call("unknown")
		call("another")
		want += " tools/list tools/call tools/call"
		f.conn.Notify(t.Context(), "notifications/progress", wire.Raw(`{"progressToken":"x","progress":1}`))
		synctest.Wait()
		call("a")
		want += " tools/call"
		f.conn.Notify(t.Context(), "notifications/tools/list_changed", nil)
		synctest.Wait()
		call("a")
		call("unknown")
		want += " tools/list tools/call tools/list tools/call"
		if got := strings.Join(f.methods(), " "); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}

		delete(s, "tools/list")
		c, f = dial(t, s, &client.Options{Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{mcp.V2025_11_25}})
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "a"}); !errors.Is(err, jsonrpc.ErrMethodNotFound) {
			t.Errorf("tools that cannot be listed: %v", err)
		}
		if got := fmt.Sprint(f.methods()); got != "[tools/list]" {
			t.Errorf("sent %s", got)
		}
	})
}

// Only what was asked for is a task at 2025-11-25, and a server need not make one.
func TestResultsThatAreNoTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		opts := &client.Options{Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{mcp.V2025_11_25}}
		for _, test := range []struct{ tool, result string }{
			{"b", `{"task":{"taskId":"t"},"content":[]}`},
			{"b", `{"resultType":"task","content":[]}`},
			{"a", `{"content":[]}`},
		} {
			c, f := dial(t, coreScript(test.result), opts)
			r := new(mcp.CallToolResult)
			if err := c.Call(t.Context(), &mcp.MethodCallTool, &mcp.CallToolRequestParams{Name: test.tool}, r); err != nil || r.Content == nil {
				t.Errorf("%s: %+v, %v", test.result, r, err)
			}
			if sent := f.methods(); slices.Contains(sent, "tasks/get") {
				t.Errorf("%s: sent %s", test.result, sent)
			}
		}
	})
}

// A server that runs no calls of tools as tasks is not asked which of them could be.
//
// REQ TASK-01
func TestTasksWithoutTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, caps := range []string{`{}`, `{"requests":{}}`, `{"requests":{"tools":{}}}`} {
			s := coreScript(`{"content":[]}`)
			s["initialize"] = always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":` + caps + `},"serverInfo":{"name":"s","version":"1"}}`)
			c, f := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{mcp.V2025_11_25}})
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "a"}); err != nil {
				t.Error(err)
			}
			if got := fmt.Sprint(f.methods()); got != "[tools/call]" {
				t.Errorf("tasks %s: sent %s", caps, got)
			}
		}
	})
}

// The params of a call may be of another type.
func TestParamsOfAnotherType(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, taskScript(0, shownCompleted), &client.Options{Info: testInfo, Extensions: enabled})
		if err := c.Call(t.Context(), &mcp.MethodCallTool, wire.Raw(`{"name":"x"}`), new(mcp.CallToolResult)); err != nil {
			t.Error(err)
		}
		if sent := f.sent(); len(sent) != 2 || !strings.Contains(sent[0], `"name":"x"`) {
			t.Errorf("sent %q", sent)
		}
		for _, wrong := range []string{`{"name":7}`, `{`} {
			if err := c.Call(t.Context(), &mcp.MethodCallTool, wire.Raw(wrong), new(mcp.CallToolResult)); err == nil {
				t.Errorf("%s: no error", wrong)
			}
		}
		if sent := f.sent(); len(sent) != 2 {
			t.Errorf("sent %q", sent)
		}
	})
}

// What the server notifies of a task reaches OnTask whole, and is refused if it is invalid.
func TestOnTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const state = `"taskId":"t","status":"working","statusMessage":"half of it","createdAt":"2026-01-02T03:04:05Z","lastUpdatedAt":"2026-01-02T03:04:06Z",`
		want := tasks.Task{
			ID: "t", Status: mcp.TaskStatusWorking, StatusMessage: "half of it", TTL: time.Minute, PollInterval: time.Second,
			CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), UpdatedAt: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC),
			Extra: wire.Extra{{Name: "x", Value: wire.Raw("1")}},
		}
		for method, params := range map[string]string{
			"notifications/tasks/status": `{` + state + `"ttl":60000,"pollInterval":1000,"x":1}`,
			"notifications/tasks":        `{` + state + `"ttlMs":60000,"pollIntervalMs":1000,"x":1}`,
		} {
			var told []*tasks.Task
			var errs []error
			opts := &client.Options{Info: testInfo, Extensions: []client.Extension{taskclient.Enable(&taskclient.Options{
				OnTask: func(_ context.Context, task *tasks.Task) { told = append(told, task) },
			})}}
			opts.Receive = []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
				return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
					result, err := next(ctx, m)
					errs = append(errs, err)
					return result, err
				}
			}}
			s := coreScript("")
			opts.Revisions = []wire.Revision{mcp.V2025_11_25}
			if method == "notifications/tasks" {
				s, opts.Revisions = taskScript(0, shownWorking), []wire.Revision{mcp.V2026_07_28}
			}
			_, f := dial(t, s, opts)
			f.conn.Notify(t.Context(), method, wire.Raw(params))
			synctest.Wait()
			if len(told) != 1 || !reflect.DeepEqual(*told[0], want) {
				t.Errorf("%s: told %+v, want %+v", method, told, want)
			}
			f.conn.Notify(t.Context(), method, wire.Raw(`{"taskId":7}`))
			synctest.Wait()
			if len(told) != 1 || len(errs) != 1 || errs[0] != nil {
				t.Errorf("%s: told %d, errors %v", method, len(told), errs)
			}
		}
	})
}

// What the server does not offer is not asked for.
//
// REQ TASK-01, TASK-03
func TestTasksUndeclared(t *testing.T) {
	s := script{
		"tools/call":      always(`{"resultType":"complete","content":[]}`),
		"server/discover": discovered(`{"tools":{}}`),
		"initialize":      always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`),
	}
	inBothEras(t, func(t *testing.T, opts *client.Options) {
		c, f := dial(t, s, opts)
		task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "x", Task: &mcp.TaskMetadata{}})
		if err != nil || task.ID() != "" {
			t.Fatalf("got %+v, %v", task, err)
		}
		if sent := f.sent(); opts.Revisions[0] == mcp.V2025_11_25 && !slices.Equal(sent, []string{`tools/call {"name":"x"}`}) {
			t.Errorf("sent %q", sent)
		}
		old := taskclient.Of(c, "t")
		for name, err := range map[string]error{"Get": second(old.Get(t.Context())), "Cancel": old.Cancel(t.Context()), "Result": second(old.Result(t.Context()))} {
			if !errors.As(err, new(*client.CapabilityError)) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if opts.Revisions[0] == mcp.V2026_07_28 {
			want := "tasks/cancel: the server does not declare the capability extensions.io.modelcontextprotocol/tasks"
			if err := old.Cancel(t.Context()); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		err = old.Respond(t.Context(), nil)
		if opts.Revisions[0] == mcp.V2025_11_25 && (!errors.Is(err, wire.ErrUnknownMethod) || err.Error() != "tasks/update: clients cannot call it in revision 2025-11-25") {
			t.Errorf("Respond: %v", err)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// The result of a request that names a task names it, too, at 2025-11-25.
//
// REQ TASK-12, META-16
func TestRelated(t *testing.T) {
	const meta = `{"io.modelcontextprotocol/related-task":{"taskId":"T1"}}`
	s := script{
		"initialize": always(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`),
	}
	opts := &client.Options{
		Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{mcp.V2025_11_25}, Roots: []mcp.Root{{URI: "file:///r"}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "m", Meta: mcp.MetaObject{"own": wire.Raw("7")},
				Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "hi"}}}, nil
		},
		Elicit: elicit.Handler{
			Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				return elicit.Accept(map[string]int{"n": 3})
			},
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return mcp.ElicitResultActionAccept, nil
			},
		},
		Methods: []client.Method{
			methods.Request("example/number", func(context.Context, wire.Raw) (wire.Raw, error) { return wire.Raw("7"), nil }),
		},
	}
	synctest.Test(t, func(t *testing.T) {
		_, f := dial(t, s, opts)
		for _, test := range []struct{ method, params, want string }{
			{"elicitation/create", `"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}`, `,"action":"accept","content":{"n":3}}`},
			{"elicitation/create", `"mode":"url","message":"m","url":"https://x","elicitationId":"1"`, `,"action":"accept"}`},
			{"roots/list", ``, `,"roots":[{"uri":"file:///r"}]}`},
			{"ping", ``, `}`},
		} {
			params := `{"_meta":` + meta + `,` + test.params + `}`
			got, err := f.request(test.method, strings.Replace(params, ",}", "}", 1))
			if want := `{"_meta":` + meta + test.want; got != want || err != nil {
				t.Errorf("%s: got %s, %v; want %s", test.method, got, err, want)
			}
		}
		got, err := f.request("sampling/createMessage", `{"_meta":`+meta+`,"messages":[],"maxTokens":1}`)
		if want := `{"_meta":{"own":7,` + meta[1:] + `,"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}`; got != want || err != nil {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
		for _, params := range []string{"", `{}`, `{"_meta":{}}`, `{"_meta":{"other":1}}`} {
			if got, err := f.request("roots/list", params); got != `{"roots":[{"uri":"file:///r"}]}` || err != nil {
				t.Errorf("params %s without a task: %s, %v", params, got, err)
			}
		}
		if got, err := f.request("example/number", `{"_meta":`+meta+`}`); err == nil {
			t.Errorf("a number that is to name a task: %s", got)
		}
		if got, err := f.request("roots/list", `{"_meta":7}`); err == nil {
			t.Errorf("metadata of another type: %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // other revisions know of no tasks
		older := *opts
		older.Revisions = []wire.Revision{mcp.V2025_06_18}
		s["initialize"] = always(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
		_, f := dial(t, s, &older)
		if got, err := f.request("roots/list", `{"_meta":`+meta+`}`); got != `{"roots":[{"uri":"file:///r"}]}` || err != nil {
			t.Errorf("at 2025-06-18: %s, %v", got, err)
		}
	})
}

// In the core of 2025-11-25 a client declares nothing to have tasks of the server.
//
// REQ XTASK-01
func TestDeclared(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_06_18, mcp.V2025_11_25} {
		bubbled := func(t *testing.T) {
			var params wire.Raw
			s := script{"initialize": always(`{"protocolVersion":"` + rev.String() + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)}
			opts := &client.Options{Info: testInfo, Extensions: enabled, Revisions: []wire.Revision{rev}}
			opts.Send = []client.Middleware{func(next client.SendFunc) client.SendFunc {
				return func(ctx context.Context, c *client.Call) error {
					if p, ok := c.Params.(*mcp.InitializeRequestParams); ok {
						params, _ = wire.Marshal(rev, &p.Capabilities)
					}
					return next(ctx, c)
				}
			}}
			dial(t, s, opts)
			if string(params) != "{}" {
				t.Errorf("declared %s", params)
			}
		}
		t.Run(rev.String(), func(t *testing.T) { bubble(t, bubbled) })
	}
}
