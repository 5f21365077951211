package toolsearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A plan cannot do what its calls could not. Here are the things that may be between a client and a tool.

// eras runs a test in the newest revision of each era, with a server whose tools a, b and c note that they ran.
func eras(t *testing.T, opts *server.Options, o *Options, items map[string]server.Item, test func(t *testing.T, c *servertest.Client, s *server.Server, ran *[]string)) {
	servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
		var ran []string
		s := roomtest.NewServer(Enable(opts, o))
		for _, name := range []string{"a", "b", "c"} {
			i := items[name]
			i.Definition = &mcp.Tool{Name: name, Description: "tool", OutputSchema: wire.Raw(`{"type":"object","properties":{"x":{"type":"array","items":{"type":"integer"}}},"required":["x"]}`)}
			next, _ := i.Handler.(server.ToolHandler)
			i.Handler = server.ToolHandler(func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				if next != nil {
					if r, err := next(ctx, c, args); err != nil {
						return r, err
					}
				}
				ran = append(ran, name)
				return &mcp.CallToolResult{StructuredContent: wire.Raw(`{"x":[1,2,3]}`)}, nil
			})
			servertest.Check(t, s.Add(i))
		}
		test(t, roomtest.NewClient(t, s, rev, servertest.AllCaps), s, &ran)
	})
}

const abc = `{"steps":[{"id":"a","tool":"a"},{"id":"b","tool":"b"},{"id":"c","tool":"c"}]}`

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// The error about scopes comes before anything runs, and names those of all calls.
func TestScopes(t *testing.T) {
	items := map[string]server.Item{"b": {Access: server.Access{Scopes: []string{"write"}}}, "c": {Access: server.Access{Scopes: []string{"admin", "read"}}}}
	eras(t, nil, nil, items, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
		c.Identity = mcptest.As("ada", "read")
		r := c.Request("tools/call", `{"name":"run_plan","arguments":`+abc+`}`)
		_, err := c.Server.ServeRequest(t.Context(), r)
		lacks, ok := errors.AsType[*transport.ScopeError](err)
		if !ok || fmt.Sprint(lacks.Missing) != "[admin write]" || len(*ran) > 0 {
			t.Errorf("error %v, ran %v", err, *ran)
		}
		c.Identity = mcptest.As("ada", "read", "admin", "write")
		_, failed := call(c, planTool, abc)
		expect(t, failed, *ran, "[a b c]")
	})
}

// Scopes that only a filter knows of are checked at the call.
func TestScopesOfFilter(t *testing.T) {
	needs := server.Filter{Admit: func(_ context.Context, c *server.Call, _ *server.Item) (bool, error) {
		return true, c.Require([]string{"write"})
	}}
	eras(t, nil, nil, map[string]server.Item{"b": {Filters: []server.Filter{needs}}}, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
		c.Identity = mcptest.As("ada")
		_, failed := call(c, planTool, abc)
		servertest.Contains(t, "error", failed, "steps[1]: b: ")
		servertest.Contains(t, "error", failed, "write")
		expect(t, failed, *ran, "[a]")
	})
}

