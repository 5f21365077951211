package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	asking "github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A witness is a build that writes down which requests it received, and with what metadata.
type witness struct {
	*shop
	mu      sync.Mutex
	levels  []string // of logging/setLevel
	logs    []string // the levels that calls of tools name
	refused string   // the method that it refuses
}

func newWitness(t *testing.T, revision wire.Revision, logs bool) *witness {
	t.Helper()
	w := new(witness)
	w.shop = &shop{Server: server.New(mcp.Implementation{Name: "witness"}, &server.Options{
		Revisions: []wire.Revision{revision}, Logger: slog.New(slog.DiscardHandler), Logging: logs,
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				if w.sees(c) {
					return nil, &jsonrpc.Error{Code: 7, Message: "no"}
				}
				return next(ctx, c)
			}
		}},
	})}
	must(t, w.AddTool(mcp.Tool{Name: "look"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		text, err := wire.Marshal(wire.Any, c.Capabilities())
		return server.TextResult(string(text)), err
	}))
	return w
}

// sees writes a request down, and reports whether it is refused.
func (w *witness) sees(c *server.Call) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch c.Method() {
	case mcp.MethodSetLevel.Name:
		w.levels = append(w.levels, c.Params().StringAt("level"))
	case mcp.MethodCallTool.Name:
		w.logs = append(w.logs, string(c.Meta().LogLevel))
	}
	return c.Method() == w.refused
}

// TestLevels sets levels at children with and without a session, and a log.
func TestLevels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		legacy := newWitness(t, mcp.V2025_11_25, true)
		begin(t, e, legacy.shop)
		modern := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28})
		modern.CallText("look", nil)
		must(t, modern.SetLevel(t.Context(), mcp.LoggingLevelWarning))
		modern.CallText("look", nil)
		modern.CallText("look", nil)
		first := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25})
		must(t, first.SetLevel(t.Context(), mcp.LoggingLevelError)) // which the child sends already
		must(t, first.SetLevel(t.Context(), mcp.LoggingLevelInfo))
		must(t, first.SetLevel(t.Context(), mcp.LoggingLevelInfo))
		first.CallText("look", nil)
		if want := []string{"warning", "info"}; !slices.Equal(legacy.levels, want) {
			t.Errorf("the child was told the levels %q, want %q", legacy.levels, want)
		}
		begin(t, e, newWitness(t, mcp.V2025_11_25, false).shop) // which could only refuse

		next := newWitness(t, mcp.V2026_07_28, true)
		begin(t, e, next.shop)
		quiet := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28})
		for _, c := range []*mcptest.Client{quiet, modern, first} {
			c.CallText("look", nil)
		}
		if want := []string{"", "warning", "info"}; !slices.Equal(next.logs, want) {
			t.Errorf("the calls have the levels %q, want %q", next.logs, want)
		}

		first.Close()
		synctest.Wait()
		alone := newWitness(t, mcp.V2025_11_25, true)
		begin(t, e, alone.shop) // when nobody wants a log
		if len(alone.levels) > 0 {
			t.Errorf("the child was told the levels %q of nobody", alone.levels)
		}
	})
}

// TestRefusedList has a child that lists its tools once, and then refuses.
func TestRefusedList(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		e := newEndpoint(t)
		w := newWitness(t, revision, false)
		begin(t, e, w.shop)
		w.mu.Lock()
		w.refused = mcp.MethodListTools.Name
		w.mu.Unlock()
		c := connect(t, e, &mcptest.Options{Revision: revision})
		if r, err := c.ListTools(t.Context(), nil); codeOf(err) != 7 {
			t.Errorf("%s: got %v, %v", revision, r, err)
		}
	}
}

