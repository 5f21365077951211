package taskserver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// update answers questions of a task: pairs of keys and answers.
func (c *tester) update(id string, answers ...string) (string, *jsonrpc.Error) {
	c.T.Helper()
	var members []string
	for i := 0; i < len(answers); i += 2 {
		members = append(members, fmt.Sprintf("%q:%s", answers[i], answers[i+1]))
	}
	return c.Call("tasks/update", `{"taskId":"`+id+`","inputResponses":{`+strings.Join(members, ",")+`}}`)
}

// keys returns the keys of what a task asks.
func (s *shown) keys() []string {
	var keys []string
	for key := range s.InputRequests {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func named(name string) string { return `{"action":"accept","content":{"name":"` + name + `"}}` }

// inquiring is a handler that asks for a name and for roots, one after the other.
func inquiring(runs *atomic.Int32) work {
	return func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
		runs.Add(1)
		r, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
		if err != nil {
			return nil, err
		}
		roots, err := c.ListRoots(ctx)
		if err != nil {
			return nil, err
		}
		return server.TextResult(string(r.Content["name"]) + " in " + roots.Roots[0].URI), nil
	}
}

// REQ TASK-08, TASK-11, TASK-12: in the core, the questions of a task are requests that go to who
// waits for the result. The handler runs once.
func TestTaskAsksInTheCore(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var runs atomic.Int32
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, inquiring(&runs))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		c.Answer = func(method string, params wire.Raw) (wire.Raw, error) {
			if method == "elicitation/create" {
				return wire.Raw(named("Ada")), nil
			}
			return wire.Raw(`{"roots":[{"uri":"file:///x"}]}`), nil
		}
		id := c.create("w", "").TaskID
		synctest.Wait()
		equal(t, "status", c.get(id).Status, "input_required")
		if len(c.Asked) > 0 {
			t.Errorf("asked before tasks/result: %q", c.Asked)
		}
		contains(t, "result", c.Must("tasks/result", `{"taskId":"`+id+`"}`), `\"Ada\" in file:///x`)
		related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id + `"}}`
		equal(t, "asked", strings.Join(c.Asked, "\n"),
			`elicitation/create {`+related+`,"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`+
				"\n"+`roots/list {`+related+`}`)
		equal(t, "status", c.get(id).Status, "completed")
		if runs.Load() != 1 {
			t.Errorf("%d runs", runs.Load())
		}
	})
}

// REQ XTASK-08, XTASK-10, MRTR-03: in the extension, the questions stand in the task, and are
// answered by tasks/update.
func TestTaskAsksInTheExtension(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var runs atomic.Int32
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", must, inquiring(&runs))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id := c.create("w", "").TaskID
		synctest.Wait()
		task := c.get(id)
		equal(t, "status", task.Status, "input_required")
		equal(t, "keys", fmt.Sprint(task.keys()), "[who]")
		equal(t, "question", task.InputRequests["who"].Method+" "+string(task.InputRequests["who"].Params),
			`elicitation/create {"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`)

		// Keys that there are not are ignored, wrong answers leave the question as it is.
		if _, err := c.update(id, "other", named("Eve")); err != nil {
			t.Error(err)
		}
		for _, wrong := range []string{`{"action":"accept","content":{"name":7}}`, `{"action":"accept"}`, `{"roots":[]}`, `7`} {
			_, err := c.update(id, "who", wrong)
			if err == nil || err.Code != codeInvalidParams {
				t.Fatalf("answer %s: %v", wrong, err)
			}
			contains(t, "error", err.Message, `inputResponses["who"]: the client's response to elicitation/create: `)
		}
		c.Fails("tasks/update", `{"taskId":"`+id+`"}`, codeInvalidParams)
		equal(t, "still", c.get(id).Status, "input_required")

		answer, err := c.update(id, "who", named("Ada"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "answer", answer, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}`)
		if _, err := c.update(id, "who", named("Eve")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		task = c.get(id)
		equal(t, "status", task.Status, "input_required")
		if keys := task.keys(); len(keys) != 1 || keys[0] == "who" {
			t.Fatalf("keys %q", keys)
		}
		if _, err := c.update(id, task.keys()[0], `{"roots":[{"uri":"file:///x"}]}`); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		task = c.get(id)
		contains(t, "result", string(task.Result), `\"Ada\" in file:///x`)
		if runs.Load() != 1 || task.InputRequests != nil {
			t.Errorf("%d runs, asks %v", runs.Load(), task.InputRequests)
		}
		if _, err := c.update(id, "who", named("Eve")); err != nil {
			t.Errorf("an answer after the end: %v", err)
		}
	})
}

