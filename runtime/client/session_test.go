package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A perRequest transport is one whose server may end sessions, as over HTTP.
type perRequest struct {
	breaking
	sessions *atomic.Int32 // how many there have been
	mirrored *atomic.Value // of the last request that had some
}

func (p perRequest) Send(ctx context.Context, m transport.Message) error {
	if m.Mirrored != nil {
		p.mirrored.Store(m.Mirrored)
	}
	return p.breaking.Send(ctx, m)
}

func (p perRequest) PerRequest() bool { return true }

func (p perRequest) SessionID() string {
	if n := p.sessions.Load(); n > 0 {
		return fmt.Sprint("s", n)
	}
	return ""
}

// dialPerRequest is dial over such a transport, to a server that opens the sessions s1, s2 and so on.
func dialPerRequest(t *testing.T, s script, opts *Options) (*Client, *fake) {
	t.Helper()
	var sessions atomic.Int32
	if open := s["initialize"]; open != nil {
		s["initialize"] = func(r *received) (string, error) {
			sessions.Add(1)
			return open(r)
		}
	}
	c, f, err := connectOver(t.Context(), t, s, opts, func(b breaking) transport.Transport { return perRequest{b, &sessions, new(atomic.Value)} })
	if err != nil {
		t.Fatal(err)
	}
	f.forget()
	return c, f
}

// expire ends the session: for a request, or without an id in between.
func (f *fake) expire(id wire.ID) {
	f.broken <- &transport.RequestError{ID: id, Err: transport.ErrSessionExpired}
}

// changes collects what OnChange is told.
type changes struct {
	mu  sync.Mutex
	all []string
}

func (c *changes) add(_ context.Context, change Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fmt.Sprintf("tools %v, prompts %v, resources %v, URI %q, subscription %s", change.Tools, change.Prompts, change.Resources, change.URI, change.Subscription))
}

func (c *changes) take() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	slices.Sort(all)
	return all
}

// everythingChanged is what OnChange is told when everything may have changed, and one resource is subscribed to.
var everythingChanged = []string{
	`tools false, prompts false, resources false, URI "file:///a", subscription `,
	`tools false, prompts false, resources true, URI "", subscription `,
	`tools false, prompts true, resources false, URI "", subscription `,
	`tools true, prompts false, resources false, URI "", subscription `,
}

// A client opens a new session when the server has ended one, finds in it the log level and the subscriptions, and assumes
// that everything has changed. After a stream that broke it assumes that, too.
//
// REQ SESS-08
func TestRenewal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told changes
		server := legacyServer(script{"logging/setLevel": always("{}"), "resources/subscribe": always("{}")})
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}, OnChange: told.add})
		if err := c.SetLevel(t.Context(), mcp.LoggingLevelWarning); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///a"}}); err != nil {
			t.Fatal(err)
		}
		f.forget()
		f.expire(wire.ID{})
		want := []string{"initialize", `logging/setLevel {"level":"warning"}`, "notifications/initialized", `resources/subscribe {"uri":"file:///a"}`}
		sent := f.sent()
		for i := range sent {
			if strings.HasPrefix(sent[i], "initialize ") {
				sent[i] = "initialize"
			}
		}
		slices.Sort(sent) // the server handles some of them at the same time
		if !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		if got := told.take(); !slices.Equal(got, everythingChanged) {
			t.Errorf("told %q", got)
		}

		f.forget()
		f.broken <- &transport.RequestError{Err: transport.ErrMissed}
		if got := told.take(); !slices.Equal(got, everythingChanged) {
			t.Errorf("after a stream that broke: told %q", got)
		}
		f.broken <- &transport.RequestError{Err: errors.New("something else")}
		if got := told.take(); got != nil || f.sent() != nil {
			t.Errorf("after another error: told %q, sent %q", got, f.sent())
		}
	})
}

