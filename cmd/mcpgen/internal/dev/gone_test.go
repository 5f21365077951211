package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	task "github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// logging returns an endpoint whose log is kept. In a bubble of synctest it may be read when all goroutines wait.
func logging(t *testing.T) (*Endpoint, *strings.Builder) {
	t.Helper()
	var logged strings.Builder
	e, err := NewEndpoint(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	must(t, err)
	return e, &logged
}

// A rawClient is the end of a connection to an endpoint where a test writes messages itself, and reads only what it wants to.
type rawClient struct {
	t *testing.T
	transport.Transport
}

// dial opens a session with an endpoint. So many messages may wait to be read before the endpoint waits for that.
func dial(t *testing.T, e *Endpoint, buffer int, revision wire.Revision, capabilities string) *rawClient {
	t.Helper()
	near, far := inmem.Pair(buffer)
	done := make(chan error, 1)
	go func() { done <- e.Server().Serve(context.Background(), far) }()
	t.Cleanup(func() {
		near.Close()
		<-done
	})
	c := &rawClient{t, near}
	if got := c.asks(1, mcp.MethodInitialize.Name, fmt.Sprintf(`{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"raw","version":"1"}}`, revision, capabilities)); !strings.Contains(got, revision.String()) {
		t.Fatalf("the session opens with %s", got)
	}
	c.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *rawClient) says(message string) {
	c.t.Helper()
	must(c.t, c.Send(c.t.Context(), transport.Message{Data: []byte(message)}))
}

// asks sends a request, and returns the next message, which should be the response.
func (c *rawClient) asks(id int, method, params string) string {
	c.t.Helper()
	c.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	m, err := c.Receive(c.t.Context())
	must(c.t, err)
	return string(m.Data)
}

// hears returns the methods of the messages that wait to be read.
func (c *rawClient) hears() (methods []string) {
	ctx, cancel := context.WithCancel(c.t.Context())
	cancel()
	for {
		m, err := c.Receive(ctx)
		if err != nil {
			return methods
		}
		methods = append(methods, strings.Clone(wire.Raw(m.Data).StringAt("method")))
	}
}

// TestDeafClients has clients that read nothing, and a child that is gone: what cannot be told is logged.
func TestDeafClients(t *testing.T) {
	logs := func(t *testing.T, logged *strings.Builder, want string) {
		t.Helper()
		synctest.Wait()
		if !strings.Contains(logged.String(), want) {
			t.Errorf("logged:\n%s\nwant: %s", logged, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		e, logged := logging(t)
		s := newLogger(mcp.V2025_11_25)
		child, _ := begin(t, e, s)
		session := slices.Collect(s.Sessions())[0]
		c := dial(t, e, 1, mcp.V2025_11_25, `{"roots":{}}`)
		synctest.Wait()
		c.asks(2, mcp.MethodSetLevel.Name, `{"level":"info"}`)

		begun := time.Now()
		must(t, session.Notify(t.Context(), methodSteam, nil)) // for which there is room
		must(t, session.Notify(t.Context(), methodSteam, nil))
		time.Sleep(passTime)
		logs(t, logged, `msg="a notification was not passed on" method=notifications/shop/steam error=`)
		must(t, session.Notify(t.Context(), mcp.MethodLoggingMessageNotification.Name, wire.Raw(`{"level":"error","data":1}`)))
		time.Sleep(passTime)
		logs(t, logged, `msg="a log message was not passed on" error=`)
		if took := time.Since(begun); took != 2*passTime {
			t.Errorf("it took %v", took)
		}
		begun = time.Now()
		raw, err := session.Request(t.Context(), mcp.MethodListRoots.Name, nil)
		if string(raw) != `{"roots":[]}` || err != nil || time.Since(begun) != rootsTime {
			t.Errorf("after %v the roots are %s, %v", time.Since(begun), raw, err)
		}
		logs(t, logged, `msg="a client does not list its roots" error=`)

		child.Close()
		other := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Roots: []mcp.Root{{URI: "file:///tea"}}}})
		logs(t, logged, `msg="cannot notify the server of new roots" error=`)
		must(t, other.Notify(t.Context(), &wire.Method{Name: methodSteam}, nil))
		logs(t, logged, `msg="peer: notification ignored" method=notifications/shop/steam error=`)
	})
	synctest.Test(t, func(t *testing.T) {
		e, logged := logging(t)
		child, _ := begin(t, e, newShop(t, "Orders", mcp.V2026_07_28))
		gone := errors.New("gone")
		w := &watcher{ids: []string{"1"}, last: map[string]*task.Task{}, call: keptCall(t), send: func(context.Context, string, wire.Raw) error { return gone }}
		child.mu.Lock()
		child.watchers[w.call] = w
		child.mu.Unlock()
		child.taskChanged(t.Context(), e, &task.Task{ID: "1", Status: mcp.TaskStatusWorking})
		logs(t, logged, `msg="cannot notify a client of a task" error=gone`)
	})
}

// keptCall returns a call of a client since 2026-07-28, which has ended.
func keptCall(t *testing.T) (call *server.Call) {
	t.Helper()
	s := newShop(t, "Orders", mcp.V2026_07_28)
	must(t, s.AddTool(mcp.Tool{Name: "keep"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		call = c
		return server.TextResult("kept"), nil
	}))
	mcptest.Connect(t, s.Server, &mcptest.Options{Revision: mcp.V2026_07_28}).CallText("keep", nil)
	return call
}

