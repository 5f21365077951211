package taskserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ STATE-14, TASK-16, TASK-17, TASK-18, XTASK-15, SEC-12, SEC-13: a task requires the scopes of its call, also with another
// token of its owner, and exists for nobody else.
func TestScopesOfTasks(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		add(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: optional}}, Handler: server.ToolHandler(func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if transport.IdentityFrom(ctx) != c.Identity() {
				t.Error("the context has another identity")
			}
			time.Sleep(time.Minute)
			return server.TextResult(c.Principal()), nil
		}), Access: server.Access{Scopes: []string{"work"}}}))
		add(t, s.AddTool(mcp.Tool{Name: "open", Execution: &mcp.ToolExecution{TaskSupport: optional}}, says("")))
		c := newClient(t, s, rev, tasksCaps)
		c.Address = "192.0.2.1:5"
		full, less, eve := &holder{name: "ada", scopes: []string{"work"}}, &holder{name: "ada"}, &holder{name: "eve", scopes: []string{"work"}}
		c.Identity = less
		params := `{"name":"w"`
		if rev < mcp.Modern {
			params += `,"task":{}`
		}
		contains(t, "creating", c.Fails("tools/call", params+`}`, codeInvalidRequest).Message, "lacks work")
		c.Identity = full
		id, free := c.create("w", "").TaskID, c.create("open", "").TaskID
		scopes, err := c.session.Scopes(t.Context(), c.Request("tasks/get", `{"taskId":"`+id+`"}`))
		if err != nil || fmt.Sprint(scopes) != "[work]" {
			t.Errorf("a request requires %s, %v, want [work]", scopes, err)
		}
		synctest.Wait()
		methods := []string{"tasks/get", "tasks/cancel", "tasks/update", "tasks/result"}
		if rev < mcp.Modern {
			methods[2] = "tasks/result"
		} else {
			methods = methods[:3]
		}
		for _, over := range []bool{false, true} {
			if over {
				time.Sleep(2 * time.Minute)
			}
			for _, method := range methods {
				more := ""
				if method == "tasks/update" {
					more = `,"inputResponses":{}`
				}
				c.Identity = less
				contains(t, method, c.Fails(method, `{"taskId":"`+id+`"`+more+`}`, codeInvalidRequest).Message, "lacks work")
				c.Identity = eve
				contains(t, method, c.Fails(method, `{"taskId":"`+id+`"`+more+`}`, codeInvalidParams).Message, "unknown task")
			}
			c.Identity = less
			equal(t, "the other one", c.get(free).Status, "completed")
			if rev < mcp.Modern {
				if list := c.Must("tasks/list", `{}`); strings.Contains(list, id) || !strings.Contains(list, free) {
					t.Errorf("listed: %s", list)
				}
			} else {
				listen := `{"notifications":{"taskIds":["` + id + `"]}}`
				contains(t, "listen", c.Fails("subscriptions/listen", listen, codeInvalidRequest).Message, "lacks work")
			}
			c.Identity = full
			if rev < mcp.Modern {
				contains(t, "list", c.Must("tasks/list", `{}`), id)
			}
		}
		equal(t, "status", c.get(id).Status, "completed")
	})
}

// REQ STATE-14, AUTH26-09, SEC-12: a subscription that requires more scopes than are named leaves out the tasks of
// others.
func TestScopesOfTasksBeyondThoseNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := taskServer(t, &server.Options{OnSubscribe: func(context.Context, *server.Call, string) error { return nil }}, nil)
		add(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: optional}}, Handler: says("secret"), Access: server.Access{Scopes: []string{"work"}}}))
		add(t, s.Add(server.Item{Definition: &mcp.ResourceTemplate{URITemplate: "git:{owner}/{name}", Name: "git"}, Match: splitRepo, Handler: server.TemplateHandler(func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", ""), nil
		}), Access: server.Access{Scopes: []string{"repo:{owner}"}}}))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		c.Address = "192.0.2.1:5"
		c.Identity = &holder{name: "ada", scopes: []string{"work"}}
		id := c.create("w", "").TaskID
		var uris []string
		less := &holder{name: "ada"}
		for i := range 100 {
			uris, less.scopes = append(uris, fmt.Sprintf("git:%d/x", i)), append(less.scopes, fmt.Sprint("repo:", i))
		}
		c.Identity = less
		list, _ := json.Marshal(uris)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{"resourceSubscriptions":`+string(list)+`,"taskIds":["`+id+`"]}}`))
		time.Sleep(time.Second)
		if got := strings.Join(c.Seen(), " "); !strings.Contains(got, `"git:99/x"]`) || strings.Contains(got, id) || strings.Contains(got, "secret") {
			t.Errorf("told %s", got)
		}
	})
}

// REQ STATE-14, SEC-12: a store that fails while scopes are checked lets nobody pass.
func TestScopesOfTasksWhileTheStoreFails(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(brittle)
		s := taskServer(t, &server.Options{Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				store.get.Store(false)
				return next(ctx, c)
			}
		}}}, &taskserver.Options{Store: store})
		add(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: optional}}, Handler: says("secret"), Access: server.Access{Scopes: []string{"work"}}}))
		c := newClient(t, s, rev, tasksCaps)
		c.Address = "192.0.2.1:5"
		c.Identity = &holder{name: "ada", scopes: []string{"work"}}
		id := c.create("w", "").TaskID
		synctest.Wait()
		c.Identity = &holder{name: "ada"}
		store.get.Store(true)
		contains(t, "tasks/get", c.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidRequest).Message, "lacks work")
	})
}

// split returns the path of "git:owner/name" as variables.
func splitRepo(uri string) (map[string]string, bool) {
	rest, ok := strings.CutPrefix(uri, "git:")
	owner, name, found := strings.Cut(rest, "/")
	return map[string]string{"owner": owner, "name": name}, ok && found
}