// A request that the server has refused because it had ended the session is sent again, once; but one with a cursor would have
// another meaning in the new session. Callers share one renewal.
func TestRenewalOfCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		expired := 0
		server := legacyServer(nil)
		server["prompts/list"] = func(r *received) (string, error) {
			if expired > 0 {
				expired--
				r.server.expire(r.id)
				return "", jsonrpc.ErrNoResponse
			}
			return `{"prompts":[]}`, nil
		}
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}})
		expired = 1
		if _, err := c.ListPrompts(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if got := f.methods(); len(got) != 4 || f.count("prompts/list") != 2 || got[1] != "initialize" {
			t.Errorf("sent %s", got)
		}
		f.forget()
		expired = 2
		if _, err := c.ListPrompts(t.Context(), nil); !errors.Is(err, transport.ErrSessionExpired) {
			t.Errorf("a session that ends at once: %v", err)
		}
		f.forget()
		expired = 1
		_, err := c.ListPrompts(t.Context(), &mcp.PaginatedRequestParams{Cursor: new(mcp.Cursor("x"))})
		if e, ok := errors.AsType[*jsonrpc.CallError](err); !ok || e.Method != "prompts/list" || !errors.Is(err, errRenewed) {
			t.Errorf("a cursor: %v", err)
		}
		if got := fmt.Sprint(f.methods()); got != "[prompts/list initialize notifications/initialized]" {
			t.Errorf("sent %s", got)
		}

		f.forget()
		server["initialize"] = func(r *received) (string, error) { return "", errors.New("no room") }
		f.script["initialize"] = server["initialize"]
		expired = 1
		_, err = c.ListPrompts(t.Context(), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "prompts/list: the server has ended the session, and a new one could not be opened: initialize: ") {
			t.Errorf("no new session: %v", err)
		}
		if c.Err() != nil {
			t.Errorf("the connection has ended: %v", c.Err())
		}

		// What speaks another revision now is another server.
		f.script["initialize"] = func(*received) (string, error) {
			return `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, nil
		}
		expired = 1
		if _, err = c.ListPrompts(t.Context(), nil); !errors.As(err, new(*VersionError)) {
			t.Errorf("another revision: %v", err)
		}
		<-c.Done()
		if !errors.As(c.Err(), new(*VersionError)) {
			t.Errorf("the connection ended with %v", c.Err())
		}
	})
}

// A caller who waits for a new session waits as long as its context lasts, or the client.
func TestRenewalTakesLong(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := legacyServer(nil)
		server["prompts/list"] = func(r *received) (string, error) {
			r.server.expire(r.id)
			return "", jsonrpc.ErrNoResponse
		}
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}})
		f.script["initialize"] = silence
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error, 2)
		list := func(ctx context.Context) {
			_, err := c.ListPrompts(ctx, nil)
			errs <- err
		}
		go list(ctx)
		synctest.Wait()
		cancel(why)
		if err := <-errs; !errors.Is(err, why) {
			t.Errorf("when its context ends: %v", err)
		}
		go list(t.Context())
		synctest.Wait()
		if got := f.count("initialize"); got != 1 {
			t.Errorf("%d sessions are being opened, want 1", got)
		}
		c.Close()
		if err := <-errs; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("when the client is closed: %v", err)
		}
		if _, err := c.ListPrompts(t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// An observer that records keeps what it learns of, and adds its trace context.
type recorder struct {
	mu    sync.Mutex
	ended []observe.Operation // in the order of their ends
	trace observe.Trace
}

func (r *recorder) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Outgoing {
		o.Trace = r.trace
	}
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = append(r.ended, *o)
	}
}

// take returns the operations that have ended since the last time, as text, and forgets them.
func (r *recorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for _, o := range r.ended {
		text := fmt.Sprintf("%s %s", o.Kind, o.Method)
		for name, set := range map[string]bool{"not of a client": !o.Client, "HTTP": o.HTTP, "no time": o.Begun.IsZero()} {
			if set {
				text += ", " + name
			}
		}
		if o.Outgoing {
			text = "out " + text
		}
		for _, part := range []struct {
			name  string
			value any
			none  bool
		}{
			{"name", o.Name, o.Name == ""}, {"URI", o.URI, o.URI == ""}, {"session", o.Session, o.Session == ""}, {"", o.Revision, o.Revision == 0},
			{"unknown", true, !o.Unknown}, {"tool error", true, !o.ToolError}, {"error", o.Err, o.Err == nil}, {"id", "", o.Kind != observe.Request || !o.ID.IsZero()},
		} {
			if !part.none {
				text += strings.TrimRight(fmt.Sprintf(", %s %v", part.name, part.value), " ")
			}
		}
		texts = append(texts, strings.ReplaceAll(text, ",  ", ", "))
	}
	r.ended = nil
	return texts
}

func wantObserved(t *testing.T, r *recorder, want ...string) {
	t.Helper()
	if got := r.take(); !slices.Equal(got, want) {
		t.Errorf("observed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An observer learns of everything that is sent and received, of what it is about, and how it ended; and of sessions.
func TestObserver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := new(recorder)
		server := legacyServer(script{
			"tools/call":            always(`{"content":[],"isError":true}`),
			"prompts/get":           always(`{"messages":[]}`),
			"resources/read":        always(`{"contents":[]}`),
			"resources/subscribe":   always("{}"),
			"resources/unsubscribe": always("{}"),
			"example/x":             always("{}"),
			"prompts/list":          fails(-1, ""),
		})
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}, Observer: r, Methods: []Method{
			handleRequest("example/own", func(context.Context, wire.Raw) (wire.Raw, error) { return wire.Raw("{}"), nil }),
		}})
		wantObserved(t, r, "out request initialize, HTTP, session s1, 2025-11-25", "out notification notifications/initialized, HTTP, session s1, 2025-11-25")
		ctx := t.Context()
		r.trace = observe.Trace{Parent: "00-1-2-01"}
		c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
		c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "prompt"})
		c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "file:///a"})
		sub, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///b"}})
		if err != nil {
			t.Fatal(err)
		}
		sub.Close()
		c.ListPrompts(ctx, nil)
		var raw wire.Raw
		c.Call(ctx, &mcp.MethodCallTool, wire.Raw(`{"name":"raw"}`), &raw)
		c.Notify(ctx, &mcp.MethodRootsListChangedNotification, nil)
		c.Notify(ctx, &wire.Method{Name: "notifications/x", Notification: true}, wire.Raw(`{"a":1}`))
		const of = ", HTTP, "
		const session = "session s1, 2025-11-25"
		wantObserved(t, r,
			"out request tools/call"+of+"name tool, "+session+", tool error true",
			"out request prompts/get"+of+"name prompt, "+session,
			"out request resources/read"+of+"URI file:///a, "+session,
			"out request resources/subscribe"+of+"URI file:///b, "+session,
			"out request resources/unsubscribe"+of+"URI file:///b, "+session,
			"out request prompts/list"+of+session+", error error (-1)",
			"out request tools/call"+of+"name raw, "+session+", tool error true",
			"out notification notifications/roots/list_changed"+of+session,
			"out notification notifications/x"+of+session)
		for i, line := range f.sent() {
			if !strings.Contains(line, `"_meta":{"traceparent":"00-1-2-01"}`) {
				t.Errorf("message %d has no trace context: %s", i, line)
			}
		}
		if last := f.sent()[len(f.sent())-1]; !strings.Contains(last, `"a":1`) {
			t.Errorf("sent %s", last)
		}

		f.request("ping", "")
		f.request("example/own", "{}")
		f.request("example/made-up", "{}")
		f.notice("notifications/tools/list_changed", "")
		f.notice("notifications/made-up", "")
		wantObserved(t, r, "request ping"+of+session, "request example/own"+of+session,
			"request example/made-up"+of+session+", unknown true, error wire: unknown method",
			"notification notifications/tools/list_changed"+of+session, "notification notifications/made-up"+of+session+", unknown true")

		f.expire(wire.ID{})
		const renewed = "session s2, 2025-11-25"
		wantObserved(t, r, "out request initialize"+of+renewed, "out notification notifications/initialized"+of+renewed,
			"session "+of+session+", error "+transport.ErrSessionExpired.Error(),
			"notification notifications/tools/list_changed"+of+renewed, "notification notifications/prompts/list_changed"+of+renewed,
			"notification notifications/resources/list_changed"+of+renewed)
		c.Close()
		wantObserved(t, r, "session "+of+renewed)
	})
}

// An observer learns of what a modern server asks within a request, and of a subscription, whose end is no error.
func TestObserverOfModernServers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := new(recorder)
		server := modernServer(script{
			"subscriptions/listen": listening(`{}`),
			"tools/call": func(r *received) (string, error) {
				if r.params.StringAt("requestState") == "" {
					return `{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}}}`, nil
				}
				return `{"resultType":"complete","content":[]}`, nil
			},
			"prompts/list": silence,
		})
		no := errors.New("no")
		c, _ := dial(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2026_07_28}, Observer: r, Roots: []mcp.Root{},
			Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) { return nil, no }}})
		wantObserved(t, r, "out request server/discover, 2026-07-28")
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "tool"}); !errors.Is(err, no) {
			t.Errorf("got %v", err)
		}
		got := r.take()
		slices.Sort(got)
		want := []string{"out request tools/call, name tool, 2026-07-28", "request elicitation/create, 2026-07-28, error no, id", "request roots/list, 2026-07-28, id"}
		if !slices.Equal(got, want) {
			t.Errorf("observed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		r.take()
		sub.Close()
		wantObserved(t, r, "out request subscriptions/listen, 2026-07-28")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c.ListPrompts(ctx, nil)
		wantObserved(t, r, "out request prompts/list, 2026-07-28, error prompts/list: context canceled, id") // it was not sent
	})
}

// A subscription whose stream has broken is opened again, and everything that it is for may have changed meanwhile. If that
// fails again and again, it ends; and at once if the server refuses the client.
//
// REQ SUB-11
func TestSubscriptionIsOpenedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told changes
		const filter = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"]}`
		server := modernServer(script{"subscriptions/listen": listening(filter)})
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2026_07_28}, OnChange: told.add})
		open := func() *Subscription {
			t.Helper()
			s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true)})
			if err != nil {
				t.Fatal(err)
			}
			f.forget()
			return s
		}
		broke := errors.New("the stream broke")
		s := open()
		before := s.ID()
		f.broken <- &transport.RequestError{ID: before, Err: broke}
		time.Sleep(2 * time.Second)
		if got := fmt.Sprint(f.methods()); got != "[subscriptions/listen]" || s.ID() == before {
			t.Errorf("sent %s, id %v after %v", got, s.ID(), before)
		}
		var want []string
		for _, text := range everythingChanged {
			want = append(want, text+s.ID().String())
		}
		if got := told.take(); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}

		f.forget()
		f.script["subscriptions/listen"] = func(r *received) (string, error) {
			r.server.broken <- &transport.RequestError{ID: r.id, Err: broke}
			return "", jsonrpc.ErrNoResponse
		}
		f.broken <- &transport.RequestError{ID: s.ID(), Err: broke}
		<-s.Done()
		if n := f.count("subscriptions/listen"); n != 10 || !errors.Is(s.Err(), broke) {
			t.Errorf("%d attempts, then %v", n, s.Err())
		}

		f.script["subscriptions/listen"] = listening(filter)
		s = open()
		f.broken <- &transport.RequestError{ID: s.ID(), Err: &transport.StatusError{Status: 401}}
		<-s.Done()
		if got := f.methods(); len(got) > 0 || !errors.As(s.Err(), new(*transport.StatusError)) {
			t.Errorf("refused: sent %s, then %v", got, s.Err())
		}
		s = open()
		f.broken <- &transport.RequestError{ID: s.ID(), Err: &transport.StatusError{Status: 503}}
		time.Sleep(2 * time.Second)
		if got := f.methods(); len(got) != 1 {
			t.Errorf("a server that is busy: sent %s", got)
		}
	})
}