// TestOtherEra has a client through 2025-11-25 of a child since then: it sees nothing of what its revision does not have.
func TestOtherEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		w := newWitness(t, mcp.V2026_07_28, false)
		for _, name := range []string{"price", "cups"} {
			must(t, w.AddPrompt(mcp.Prompt{Name: name}, func(ctx context.Context, c *server.Call, _ map[string]string) (*mcp.GetPromptResult, error) {
				if err := asking.Confirm(ctx, c, "Sure?"); err != nil {
					return nil, err
				}
				return &mcp.GetPromptResult{Description: name}, nil
			}))
			must(t, w.AddResource(mcp.Resource{Name: name, URI: "shop://" + name}, func(ctx context.Context, c *server.Call, _ string) (*mcp.ReadResourceResult, error) {
				if err := asking.Confirm(ctx, c, "Sure?"); err != nil {
					return nil, err
				}
				return server.TextResource("text/plain", name), nil
			}))
		}
		near, _ := serve(t, w.Server)
		tells := &telling{Transport: near, sent: map[string]string{}}
		child, err := new(Connection).Connect(t.Context(), e, tells)
		must(t, err)
		defer child.Close()
		e.Replace(t.Context(), child)
		opts := answering(mcp.V2025_11_25, "file:///tea")
		opts.Client.AllowUndeclared = true
		opts.Client.Extensions = []client.Extension{{ID: tasks.Extension, Settings: wire.Raw("{}")}, {ID: "shop/steam", Settings: wire.Raw("{}")}}
		c := connect(t, e, opts)
		if got := c.CallText("look", nil); strings.Contains(got, "tasks") || !strings.Contains(got, "shop/steam") {
			t.Errorf("the child hears of %s", got)
		}
		prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "price"})
		if err != nil || prompt.Description != "price" {
			t.Errorf("a prompt that asks: got %v, %v", prompt, err)
		}
		read, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "shop://cups"})
		if err != nil || len(read.Contents) != 1 {
			t.Errorf("a resource that asks: got %v, %v", read, err)
		}
		if err := c.Call(t.Context(), &mcp.MethodListTasks, &mcp.PaginatedRequestParams{}, new(mcp.ListTasksResult)); codeOf(err) != jsonrpc.CodeMethodNotFound {
			t.Errorf("a method that the child's revision does not have: got %v", err)
		}
		ctx := client.WithProgress(t.Context(), func(*mcp.ProgressNotificationParams) {})
		for range 3 { // so that the client's tokens are not those of the child's connection
			_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "look"})
			must(t, err)
		}
		sent, err := jsonrpc.Parse([]byte(tells.last))
		must(t, err)
		if want := `"progressToken":` + sent.ID.String(); strings.Count(tells.last, `"progressToken"`) != 1 || !strings.Contains(tells.last, want) {
			t.Errorf("the call has another token than %s: %s", want, tells.last)
		}
	})
}

// TestExplain has the errors that clients receive for those of calls.
func TestExplain(t *testing.T) {
	ch := new(Child)
	refused := &jsonrpc.Error{Code: 7, Message: "no"}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, refused} {
		if got := ch.explain(fmt.Errorf("x: %w", err)); !errors.Is(got, err) || (codeOf(got) != 0) != (err == error(refused)) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	for err, code := range map[error]int64{
		&client.CapabilityError{}: jsonrpc.CodeMethodNotFound, &client.RevisionError{}: jsonrpc.CodeMethodNotFound, errors.New("no"): jsonrpc.CodeInternalError,
	} {
		if got := ch.explain(fmt.Errorf("x: %w", err)); codeOf(got) != code || !strings.Contains(got.Error(), err.Error()) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

// TestSubscribedTwice subscribes a child to what it is subscribed to: the later subscription takes the place of the other.
func TestSubscribedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		child, _ := begin(t, e, newShop(t, "Orders", mcp.V2026_07_28))
		must(t, child.subscribe(t.Context(), "shop://stock"))
		first := child.subscriptions["shop://stock"]
		must(t, child.subscribe(t.Context(), "shop://stock"))
		<-first.Done()
		second := child.subscriptions["shop://stock"]
		select {
		case <-second.Done():
			t.Error("the later subscription ends")
		default:
		}
		child.unsubscribe("shop://stock")
		<-second.Done()
		if len(child.subscriptions) > 0 {
			t.Errorf("%v is subscribed to", child.subscriptions)
		}
		if err := child.subscribe(t.Context(), "shop://none"); codeOf(err) != jsonrpc.CodeInvalidParams || !strings.Contains(err.Error(), "shop://none") {
			t.Errorf("a resource that does not exist: got %v", err)
		}
	})
}

