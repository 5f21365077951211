package seams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/transport/transporttest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = slog.New(slog.DiscardHandler)

// newServer returns a server with these tools, each of which says its name.
func newServer(t *testing.T, opts server.Options, tools ...mcp.Tool) *server.Server {
	t.Helper()
	opts.Logger = quiet
	s := server.New(mcp.Implementation{Name: "seams", Version: "1"}, &opts)
	for _, tool := range tools {
		if err := s.AddTool(tool, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult(tool.Name), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	return s
}

func call(name string) *mcp.CallToolRequestParams { return &mcp.CallToolRequestParams{Name: name} }

func TestLedger(t *testing.T) {
	var l Ledger
	read := mcp.Tool{Name: "read", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)}}
	s := newServer(t, server.Options{WrapTools: []server.ToolWrapper{l.Wrap}}, read, mcp.Tool{Name: "drop"})
	c := mcptest.Connect(t, s, &mcptest.Options{Identity: mcptest.As("ada")})
	c.CallText("read", nil)
	c.CallText("drop", map[string]string{"table": "users"})
	if got, want := strings.Join(l.Lines(), "|"), `ada drop{"table":"users"}: true`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPlans(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		plans := Plans(func(principal, feature string) bool { return principal == "ada" && feature == "pro" })
		s := newServer(t, server.Options{Filters: []server.Filter{plans}}, mcp.Tool{Name: "free"})
		if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "forecast"}, Handler: server.ToolHandler(func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("rain"), nil
		}), Access: server.Access{Features: []string{"pro"}}}); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]string{"ada": "forecast free", "bob": "free"} {
			c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev, Identity: mcptest.As(who)})
			var names []string
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s sees %q, want %q", who, got, want)
			}
			if _, err := c.CallTool(t.Context(), call("forecast")); (err == nil) != (who == "ada") {
				t.Errorf("%s calls forecast: %v", who, err)
			}
		}
	})
}

func TestBuilds(t *testing.T) {
	s := newServer(t, server.Options{})
	if err := Builds(s); err != nil {
		t.Fatal(err)
	}
	states := make(chan Build, 1)
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{
		Methods: []client.Method{methods.Notification(BuildMethod, func(_ context.Context, b Build) { states <- b })},
	}})
	var filter mcp.SubscriptionFilter
	filter.Extra.Set("builds", wire.Raw(`["7"]`))
	sub, err := c.Subscribe(t.Context(), filter)
	if err != nil {
		t.Fatal(err)
	}
	granted := sub.Filter().Extra
	if got, _ := granted.Get("builds"); string(got) != `["7"]` {
		t.Errorf("granted %s", got)
	}
	for _, b := range []Build{{"8", "running"}, {"7", "running"}} {
		if err := Tell(s, b, false); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-states; got != (Build{"7", "running"}) {
		t.Errorf("told %v", got)
	}
	if err := Tell(s, Build{"7", "done"}, true); err != nil {
		t.Fatal(err)
	}
	if got := <-states; got != (Build{"7", "done"}) {
		t.Errorf("told %v", got)
	}
	if s.Subscribed(BuildsID + " 7") {
		t.Error("the subscription has not ended with the build")
	}
	filter.Extra.Set("builds", wire.Raw(`7`))
	if _, err := c.Subscribe(t.Context(), filter); err == nil {
		t.Error("what is no list is accepted")
	}
}

func TestPresence(t *testing.T) {
	var p Presence
	s := newServer(t, server.Options{OnSession: p.Opened})
	options := &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Info: mcp.Implementation{Name: "ide", Version: "1"}}}
	one, two := mcptest.Connect(t, s, options), mcptest.Connect(t, s, options)
	if got := p.Open(); !maps.Equal(got, map[string]int{"ide": 2}) {
		t.Errorf("open: %v", got)
	}
	one.Close()
	two.Close()
	for end := time.Now().Add(time.Minute); len(p.Open()) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("open after the end: %v", p.Open())
		}
	}
}

func TestAudit(t *testing.T) {
	var log strings.Builder
	plain := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}
	a := Audit{slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: plain}))}
	s := newServer(t, server.Options{Middleware: []server.Middleware{a.Received}, Send: []transport.Middleware{a.Sent}})
	if err := s.AddTool(mcp.Tool{Name: "tell"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return nil, c.Notify(ctx, "notifications/com.example/news", nil)
	}); err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2026_07_28, Identity: mcptest.As("ada")})
	c.CallText("tell", nil)
	if _, err := c.CallTool(t.Context(), call("none")); err == nil {
		t.Error("there is no such tool")
	}
	want := "msg=sent method=notifications/com.example/news failed=false\n" +
		"msg=received method=tools/call name=tell from=ada failed=false\nmsg=received method=tools/call name=\"\" from=ada failed=true\n"
	if got := log.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k Clock
		s := newServer(t, server.Options{})
		if err := s.AddTool(mcp.Tool{Name: "wait"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(time.Second)
			return server.TextResult("done"), nil
		}); err != nil {
			t.Fatal(err)
		}
		c := mcptest.Connect(t, s, &mcptest.Options{Client: client.Options{Send: []client.Middleware{k.Send}}})
		c.CallText("wait", nil)
		c.CallText("wait", nil)
		if got := k.Time("tools/call"); got != 2*time.Second {
			t.Errorf("two calls took %v", got)
		}
	})
}

