package taskserver_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const tasksCaps = `{"extensions":{"io.modelcontextprotocol/tasks":{}},"elicitation":{"form":{}},"sampling":{},"roots":{}}`

// A work is the handler of a tool.
type work = func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error)

// addWork adds a tool that can be a task.
func addWork(t testing.TB, s *Server, name string, support mcp.ToolExecutionTaskSupport, h work) {
	t.Helper()
	def := mcp.Tool{Name: name, Execution: &mcp.ToolExecution{TaskSupport: support}}
	add(t, s.AddTool(def, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) { return h(ctx, c) }))
}

const (
	forbidden = mcp.ToolExecutionTaskSupportForbidden
	optional  = mcp.ToolExecutionTaskSupportOptional
	must      = mcp.ToolExecutionTaskSupportRequired
)

// taskServer returns a server with tasks that ends with the test, and has nothing running then.
func taskServer(t testing.TB, o *server.Options, to *taskserver.Options) *Server {
	t.Helper()
	s := newServer(o, new(option.Of(to)))
	t.Cleanup(func() { add(t, s.Shutdown(context.Background())) })
	return s
}

// slow returns a handler that works for as long.
func slow(d time.Duration, text string) work {
	return func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(d):
			return server.TextResult(text), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// A shown is a task as a client sees it: flat, or that of a CreateTaskResult of 2025-11-25.
type shown struct {
	ResultType     string
	TaskID         string
	Status         string
	StatusMessage  string
	CreatedAt      string
	LastUpdatedAt  string
	TTL            *int64
	PollInterval   *int64
	TTLMs          *int64
	PollIntervalMs *int64
	InputRequests  map[string]struct {
		Method string
		Params json.RawMessage
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func show(t testing.TB, text string) shown {
	t.Helper()
	var s shown
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// create calls a tool and expects a task.
func (c *tester) create(tool, more string) shown {
	c.T.Helper()
	if c.Rev >= mcp.Modern {
		s := show(c.T, c.Must("tools/call", `{"name":"`+tool+`"`+more+`}`))
		equal(c.T, "resultType", s.ResultType, "task")
		return s
	}
	if more == "" {
		more = `,"task":{}`
	}
	var created struct{ Task json.RawMessage }
	if err := json.Unmarshal([]byte(c.Must("tools/call", `{"name":"`+tool+`"`+more+`}`)), &created); err != nil {
		c.T.Fatal(err)
	}
	return show(c.T, string(created.Task))
}

func (c *tester) get(id string) shown {
	c.T.Helper()
	return show(c.T, c.Must("tasks/get", `{"taskId":"`+id+`"}`))
}

// left returns what the server knows of tasks.
func left(s *Server) string { return s.tasks.Left() }

func bubbles(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// bothEras runs a test in a bubble for each era.
func bothEras(t *testing.T, f func(t *testing.T, rev wire.Revision)) {
	eras(t, func(t *testing.T, rev wire.Revision) { bubbles(t, func(t *testing.T) { f(t, rev) }) })
}

// REQ TASK-01, TASK-18: what is declared, and to whom.
func TestTaskCapabilities(t *testing.T) {
	who := ""
	s := taskServer(t, &server.Options{Identity: func(context.Context) transport.Identity {
		if who == "" {
			return nil
		}
		return &holder{name: who}
	}}, nil)
	addWork(t, s, "w", optional, slow(0, ""))
	hello := func(rev wire.Revision) string {
		c := strangerTo(t, s, rev, `{}`)
		t.Cleanup(c.session.Close)
		return c.Must("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"2"}}`, rev))
	}
	contains(t, "without a principal", hello(mcp.V2025_11_25), `"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`)
	if r := hello(mcp.V2025_06_18); strings.Contains(r, "tasks") {
		t.Errorf("2025-06-18 has tasks: %s", r)
	}
	who = "ada"
	contains(t, "with a principal", hello(mcp.V2025_11_25), `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)

	// REQ XTASK-01, XTASK-12
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	discovered := c.Must("server/discover", "")
	contains(t, "discovered", discovered, `"extensions":{"io.modelcontextprotocol/tasks":{}}`)
	if strings.Contains(discovered, `"tasks":`) {
		t.Errorf("2026-07-28 has the capability of the core: %s", discovered)
	}
	if list := c.Must("tools/list", ""); strings.Contains(list, "execution") {
		t.Errorf("2026-07-28 has execution: %s", list)
	}
	contains(t, "2025-11-25", newClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/list", ""), `"execution":{"taskSupport":"optional"}`)
}

// REQ TASK-02, TASK-06, TASK-07, TASK-08, TASK-09, TASK-10, TASK-12, META-16: from the call to its
// result in the core of 2025-11-25.
func TestTaskOfTheCore(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(time.Minute, "done"))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		raw := c.Must("tools/call", `{"name":"w","task":{"ttl":120000}}`)
		if !regexp.MustCompile(`^\{"task":\{"taskId":"[0-9a-z]{9}-[A-Z2-7]{26}","status":"working","createdAt":"` + at +
			`","lastUpdatedAt":"` + at + `","ttl":120000,"pollInterval":1000\}\}$`).MatchString(raw) {
			t.Fatalf("created: %s", raw)
		}
		var created struct{ Task shown }
		if err := json.Unmarshal([]byte(raw), &created); err != nil {
			t.Fatal(err)
		}
		id := created.Task.TaskID
		equal(t, "status", c.get(id).Status, "working")

		began := time.Now()
		result := c.Must("tasks/result", `{"taskId":"`+id+`"}`)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("the result came after %v", took)
		}
		equal(t, "result", result, `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+
			`"}},"content":[{"type":"text","text":"done"}]}`)
		raw = c.Must("tasks/get", `{"taskId":"`+id+`"}`)
		if strings.Contains(raw, "_meta") {
			t.Errorf("tasks/get has metadata: %s", raw)
		}
		after := show(t, raw)
		equal(t, "status", after.Status, "completed")
		equal(t, "updated", after.LastUpdatedAt, began.Add(time.Minute).UTC().Format("2006-01-02T15:04:05.000Z"))
		equal(t, "again", c.Must("tasks/result", `{"taskId":"`+id+`","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"other"}}}`), result)
	})
}

// REQ XTASK-02, XTASK-06, XTASK-07, XTASK-08: from the call to its result in the extension.
func TestTaskOfTheExtension(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Hour, PollInterval: 2 * time.Second})
		addWork(t, s, "w", optional, slow(time.Minute, "done"))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		const about = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}`
		raw := c.Must("tools/call", `{"name":"w","task":{"ttl":1}}`) // which means nothing here
		id := show(t, raw).TaskID
		task := `"taskId":"` + id + `","status":%q,"createdAt":"` + at + `","lastUpdatedAt":%q,"ttlMs":3600000,"pollIntervalMs":2000`
		equal(t, "created", raw, `{`+about+`,"resultType":"task",`+fmt.Sprintf(task, "working", at)+`}`)
		equal(t, "working", c.Must("tasks/get", `{"taskId":"`+id+`"}`),
			`{"resultType":"complete",`+about+`,`+fmt.Sprintf(task, "working", at)+`}`)

		time.Sleep(time.Minute)
		synctest.Wait()
		later := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		equal(t, "completed", c.Must("tasks/get", `{"taskId":"`+id+`"}`),
			`{"resultType":"complete",`+about+`,`+fmt.Sprintf(task, "completed", later)+
				`,"result":{`+about+`,"resultType":"complete","content":[{"type":"text","text":"done"}]}}`)

		// REQ XTASK-12
		for _, method := range []string{"tasks/list", "tasks/result"} {
			c.Fails(method, `{"taskId":"`+id+`"}`, codeNotFound)
		}
	})
}

// REQ TASK-03, TASK-04, TASK-05, XTASK-03, XTASK-04, EXT-02: who gets a task of which tool.
func TestTaskSupport(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "forbidden", forbidden, slow(0, "plain"))
		addWork(t, s, "optional", optional, slow(0, "plain"))
		addWork(t, s, "required", must, slow(0, "plain"))
		const augmented = `,"task":{}`
		for _, test := range []struct {
			rev       wire.Revision
			caps      string
			more      string
			forbidden int64 // an error; 0 for a result, 1 for a task
			optional  int64
			required  int64
		}{
			{mcp.V2026_07_28, tasksCaps, "", 0, 1, 1},
			{mcp.V2026_07_28, `{}`, "", 0, 0, mcp.CodeMissingRequiredClientCapability},
			{mcp.V2026_07_28, `{}`, augmented, 0, 0, mcp.CodeMissingRequiredClientCapability},
			{mcp.V2025_11_25, `{}`, augmented, codeNotFound, 1, 1},
			{mcp.V2025_11_25, `{}`, "", 0, 0, codeNotFound},
			{mcp.V2025_06_18, `{}`, augmented, 0, 0, codeNotFound},
		} {
			c := newClient(t, s, test.rev, test.caps)
			for tool, want := range map[string]int64{"forbidden": test.forbidden, "optional": test.optional, "required": test.required} {
				result, err := c.Call("tools/call", `{"name":"`+tool+`"`+test.more+`}`)
				got := int64(0)
				switch {
				case err != nil:
					got = err.Code
				case strings.Contains(result, `"taskId"`):
					got = 1
				default:
					contains(t, tool, result, `"text":"plain"`)
				}
				if got != want {
					t.Errorf("%s, capabilities %s, %q: %s gives %d, want %d", test.rev, test.caps, test.more, tool, got, want)
				}
				if got == mcp.CodeMissingRequiredClientCapability {
					equal(t, "data", string(err.Data), `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
				}
			}
		}
	})

	// A server without tasks ignores what clients say of them.
	s := newServer(nil, nil)
	addWork(t, s, "w", forbidden, slow(0, "plain"))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	contains(t, "result", c.Must("tools/call", `{"name":"w","task":{}}`), `"text":"plain"`)
	c.Fails("tasks/get", `{"taskId":"x"}`, codeNotFound)
	newClient(t, s, mcp.V2026_07_28, tasksCaps).Fails("tasks/get", `{"taskId":"x"}`, codeNotFound)
}

