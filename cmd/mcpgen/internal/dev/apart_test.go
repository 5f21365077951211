package dev

import (
	"bytes"
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
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	task "github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const methodPick = "shop/pick"

// picky are the options of a client that handles a custom request.
func picky(t *testing.T, revision wire.Revision, says string) *mcptest.Options {
	return &mcptest.Options{Revision: revision, Client: client.Options{Methods: []client.Method{
		methods.Notification(methodPick, func(context.Context, *wire.Raw) { t.Error("a request is passed on as a notification, too") }),
		methods.Request(methodPick, func(_ context.Context, p *wire.Raw) (wire.Encodable, error) {
			if p.StringAt("of") == "none" {
				return nil, &jsonrpc.Error{Code: 7, Message: "there is none"}
			}
			return wire.Raw(fmt.Sprintf(`{"picked":%q,"of":%q}`, says, p.StringAt("of"))), nil
		}),
	}}}
}

// TestCustomRequests passes requests of a custom method from a child to the client of the call, and to the only client.
func TestCustomRequests(t *testing.T) {
	e := newEndpoint(t)
	s := newShop(t, "Orders", mcp.V2025_11_25)
	must(t, s.AddTool(mcp.Tool{Name: "pick"}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		result, err := c.Request(ctx, methodPick, args)
		if err != nil {
			return nil, err
		}
		return server.TextResult(string(result)), nil
	}))
	begin(t, e, s)
	sessions := slices.Collect(s.Sessions())
	if len(sessions) != 1 {
		t.Fatalf("the child has %d sessions", len(sessions))
	}
	if _, err := sessions[0].Request(t.Context(), methodPick, nil); err == nil || !strings.Contains(err.Error(), "0 clients") {
		t.Errorf("without clients: got %v", err)
	}
	if got, err := sessions[0].Request(t.Context(), mcp.MethodPing.Name, nil); err != nil || string(got) != "{}" {
		t.Errorf("a ping, which is for the endpoint itself: got %s, %v", got, err)
	}
	c := connect(t, e, picky(t, mcp.V2025_11_25, "green"))
	if got := c.CallText("pick", map[string]any{"of": "teas"}); got != `{"picked":"green","of":"teas"}` {
		t.Errorf("got %s", got)
	}
	_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "pick", Arguments: wire.Raw(`{"of":"none"}`)})
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != 7 || rpc.Message != "there is none" {
		t.Errorf("an error: got %v", err)
	}
	if got, err := sessions[0].Request(t.Context(), methodPick, wire.Raw(`{"of":"cups"}`)); err != nil || string(got) != `{"picked":"green","of":"cups"}` {
		t.Errorf("apart from calls: got %s, %v", got, err)
	}
	connect(t, e, picky(t, mcp.V2025_06_18, "black"))
	if _, err := sessions[0].Request(t.Context(), methodPick, nil); err == nil || !strings.Contains(err.Error(), "2 clients") {
		t.Errorf("two clients: got %v", err)
	}
	modern := connect(t, e, picky(t, mcp.V2026_07_28, "white"))
	if _, err = modern.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "pick"}); err == nil || !strings.Contains(err.Error(), "takes no requests in its revision") {
		t.Errorf("a client without a session: got %v", err)
	}
}

// TestRoots has a child that asks for roots when it begins, and when they change.
func TestRoots(t *testing.T) { synctest.Test(t, testRoots) }

