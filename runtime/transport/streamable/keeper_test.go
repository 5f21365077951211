package streamable_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A shelf has what the keepers of several handlers have saved.
type shelf struct {
	mu   sync.Mutex
	kept map[string]*kept
}

type kept struct {
	state []byte
	by    *keeper // nil if no handler serves the session
}

// A keeper is that of one of the handlers that share a shelf.
type keeper struct {
	*shelf
	elsewhere http.Handler // for requests of sessions that this handler has
	lost      atomic.Bool
	fail      func(*streamable.KeptSession) error // Save; may be nil
	ended     func() error                        // End; may be nil
}

func (*keeper) Open(context.Context) (string, error) { return rand.Text(), nil }

func (k *keeper) Save(_ context.Context, s *streamable.KeptSession) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(s); err != nil {
			return err
		}
	}
	if k.kept == nil {
		k.kept = make(map[string]*kept)
	}
	if k.kept[s.ID()] == nil {
		k.kept[s.ID()] = &kept{by: k}
	}
	k.kept[s.ID()].state = s.State()
	return nil
}

func (k *keeper) Find(_ context.Context, id string) (*streamable.SavedSession, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch e := k.kept[id]; {
	case e == nil:
		return nil, nil
	case e.by != nil && e.by != k:
		return nil, &streamable.ElsewhereError{Handler: e.by.elsewhere}
	default:
		e.by = k
		return &streamable.SavedSession{State: e.state, Mark: "found"}, nil
	}
}

func (k *keeper) Holds(*streamable.KeptSession) bool { return !k.lost.Load() }

func (k *keeper) End(_ context.Context, s *streamable.KeptSession) error {
	if k.ended != nil {
		if err := k.ended(); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, s.ID())
	return nil
}

// leave lets the others have what the keeper's handler had.
func (k *keeper) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.kept {
		if e.by == k {
			e.by = nil
		}
	}
}

// stateOf returns what is kept of a session.
func (s *shelf) stateOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[id] == nil {
		return ""
	}
	return string(s.kept[id].state)
}

// keeping serves a handler with a keeper.
func (s *shelf) keeping(t testing.TB, opts streamable.Options) (*keeper, *host) {
	t.Helper()
	k := &keeper{shelf: s}
	opts.Sessions = k
	if opts.Logger == nil {
		opts.Logger = silent
	}
	srv := newServer(&server.Options{Anonymous: true, Logging: true, Logger: silent, OnSubscribe: func(context.Context, *server.Call, string) error { return nil }})
	for _, uri := range []string{"a:1", "a:2"} {
		if err := srv.AddResource(mcp.Resource{Name: uri, URI: uri}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "1"), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	tool(t, srv, "echo", echo)
	return k, serve(t, srv, &opts)
}

// What is kept of a session is JSON that later versions continue, and so do earlier ones, which know fewer members.
func TestSnapshot(t *testing.T) {
	var s shelf
	k, h := s.keeping(t, streamable.Options{})
	h.open("2025-06-18")
	for id, body := range []string{`"method":"logging/setLevel","params":{"level":"debug"}`, `"method":"resources/subscribe","params":{"uri":"a:1"}`, `"method":"ping"`} {
		h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id+1, body)).want(t, 200, "…")
	}
	until(t, "known to be ready", func() bool { return strings.Contains(s.stateOf(h.session), `"ready":true`) })
	h.h.Shutdown(t.Context())
	k.leave()
	const want = `{"session":{"revision":20250618,"client":{"name":"test","version":"1"},"capabilities":{"sampling":{},"elicitation":{}},` +
		`"logLevel":"debug","ready":true,"subscriptions":["a:1"]},"used":{"integers":[[1,3]],"strings":[17713413547103711763]}}`
	if got := s.stateOf(h.session); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.kept[h.session].state = []byte(`{"later":{"than":"this"},"continued":41,` + strings.Replace(want, `"session":{`, `"session":{"later":1,`, 1)[1:])
	_, again := s.keeping(t, streamable.Options{})
	again.session, again.version = h.session, h.version
	again.post(`{"jsonrpc":"2.0","id":3,"method":"ping"}`).want(t, 400, "…")
	again.post(`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"a:1"}}`).want(t, 200, "…")
	got := s.stateOf(h.session)
	if !strings.HasPrefix(got, `{"continued":42,`) || !strings.Contains(got, `"logLevel":"debug"`) || strings.Contains(got, "a:1") {
		t.Errorf("when it was continued: %s", got)
	}
	again.stream(again.request("GET", "")).want(`id: s180388626433-1 data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`) // 42<<32 + 1, and none that the client has seen
}

