package streamable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A countingKeeper counts what it is called for.
type countingKeeper struct {
	finds, saves, ends int
	closed             error // of Open
	err                error // of Save
	found              *SavedSession
	slow               chan struct{} // Find waits until it is closed; nil if it does not
}

func (k *countingKeeper) Open(context.Context) (string, error) { return "S", k.closed }
func (k *countingKeeper) Save(context.Context, *KeptSession) error {
	k.saves++
	return k.err
}
func (k *countingKeeper) Find(context.Context, string) (*SavedSession, error) {
	k.finds++
	if k.slow != nil {
		<-k.slow
	}
	return k.found, nil
}
func (*countingKeeper) Holds(*KeptSession) bool { return true }
func (k *countingKeeper) End(context.Context, *KeptSession) error {
	k.ends++
	return nil
}

// A poster sends requests to a handler, without a network.
type poster struct {
	h       *Handler
	session string
}

func newPoster(t *testing.T, opts *Options) *poster {
	opts.Logger = slog.New(slog.DiscardHandler)
	h := NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Anonymous: true}), opts)
	t.Cleanup(func() { h.Shutdown(context.Background()) })
	return &poster{h: h}
}

func (p *poster) send(method, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header[name] = append(r.Header[name], value)
	}
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, r)
	return w
}

func (p *poster) open() *httptest.ResponseRecorder {
	p.session = ""
	w := p.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.session = w.Header().Get("Mcp-Session-Id")
	return w
}

const pong = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// A session that could not be opened, was replaced, or comes when the handler ends, is not in the table; and every use of one
// ends.
func TestTable(t *testing.T) {
	p := newPoster(t, &Options{MaxSessions: 8}) // of which a client may have 2
	p.open()
	first := p.h.sessions.all[p.session]
	for range 2 {
		p.open()
	}
	if n := len(p.h.sessions.all); n != 2 || !first.hasEnded() {
		t.Errorf("%d sessions of 2, the first has ended: %t", n, first.hasEnded())
	}
	for want, headers := range map[int][]string{200: nil, 400: {"Mcp-Protocol-Version: 2020-01-01"}} {
		if got := p.send("POST", pong, headers...).Code; got != want || p.h.sessions.all[p.session].users != 0 {
			t.Errorf("%d, want %d, or the session stays in use", got, want)
		}
	}
	p.session = ""
	if w := p.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`); w.Header().Get("Mcp-Session-Id") != "" || len(p.h.sessions.all) > 2 {
		t.Errorf("opened by %s: %d sessions", w.Body, len(p.h.sessions.all))
	}
	p.h.Shutdown(t.Context())
	if w := p.open(); w.Code != 503 || len(p.h.sessions.all) != 0 {
		t.Errorf("after the end: %d, %d sessions", w.Code, len(p.h.sessions.all))
	}

	k := new(countingKeeper)
	for _, opts := range []*Options{{Sessions: k}, {Polling: true}} {
		p = newPoster(t, opts)
		p.open()
		if p.send("POST", pong).Code != 200 || p.h.sessions.all[p.session].users != 0 {
			t.Error("the session stays in use")
		}
	}
	k.err = errors.New("the disk is full")
	p = newPoster(t, &Options{Sessions: k})
	if w := p.open(); w.Code != 503 || len(p.h.sessions.all) != 0 {
		t.Errorf("not saved: %d, %d sessions", w.Code, len(p.h.sessions.all))
	}
	k.closed = errors.New("the disk is gone")
	if w := p.open(); w.Code != 503 || strings.Contains(w.Body.String(), "disk") || len(p.h.sessions.all) != 0 {
		t.Errorf("not named: %d %s, %d sessions", w.Code, w.Body, len(p.h.sessions.all))
	}
	p = newPoster(t, new(Options))
	if p.send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`); len(p.h.sessions.all) != 0 {
		t.Errorf("not opened: %d sessions", len(p.h.sessions.all))
	}
}