// A tool that runs only as a task is listed to those who can call it, and no cache gives one client's
// list to others.
func TestTaskOnlyToolsAreListed(t *testing.T) {
	s := taskServer(t, &server.Options{PageSize: 2, Cache: server.Cache{Tools: server.CacheHint{Public: true}}}, nil)
	for _, name := range []string{"a", "c", "d"} {
		addWork(t, s, name, optional, slow(0, "plain"))
	}
	addWork(t, s, "b", must, slow(0, "plain"))
	for range 2 { // the second time from kept pages
		for _, test := range []struct {
			rev         wire.Revision
			caps        string
			first, then []string // pages
		}{
			{mcp.V2026_07_28, tasksCaps, []string{"a", "b"}, []string{"c", "d"}},
			{mcp.V2026_07_28, `{}`, []string{"a", "c"}, []string{"d"}},
			{mcp.V2025_11_25, `{}`, []string{"a", "b"}, []string{"c", "d"}},
			{mcp.V2025_06_18, `{}`, []string{"a", "c"}, []string{"d"}},
		} {
			c := newClient(t, s, test.rev, test.caps)
			params := `{}`
			for i, want := range [][]string{test.first, test.then} {
				var page mcp.ListToolsResult
				if err := wire.Decode([]byte(c.Must("tools/list", params)), &page); err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range page.Tools {
					names = append(names, tool.Name)
				}
				if !slices.Equal(names, want) {
					t.Errorf("%s, capabilities %s: page %d has %v, want %v", test.rev, test.caps, i, names, want)
				}
				if i == 0 && test.rev == mcp.V2026_07_28 && page.CacheScope != mcp.CacheScopePrivate {
					t.Errorf("%s, capabilities %s: cache scope %q", test.rev, test.caps, page.CacheScope)
				}
				if page.NextCursor != nil {
					params = `{"cursor":"` + string(*page.NextCursor) + `"}`
				}
			}
		}
	}
}