// REQ XTASK-10: several questions at once, answered one after the other and again.
func TestTaskAsksSeveralAtOnce(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			var wg sync.WaitGroup
			answers := make([]string, 2)
			for i, key := range []string{"a", "b"} {
				wg.Go(func() {
					if r, err := c.WithKey(key).Elicit(ctx, form(key+"?", "name")); err == nil {
						answers[i] = string(r.Content["name"])
					}
				})
			}
			wg.Wait()
			return server.TextResult(strings.Join(answers, "+")), nil
		})
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		synctest.Wait()
		if rev < mcp.Modern {
			c.Answer = func(_ string, params wire.Raw) (wire.Raw, error) {
				return wire.Raw(named(params.StringAt("message"))), nil
			}
			contains(t, "result", c.Must("tasks/result", `{"taskId":"`+id+`"}`), `\"a?\"+\"b?\"`)
			return
		}
		task := c.get(id)
		equal(t, "keys", fmt.Sprint(task.keys()), "[a b]")
		time.Sleep(time.Second)
		if _, err := c.update(id, "a", "7", "b", named("B")); err == nil {
			t.Error("a wrong response is accepted")
		}
		later := c.get(id)
		equal(t, "keys", fmt.Sprint(later.keys()), "[a b]") // nothing that follows a wrong one counts
		equal(t, "updated", later.LastUpdatedAt, task.LastUpdatedAt)
		if _, err := c.update(id, "b", named("B"), "c", "7"); err != nil {
			t.Fatal(err)
		}
		if c.get(id).LastUpdatedAt == task.LastUpdatedAt {
			t.Error("a response does not count as an update")
		}
		synctest.Wait()
		task = c.get(id)
		equal(t, "keys", fmt.Sprint(task.keys()), "[a]")
		if _, err := c.update(id, "b", named("X"), "a", named("A")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		contains(t, "result", string(c.get(id).Result), `\"A\"+\"B\"`)
	})
}

// REQ TASK-11: a client that goes away while it is asked is asked again when it comes back.
func TestTaskAsksAgain(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var runs atomic.Int32
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, inquiring(&runs))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := c.CallContext(ctx, "tasks/result", `{"taskId":"`+id+`"}`); err == nil {
				t.Fatal("there is a result")
			}
			cancel()
			equal(t, "status", c.get(id).Status, "input_required")
		}
		if len(c.Asked) != 2 {
			t.Errorf("asked %q", c.Asked)
		}
		// And if nobody answers while it waits, the handler gets an error.
		contains(t, "result", c.Must("tasks/result", `{"taskId":"`+id+`"}`), `context deadline exceeded`)
	})
}

// Of several requests that wait for the result, the newest is the one by which the client is asked,
// because an older one may have lost its connection; but only as long as it waits, and if it can ask.
//
// REQ TASK-11, HTTP-30
func TestTaskAsksByTheNewest(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			r, err := c.Elicit(ctx, form("Name?", "name"))
			if err != nil {
				return nil, err
			}
			return server.TextResult(string(r.Content["name"])), nil
		})
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		results := make(chan string, 4)
		wait := func(ctx context.Context, out transport.Caller) {
			r := c.Request("tasks/result", `{"taskId":"`+id+`"}`)
			r.Out = out
			go func() {
				result, err := c.session.ServeRequest(ctx, r)
				if err == nil {
					results <- string(result)
				}
			}()
			synctest.Wait()
		}
		first, second := newLine(), newLine()
		state := func(what, want string) {
			t.Helper()
			synctest.Wait()
			equal(t, what, first.state()+"; "+second.state(), want)
		}
		wait(t.Context(), first)
		state("one waits", "asked once, waits; never asked")
		ctx, cancel := context.WithCancel(t.Context())
		wait(ctx, second)
		state("another waits", "asked once; asked once, waits")
		wait(t.Context(), nil)
		state("another waits that cannot ask", "asked once; asked once, waits")
		cancel()
		state("the newest gives up", "asked twice, waits; asked once")
		first.answers <- named("Ada")
		synctest.Wait()
		for range 2 {
			contains(t, "result", <-results, `\"Ada\"`)
		}
		if len(results) > 0 {
			t.Errorf("the one that gave up got %s", <-results)
		}
	})
}