// The stream of a request leaves the session at its end, and a session that is dropped twice counts once.
func TestNothingStays(t *testing.T) {
	p := newPoster(t, new(Options))
	if err := p.h.server.AddTool(mcp.Tool{Name: "talk"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, "one")
		return server.TextResult("done"), nil
	}); err != nil {
		t.Fatal(err)
	}
	p.open()
	p.open()
	live := p.h.sessions.all[p.session]
	w := p.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":1}}}`)
	if !strings.Contains(w.Body.String(), "notifications/progress") || live.streams != nil {
		t.Errorf("%d streams stay after %s", len(live.streams), w.Body)
	}
	p.h.sessions.remove(live)
	p.h.sessions.remove(live)
	if len(p.h.sessions.owners) != 1 {
		t.Errorf("%d clients have sessions", len(p.h.sessions.owners))
	}
	for _, of := range p.h.sessions.owners {
		if of.count != 1 || len(p.h.sessions.all) != 1 {
			t.Errorf("%d of %d sessions are counted", of.count, len(p.h.sessions.all))
		}
	}
}

// A keeper ends a session once, if it has ever saved it, and saves none that has ended or moved.
func TestKeptOnce(t *testing.T) {
	k := new(countingKeeper)
	p := newPoster(t, &Options{Sessions: k})
	p.open()
	live := p.h.sessions.all["S"]
	if found, err := p.h.sessions.find(t.Context(), new(incoming), "S"); err != nil || found != live || live.hasEnded() { // another request was faster
		t.Errorf("found %p, want %p: %v", found, live, err)
	}
	p.h.sessions.release(live)
	s := live.kept
	k.saves, s.moved = 0, true
	if err := s.save(t.Context(), true); err != errUnavailable || k.saves != 0 {
		t.Errorf("it has moved: %v, saved %d times", err, k.saves)
	}
	s.moved = false
	for range 2 {
		if err := s.end(t.Context()); err != nil || k.ends != 1 {
			t.Errorf("%v, ended %d times", err, k.ends)
		}
	}
	if err := s.save(t.Context(), true); err != errUnavailable || k.saves != 0 {
		t.Errorf("it has ended: %v, saved %d times", err, k.saves)
	}
	if err := (&KeptSession{live: s.live}).end(t.Context()); err != nil || k.ends != 1 {
		t.Errorf("a session that was never saved: %v, ended %d times", err, k.ends)
	}
}

// What a keeper returns may be no session, and that of somebody else or of a revision that is gone is as unknown as any.
func TestContinue(t *testing.T) {
	for state, want := range map[string]int{
		`{`: 503, `{}`: 503, `{"session":7}`: 503, `{"continued":-1,"session":{}}`: 503,
		`{"continued":2147483645,"session":{"revision":20250618,"client":{"name":"c","version":"1"},"capabilities":{}}}`: 200, `{"continued":2147483646,"session":{"revision":20250618,"client":{"name":"c","version":"1"},"capabilities":{}}}`: 503,
		`{"principal":"eve","session":{"revision":20250618}}`: 404, `{"session":{"revision":20240101}}`: 404, `{"session":{"revision":20250618,"client":{"name":"c","version":"1"},"capabilities":{}}}`: 200,
	} {
		p := newPoster(t, &Options{Sessions: &countingKeeper{found: &SavedSession{State: []byte(state)}}})
		p.session = "S"
		if w := p.send("POST", pong); w.Code != want || len(p.h.sessions.finding) != 0 {
			t.Errorf("%s: %d %s, want %d", state, w.Code, w.Body, want)
		}
		if n := len(slices.Collect(p.h.server.Sessions())); (n > 0) != (want == 200) {
			t.Errorf("%s: the server has %d sessions", state, n)
		}
	}
}