// Who does not wait for the acknowledgement any more has no subscription.
func TestSubscribeGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		withdrawn := make(chan bool)
		c, _ := dial(t, modernServer(script{"subscriptions/listen": func(r *received) (string, error) {
			<-r.ctx.Done()
			close(withdrawn)
			return "", jsonrpc.ErrNoResponse
		}}), nil)
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		_, err := c.Subscribe(ctx, mcp.SubscriptionFilter{})
		if e, ok := errors.AsType[*jsonrpc.CallError](err); !ok || e.Method != "subscriptions/listen" || !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		<-withdrawn
	})
}

// A list continues from its start, without what it has had, when its session ends between two pages.
func TestListsOfSessionsThatEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		expired := false
		server := legacyServer(nil)
		server["tools/list"] = func(r *received) (string, error) {
			switch {
			case r.params.StringAt("cursor") == "":
				return `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"2"}`, nil
			case !expired:
				expired = true
				r.server.expire(r.id)
				return "", jsonrpc.ErrNoResponse
			}
			return `{"tools":[{"name":"b","inputSchema":{"type":"object"}}]}`, nil
		}
		c, f := dialPerRequest(t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}})
		var names []string
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if fmt.Sprint(names) != "[a b]" || f.count("tools/list") != 4 {
			t.Errorf("got %v, sent %s", names, f.methods())
		}
	})
}