// A person confirms each call that needs it, whatever way the question goes, and no call is made twice.
func TestConfirmation(t *testing.T) {
	confirm := func(def *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
		if def.Name != "b" && def.Name != "c" {
			return next, nil
		}
		return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			if err := ask.Confirm(ctx, c, "Run "+def.Name+"?"); err != nil {
				return nil, err
			}
			if def.Name == "c" {
				if _, err := c.Elicit(ctx, servertest.Form("Who?", "name")); err != nil {
					return nil, err
				}
			}
			return next(ctx, c, args)
		}, nil
	}
	opts := &server.Options{WrapTools: []server.ToolWrapper{confirm}, StateOnce: server.OnceInMemory(0)}
	eras(t, opts, nil, nil, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
		params := `{"name":"run_plan","arguments":` + abc + `}`
		var asked []string
		got, _ := c.Complete("tools/call", params, func(method string, params wire.Raw) string {
			asked = append(asked, params.StringAt("message"))
			return `{"action":"accept","content":{"confirm":true,"name":"Ada"}}`
		})
		servertest.Contains(t, "result", got, `"structuredContent":{"results":{"c":{"x":[1,2,3]}}}`)
		expect(t, "asked", asked, "[Run b? Run c? Who?]")
		expect(t, "ran", *ran, "[a b c]")

		*ran = nil
		got, _ = c.Complete("tools/call", params, func(_ string, params wire.Raw) string {
			if params.StringAt("message") == "Run c?" {
				return `{"action":"decline"}`
			}
			return `{"action":"accept","content":{"confirm":true}}`
		})
		servertest.Contains(t, "result", got, `steps[2]: c: `)
		expect(t, "ran", *ran, "[a b]")
	})
}

// The client's limits count each call.
func TestRate(t *testing.T) {
	eras(t, &server.Options{Middleware: []server.Middleware{limit.Rate{N: 3, Per: time.Hour}.Middleware()}}, nil, nil, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
		c.Principal = t.Name()
		_, failed := call(c, planTool, abc) // itself, a and b
		servertest.Contains(t, "error", failed, "steps[2]: c: want at most 3 calls an hour by one client")
		servertest.Contains(t, "error", failed, "calls that have succeeded: 2")
		expect(t, "ran", *ran, "[a b]")
	})
}

// A plan has a place of its own beside that of its call.
func TestConcurrency(t *testing.T) {
	for most, want := range map[int]string{1: "steps[0]: a: want at most 1 calls at the same time", 2: ""} {
		eras(t, &server.Options{Middleware: []server.Middleware{limit.Concurrency{Max: most}.Middleware()}}, nil, nil, func(t *testing.T, c *servertest.Client, _ *server.Server, _ *[]string) {
			if _, failed := call(c, planTool, abc); !strings.HasPrefix(failed, want) || (failed == "") != (want == "") {
				t.Errorf("got %q, want %q", failed, want)
			}
		})
	}
}

// What the caller does not see is neither found nor called.
func TestAccess(t *testing.T) {
	var tools toolset.Set
	hide := server.Filter{Admit: func(_ context.Context, c *server.Call, _ *server.Item) (bool, error) {
		return c.Principal() == "ada", nil
	}}
	items := map[string]server.Item{"a": {Access: server.Access{Features: []string{"beta"}}}, "b": {Filters: []server.Filter{hide}}, "c": {Access: server.Access{Needs: []string{"roots"}}}}
	for _, test := range []struct{ who, features, caps, found string }{
		{"bob", "", `{}`, ""},
		{"ada", "", `{}`, "b"},
		{"ada", "beta", `{}`, "ab"},
		{"bob", "", `{"roots":{}}`, "c"},
	} {
		eras(t, tools.Options(nil), nil, items, func(t *testing.T, c *servertest.Client, s *server.Server, ran *[]string) {
			if test.features != "" {
				servertest.Check(t, tools.Use(s, toolset.Selection{Features: []string{test.features}}))
				defer tools.Use(s, toolset.Selection{})
			}
			c = roomtest.NewClient(t, s, c.Rev, test.caps)
			c.Principal = test.who
			found, _ := call(c, searchTool, `{"query":"tool"}`)
			for _, name := range []string{"a", "b", "c"} {
				_, failed := call(c, planTool, `{"steps":[{"id":"x","tool":"`+name+`"}]}`)
				sees := strings.Contains(test.found, name)
				if strings.Contains(found, `"name":"`+name+`"`) != sees || (failed == "") != sees || !sees && !strings.Contains(failed, `steps[0].tool: there is no tool "`+name+`"`) {
					t.Errorf("%s: %s: found %s, error %q", test.who, name, found, failed)
				}
			}
		})
	}
}