// A session that several requests name at once is found once, and continued when that is saved.
func TestContinueOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &countingKeeper{slow: make(chan struct{}),
			found: &SavedSession{State: []byte(`{"session":{"revision":20250618,"client":{"name":"c","version":"1"},"capabilities":{}}}`)}}
		p := newPoster(t, &Options{Sessions: k})
		p.session = "S"
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for id := range 3 {
			wg.Go(func() {
				if w := p.send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)); w.Code != 200 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		synctest.Wait()
		wg.Go(func() {
			if _, err := p.h.sessions.find(ctx, new(incoming), "S"); err != errUnavailable {
				t.Errorf("who does not wait any more gets %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(k.slow)
		wg.Wait()
		if k.finds != 1 {
			t.Errorf("it was found %d times", k.finds)
		}
		p.h.sessions.giveUp(p.h.sessions.all["S"])
		k.err = errors.New("the disk is full")
		if w := p.send("POST", pong); w.Code != 503 || len(p.h.sessions.all) != 0 || len(slices.Collect(p.h.server.Sessions())) != 0 {
			t.Errorf("not saved: %d %s, %d sessions", w.Code, w.Body, len(p.h.sessions.all))
		}
	})
}

// The name of a stream says which request is lost, and its client learns so once.
func TestLostCall(t *testing.T) {
	store := NewMemoryStore(nil)
	s := &liveSession{id: "S", kept: &KeptSession{continued: 1}, h: &Handler{opts: Options{Events: store}}}
	x := &response{id: wire.IntID(7)}
	x.session = s
	suffix := x.callSuffix()
	name := "r8" + suffix + `"scope`
	for _, test := range []struct {
		name string
		lost bool
	}{
		{name, true}, {"r4294967295" + suffix, true}, {"r4294967296" + suffix, false}, {"s8" + suffix, false}, {"r8", false}, {"rx" + suffix, false}, {"r8!*", false}, {"r8!MTIz*", false}, {"r8!AA", false},
	} {
		if id, ok := s.lostCall(test.name); ok != test.lost || ok && id != wire.IntID(7) {
			t.Errorf("%s: %v, lost %t", test.name, id, ok)
		}
	}
	if err := s.endLostCall(t.Context(), name); err != ErrNoEvent {
		t.Errorf("of a stream that is not kept: %v", err)
	}
	first, _ := store.Append(t.Context(), "S", name, nil)
	for range 2 {
		store.Append(t.Context(), "S", "r9", []byte(`{}`))
		err := s.endLostCall(t.Context(), name)
		events, _ := store.After(t.Context(), "S", first)
		if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Data), `"id":7,"error":`) {
			t.Errorf("%v, %q", err, events)
		}
	}
	s.kept = nil
	if _, ok := s.lostCall(name); ok || x.callSuffix() != "" {
		t.Error("a session without a keeper loses calls")
	}
	s.kept = &KeptSession{continued: 1}
	for n, named := range map[int]bool{maxNamedID - 2: true, maxNamedID - 1: false} { // without quotation marks
		x.id = wire.StringID(strings.Repeat("x", n))
		if got := x.callSuffix(); (got != "") != named {
			t.Errorf("an id of %d letters is in the name: %s", n, got)
		}
	}
	other := "r10" + suffix
	store.Append(t.Context(), "S", other, nil)
	s.h.opts.Events = refusingStore{store}
	if err := s.endLostCall(t.Context(), other); err != errors.ErrUnsupported {
		t.Errorf("what cannot be kept: %v", err)
	}
}

// The name of a stream has the scopes that it requires, if it has room for them.
func TestSuffix(t *testing.T) {
	for _, test := range []struct {
		scopes []string
		long   bool
	}{
		{nil, false}, {[]string{"a"}, false}, {[]string{"a", "b"}, false}, {[]string{strings.Repeat("x", maxSuffix-1)}, false}, {[]string{strings.Repeat("x", maxSuffix)}, true},
	} {
		name := "r1" + scopesSuffix(test.scopes)
		if got, known := streamScopes(name); known == test.long || known && !slices.Equal(got, test.scopes) {
			t.Errorf("%.20q: %.20q, known %t", test.scopes, got, known)
		}
	}
}

// A store keeps nothing.
type refusingStore struct{ EventStore }

func (refusingStore) Append(context.Context, string, string, []byte) (string, error) {
	return "", errors.ErrUnsupported
}

func TestNotKept(t *testing.T) {
	h := &Handler{opts: Options{Events: refusingStore{}, Logger: slog.New(slog.DiscardHandler)}}
	f := &stream{h: h, session: new(liveSession)}
	if id, err := f.keep(t.Context(), nil); id != "" || err != errors.ErrUnsupported {
		t.Errorf("%q, %v", id, err)
	}
}