// TestDeafChild connects to a child that refuses to notify of changes of its lists.
func TestDeafChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, logged := logging(t)
		begin(t, e, &shop{Server: refusing(mcp.MethodSubscriptionsListen.Name, &jsonrpc.Error{Code: 7, Message: "no"})})
		synctest.Wait()
		if want := `msg="changes of lists are not noticed" error="no (7)"`; !strings.Contains(logged.String(), want) {
			t.Errorf("logged:\n%s\nwant: %s", logged, want)
		}
	})
}

// TestChildIsLogged has a child send what its client ignores, which the log of the endpoint says.
func TestChildIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, logged := logging(t)
		s := newShop(t, "Orders", mcp.V2025_11_25)
		begin(t, e, s)
		for session := range s.Sessions() {
			must(t, session.Notify(t.Context(), mcp.MethodProgressNotification.Name, wire.Raw(`{"progress":"some"}`)))
		}
		synctest.Wait()
		if want := `msg="peer: progress ignored (said once)"`; !strings.Contains(logged.String(), want) {
			t.Errorf("logged:\n%s\nwant: %s", logged, want)
		}
	})
}

// TestNamed has two calls about a task of a child through 2025-11-25: what the task asks is for the one that waits for its result.
func TestNamed(t *testing.T) {
	ch := new(Child)
	s := server.New(mcp.Implementation{Name: "calls"}, &server.Options{
		Logger: slog.New(slog.DiscardHandler),
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				if c.Params().StringAt("taskId") != "" {
					ch.calls = append(ch.calls, c)
				}
				return next(ctx, c)
			}
		}},
	})
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{AllowUndeclared: true}})
	for _, m := range []*wire.Method{&mcp.MethodGetTaskPayload, &mcp.MethodGetTask} { // both fail
		c.Call(t.Context(), m, wire.Raw(`{"taskId":"1"}`), new(wire.Raw))
	}
	if len(ch.calls) != 2 {
		t.Fatalf("there are %d calls", len(ch.calls))
	}
	for id, want := range map[string]*server.Call{"1": ch.calls[0], "2": nil, "": nil} {
		params := wire.Raw(fmt.Sprintf(`{"_meta":{%q:{"taskId":%q}}}`, mcp.KeyRelatedTask, id))
		if got := ch.namedBy(&transport.ServerMessage{Params: params}); got != want {
			t.Errorf("task %q: got %v, want %v", id, got, want)
		}
	}
}

// TestRawClient sends what no client of this module would.
func TestRawClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		s := newLogger(mcp.V2025_11_25)
		begin(t, e, s)
		c := dial(t, e, 10, mcp.V2025_06_18, "{}")
		if got := c.asks(2, mcp.MethodInitialize.Name, `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`); !strings.Contains(got, "the session is open already") {
			t.Errorf("a second session opens with %s", got)
		}
		if got := c.asks(3, mcp.MethodCallTool.Name, `{"name":"log","_meta":{"io.modelcontextprotocol/logLevel":7}}`); !strings.Contains(got, "-32602") || !strings.Contains(got, "logLevel") {
			t.Errorf("metadata that nobody understands: got %s", got)
		}
		if got := c.asks(4, mcp.MethodReadResource.Name, `{"uri":"shop://none"}`); !strings.Contains(got, "-32601") {
			t.Errorf("a resource of a server without any: got %s", got)
		}
		session := slices.Collect(s.Sessions())[0]
		must(t, session.Notify(t.Context(), mcp.MethodTaskStatusNotification.Name, wire.Raw(`{"taskId":"1"}`))) // which its revision does not have
		must(t, session.Notify(t.Context(), methodSteam, nil))
		synctest.Wait()
		if got := c.hears(); !slices.Equal(got, []string{methodSteam}) {
			t.Errorf("it hears %q", got)
		}
	})
}

// TestForeignTasks has what the endpoint passes on of what a child of the other era declares: everything but its tasks.
func TestForeignTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		s := &shop{Server: server.New(mcp.Implementation{Name: "kitchen"}, &server.Options{
			Revisions: []wire.Revision{mcp.V2025_11_25}, Logger: slog.New(slog.DiscardHandler),
			Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Extensions: map[string]wire.Raw{tasks.Extension: wire.Raw("{}"), "shop/steam": wire.Raw("{}")}},
		})}
		begin(t, e, s)
		c := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{Extensions: []client.Extension{{ID: tasks.Extension, Settings: wire.Raw("{}")}}}})
		if got := c.Server().Capabilities.Extensions; len(got) != 1 || got["shop/steam"] == nil {
			t.Errorf("the endpoint declares %v", got)
		}
		extra, err := wire.ExtraOf(mcp.V2026_07_28, &tasks.TaskSubscriptionNotifications{TaskIDs: []string{"1"}})
		must(t, err)
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra})
		must(t, err)
		if len(sub.Filter().Extra) > 0 {
			t.Errorf("granted: %v", sub.Filter().Extra)
		}
	})
}