// REQ XTASK-14, XTASK-03: what a client of the extension declared before does not count.
func TestUndeclaredTaskRequests(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id := c.create("w", "").TaskID
		c.Caps = `{}`
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			err := c.Fails(method, `{"taskId":"`+id+`","inputResponses":{}}`, mcp.CodeMissingRequiredClientCapability)
			equal(t, "data", string(err.Data), `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
		}
		c.Fails("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`, mcp.CodeMissingRequiredClientCapability)
	})
}

// REQ TASK-16, XTASK-15, EXT-07: what there is not.
func TestUnknownTask(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		c := newClient(t, s, rev, tasksCaps)
		methods := []string{"tasks/get", "tasks/cancel", "tasks/update"}
		other := mcp.V2025_11_25
		if rev < mcp.Modern {
			methods[2], other = "tasks/result", mcp.V2026_07_28
		}
		foreign := newClient(t, s, other, tasksCaps).create("w", "").TaskID // of the other era
		for _, method := range methods {
			for _, id := range []string{"x", "", foreign} {
				err := c.Fails(method, `{"taskId":"`+id+`","inputResponses":{}}`, codeInvalidParams)
				contains(t, method, err.Message, `unknown task "`+id+`"`)
			}
			for _, wrong := range []string{`{}`, `{"taskId":7}`} {
				if err := c.Fails(method, wrong, codeInvalidParams); !strings.Contains(err.Message, "taskId") {
					t.Errorf("%s of %s: %s", method, wrong, err.Message)
				}
			}
		}
	})
}