// Whatever a request is refused for, the room that it held is free again.
func TestRoomIsGivenBack(t *testing.T) {
	p, polling := newPoster(t, &Options{MaxRequests: 4, MaxMessage: 1000, JSONOnly: true}), newPoster(t, &Options{MaxRequests: 4, MaxMessage: 1000, Polling: true})
	for range 10 {
		p, polling = polling, p
		if w := p.open(); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for _, test := range []struct {
			method, body string
			headers      []string
			want         int
		}{
			{"POST", pong, nil, 200},
			{"POST", pong, nil, 400}, // the id was used
			{"POST", `no JSON`, nil, 400},
			{"POST", strings.Repeat(" ", 1001), nil, 413},
			{"POST", pong, []string{"Mcp-Protocol-Version: 2025-11-25", "Mcp-Protocol-Version: 2025-06-18"}, 400},
			{"POST", `{"jsonrpc":"2.0","id":1,"method":7}`, []string{"Mcp-Method: ping"}, 400},
			{"GET", "", []string{"Last-Event-Id: a", "Last-Event-Id: b"}, 400},
			{"GET", "", []string{"Last-Event-Id: a"}, 400},
			{"DELETE", "", []string{"Mcp-Session-Id: more"}, 400},
			{"DELETE", "", nil, 204},
			{"DELETE", "", nil, 404},
		} {
			w := p.send(test.method, test.body, test.headers...)
			if w.Code != test.want || strings.Contains(w.Body.String(), "header mismatch") || strings.Count(w.Body.String(), `"jsonrpc"`) > 1 {
				t.Fatalf("%s %s %q: %d %s, want %d", test.method, test.body, test.headers, w.Code, w.Body, test.want)
			}
		}
	}
}

// Messages that wait for a stream are bounded by their bytes, and those that go give their room back.
func TestWaiting(t *testing.T) {
	h := &Handler{pending: share.Room{Max: 16 * maxPendingBytes}}
	s := &liveSession{h: h, id: "S", owner: &sessionOwner{owner: share.Of("ada", "", nil)}}
	large := func(n int) string { return strings.Repeat("x", n) }
	for i, test := range []struct {
		data string
		err  error
		want []string // of what waits
	}{
		{"a", nil, []string{"a"}},
		{"b", nil, []string{"a", "b"}},
		{"c", nil, []string{"a", "b", "c"}},
		{large(maxPendingBytes + 1), errNoConnection, []string{"a", "b", "c"}},
		{large(maxPendingBytes - 2), nil, []string{"b", "c", large(maxPendingBytes - 2)}},
		{"d", nil, []string{"c", large(maxPendingBytes - 2), "d"}},
		{large(maxPendingBytes), nil, []string{large(maxPendingBytes)}},
		{"f", nil, []string{"f"}},
	} {
		err := s.wait([]byte(test.data))
		var got []string
		bytes := 0
		for _, data := range s.pending {
			got, bytes = append(got, string(data)), bytes+len(data)
		}
		if err != test.err || fmt.Sprint(got) != fmt.Sprint(test.want) || s.bytes != bytes || h.pending.Used() != bytes {
			t.Errorf("%d: %v, %d messages of %d bytes wait, counted as %d and %d", i, err, len(got), bytes, s.bytes, h.pending.Used())
		}
	}
	if pending := s.takePending(); len(pending) != 1 || s.bytes != 0 || s.pending != nil || h.pending.Used() != 0 {
		t.Errorf("%d messages were taken, %d bytes are left", len(pending), h.pending.Used())
	}
	for name, none := range map[string]*liveSession{"ended": {h: h, id: "S", owner: s.owner, ended: true}, "for one request": {h: h}} {
		if err := none.wait([]byte("a")); err != errNoConnection || none.pending != nil {
			t.Errorf("%s: %v, %d messages wait", name, err, len(none.pending))
		}
	}
	h.pending.Max = 4 // of which a client may have one
	for _, test := range []struct {
		data string
		err  error
	}{{"a", nil}, {"bb", errNoConnection}, {"c", nil}, {"d", nil}} {
		if err := s.wait([]byte(test.data)); err != test.err {
			t.Errorf("%s: %v, want %v", test.data, err, test.err)
		}
	}
	if len(s.pending) != 1 || string(s.pending[0]) != "d" {
		t.Errorf("%q wait", s.pending)
	}
}