func testRoots(t *testing.T) {
	e := newEndpoint(t)
	learned := make(chan string, 10)
	s := server.New(mcp.Implementation{Name: "files"}, &server.Options{
		Revisions: []wire.Revision{mcp.V2025_06_18}, Logger: slog.New(slog.DiscardHandler),
		OnInitialized: func(_ context.Context, ss *server.Session) { go learn(ss, learned) },
	})
	must(t, s.AddNotification(mcp.MethodRootsListChangedNotification.Name, func(_ context.Context, c *server.Call) error {
		go learn(c.Session(), learned)
		return nil
	}))
	begin(t, e, &shop{Server: s})
	want := func(text string) {
		t.Helper()
		if got := <-learned; got != text {
			t.Errorf("the roots are %q, want %q", got, text)
		}
	}
	want("")
	first := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Roots: []mcp.Root{{URI: "file:///tea"}}}})
	want("file:///tea")
	connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Roots: []mcp.Root{{URI: "file:///cups"}, {URI: "file:///tea"}}}})
	if got := <-learned; got != "file:///tea file:///cups" && got != "file:///cups file:///tea" {
		t.Errorf("the roots of two clients are %q", got)
	}
	none := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25})
	_, err := none.ListTools(t.Context(), nil)
	synctest.Wait()
	if err != nil || len(learned) > 0 {
		t.Errorf("%v, and the child is told of a client without roots %d times", err, len(learned))
	}
	must(t, first.SetRoots(t.Context(), []mcp.Root{{URI: "file:///cups"}}))
	want("file:///cups file:///tea")
	synctest.Wait()
	if len(learned) > 0 {
		t.Errorf("once more the roots are %q", <-learned)
	}
	begin(t, e, newShop(t, "Orders", mcp.V2026_07_28)) // which asks nobody
	connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Roots: []mcp.Root{{URI: "file:///tea"}}}})
	synctest.Wait()
}

func learn(ss *server.Session, to chan<- string) {
	raw, err := ss.Request(context.Background(), mcp.MethodListRoots.Name, nil)
	var roots mcp.ListRootsResult
	if err == nil {
		err = wire.Decode(raw, &roots)
	}
	if err != nil {
		to <- err.Error()
		return
	}
	var uris []string
	for _, r := range roots.Roots {
		uris = append(uris, r.URI)
	}
	to <- strings.Join(uris, " ")
}

// TestLog passes log messages to the clients that want them, at the levels that they want.
func TestLog(t *testing.T) {
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	for _, child := range both {
		for _, revision := range both {
			t.Run(fmt.Sprintf("%s to %s", revision, child), func(t *testing.T) {
				e := newEndpoint(t)
				s := newLogger(child)
				begin(t, e, s)
				got := make(chan string, 10)
				c := connect(t, e, &mcptest.Options{Revision: revision, Client: client.Options{
					Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
						got <- string(p.Level) + " " + string(p.Data)
					})},
				}})
				heard := make(chan string, 10)
				bystander := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
					Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
						heard <- string(p.Data)
					})},
				}})
				must(t, bystander.SetLevel(t.Context(), mcp.LoggingLevelDebug))
				logged := func(want ...string) {
					t.Helper()
					if text := c.CallText("log", nil); text != "logged" {
						t.Errorf("the tool says %q", text)
					}
					for _, w := range want {
						if g := <-got; g != w {
							t.Errorf("got %s, want %s", g, w)
						}
					}
				}
				must(t, c.SetLevel(t.Context(), mcp.LoggingLevelDebug))
				logged(`debug "fine"`, `info "so so"`, `error "bad"`)
				must(t, c.SetLevel(t.Context(), mcp.LoggingLevelError))
				logged(`error "bad"`)
				begin(t, e, newLogger(child)) // whose level is that of the clients
				logged(`error "bad"`)
				must(t, c.SetLevel(t.Context(), mcp.LoggingLevelInfo))
				logged(`info "so so"`, `error "bad"`)
				if _, err := bystander.ListTools(t.Context(), nil); err != nil || len(heard) > 0 {
					t.Errorf("a client that called nothing hears of the calls of others: %d messages, %v", len(heard), err)
				}
			})
		}
	}
}

// newLogger returns a build that logs.
func newLogger(revision wire.Revision) *shop {
	s := &shop{Server: server.New(mcp.Implementation{Name: "logger"}, &server.Options{
		Revisions: []wire.Revision{revision}, Logger: slog.New(slog.DiscardHandler), Logging: true,
	})}
	if err := s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		log := c.Logger()
		log.Debug("fine")
		log.Info("so so")
		log.Error("bad")
		return server.TextResult("logged"), nil
	}); err != nil {
		panic(err)
	}
	return s
}