// The arguments that a tool wants in headers are sent so, whatever type the params have. A tool that wants what cannot be is
// left out of the list, and the log says so once.
//
// REQ XHDR-02, XHDR-06
func TestMirroredArguments(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log strings.Builder
		server := modernServer(script{
			"tools/call": always(`{"resultType":"complete","content":[]}`),
			"tools/list": always(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[` +
				`{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"B"}}}},` +
				`{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A B"}}}}]}`),
		})
		var mirrored atomic.Value
		c, _, err := connectOver(t.Context(), t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2026_07_28}},
			func(b breaking) transport.Transport { return perRequest{b, new(atomic.Int32), &mirrored} })
		if err != nil {
			t.Fatal(err)
		}
		c.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		for range 2 {
			r, err := c.ListTools(t.Context(), nil)
			if err != nil || len(r.Tools) != 1 || r.Tools[0].Name != "good" {
				t.Errorf("listed %+v, %v", r, err)
			}
		}
		if n := strings.Count(log.String(), "a tool was left out of the list"); n != 1 || !strings.Contains(log.String(), "tool=bad") {
			t.Errorf("logged %s", log.String())
		}
		for _, params := range []wire.Encodable{
			&mcp.CallToolRequestParams{Name: "good", Arguments: wire.Raw(`{"a":"x"}`)}, wire.Raw(`{"name":"good","arguments":{"a":"x"}}`),
		} {
			mirrored.Store(map[string]string(nil))
			if err := c.Call(t.Context(), &mcp.MethodCallTool, params, new(mcp.CallToolResult)); err != nil {
				t.Fatal(err)
			}
			if got := mirrored.Load().(map[string]string); len(got) != 1 || got["Mcp-Param-A"] != "x" {
				t.Errorf("%T: mirrored %v", params, got)
			}
		}
		if err := c.Call(t.Context(), &mcp.MethodCallTool, wire.Raw(`{"name":7}`), new(mcp.CallToolResult)); err != nil {
			t.Errorf("params that only the server can refuse: %v", err)
		}
	})
}