// REQ TASK-20, XTASK-09, TASK-10: an error of the tool and one of the protocol.
func TestFailedTasks(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "tool", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) { return nil, errors.New("no disk") })
		addWork(t, s, "protocol", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: 42, Message: "no backend", Data: wire.Raw(`[1]`)}
		})
		addWork(t, s, "panic", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) { panic("secret") })
		addWork(t, s, "exit", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) { runtime.Goexit(); return nil, nil })
		c := newClient(t, s, rev, tasksCaps)
		for tool, want := range map[string]struct {
			code    int64
			message string
		}{"tool": {0, "the tool failed: its result says why"}, "protocol": {42, "no backend"}, "panic": {codeInternal, "internal error"}, "exit": {codeInternal, "internal error"}} {
			id := c.create(tool, "").TaskID
			synctest.Wait()
			task := c.get(id)
			if tool == "tool" && rev >= mcp.Modern {
				equal(t, tool, task.Status, "completed")
				contains(t, tool, string(task.Result), `"content":[{"type":"text","text":"no disk"}],"isError":true`)
				continue
			}
			equal(t, tool, task.Status, "failed")
			equal(t, tool, task.StatusMessage, want.message)
			switch {
			case rev >= mcp.Modern:
				if task.Error == nil || int64(task.Error.Code) != want.code || task.Error.Message != want.message {
					t.Errorf("%s: error %+v", tool, task.Error)
				}
			case tool == "tool":
				contains(t, tool, c.Must("tasks/result", `{"taskId":"`+id+`"}`), `"content":[{"type":"text","text":"no disk"}],"isError":true`)
			default:
				equal(t, tool, c.Fails("tasks/result", `{"taskId":"`+id+`"}`, want.code).Message, want.message)
			}
		}
	})
}