func TestDefaults(t *testing.T) {
	o := new(Options).complete()
	got := fmt.Sprint(o.MaxSessions, o.Retry, o.SessionIdle, o.KeepAlive, o.ReadTimeout, o.WriteTimeout, o.Grace)
	if want := "10000 1s 30m0s 25s 30s 30s 10s"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	none := (&Options{MaxSessions: -1, Retry: -1, SessionIdle: -1, KeepAlive: -1, ReadTimeout: -1, WriteTimeout: -1, Grace: time.Hour}).complete()
	if none.MaxSessions < 1<<30 || none.Retry != -1 || none.SessionIdle != -1 || none.Grace != time.Hour {
		t.Errorf("without limits: %+v", none)
	}
}

// A store forgets nothing that it is told to forget.
type hoarder struct {
	EventStore
	forgotten []string
}

func (s *hoarder) Forget(_ context.Context, session string) error {
	s.forgotten = append(s.forgotten, session)
	return errors.New("no")
}

// The events of a session go with it, whether its client ends it or does not come back.
func TestEventsAreForgotten(t *testing.T) {
	for name, ends := range map[string]func(p *poster){
		"ended":     func(p *poster) { p.send("DELETE", "") },
		"abandoned": func(*poster) { time.Sleep(time.Minute + time.Second) }, // of the bubble
	} {
		synctest.Test(t, func(t *testing.T) {
			store := &hoarder{EventStore: NewMemoryStore(nil)}
			p := newPoster(t, &Options{Events: store})
			var log strings.Builder
			p.h.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
			p.open()
			p.h.sessions.mu.Lock()
			live := p.h.sessions.all[p.session]
			p.h.sessions.mu.Unlock()
			ends(p)
			synctest.Wait()
			if !live.hasEnded() || len(p.h.sessions.owners) != 0 || fmt.Sprint(store.forgotten) != "["+p.session+"]" || !strings.Contains(log.String(), "not forgotten") {
				t.Errorf("%s: %t, forgotten %q, log %s", name, live.hasEnded(), store.forgotten, &log)
			}
		})
	}
}

// A notification that fails has nobody to tell but the log.
func TestNotificationFails(t *testing.T) {
	for failure, want := range map[error]string{nil: "", errors.New("no luck"): `msg="streamable: notification ignored" method=notifications/x error="no luck"`} {
		s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Anonymous: true, Middleware: []server.Middleware{
			func(server.Handler) server.Handler {
				return func(context.Context, *server.Call) (wire.Encodable, error) { return nil, failure }
			}}})
		var log strings.Builder
		p := &poster{h: NewHandler(s, &Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})}
		w := p.send("POST", `{"jsonrpc":"2.0","method":"notifications/x"}`, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: notifications/x")
		if got := log.String(); w.Code != 202 || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %d %s, log %s", failure, w.Code, w.Body, got)
		}
	}
}

// Since 2026-07-28 nothing can be asked but by the result.
func TestModernCallsNobody(t *testing.T) {
	if _, err := new(modernCall).Call(t.Context(), "ping", nil); err != server.ErrCannotAsk {
		t.Error(err)
	}
}

// Once a response has begun, its status and its header are sent, and its http.ResponseWriter may be gone: over HTTP/2 a header
// panics that is asked for after the HTTP handler has returned.
func TestStatusOfBegunResponse(t *testing.T) {
	w := httptest.NewRecorder()
	x := &response{w: w, failure: http.StatusOK}
	x.begun = true
	x.noteRefusal(time.Second)
	if len(w.Header()) > 0 || x.failure != http.StatusOK {
		t.Errorf("status %d, %v", x.failure, w.Header())
	}
}
