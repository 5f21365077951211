package taskclient_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
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
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"}); err != nil {
			t.Fatal(err)
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
			`"status":"completed","result":{"content":7}`: "tools/call: CallToolResponse",
			`"status":7`:                                  "tasks/get: ",
		} {
			c, f := dial(t, taskScript(0, show), &client.Options{Info: testInfo, Extensions: enabled})
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
			if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), "content") {
				t.Errorf("%s: %v", show, err)
			}
			f.sent()
		}

		s := taskScript(0, shownCompleted)
		s["prompts/get"] = s["tools/call"]
		c, _ := dial(t, s, &client.Options{Info: testInfo, Extensions: enabled})
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
		if _, err := c.CallTool(t.Context(), nil); err == nil {
			t.Error("no params are no error")
		}
	})
}

// REQ XTASK-11: who gives up cancels by the request for it.
func TestGiveUpTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct {
			opts client.Options
			want any
		}{
			{client.Options{}, new(*client.InputError)},
			{client.Options{Roots: []mcp.Root{}}, new(*client.RoundsError)},
		} {
			test.opts.Info, test.opts.Extensions = testInfo, enabled
			var shown []string
			for i := range client.MaxRounds + 1 {
				shown = append(shown, shownAsking(fmt.Sprint(i)))
			}
			c, f := dial(t, taskScript(0, shown...), &test.opts)
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "x"})
			if !errors.As(err, test.want) {
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
		err = old.Respond(t.Context(), nil)
		if opts.Revisions[0] == mcp.V2025_11_25 && !errors.Is(err, wire.ErrUnknownMethod) {
			t.Errorf("Answer: %v", err)
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
		Elicit: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return client.Accept(map[string]int{"n": 3})
		},
		ElicitURL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
			return mcp.ElicitResultActionAccept, nil
		},
	}
	bubble(t, func(t *testing.T) {
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
		if got, err := f.request("roots/list", `{}`); got != `{"roots":[{"uri":"file:///r"}]}` || err != nil {
			t.Errorf("without a task: %s, %v", got, err)
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