// REQ TASK-15, TASK-08, XTASK-11, CANC-10: a task that is cancelled stays so, and its handler is told.
func TestCancelTask(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var cause error
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			time.Sleep(time.Minute) // it takes its time
			return server.TextResult("finished all the same"), nil
		})
		addWork(t, s, "quick", optional, slow(0, ""))
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		time.Sleep(time.Minute)
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		answer := c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		equal(t, "updated", c.get(id).LastUpdatedAt, at)
		if rev >= mcp.Modern {
			equal(t, "answer", answer, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}`)
		} else {
			equal(t, "answer", show(t, answer).Status, "cancelled")
		}
		equal(t, "status", c.get(id).Status, "cancelled")
		synctest.Wait()
		if cause != taskserver.ErrCancelled {
			t.Errorf("the handler's context ended with %v", cause)
		}
		if rev < mcp.Modern {
			c.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams) // while the handler is still at work
		}
		time.Sleep(2 * time.Minute)
		task := c.get(id)
		equal(t, "status after the handler", task.Status, "cancelled")
		equal(t, "message", task.StatusMessage, "the task was cancelled")
		if task.Result != nil {
			t.Errorf("it has the result %s", task.Result)
		}

		done := c.create("quick", "").TaskID
		synctest.Wait()
		for _, id := range []string{id, done} {
			if rev >= mcp.Modern {
				c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
				continue
			}
			contains(t, "again", c.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams).Message, "is over: ")
		}
		equal(t, "done", c.get(done).Status, "completed")
		if rev < mcp.Modern {
			contains(t, "result", c.Fails("tasks/result", `{"taskId":"`+id+`"}`, codeInternal).Message, "the task was cancelled")
		}
	})
}

// REQ TASK-19, TASK-16: a task is kept for as long as was said, counted from its creation; the client
// is told how long that is; and one timer sees to it.
func TestTaskExpiry(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(taskserver.Memory)
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Hour, MaxTTL: 2 * time.Hour, Store: store})
		var cause error
		addWork(t, s, "quick", optional, slow(time.Minute, ""))
		addWork(t, s, "endless", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, cause
		})
		c := newClient(t, s, rev, tasksCaps)
		ids := []string{c.create("quick", "").TaskID, c.create("endless", "").TaskID}
		if rev < mcp.Modern {
			for ttl, want := range map[string]int64{`{"ttl":60000}`: 60_000, `{"ttl":9e15}`: 7_200_000, `{"ttl":0}`: 3_600_000, `{}`: 3_600_000} {
				if task := c.create("quick", `,"task":`+ttl); *task.TTL != want {
					t.Errorf("ttl %s gives %d", ttl, *task.TTL)
				}
			}
		}
		time.Sleep(time.Hour - time.Millisecond)
		equal(t, "before", c.get(ids[0]).Status, "completed")
		equal(t, "before", c.get(ids[1]).Status, "working")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		for _, id := range ids {
			c.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidParams)
		}
		if cause != taskserver.ErrExpired {
			t.Errorf("the handler's context ended with %v", cause)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := storedTasks(t, store, ""); n > 0 {
			t.Errorf("%d tasks are left in the store", n)
		}
		equal(t, "left", left(s), "0 live, 0 to expire, 0 at work")
	})
}

// REQ TASK-16: what has expired is nobody's, even if the store is late in removing it.
func TestExpiredTaskInStore(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		task := &tasks.Task{CreatedAt: time.Now(), TTL: time.Minute}
		time.Sleep(time.Minute - time.Nanosecond)
		if taskserver.Expired(task) {
			t.Error("it has expired too early")
		}
		time.Sleep(time.Nanosecond)
		if !taskserver.Expired(task) {
			t.Error("it has not expired")
		}
	})
}

// REQ TASK-10, TASK-16: who waits for the result of a task that expires gets to know.
func TestWaitForExpiry(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Minute})
		late := taskServer(t, nil, &taskserver.Options{TTL: time.Minute, Store: &watchful{deaf: true}}) // whose store says nothing
		for _, s := range []*Server{s, late} {
			addWork(t, s, "endless", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		for _, s := range []*Server{s, late} {
			c := newClient(t, s, mcp.V2025_11_25, `{}`)
			began := time.Now()
			c.Fails("tasks/result", `{"taskId":"`+c.create("endless", "").TaskID+`"}`, codeInvalidParams)
			if took := time.Since(began); took != time.Minute {
				t.Errorf("it took %v", took)
			}
		}
		// And one whose client does not wait for it any more.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		id := c.create("endless", "").TaskID
		if _, err := c.CallContext(ctx, "tasks/result", `{"taskId":"`+id+`"}`); err == nil {
			t.Error("there is a result")
		}
		equal(t, "status", c.get(id).Status, "working")
	})
}

// REQ TASK-16, TASK-17, TASK-18, JRPC-19: tasks are their principal's; the list has what tasks/get gives, page by page.
func TestTasksOfPrincipals(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, &server.Options{PageSize: 2}, nil)
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		addWork(t, s, "quick", optional, slow(0, ""))
		ada, bob := newClient(t, s, mcp.V2025_11_25, `{}`), newClient(t, s, mcp.V2025_11_25, `{}`)
		ada.Principal, bob.Principal = "ada", "bob"
		modern := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		modern.Principal = "ada"
		var want []string
		for i := range 5 {
			id := ada.create([]string{"w", "quick"}[i%2], "").TaskID
			want = append(want, id)
			bob.create("quick", "")
			for range 12 { // more in all than are read from the store at a time
				modern.create("quick", "") // of another era
			}
			time.Sleep(time.Millisecond)
			bob.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidParams)
			bob.Fails("tasks/result", `{"taskId":"`+id+`"}`, codeInvalidParams)
			bob.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams)
		}
		var got, sizes []string
		for cursor := `{}`; cursor != ""; {
			var page struct {
				Tasks      []json.RawMessage
				NextCursor string
			}
			if err := json.Unmarshal([]byte(ada.Must("tasks/list", cursor)), &page); err != nil {
				t.Fatal(err)
			}
			for _, task := range page.Tasks {
				id := wire.Raw(task).StringAt("taskId")
				equal(t, "listed", string(task), ada.Must("tasks/get", `{"taskId":"`+id+`"}`))
				got = append(got, id)
			}
			sizes = append(sizes, fmt.Sprint(len(page.Tasks)))
			if cursor = ""; page.NextCursor != "" {
				cursor = `{"cursor":"` + page.NextCursor + `"}`
			}
		}
		equal(t, "listed", fmt.Sprint(got), fmt.Sprint(want))
		equal(t, "pages", fmt.Sprint(sizes), "[2 2 1]")
		for _, text := range []string{"task " + want[0], ""} { // what is not encoded, and has no mark
			for _, wrong := range []string{text, "!" + base64.RawURLEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)) + "!",
				base64.RawURLEncoding.EncodeToString([]byte(strings.TrimPrefix(text, "task ")))} {
				ada.Fails("tasks/list", fmt.Sprintf(`{"cursor":%q}`, wrong), codeInvalidParams)
			}
		}
		contains(t, "the error", ada.Fails("tasks/list", `{"cursor":7}`, codeInvalidParams).Message, "want string, got number")
		cid := newClient(t, s, mcp.V2025_11_25, `{}`)
		cid.Principal = "cid"
		equal(t, "no tasks", cid.Must("tasks/list", `{}`), `{"tasks":[]}`)

		nobody := newClient(t, s, mcp.V2025_11_25, `{}`)
		nobody.Fails("tasks/list", `{}`, codeNotFound)
	})
}

// REQ TASK-19: limits on what is at work, and on what is kept.
func TestTaskLimits(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, &taskserver.Options{MaxRunning: 2, MaxTasks: 3, TTL: time.Hour})
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		c := newClient(t, s, rev, tasksCaps)
		refused := func(why string) {
			t.Helper()
			more := ""
			if rev < mcp.Modern {
				more = `,"task":{}`
			}
			contains(t, "error", c.Fails("tools/call", `{"name":"w"`+more+`}`, codeInternal).Message, why)
		}
		first, second := c.create("w", "").TaskID, c.create("w", "").TaskID
		refused("2 tasks are running, which is the limit")
		time.Sleep(time.Minute)
		synctest.Wait()
		c.create("w", "")
		c.create("w", "") // in the place of the one that was done first
		gone := 0
		for _, id := range []string{first, second} {
			if _, err := c.Call("tasks/get", `{"taskId":"`+id+`"}`); err != nil {
				gone++
			}
		}
		equal(t, "gone", fmt.Sprint(gone), "1")
		equal(t, "left", left(s), "2 live, 3 to expire, 2 at work")
	})
}

func TestMemory(t *testing.T) {
	storetest.Tasks(t, func(*testing.T) (a, b taskserver.Store) {
		m := new(taskserver.Memory)
		return m, m
	})
}

// A Memory keeps nothing of principals whose tasks are gone, and calls who still watches.
func TestMemoryForgets(t *testing.T) {
	m := new(taskserver.Memory)
	rec := &taskserver.Record{Principal: "ada", Task: tasks.Task{ID: "1"}}
	add(t, m.Create(t.Context(), rec))
	var seen []string
	watch := func(name string) func() {
		return m.Watch("ada", "1", func(r *taskserver.Record, lost error) { seen = append(seen, fmt.Sprint(name, " ", r != nil, lost)) })
	}
	stop := watch("first")
	defer watch("second")()
	stop()
	next := *rec
	add(t, m.Update(t.Context(), &next))
	add(t, m.Delete(t.Context(), "ada", "1"))
	equal(t, "seen", strings.Join(seen, ", "), "second true <nil>, second false <nil>")
	if n := m.Principals(); n != 0 {
		t.Errorf("%d principals are left", n)
	}
	if err := m.Update(t.Context(), &next); err != taskserver.ErrConflict {
		t.Errorf("an update of what is gone: %v", err)
	}
}

// A store may have what is no result.
func TestResultOfTheStoreIsWrong(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(taskserver.Memory)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		add(t, store.Create(t.Context(), &taskserver.Record{Revision: mcp.V2025_11_25, Task: tasks.Task{
			ID: "1", Status: mcp.TaskStatusCompleted, Result: wire.Raw(`{"_meta":7}`), CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}}))
		c.Fails("tasks/result", `{"taskId":"1"}`, codeInternal)
	})
}

// A server cannot have tasks twice.
func TestEnableTwice(t *testing.T) {
	s := newServer(nil, new(taskserver.Options))
	if err := taskserver.Enable(nil)(s.Server); err == nil {
		t.Error("it has")
	}
}