// Whatever a client has learned is kept, even if saving fails now and then: here at each n-th time, for all sequences of
// four calls.
func TestSavingFails(t *testing.T) {
	calls := []string{
		`"method":"logging/setLevel","params":{"level":"debug"}`, `"method":"logging/setLevel","params":{"level":"error"}`,
		`"method":"resources/subscribe","params":{"uri":"a:1"}`, `"method":"resources/unsubscribe","params":{"uri":"a:1"}`,
	}
	for n := range 4 {
		var s shelf
		k, h := s.keeping(t, streamable.Options{})
		saves := 0
		k.fail = func(*streamable.KeptSession) error {
			if saves++; n > 0 && saves%(n+1) == 0 {
				return errBroken
			}
			return nil
		}
		for seq := range 4 * 4 * 4 * 4 {
			h.session, h.version = "", ""
			if got := h.post(initialize("2025-11-25")); got.status != 200 {
				if id := got.header.Get("Mcp-Session-Id"); id != "" {
					t.Fatalf("the session %s was not saved, but opened: %s", id, got.body)
				}
				continue
			} else {
				h.session, h.version = got.header.Get("Mcp-Session-Id"), "2025-11-25"
			}
			known := map[string]string{} // what the client knows
			for i := range 4 {
				c := seq >> (2 * i) & 3
				what := []string{"level", "level", "subscription", "subscription"}[c]
				switch got := h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i+1, calls[c])); got.status {
				case 200:
					known[what] = []string{"debug", "error", "yes", "no"}[c]
				case 503:
					known[what] = ""
				default:
					t.Fatalf("%d %s", got.status, got.body)
				}
			}
			var state struct {
				Session struct {
					LogLevel      string
					Subscriptions []string
				}
			}
			if err := json.Unmarshal([]byte(s.stateOf(h.session)), &state); err != nil {
				t.Fatal(err)
			}
			subscribed := map[bool]string{true: "yes", false: "no"}[len(state.Session.Subscriptions) > 0]
			if want := known["level"]; want != "" && want != state.Session.LogLevel {
				t.Errorf("each %d., sequence %d: the level is %s, want %s", n+1, seq, state.Session.LogLevel, want)
			}
			if want := known["subscription"]; want != "" && want != subscribed {
				t.Errorf("each %d., sequence %d: subscribed: %s, want %s", n+1, seq, subscribed, want)
			}
		}
	}
}