// A call without a timeout waits for as long as it takes.
func TestWithoutTimeout(t *testing.T) {
	both(t, script{"prompts/list": func(r *received) (string, error) {
		select {
		case <-time.After(2 * time.Hour):
		case <-r.ctx.Done():
		}
		return `{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"public"}`, nil
	}}, func(t *testing.T, server script, opts Options) {
		c, _ := dial(t, server, &opts)
		if _, err := c.ListPrompts(WithoutTimeout(t.Context()), nil); err != nil {
			t.Error(err)
		}
		if _, err := c.ListPrompts(t.Context(), nil); err == nil {
			t.Error("a call with a timeout has waited, too")
		}
	})
}

// What a server says of itself twice is an error, as in every message.
func TestDiscoverDuplicates(t *testing.T) {
	members := []string{`"supportedVersions":["2026-07-28"]`, `"capabilities":{}`, `"instructions":"x"`, `"_meta":{}`}
	whole := strings.Join(members, ",")
	if err := wire.Decode([]byte("{"+whole+"}"), new(discovered)); err != nil {
		t.Fatal(err)
	}
	for _, member := range members {
		if err := wire.Decode([]byte("{"+whole+","+member+"}"), new(discovered)); err == nil || !strings.Contains(err.Error(), "duplicate member") {
			t.Errorf("%s: %v", member, err)
		}
	}
}

// A modern server sends no requests: one that arrives nevertheless is neither handled nor responded to.
func TestRequestsOfModernServers(t *testing.T) {
	both(t, nil, func(t *testing.T, server script, opts Options) {
		handled := false
		opts.Methods = []Method{handleRequest("example/x", func(context.Context, wire.Raw) (wire.Raw, error) {
			handled = true
			return wire.Raw("{}"), nil
		})}
		c, f := dial(t, server, &opts)
		_, err := f.request("example/x", "{}")
		if handled == c.modern() || (err != nil) != c.modern() || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("handled %v, %v", handled, err)
		}
	})
}

// What is no content of a form is an error.
func TestAcceptFails(t *testing.T) {
	for _, content := range []any{func() {}, 7} {
		if r, err := elicit.Accept(content); r != nil || err == nil {
			t.Errorf("%T: %v, %v", content, r, err)
		}
	}
}