// A client is asked what it declares, whoever made the task.
//
// REQ TASK-11
func TestTaskAsksWhoCanBeAsked(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		for name, ask := range map[string]func(ctx context.Context, c *server.Call) error{
			"form": func(ctx context.Context, c *server.Call) error {
				_, err := c.Elicit(ctx, form("Name?", "name"))
				return err
			},
			"url": func(ctx context.Context, c *server.Call) error {
				_, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{Message: "Go there.", URL: "https://example.com", ElicitationID: "1"})
				return err
			},
			"sampling": func(ctx context.Context, c *server.Call) error {
				_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{}})
				return err
			},
			"roots": func(ctx context.Context, c *server.Call) error {
				_, err := c.ListRoots(ctx)
				return err
			},
		} {
			addWork(t, s, name, optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) { return nil, ask(ctx, c) })
		}
		all := newClient(t, s, mcp.V2025_11_25, `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`)
		for caps, want := range map[string]string{
			`{}`:                                   "",
			`{"elicitation":{}}`:                   "form",
			`{"elicitation":{"form":{}}}`:          "form",
			`{"elicitation":{"url":{}}}`:           "url",
			`{"elicitation":{"form":{},"url":{}}}`: "form url",
			`{"sampling":{}}`:                      "sampling",
			`{"roots":{}}`:                         "roots",
		} {
			var asked []string
			for _, tool := range []string{"form", "url", "sampling", "roots"} {
				id := all.create(tool, "").TaskID
				c := newClient(t, s, mcp.V2025_11_25, caps)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				if _, err := c.CallContext(ctx, "tasks/result", `{"taskId":"`+id+`"}`); c.Asked == nil && !strings.Contains(fmt.Sprint(err), "deadline exceeded") {
					t.Errorf("%s waits for %s: %v", caps, tool, err)
				}
				cancel()
				if len(c.Asked) > 0 {
					asked = append(asked, tool)
				}
			}
			equal(t, caps, strings.Join(asked, " "), want)
		}
	})
}

// A client is asked once, whatever else changes meanwhile. When the task ends, it need not respond any more.
func TestTaskAsksOnce(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			p := c.Progress()
			go func() {
				for i := 1.0; ; i++ {
					select {
					case <-time.After(time.Second):
						p.Report(i, 0, "")
					case <-ctx.Done():
						return
					}
				}
			}()
			_, err := c.Elicit(ctx, form("Name?", "name"))
			return nil, err
		})
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		r, to := c.Request("tasks/result", `{"taskId":"`+id+`"}`), newLine()
		r.Out = to
		go c.session.ServeRequest(context.Background(), r)
		time.Sleep(5 * time.Second)
		equal(t, "meanwhile", to.state(), "asked once, waits")
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		synctest.Wait()
		equal(t, "at the end", to.state(), "asked once")

		addWork(t, s, "impatient", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			c.Elicit(short, form("Name?", "name"))
			return slow(time.Minute, "")(ctx, c)
		})
		r, to = c.Request("tasks/result", `{"taskId":"`+c.create("impatient", "").TaskID+`"}`), newLine()
		r.Out = to
		go c.session.ServeRequest(t.Context(), r)
		synctest.Wait()
		equal(t, "an impatient handler", to.state(), "asked once, waits")
		time.Sleep(2 * time.Second)
		equal(t, "that waits no longer", to.state(), "asked once")
	})
}

// What changes between two looks at a task is not missed.
func TestTaskIsWatchedWhileItIsRead(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(hasty)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Hour, ""))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		store.loads = 1 // for the scopes of the request
		store.meanwhile = func() { c.Must("tasks/cancel", `{"taskId":"`+id+`"}`) }
		began := time.Now()
		contains(t, "the result", c.Fails("tasks/result", `{"taskId":"`+id+`"}`, codeInternal).Message, "cancelled")
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// A hasty store lets something happen after it has read a record.
type hasty struct {
	taskserver.Memory
	meanwhile func()
	loads     int // how many come before
}

func (s *hasty) Load(ctx context.Context, principal, id string) (*taskserver.Record, error) {
	rec, err := s.Memory.Load(ctx, principal, id)
	if f := s.meanwhile; f != nil {
		if s.loads--; s.loads < 0 {
			s.meanwhile = nil
			f()
		}
	}
	return rec, err
}

// A client that cannot be asked at all waits for the result alone.
func TestTaskResultWithoutAsking(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(time.Second, "done"))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		r := c.Request("tasks/result", `{"taskId":"`+c.create("w", "").TaskID+`"}`)
		r.Out = nil
		result, err := c.session.ServeRequest(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		contains(t, "result", string(result), `"done"`)
	})
}