// The handler of an ElsewhereError receives the request as it arrived, and writes the whole response.
func TestElsewhere(t *testing.T) {
	var s shelf
	opts := streamable.Options{Origins: []string{"https://friend.example"}}
	k, h := s.keeping(t, opts)
	_, other := s.keeping(t, opts)
	h.open("2025-06-18")
	other.session, other.version = h.session, h.version
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":"` + strings.Repeat("x", 100_000) + `"}}}`
	origin := "Origin: https://friend.example"
	got := other.post(body, origin)
	got.want(t, 503, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the session is served by another process; try again later"}}`)
	if got.header.Get("Retry-After") != "1" {
		t.Error("the refusal does not say when to try again")
	}
	type seen struct {
		method, body string
		header       http.Header // of the response, so far
	}
	var last seen
	k.elsewhere = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err != nil || int64(len(data)) != r.ContentLength {
			t.Errorf("a body of %d bytes, %v, want %d", len(data), err, r.ContentLength)
		}
		last = seen{r.Method, string(data), w.Header().Clone()}
		r.Body = io.NopCloser(bytes.NewReader(data))
		h.h.ServeHTTP(w, r)
	})
	got = other.post(strings.Replace(body, `"id":1`, `"id":2`, 1), origin)
	got.want(t, 200, `{"jsonrpc":"2.0","id":2,"result":…`)
	if len(got.header["Access-Control-Allow-Origin"]) != 1 || len(last.header["Access-Control-Allow-Origin"]) != 0 || len(last.body) != len(body) {
		t.Errorf("the other handler has seen a body of %d bytes, header %v; the client %v", len(last.body), last.header, got.header)
	}
	other.stream(other.request("GET", "")).resp.Body.Close()
	if last.method != "GET" {
		t.Errorf("the other handler has seen %s, want GET", last.method)
	}
	req := other.request("POST", `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	sent := req.Body
	other.h.ServeHTTP(httptest.NewRecorder(), req)
	if last.method != "POST" || req.Body != sent {
		t.Errorf("the other handler has seen %s, and the request of whoever stands before the first is another one: %t", last.method, req.Body != sent)
	}
	other.post(`no JSON`).want(t, 400, "…")
	other.send(other.request("DELETE", "")).want(t, 204, "")
	h.post(`{"jsonrpc":"2.0","id":3,"method":"ping"}`).want(t, 404, "…")
	other.h.Shutdown(t.Context())
	other.http.Close() // until its handlers have returned
}

// Of two handlers to which the same session is given, both continue it as long as their keeper lets them, and a session
// that the keeper has lost is found anew.
func TestLostBetweenRequests(t *testing.T) {
	var s shelf
	k, h := s.keeping(t, streamable.Options{})
	h.open("2025-11-25")
	for !strings.Contains(s.stateOf(h.session), `"ready":true`) { // the last state that is saved before a change
		time.Sleep(time.Millisecond)
	}
	call := func(id int) got {
		return h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
	}
	call(1).want(t, 200, "…")
	r := h.stream(h.request("GET", ""))
	k.lost.Store(true)
	call(2).want(t, 503, "…") // nothing can be saved
	for r.next() != "end" {
	}
	k.lost.Store(false)
	call(1).want(t, 200, "…") // nobody knew that it was handled
	if got := s.stateOf(h.session); !strings.HasPrefix(got, `{"continued":1,`) {
		t.Errorf("it was not continued: %s", got)
	}
}

// A session that its keeper releases has not ended: its streams break, and the next request continues it.
func TestRelease(t *testing.T) {
	var s shelf
	var saved atomic.Pointer[streamable.KeptSession]
	k, h := s.keeping(t, streamable.Options{})
	k.fail = func(s *streamable.KeptSession) error {
		saved.Store(s)
		return nil
	}
	begun := make(chan struct{})
	tool(t, h.h.Server(), "wait", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	h.open("2025-11-25")
	first := saved.Load()
	if first.ID() != h.session || first.Idle() != 30*time.Minute || first.Mark() != nil {
		t.Errorf("the session is %s, idle %v, mark %v", first.ID(), first.Idle(), first.Mark())
	}
	r := h.stream(h.request("GET", ""))
	cut := make(chan got, 1)
	go func() { cut <- h.post(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"wait"}}`) }()
	<-begun
	first.Release()
	for r.next() != "end" {
	}
	(<-cut).want(t, 503, `{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the process that handled the request has stopped before it was done; what it did until then is not known"}}`)
	if state := first.State(); state != nil {
		t.Errorf("the state of a released session: %s", state)
	}
	h.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(t, 200, "…")
	session := saved.Load()
	if session == first || session.Mark() != "found" {
		t.Errorf("continued as %p after %p, mark %v", session, first, session.Mark())
	}
	session.SetMark("own")
	h.send(h.request("DELETE", "")).want(t, 204, "")
	if session.Mark() != "own" || s.stateOf(h.session) != "" {
		t.Errorf("mark %v, still kept: %s", session.Mark(), s.stateOf(h.session))
	}
}