// A feature that nothing enables stays off: search adds no filter.
func TestFeature(t *testing.T) {
	eras(t, nil, nil, map[string]server.Item{"a": {Access: server.Access{Features: []string{"beta"}}}}, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
		_, failed := call(c, planTool, abc)
		servertest.Contains(t, "error", failed, `steps[0].tool: there is no tool "a"`)
	})
}

// Of several variants of a tool, each caller finds the one that it has, once.
func TestVariants(t *testing.T) {
	var tools toolset.Set
	s := roomtest.NewServer(tools.Options(Enable(nil, nil)))
	for text, features := range map[string][]string{"Plain words of a tool": {"!ranked"}, "Ranked words of a tool": {"ranked"}} {
		servertest.Check(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "find", Description: text}, Handler: roomtest.Says(text), Access: server.Access{Features: features}}))
	}
	for want, features := range map[string][]string{"Plain": nil, "Ranked": {"ranked"}} {
		servertest.Check(t, tools.Use(s, toolset.Selection{Features: features}))
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			c := roomtest.NewClient(t, s, rev, `{}`)
			found, _ := call(c, searchTool, `{"query":"tool words find"}`)
			if strings.Count(found, `"name":"find"`) != 1 || !strings.Contains(found, want) {
				t.Errorf("%s: want %s once, got %s", rev, want, found)
			}
		}
	}
}

// A plan has a time, in which a person's does not count.
func TestTime(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(Enable(nil, &Options{Time: 10 * time.Second}))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				select {
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-time.After(6 * time.Second):
					return server.TextResult("done"), nil
				}
			}))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				return nil, ask.Confirm(ctx, c, "Run?")
			}))
			c := roomtest.NewClient(t, s, rev, servertest.AllCaps)
			begin := time.Now()
			_, failed := call(c, planTool, `{"steps":[{"id":"a","tool":"slow"},{"id":"b","tool":"slow"}]}`)
			expect(t, "error", failed, "the tool took longer than 10s, and was stopped")
			expect(t, "time", time.Since(begin), 10*time.Second)
			got, _ := c.Complete("tools/call", `{"name":"run_plan","arguments":{"steps":[{"id":"a","tool":"asks"},{"id":"b","tool":"slow"}]}}`, func(string, wire.Raw) string {
				time.Sleep(time.Minute)
				return `{"action":"accept","content":{"confirm":true}}`
			})
			servertest.Contains(t, "result", got, "done")
		})
	}
}

// Plans have sizes: of themselves, of what they return, and how many calls they make.
func TestSizes(t *testing.T) {
	const each = `{"steps":[{"id":"a","tool":"a"},{"id":"b","tool":"b","forEach":{"$from":"a","pointer":"/x"}}]}`
	for _, test := range []struct {
		opts       Options
		plan, want string
		ran        string
	}{
		{Options{Steps: 2}, abc, "steps: maxItems: got 3, want 2", "[]"},
		{Options{Calls: 2}, abc, "steps[2]: c: want at most 2 calls in a plan, got 3; give a limit", "[a b]"},
		{Options{Calls: 3}, each, "steps[1]: b: want at most 3 calls in a plan, got 4; give a limit", "[a]"},
		{Options{Calls: 4}, each, "", "[a b b b]"},
		{Options{Bytes: 200}, each, "steps[1]: b: want results of at most 200 bytes in a plan, got ", ""},
		{Options{}, `{"steps":[` + strings.Repeat(" ", maxPlan) + `{"id":"a","tool":"a"}]}`, "want a plan of at most 65536 bytes, got 655", "[]"},
		{Options{}, `{"steps":[]}`, "steps: minItems: got 0, want 1", "[]"},
		{Options{}, `{"steps":[{"id":"a","id":"b","tool":"a"}]}`, "duplicate member", "[]"},
	} {
		eras(t, nil, &test.opts, nil, func(t *testing.T, c *servertest.Client, _ *server.Server, ran *[]string) {
			_, failed := call(c, planTool, test.plan)
			if !strings.Contains(failed, test.want) || (failed == "") != (test.want == "") || test.ran != "" && fmt.Sprint(*ran) != test.ran {
				t.Errorf("got %q, want %q; ran %v", failed, test.want, *ran)
			}
		})
	}
}