// A line is what a client is asked by, once at a time.
type line struct {
	asked, waiting atomic.Int32
	answers        chan string
}

func newLine() *line { return &line{answers: make(chan string)} }

func (l *line) Notify(context.Context, string, wire.Raw) error { return nil }

func (l *line) Call(ctx context.Context, _ string, _ wire.Raw) (wire.Raw, error) {
	l.asked.Add(1)
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	select {
	case answer := <-l.answers:
		return wire.Raw(answer), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *line) state() string {
	s := []string{"never asked", "asked once", "asked twice"}[l.asked.Load()]
	if l.waiting.Load() > 0 {
		s += ", waits"
	}
	return s
}

// A pausingStore takes a second for each change.
type pausingStore struct{ taskserver.Memory }

func (s *pausingStore) Update(ctx context.Context, r *taskserver.Record) error {
	select {
	case <-time.After(time.Second):
		return s.Memory.Update(ctx, r)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// What a client has answered is not lost when another request begins to wait while it is stored.
//
// REQ TASK-11
func TestTaskKeepsAnswer(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{Store: new(pausingStore)})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			r, err := c.Elicit(ctx, form("Name?", "name"))
			if err != nil {
				return nil, err
			}
			return server.TextResult(string(r.Content["name"])), nil
		})
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		results := make(chan string, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		wait := func(out transport.Caller) {
			r := c.Request("tasks/result", `{"taskId":"`+id+`"}`)
			r.Out = out
			go func() {
				result, err := c.session.ServeRequest(ctx, r)
				results <- fmt.Sprint(string(result), err)
			}()
			synctest.Wait()
		}
		time.Sleep(2 * time.Second)
		first := newLine()
		wait(first)
		first.answers <- named("Ada")
		synctest.Wait()
		wait(newLine()) // which is asked, too, and never answers
		for range 2 {
			contains(t, "result", <-results, `\"Ada\"`)
		}
	})
}

// What the client may not be asked, and what it refuses, is an error of the handler's question.
func TestTaskAsksInVain(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		var got error
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			_, got = c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{}})
			return nil, got
		})
		c := newClient(t, s, rev, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
		id := c.create("w", "").TaskID
		synctest.Wait()
		if _, ok := errors.AsType[*server.MissingCapabilityError](got); !ok {
			t.Errorf("the handler got %v", got)
		}
		task := c.get(id)
		equal(t, "status", task.Status, "failed")
		if rev >= mcp.Modern {
			if task.Error.Code != mcp.CodeMissingRequiredClientCapability {
				t.Errorf("error %+v", task.Error)
			}
			return
		}
		c = newClient(t, s, rev, tasksCaps)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return nil, &jsonrpc.Error{Code: -1, Message: "no"} }
		contains(t, "result", c.Must("tasks/result", `{"taskId":"`+c.create("w", "").TaskID+`"}`),
			`the client's response to sampling/createMessage: no (-1)`)
	})
}

// A handler that does not wait for the answer any longer takes its question back; cancelling the task
// does, too.
func TestTaskTakesQuestionBack(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		var cause error
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			short, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			_, err := c.Elicit(short, form("Name?", "name"))
			if !errors.Is(err, context.DeadlineExceeded) {
				return nil, fmt.Errorf("the first question: %w", err)
			}
			time.Sleep(time.Second)
			_, cause = c.Elicit(ctx, form("Name?", "name"))
			return nil, cause
		})
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		synctest.Wait()
		waits := rev < mcp.Modern
		if waits {
			r := c.Request("tasks/result", `{"taskId":"`+id+`"}`)
			go c.session.ServeRequest(t.Context(), r)
		}
		equal(t, "status", c.get(id).Status, "input_required")
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "status", c.get(id).Status, "working")
		time.Sleep(time.Second)
		synctest.Wait()
		equal(t, "status", c.get(id).Status, "input_required")
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		synctest.Wait()
		if cause != taskserver.ErrCancelled {
			t.Errorf("the question ended with %v", cause)
		}
		if task := c.get(id); task.Status != "cancelled" || task.InputRequests != nil {
			t.Errorf("%+v", task)
		}
	})
}