// A keeper that cannot end a session decides what its client is told; and one that learns when it saves that another
// handler has the session gives it up.
func TestKeeperRefuses(t *testing.T) {
	var s shelf
	k, h := s.keeping(t, streamable.Options{})
	h.open("2025-11-25")
	for _, err := range []error{errors.New("the disk is full"), new(streamable.ElsewhereError)} {
		k.ended = func() error { return err }
		got := h.send(h.request("DELETE", ""))
		if got.status != 503 || strings.Contains(got.body, "disk") {
			t.Errorf("%v: %d %s", err, got.status, got.body)
		}
	}
	k.ended = nil
	r := h.stream(h.request("GET", ""))
	k.fail = func(*streamable.KeptSession) error { return new(streamable.ElsewhereError) }
	h.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`).want(t, 503, "…")
	for r.next() != "end" {
	}
	k.fail = nil
	h.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`).want(t, 200, "…")
	if got := s.stateOf(h.session); strings.Contains(got, "debug") {
		t.Errorf("what was refused is kept: %s", got)
	}
}

// A panicking is a keeper of which the method with that name panics.
type panicking struct {
	*keeper
	method atomic.Value // a string
}

func (k *panicking) check(method string) {
	if k.method.Load() == method {
		panic("secret")
	}
}

func (k *panicking) Open(ctx context.Context) (string, error) {
	k.check("Open")
	return k.keeper.Open(ctx)
}

func (k *panicking) Save(ctx context.Context, s *streamable.KeptSession) error {
	k.check("Save")
	return k.keeper.Save(ctx, s)
}

func (k *panicking) Find(ctx context.Context, id string) (*streamable.SavedSession, error) {
	k.check("Find")
	return k.keeper.Find(ctx, id)
}

func (k *panicking) Holds(s *streamable.KeptSession) bool {
	k.check("Holds")
	return k.keeper.Holds(s)
}

func (k *panicking) End(ctx context.Context, s *streamable.KeptSession) error {
	k.check("End")
	return k.keeper.End(ctx, s)
}

// A panic of a keeper is the error of that call, also where it is called for no request: for a session that nobody has used for
// long, and when the handler shuts down.
func TestKeeperPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		k := &panicking{keeper: &keeper{shelf: new(shelf)}}
		k.method.Store("")
		h := streamable.NewHandler(newServer(nil), &streamable.Options{Sessions: k, SessionIdle: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		client := recording{t: t, h: h}
		panics := func(method string, do func()) {
			t.Helper()
			before := strings.Count(log.String(), "panic=secret")
			k.method.Store(method)
			do()
			k.method.Store("")
			if strings.Count(log.String(), "panic=secret") == before {
				t.Errorf("%s: the panic is not logged: %s", method, log.String())
			}
		}
		panics("Open", func() {
			if status := client.open(); status != 503 {
				t.Errorf("a session that has no id: status %d, want 503", status)
			}
		})
		panics("Save", func() {
			if status := client.open(); status != 503 {
				t.Errorf("a session that is not saved: status %d, want 503", status)
			}
		})
		if status := client.open(); status != 200 {
			t.Errorf("status %d, want 200", status)
		}
		panics("Holds", func() { client.want(503) })
		client.want(202) // found again
		panics("End", func() {
			time.Sleep(2 * time.Hour)
			synctest.Wait()
		})
		panics("Find", func() { client.want(503) })
		client.want(202)
		panics("Save", func() { h.Shutdown(t.Context()) })
	})
}