// TestNoLog asks for log messages of a child that has none.
func TestNoLog(t *testing.T) {
	e := newEndpoint(t)
	begin(t, e, newShop(t, "Orders", mcp.V2025_11_25))
	c := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{AllowUndeclared: true}})
	if c.Server().Capabilities.Logging != nil {
		t.Error("the endpoint declares logging")
	}
	err := c.SetLevel(t.Context(), mcp.LoggingLevelInfo)
	if codeOf(err) != jsonrpc.CodeMethodNotFound || !strings.Contains(err.Error(), "the server has no log for clients") {
		t.Errorf("got %v", err)
	}
}

// TestTaskSubscription has two clients listen to the same task of the child.
func TestTaskSubscription(t *testing.T) {
	e := newEndpoint(t)
	s := newKitchen(t, mcp.V2026_07_28)
	begin(t, e, s)
	options := func(news chan mcp.TaskStatus) *mcptest.Options {
		return &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{
			Extensions: []client.Extension{taskclient.Enable(&taskclient.Options{
				OnTask: func(_ context.Context, task *task.Task) { news <- task.Status },
			})},
		}}
	}
	all := []chan mcp.TaskStatus{make(chan mcp.TaskStatus, 10), make(chan mcp.TaskStatus, 10)}
	c, other := connect(t, e, options(all[0])), connect(t, e, options(all[1]))
	started, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "wait"})
	must(t, err)
	extra, err := wire.ExtraOf(mcp.V2026_07_28, &tasks.TaskSubscriptionNotifications{TaskIDs: []string{started.ID(), "no such task"}})
	must(t, err)
	yes := true
	for _, c := range []*mcptest.Client{c, other} {
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: &yes, Extra: extra})
		must(t, err)
		defer sub.Close()
		var granted tasks.TaskSubscriptionAcknowledgedNotifications
		must(t, wire.DecodeExtra(sub.Filter().Extra, &granted))
		if !slices.Equal(granted.TaskIDs, []string{started.ID()}) || sub.Filter().ToolsListChanged == nil {
			t.Errorf("granted: %v and %v", granted.TaskIDs, sub.Filter())
		}
	}
	must(t, started.Cancel(t.Context()))
	for i, news := range all {
		var got []mcp.TaskStatus
		for status := range news {
			if got = append(got, status); status == mcp.TaskStatusCancelled {
				break
			}
		}
		if want := []mcp.TaskStatus{mcp.TaskStatusWorking, mcp.TaskStatusCancelled}; !slices.Equal(got, want) && !slices.Equal(got, want[1:]) {
			t.Errorf("client %d: got %q, want %q", i, got, want)
		}
	}
	// A child that refuses is quoted; one without such tasks is not asked for any.
	begin(t, e, &shop{Server: refusing(mcp.MethodSubscriptionsListen.Name, &jsonrpc.Error{Code: 7, Message: "no"}, taskserver.Enable(nil))})
	if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra}); codeOf(err) != 7 {
		t.Errorf("a child that refuses: got %v", err)
	}
	for _, plain := range []*shop{newShop(t, "Orders", mcp.V2026_07_28), newKitchen(t, mcp.V2025_11_25)} {
		begin(t, e, plain)
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: &yes, Extra: extra})
		must(t, err)
		var granted tasks.TaskSubscriptionAcknowledgedNotifications
		if err := wire.DecodeExtra(sub.Filter().Extra, &granted); err != nil || granted.TaskIDs != nil || sub.Filter().ToolsListChanged == nil {
			t.Errorf("a child without tasks grants %v, %v, %v", granted.TaskIDs, sub.Filter(), err)
		}
		must(t, sub.Close())
	}
	// A client that does not declare tasks receives an error that says so.
	begin(t, e, s)
	plain := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28})
	if _, err := plain.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra}); err == nil || !strings.Contains(err.Error(), "capability") {
		t.Errorf("without the capability: got %v", err)
	}
	e.Fail(errors.New("it does not build"))
	if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra}); err == nil || !strings.Contains(err.Error(), "it does not build") {
		t.Errorf("without a child: got %v", err)
	}
}