func TestLater(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		delivered := make(chan string, 1)
		later := Later(func(principal, tool string, result wire.Raw, failed bool) {
			delivered <- fmt.Sprintf("%s %s %v %v", principal, tool, failed, strings.Contains(string(result), "cannot ask"))
		})
		s := newServer(t, server.Options{WrapTools: []server.ToolWrapper{later}}, mcp.Tool{Name: "report"})
		if err := s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.ListRoots(ctx)
			return nil, err
		}); err != nil {
			t.Fatal(err)
		}
		c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev, Identity: mcptest.As("ada"), Client: client.Options{Roots: []mcp.Root{}}})
		if got := c.CallText("report", nil); got != "report has begun; its result will come by mail" {
			t.Errorf("got %q", got)
		}
		if got := <-delivered; got != "ada report false false" {
			t.Errorf("delivered %q", got)
		}
		c.CallText("ask", nil)
		if got := <-delivered; got != "ada ask true true" {
			t.Errorf("delivered %q", got)
		}
	})
}

// A succession is a client with a session at handlers of which each takes the place of the one before.
type succession struct {
	keeper  Handover
	handler atomic.Pointer[streamable.Handler]
	remote  *httpclient.Client
	client  *client.Client
}

func newSuccession(t *testing.T) *succession {
	s := new(succession)
	s.next(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(site.Close)
	s.remote = httpclient.New(site.URL, &httpclient.Options{Logger: quiet})
	c, err := client.Connect(t.Context(), s.remote, &client.Options{Revisions: []wire.Revision{mcp.V2025_11_25}, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s.client = c
	return s
}

// next replaces the handler, which its caller shuts down.
func (s *succession) next(t *testing.T) (previous *streamable.Handler) {
	srv := newServer(t, server.Options{}, mcp.Tool{Name: "read"})
	return s.handler.Swap(streamable.NewHandler(srv, &streamable.Options{Sessions: &s.keeper, Logger: quiet}))
}

func TestHandover(t *testing.T) {
	s := newSuccession(t)
	id := s.remote.SessionID()
	for range 3 {
		r, err := s.client.CallTool(t.Context(), call("read"))
		if err != nil || mcptest.Text(r) != "read" {
			t.Fatalf("got %v, %v", r, err)
		}
		if err := s.next(t).Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if got := s.remote.SessionID(); got != id || id == "" {
		t.Errorf("the session %q has become %q", id, got)
	}
	if err := s.handler.Load().Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A session that has ended at one handler does not come back when an earlier handler shuts down.
func TestHandoverEnds(t *testing.T) {
	s := newSuccession(t)
	first := s.next(t)
	if _, err := s.client.CallTool(t.Context(), call("read")); err != nil {
		t.Fatal(err)
	}
	s.client.Close()
	for _, h := range []*streamable.Handler{first, s.handler.Load()} {
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if states, marks := len(s.keeper.states), len(s.keeper.marks); states+marks > 0 {
		t.Errorf("%d sessions and %d marks are kept after the end", states, marks)
	}
}

func TestDeadline(t *testing.T) {
	storetest.Tasks(t, func(t *testing.T) (a, b taskserver.Store) {
		d := &Deadline{Store: new(taskserver.Memory), After: time.Hour}
		return d, d
	})
	synctest.Test(t, func(t *testing.T) {
		d := &Deadline{Store: new(taskserver.Memory), After: time.Hour}
		r := &taskserver.Record{Principal: "ada"}
		r.Task.ID, r.Task.Status = "1", mcp.TaskStatusWorking
		if err := d.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		done := *r
		done.Task.Status = mcp.TaskStatusCompleted
		if err := d.Update(t.Context(), &done); err != nil {
			t.Fatal(err)
		}
		for _, want := range []bool{true, false} {
			if now, err := d.Load(t.Context(), "ada", "1"); (now != nil) != want || err != nil {
				t.Errorf("got %v, %v, want it there: %v", now, err, want)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
		}
	})
}

func TestChans(t *testing.T) {
	transporttest.Run(t, func(t *testing.T) (client, server transport.Transport) { return Chans() }, nil)
	a, b := Chans()
	a.Close()
	if _, err := b.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if err := b.Send(t.Context(), transport.Message{Data: []byte("{}")}); err == nil {
		t.Error("a message was sent to nobody")
	}
}