// A session whose handler shuts down has not ended: its client comes back, to whoever continues it.
func TestResumeDuringHandOver(t *testing.T) {
	var s shelf
	events := &slowStore{EventStore: streamable.NewMemoryStore(nil), found: make(chan struct{}), goOn: make(chan struct{})}
	_, h := s.keeping(t, streamable.Options{Events: events})
	h.open("2025-11-25")
	r := h.stream(h.request("GET", ""))
	primed := eventID(r.next())
	r.resp.Body.Close()
	go func() {
		<-events.found
		h.h.Shutdown(t.Context())
		close(events.goOn)
	}()
	h.send(h.request("GET", "", "Last-Event-ID: "+primed)).want(t, 503, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"sessions cannot be served at the moment; try again later"}}`)
}

// Messages that a keeper's handler cannot store are those of nobody: they are not sent. Without a store of its own, the
// handler keeps what it can, and sends the rest, too.
func TestLargeEventWithKeeper(t *testing.T) {
	var s shelf
	_, h := s.keeping(t, streamable.Options{})
	tool(t, h.h.Server(), "large", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, "one")
		return server.TextResult(strings.Repeat("x", 2<<20)), nil // more than the events of a stream may have
	})
	h.open("2025-11-25")
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","_meta":{"progressToken":1}}}`))
	for event := r.next(); !strings.Contains(event, "xxx"); event = r.next() {
		if event == "end" {
			t.Fatal("the stream ends without the result")
		}
	}
}

// A call is lost with its handler. Its client learns that when it resumes the stream, unless the response was kept before.
func TestLostCallIsAnswered(t *testing.T) {
	var s shelf
	events := &forgetful{EventStore: streamable.NewMemoryStore(nil)}
	k, h := s.keeping(t, streamable.Options{Events: events})
	_, other := s.keeping(t, streamable.Options{Events: events})
	tool(t, h.h.Server(), "wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, "one")
		<-ctx.Done()
		return nil, ctx.Err()
	})
	h.open("2025-11-25")
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"wait","_meta":{"progressToken":7}}}`))
	r.next()
	last := "Last-Event-ID: " + eventID(r.next())
	k.leave()
	k.lost.Store(true)
	other.session, other.version = h.session, h.version
	for fails, want := range map[error]string{errBroken: "the store is broken", nil: "the event store failed"} {
		events.last = func() error {
			if fails == nil {
				panic("secret")
			}
			return fails
		}
		other.send(other.request("GET", "", last)).want(t, 503, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the stream cannot be resumed after event …`)
		if got := other.send(other.request("GET", "", last)); !strings.Contains(got.body, want) {
			t.Errorf("got %s, want %s", got.body, want)
		}
	}
	events.last = nil
	for range 2 { // it is kept
		r = other.stream(other.request("GET", "", last))
		if got := r.next(); !strings.Contains(got, `data: {"jsonrpc":"2.0","id":"x","error":{"code":-32603,"message":"the process that handled the request has stopped before it was done;`) {
			t.Errorf("the client gets %s", got)
		}
		r.want("end")
	}
	h.post(ping).want(t, 503, "…") // so that it notices that it has lost the session
}

// A forgetful store may fail to say which event was the last.
type forgetful struct {
	streamable.EventStore
	last func() error // nil if it does not fail
}

func (s *forgetful) Last(ctx context.Context, session, stream string) (streamable.StoredEvent, error) {
	if s.last != nil {
		return streamable.StoredEvent{}, s.last()
	}
	return s.EventStore.Last(ctx, session, stream)
}

// What others may continue is sent only when it is kept: until then its stream breaks.
func TestNothingIsSentUnkept(t *testing.T) {
	var s shelf
	_, h := s.keeping(t, streamable.Options{Events: brokenStore{func() error { return errBroken }}})
	h.open("2025-11-25")
	r := h.stream(h.request("GET", ""))
	h.h.Server().Changed(server.Change{Tools: true})
	r.want("end")
}