// TestNoSubscriptions subscribes to a resource of a child through 2025-11-25 that has no subscriptions.
func TestNoSubscriptions(t *testing.T) {
	e := newEndpoint(t)
	begin(t, e, &shop{Server: server.New(mcp.Implementation{Name: "shop"}, &server.Options{
		Revisions: []wire.Revision{mcp.V2025_11_25}, Logger: slog.New(slog.DiscardHandler),
		Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{}},
	})})
	c := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25})
	if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"shop://stock"}}); codeOf(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("got %v", err)
	}
}

// A reluctant transport takes its time to close.
type reluctant struct {
	transport.Transport
	released chan struct{}
}

// Close implements transport.Transport.
func (r *reluctant) Close() error {
	<-r.released
	return r.Transport.Close()
}

// TestEndsAll ends a runner whose last child but one has not ended yet: it waits for that.
func TestEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := begun(t, &fakeProject{source: "Orders"})
		released := make(chan struct{})
		r.runner.Tap = func(t transport.Transport) transport.Transport { return &reluctant{t, released} }
		r.becomes("Sells")
		r.change()
		r.runner.Tap = nil
		r.becomes("Lends")
		r.change()
		r.cancel()
		synctest.Wait()
		if len(r.ended) > 0 {
			t.Error("the runner ends before its children")
		}
		close(released)
	})
}

// TestRetiredChild has a child change its lists after another one has taken its place: nobody hears of it.
func TestRetiredChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		old := newShop(t, "Orders", mcp.V2025_11_25)
		begin(t, e, old)
		begin(t, e, newShop(t, "Orders", mcp.V2025_11_25))
		c := dial(t, e, 10, mcp.V2025_11_25, "{}")
		must(t, old.AddTool(mcp.Tool{Name: "more"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }))
		time.Sleep(time.Minute) // of the bubble
		synctest.Wait()
		if got := c.hears(); len(got) > 0 {
			t.Errorf("a client hears %q", got)
		}
	})
}

// TestTaskSubscriptionEnds ends a subscription to a task: the child hears of that.
func TestTaskSubscriptionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		near, _ := serve(t, newKitchen(t, mcp.V2026_07_28).Server)
		tells := &telling{Transport: near, sent: map[string]string{}}
		child, err := new(Connection).Connect(t.Context(), e, tells)
		must(t, err)
		defer child.Close()
		e.Replace(t.Context(), child)
		c := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{Extensions: []client.Extension{{ID: tasks.Extension, Settings: wire.Raw("{}")}}}})
		extra, err := wire.ExtraOf(mcp.V2026_07_28, &tasks.TaskSubscriptionNotifications{TaskIDs: []string{"1"}})
		must(t, err)
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra})
		must(t, err)
		synctest.Wait()
		if _, cancelled := tells.sent[mcp.MethodCancelledNotification.Name]; cancelled || len(child.watchers) != 1 {
			t.Errorf("%d clients subscribe to tasks, and the child was told of an end: %t", len(child.watchers), cancelled)
		}
		must(t, sub.Close())
		synctest.Wait()
		if _, cancelled := tells.sent[mcp.MethodCancelledNotification.Name]; !cancelled || len(child.watchers) > 0 {
			t.Errorf("%d clients subscribe to tasks, and the child was told of the end: %t", len(child.watchers), cancelled)
		}
		plain := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28})
		_, err = plain.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra})
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(string(rpc.Data), tasks.Extension) {
			t.Errorf("without the capability: got %v", err)
		}
	})
}