// Calls that would become tasks have no result to go on with.
func TestTasks(t *testing.T) {
	for _, support := range []mcp.ToolExecutionTaskSupport{mcp.ToolExecutionTaskSupportOptional, mcp.ToolExecutionTaskSupportRequired, mcp.ToolExecutionTaskSupportForbidden} {
		servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
			s := roomtest.NewServer(Enable(&server.Options{Setup: []server.Setup{taskserver.Enable(nil)}}, nil))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "a", Execution: &mcp.ToolExecution{TaskSupport: support}}, roomtest.Says("done")))
			c := roomtest.NewClient(t, s, rev, `{"extensions":{"`+tasks.Extension+`":{}}}`)
			got, failed := call(c, planTool, `{"steps":[{"id":"a","tool":"a"}]}`)
			if support == mcp.ToolExecutionTaskSupportForbidden {
				servertest.Contains(t, failed, got, "done")
			} else {
				servertest.Contains(t, string(support), failed, "steps[0].tool: a runs as a task")
			}
		})
	}
}

// A tool that is removed while a person is asked refuses the rest, and the error does not say that nothing has run.
func TestChangedMeanwhile(t *testing.T) {
	s := newServer(t, nil, nil)
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return nil, ask.Confirm(ctx, c, "Run?")
	}))
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, servertest.AllCaps)
	got, _ := c.Complete("tools/call", `{"name":"run_plan","arguments":{"steps":[{"id":"a","tool":"text"},{"id":"b","tool":"asks"}]}}`, func(string, wire.Raw) string {
		s.RemoveTools("text")
		return `{"action":"accept","content":{"confirm":true}}`
	})
	servertest.Contains(t, "result", got, `the plan is refused, and earlier calls of it have run: steps[0].tool: there is no tool`)
}

// Through 2025-11-25 a result that is no object cannot be sent, so nothing is known of it.
func TestResultsThatAreNoObjects(t *testing.T) {
	s := newServer(t, nil, nil)
	add(t, s, "numbers", open, `{"type":"array","items":{"type":"integer"}}`, structured(`[1,2]`))
	const plan = `{"steps":[{"id":"n","tool":"numbers"},{"id":"a","tool":"integer","forEach":{"$from":"n","pointer":""},"args":{"x":{"$from":"item","pointer":""}}}]}`
	servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
		c := roomtest.NewClient(t, s, rev, `{}`)
		got, failed := call(c, planTool, plan)
		if rev < mcp.V2026_07_28 {
			servertest.Contains(t, got, failed, `steps[1].forEach: nothing is known of the result of "n"`)
			got, failed = call(c, planTool, `{"steps":[{"id":"n","tool":"numbers"}]}`)
			servertest.Contains(t, failed, got, "[1,2]")
		} else {
			expect(t, failed, got, `{"results":{"a":[{"x":1},{"x":2}]}}`)
		}
	})
}

// Middleware and observers see each call.
func TestSeen(t *testing.T) {
	var seen []string
	m := func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			if c.Method() == "tools/call" {
				seen = append(seen, c.Name())
			}
			return next(ctx, c)
		}
	}
	eras(t, &server.Options{Middleware: []server.Middleware{m}}, nil, nil, func(t *testing.T, c *servertest.Client, _ *server.Server, _ *[]string) {
		seen, c.Token = nil, `7`
		call(c, planTool, abc)
		expect(t, "seen", seen, "[run_plan a b c]")
		progress := slices.DeleteFunc(c.Seen(), func(m string) bool { return !strings.Contains(m, "progress") })
		if len(progress) == 0 || !strings.Contains(progress[0], `"progress":1`) {
			t.Errorf("progress %q", progress)
		}
	})
}