// REQ XTASK-17, XTASK-02, XTASK-03: a handler asks on the request, and then makes it a task, if the
// client takes one.
func TestAsTask(t *testing.T) {
	test := func(rev wire.Revision, caps string, isTask bool) {
		t.Run(fmt.Sprint(rev, isTask), func(t *testing.T) {
			bubbles(t, func(t *testing.T) {
				s := taskServer(t, nil, nil)
				created, runs := 0, 0
				add(t, s.AddTool(mcp.Tool{Name: "w"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					if err := c.Once("create", func() error { created++; return nil }); err != nil {
						return nil, err
					}
					r, err := c.WithKey("user_name").Elicit(ctx, form("Name?", "name"))
					if err != nil {
						return nil, err
					}
					return taskserver.AsTask(ctx, c, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
						runs++
						if (taskserver.ID(c) != "") != isTask {
							t.Errorf("task %q", taskserver.ID(c))
						}
						if err := c.Once("create", func() error { created++; return nil }); err != nil {
							return nil, err
						}
						return slow(time.Minute, "Hello, "+string(r.Content["name"]))(ctx, c)
					})
				}))
				c := newClient(t, s, rev, caps)
				result, _ := c.Complete("tools/call", `{"name":"w"}`, func(string, wire.Raw) string { return named("Ada") })
				if isTask {
					task := show(t, result)
					equal(t, "resultType", task.ResultType, "task")
					if strings.Contains(result, "requestState") {
						t.Errorf("it has state: %s", result)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					result = string(c.get(task.TaskID).Result)
				}
				contains(t, "result", result, `Hello, \"Ada\"`)
				if created != 1 || runs != 1 {
					t.Errorf("created %d, %d runs", created, runs)
				}
			})
		})
	}
	test(mcp.V2026_07_28, tasksCaps, true)
	test(mcp.V2026_07_28, `{"elicitation":{}}`, false)
	test(mcp.V2025_11_25, tasksCaps, false)
	test(mcp.V2025_06_18, `{"elicitation":{}}`, false)
}

// The mistakes that a handler can make with AsTask.
func TestAsTaskTwice(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		var again, swallowed error
		background := func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			return taskserver.AsTask(ctx, c, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				return server.TextResult("nested"), nil
			})
		}
		addWork(t, s, "twice", forbidden, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			taskserver.AsTask(ctx, c, background)
			_, again = taskserver.AsTask(ctx, c, background)
			return server.TextResult("not this"), nil
		})
		addWork(t, s, "swallows", forbidden, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			c.Elicit(ctx, form("Name?", "name"))
			_, swallowed = taskserver.AsTask(ctx, c, background)
			return server.TextResult("not this"), nil
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id := c.create("twice", "").TaskID
		synctest.Wait()
		contains(t, "result", string(c.get(id).Result), `"nested"`)
		if again == nil || !strings.Contains(again.Error(), "is a task already") {
			t.Errorf("again: %v", again)
		}
		contains(t, "result", c.Must("tools/call", `{"name":"swallows"}`), `"resultType":"input_required"`)
		if swallowed != server.ErrInputRequired {
			t.Errorf("with a question: %v", swallowed)
		}
	})
}

// A task is at work again once it has its answer.
//
// REQ TASK-08, XTASK-08
func TestTaskWorksOn(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(taskserver.Memory)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			if _, err := c.WithKey("who").Elicit(ctx, form("Name?", "name")); err != nil {
				return nil, err
			}
			return slow(time.Minute, "done")(ctx, c)
		})
		c := newClient(t, s, rev, tasksCaps)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(named("Ada")), nil }
		id := c.create("w", "").TaskID
		synctest.Wait()
		equal(t, "with a question", c.get(id).Status, "input_required")
		if rev < mcp.Modern {
			go c.Call("tasks/result", `{"taskId":"`+id+`"}`)
		} else if _, err := c.update(id, "who", named("Ada")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		task := c.get(id)
		equal(t, "with the answer", task.Status, "working")
		if len(task.InputRequests) > 0 {
			t.Errorf("it still asks %v", task.keys())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "at the end", c.get(id).Status, "completed")
		if rec := storedTask(t, store, "", id); rec.Responses != nil {
			t.Errorf("the record keeps the responses %v", rec.Responses)
		}
	})
}

// Of several responses those before a wrong one count.
//
// REQ XTASK-10
func TestResponsesBeforeAWrongOne(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			go c.WithKey("a").Elicit(ctx, form("a?", "name"))
			_, err := c.WithKey("b").Elicit(ctx, form("b?", "name"))
			return nil, err
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id := c.create("w", "").TaskID
		synctest.Wait()
		if _, err := c.update(id, "a", named("A"), "b", "7"); err == nil {
			t.Error("a wrong response is accepted")
		}
		task := c.get(id)
		equal(t, "keys", fmt.Sprint(task.keys()), "[b]")
	})
}