// A slow transport acknowledges no subscription until it is released.
type slow struct {
	transport.Transport
	t        *testing.T
	released chan struct{}
}

// Send implements transport.Sender.
func (s *slow) Send(ctx context.Context, m transport.Message) error {
	if bytes.Contains(m.Data, []byte(mcp.MethodSubscriptionsAcknowledgedNotification.Name)) {
		<-s.released
	}
	if bytes.Contains(m.Data, []byte(tasks.MethodTaskStatusNotification.Name)) && !bytes.Contains(m.Data, []byte(mcp.KeySubscriptionID)) {
		s.t.Errorf("the client is not told by which subscription it hears %s", m.Data)
	}
	return s.Transport.Send(ctx, m)
}

// TestSlowTaskSubscription has a task end before the client that subscribes to it has read that it may: it hears of the end
// after that.
func TestSlowTaskSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		begin(t, e, newKitchen(t, mcp.V2026_07_28))
		enabled := []client.Extension{taskclient.Enable(nil)}
		cook := connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28, Client: client.Options{Extensions: enabled}})
		started, err := taskclient.Start(t.Context(), cook.Client, &mcp.CallToolRequestParams{Name: "wait"})
		must(t, err)
		extra, err := wire.ExtraOf(mcp.V2026_07_28, &tasks.TaskSubscriptionNotifications{TaskIDs: []string{started.ID()}})
		must(t, err)

		near, far := inmem.Pair(0)
		line := &slow{far, t, make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- e.Server().Serve(context.Background(), line) }()
		var heard []string
		c, err := client.Connect(t.Context(), near, &client.Options{Logger: slog.New(slog.DiscardHandler), Extensions: []client.Extension{
			taskclient.Enable(&taskclient.Options{OnTask: func(_ context.Context, task *task.Task) {
				heard = append(heard, string(task.Status))
			}}),
		}})
		must(t, err)
		subscribed := make(chan error, 1)
		go func() {
			_, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{Extra: extra})
			subscribed <- err
		}()
		synctest.Wait()
		must(t, started.Cancel(t.Context()))
		time.Sleep(time.Second) // of the bubble
		if len(heard) > 0 {
			t.Errorf("before it is subscribed the client hears %q", heard)
		}
		close(line.released)
		must(t, <-subscribed)
		synctest.Wait()
		if want := []string{"cancelled"}; !slices.Equal(heard, want) {
			t.Errorf("the client hears %q, want %q", heard, want)
		}
		c.Close()
		<-served
	})
}

// TestAskApart has a child ask apart from calls: the only client that can answer is asked, whoever else is there.
func TestAskApart(t *testing.T) {
	e := newEndpoint(t)
	s := newShop(t, "Orders", mcp.V2025_11_25)
	begin(t, e, s)
	child := slices.Collect(s.Sessions())[0]
	declared, err := wire.Marshal(wire.Any, child.Capabilities())
	if want := `{"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}}`; err != nil || !strings.HasPrefix(string(declared), want) {
		t.Errorf("the child hears of %s, %v, want %s", declared, err, want)
	}
	questions := map[string]string{
		mcp.MethodElicit.Name:        `{"message":"Who?","requestedSchema":{"type":"object","properties":{"by":{"type":"string"}}}}`,
		mcp.MethodCreateMessage.Name: `{"messages":[],"maxTokens":1}`,
	}
	asks := func(want string) {
		t.Helper()
		for method, params := range questions {
			result, err := child.Request(t.Context(), method, wire.Raw(params))
			if got := fmt.Sprint(string(result), err); !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", method, got, want)
			}
		}
	}
	able := &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return elicit.Accept(struct {
				By string `json:"by"`
			}{"Ada"})
		}},
		Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "Ada", Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "x"}}}, nil
		},
	}}
	serve(t, e.Server()) // where nobody has said what he can do
	connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25})
	connect(t, e, &mcptest.Options{Revision: mcp.V2026_07_28, Client: able.Client})
	asks("0 clients with sessions can handle this request")
	connect(t, e, able)
	asks("Ada")
	connect(t, e, able)
	asks("2 clients with sessions can handle this request")
}