// A method is custom only if no revision has it, in whatever way.
func TestCallable(t *testing.T) {
	some := []wire.Span{{From: mcp.V2025_11_25, Until: mcp.V2026_07_28}}
	for name, test := range map[string]struct {
		m    wire.Method
		want bool
	}{
		"custom": {wire.Method{}, true}, "to the server": {wire.Method{ToServer: some}, true},
		"of another revision": {wire.Method{ToServer: []wire.Span{{From: mcp.V2026_07_28}}}, false},
		"to the client":       {wire.Method{ToClient: some}, false}, "as input": {wire.Method{AsInput: some}, false},
	} {
		if got := callable(&test.m, mcp.V2025_11_25); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What cannot be decoded is neither returned nor kept.
func TestInvalidResultsAreNotCached(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, modernServer(script{"prompts/list": cacheable1s(`{"prompts":7}`)}), nil)
		for range 2 {
			if _, err := c.ListPrompts(t.Context(), nil); err == nil {
				t.Error("no error")
			}
		}
		if n := len(f.sent()); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}

// A transport that has the method PerRequest need not be one: then nothing is repeated in headers.
func TestNotPerRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(script{
			"tools/call": always(`{"resultType":"complete","content":[]}`),
			"tools/list": always(`{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]}`),
		})
		var mirrored atomic.Value
		c, _, err := connectOver(t.Context(), t, server, &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2026_07_28}},
			func(b breaking) transport.Transport { return oneStream{perRequest{b, new(atomic.Int32), &mirrored}} })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t", Arguments: wire.Raw(`{"a":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		if got := mirrored.Load(); got != nil {
			t.Errorf("mirrored %v", got)
		}
	})
}

type oneStream struct{ perRequest }

func (oneStream) PerRequest() bool { return false }

// The log level of the client is that of requests with metadata of their own, too, unless these have another one.
func TestLogLevelOfRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, modernServer(script{"prompts/list": always(`{"resultType":"complete","prompts":[],"ttlMs":0,"cacheScope":"public"}`)}), nil)
		if err := c.SetLevel(t.Context(), mcp.LoggingLevelWarning); err != nil {
			t.Fatal(err)
		}
		for own, want := range map[mcp.LoggingLevel]string{"": `"io.modelcontextprotocol/logLevel":"warning"`, mcp.LoggingLevelDebug: `"io.modelcontextprotocol/logLevel":"debug"`} {
			f.forget()
			if _, err := c.ListPrompts(t.Context(), &mcp.PaginatedRequestParams{Meta: &mcp.RequestMetaObject{LogLevel: own}}); err != nil {
				t.Fatal(err)
			}
			if sent := f.sent(); len(sent) != 1 || !strings.Contains(sent[0], want) {
				t.Errorf("own level %q: sent %s, want %s", own, sent, want)
			}
		}
	})
}

// A notification that cannot be encoded is an error of Notify, and the observer learns of it.
func TestObserverOfInvalidNotifications(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := &recorder{trace: observe.Trace{Parent: "00-1-2-01"}}
		c, f := dial(t, legacyServer(nil), &Options{Info: testInfo, Revisions: []wire.Revision{mcp.V2025_11_25}, Observer: r})
		r.take()
		if err := c.Notify(t.Context(), &wire.Method{Name: "notifications/x", Notification: true}, wire.Raw(`{`)); err == nil {
			t.Error("no error")
		}
		if got := r.take(); len(got) != 1 || !strings.Contains(got[0], ", error ") || len(f.sent()) > 0 {
			t.Errorf("observed %q, sent %q", got, f.sent())
		}
	})
}

// A method may have a handler of requests and one of notifications, and each is given once.
func TestMethodsOf(t *testing.T) {
	request := handleRequest("x", func(context.Context, wire.Raw) (wire.Raw, error) { return nil, nil })
	notification := handleNotification("x", func(context.Context, wire.Raw) {})
	for name, test := range map[string]struct {
		list []Method
		ok   bool
	}{
		"both":                {[]Method{request, notification}, true},
		"both, otherwise":     {[]Method{notification, request}, true},
		"requests twice":      {[]Method{request, notification, request}, false},
		"notifications twice": {[]Method{notification, request, notification}, false},
		"neither":             {[]Method{{Name: "x"}}, false},
	} {
		all, err := methodsOf(test.list)
		if (err == nil) != test.ok || test.ok && (all["x"].Request == nil || all["x"].Notification == nil) {
			t.Errorf("%s: %v, %v", name, all["x"], err)
		}
	}
}
