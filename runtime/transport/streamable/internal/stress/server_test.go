package stress

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var silent = slog.New(slog.DiscardHandler)

const numberMethod = "notifications/test/number"

// A site is a server that keeps a ledger of what it does.
type site struct {
	server  *server.Server
	handler *streamable.Handler
	http    *http.Server
	addr    string
	conns   atomic.Int64 // open, in package net/http

	requests atomic.Int64
	served   chan error

	resumed    atomic.Int64 // streams, or attempts at it
	subscribed atomic.Int64 // to the resource

	mu       sync.Mutex
	runs     map[string]int // of the tool, by the name of the call
	running  int
	ended    []string // calls whose contexts ended while they ran
	sessions []weak.Pointer[server.Session]
	told     map[string]*told // by client
}

// told is a session to which the server sends numbers that belong to no request.
type told struct {
	session *server.Session
	sent    int
}

// A question is what the tool takes.
type question struct {
	Call    string `json:"call"`    // its name, unique in the test
	Value   int    `json:"value"`   // what is to be doubled
	Numbers int    `json:"numbers"` // how many notifications to send before the answer
	Pause   int    `json:"pause"`   // milliseconds before each of them
	Hang    bool   `json:"hang"`    // until the context ends
	Hangup  bool   `json:"hangup"`  // ends the stream in the middle, to have the client come back
}

// A wrapped writer keeps streams in package net/http.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// newSite starts a server. Half of its streams stay in package net/http.
func newSite(t testing.TB, opts *streamable.Options) *site {
	t.Helper()
	s := &site{runs: map[string]int{}, told: map[string]*told{}, served: make(chan error, 1)}
	s.server = server.New(mcp.Implementation{Name: "stress", Version: "1"}, &server.Options{
		Logger:        silent,
		Logging:       true,
		NotifyRate:    -1,
		Middleware:    []server.Middleware{s.note},
		OnSubscribe:   func(context.Context, *server.Call, string) error { s.subscribed.Add(1); return nil },
		OnUnsubscribe: func(string) { s.subscribed.Add(-1) },
	})
	add := func(name string, h server.ToolHandler) {
		if err := s.server.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}, h); err != nil {
			t.Fatal(err)
		}
	}
	add("double", s.double)
	add("tell", s.tell)
	err := s.server.AddResource(mcp.Resource{URI: "test://one", Name: "one"},
		func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return server.TextResource("text/plain", "1"), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	s.handler = streamable.NewHandler(s.server, opts)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "" {
			s.resumed.Add(1)
		}
		if s.requests.Add(1)%2 == 0 {
			w = wrapped{w}
		}
		s.handler.ServeHTTP(w, r)
	})
	s.http = &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(silent.Handler(), 0), ConnState: s.connState}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	go func() { s.served <- s.http.Serve(l) }()
	return s
}

func (s *site) url() string { return "http://" + s.addr + "/mcp" }

func (s *site) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Add(-1)
	}
}

// note notes every session that is opened.
func (s *site) note(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		if c.Method() == mcp.MethodInitializedNotification.Name {
			s.mu.Lock()
			s.sessions = append(s.sessions, weak.Make(c.Session()))
			s.mu.Unlock()
		}
		return next(ctx, c)
	}
}

// double doubles a value, and sends numbers meanwhile.
func (s *site) double(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var q question
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.runs[q.Call]++
	s.running++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		if ctx.Err() != nil {
			s.ended = append(s.ended, q.Call)
		}
		s.mu.Unlock()
	}()
	for i := range q.Numbers {
		if q.Hangup && i == q.Numbers/2 {
			streamable.CloseStream(ctx) // an error says that the revision has no such thing
		}
		if err := c.Notify(ctx, numberMethod, wire.Raw(fmt.Sprintf(`{"call":%q,"number":%d}`, q.Call, i))); err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(q.Pause) * time.Millisecond)
	}
	if q.Hang {
		<-ctx.Done()
	}
	return server.TextResult(answerTo(q)), nil
}

func answerTo(q question) string { return fmt.Sprintf("%s: %d", q.Call, 2*q.Value) }

// forget begins a new ledger.
func (s *site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = map[string]int{}
	s.ended = nil
	s.sessions = nil
}

// ran returns how often a call was carried out.
func (s *site) ran(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[call]
}

// cancelled returns the calls whose contexts ended while they ran.
func (s *site) cancelled() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ended)
}

// tell makes the server send numbers to the session of the caller from now on.
func (s *site) tell(_ context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	var q question
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told[q.Call] == nil {
		s.told[q.Call] = &told{session: c.Session()}
	}
	return &mcp.CallToolResult{}, nil
}

// tellAll sends the next number to all sessions that were told about.
func (s *site) tellAll(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, to := range s.told {
		log := slog.New(to.session.LogHandler())
		r := slog.NewRecord(time.Time{}, slog.LevelInfo, "number", 0)
		r.AddAttrs(slog.Int("number", to.sent))
		if err := log.Handler().Handle(ctx, r); err != nil {
			return fmt.Errorf("number %d for %s: %w", to.sent, name, err)
		}
		to.sent++
	}
	return nil
}

// sentTo returns how many numbers were sent to the session of a client.
func (s *site) sentTo(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[name].sent
}

// expectNothingLeft checks that, without being told to end, the server has nothing more of clients
// that are gone.
func (s *site) expectNothingLeft(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	s.told = nil
	s.mu.Unlock()
	settle(t, "no connection is open", func() bool { return s.conns.Load() == 0 })
	settle(t, "no call is at work", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.running == 0
	})
	settle(t, "no subscription is kept", func() bool { return s.subscribed.Load() == 0 })
	settle(t, "no session is kept", func() bool {
		runtime.GC()
		s.mu.Lock()
		defer s.mu.Unlock()
		return all(s.sessions, func(p weak.Pointer[server.Session]) bool { return p.Value() == nil })
	})
}

// stop ends the server, which has no clients any more.
func (s *site) stop(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if err := s.handler.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := s.http.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := <-s.served; err != http.ErrServerClosed {
		t.Error(err)
	}
}
