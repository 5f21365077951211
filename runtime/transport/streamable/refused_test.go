package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// What is refused without having been a request is refused without an id: the client could take it
// for the answer to a request of its own, which are numbered like those of the server.
//
// REQ HTTP-11
func TestRefusedAnswersHaveNoID(t *testing.T) {
	h := serve(t, newServer(nil), nil)
	h.open("2025-11-25")
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"result":1}`,
	} {
		for _, c := range []struct {
			headers []string
			status  int
		}{
			{[]string{"Mcp-Session-Id:", "Mcp-Session-Id: other"}, 404},
			{[]string{"Mcp-Session-Id:"}, 400},
			{[]string{"Mcp-Session-Id: other"}, 400}, // twice
			{[]string{"Mcp-Protocol-Version:", "Mcp-Protocol-Version: 2024-11-04"}, 400},
			{[]string{"Mcp-Protocol-Version: 2025-03-26"}, 400}, // twice
		} {
			h.post(answer, c.headers...).want(t, c.status, `{"jsonrpc":"2.0","error":{"code":-3…`)
		}
	}
}

// Whoever goes on with a stream of the session takes it over, even if several try at the same time.
//
// REQ HTTP-30, HTTP-33
func TestResumeByMany(t *testing.T) {
	const many = 12 // more than a session may have streams
	store := &meetingStore{EventStore: streamable.NewMemoryStore(nil)}
	store.all.Add(many)
	h := serve(t, newServer(nil), &streamable.Options{Events: store})
	h.open("2025-11-25")
	r := h.stream(h.request("GET", ""))
	primed := eventID(r.next())
	r.resp.Body.Close()
	time.Sleep(20 * time.Millisecond) // until the server knows
	ended := make(chan int, many)
	for range many {
		go func() {
			resp := h.do(h.request("GET", "", "Last-Event-ID: "+primed))
			io.Copy(io.Discard, resp.Body)
			ended <- resp.StatusCode
		}()
	}
	for range many - 1 {
		select {
		case status := <-ended:
			if status != 200 {
				t.Errorf("status %d", status)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("a stream has several connections")
		}
	}
	select {
	case <-ended:
		t.Error("the last one is not connected")
	case <-time.After(50 * time.Millisecond):
	}
	h.send(h.request("DELETE", "")).want(t, 204, "")
	<-ended
}

// A meetingStore tells nobody which stream an event is of before all have asked, and is slow to say
// what came after it.
type meetingStore struct {
	streamable.EventStore
	all sync.WaitGroup
}

func (s *meetingStore) Stream(ctx context.Context, session, id string) (string, error) {
	s.all.Done()
	s.all.Wait()
	return s.EventStore.Stream(ctx, session, id)
}

func (s *meetingStore) After(ctx context.Context, session, id string) ([]streamable.StoredEvent, error) {
	time.Sleep(20 * time.Millisecond)
	return s.EventStore.After(ctx, session, id)
}

// A stream cannot be opened in a session that ends meanwhile.
//
// REQ SESS-07
func TestResumeAtTheEnd(t *testing.T) {
	store := &slowStore{EventStore: streamable.NewMemoryStore(nil), found: make(chan struct{}), goOn: make(chan struct{})}
	h := serve(t, newServer(nil), &streamable.Options{Events: store})
	h.open("2025-11-25")
	r := h.stream(h.request("GET", ""))
	primed := eventID(r.next())
	r.resp.Body.Close()
	go func() {
		<-store.found
		h.send(h.request("DELETE", "")).want(t, 204, "")
		close(store.goOn)
	}()
	h.send(h.request("GET", "", "Last-Event-ID: "+primed)).want(t, 404, `{"jsonrpc":"2.0",`+gone)
}

// A slowStore finds a stream, and takes its time to say so.
type slowStore struct {
	streamable.EventStore
	found, goOn chan struct{}
}

func (s *slowStore) Stream(ctx context.Context, session, id string) (string, error) {
	name, err := s.EventStore.Stream(ctx, session, id)
	close(s.found)
	<-s.goOn
	return name, err
}

func (s *slowStore) After(context.Context, string, string) ([]streamable.StoredEvent, error) {
	return nil, nil
}

// What can neither be kept nor be written waits for the next stream.
//
// REQ HTTP-30
func TestStoreAndStreamFail(t *testing.T) {
	var session *server.Session
	ready := make(chan struct{})
	silent := slog.New(slog.DiscardHandler)
	s := newServer(&server.Options{Anonymous: true, Logging: true, NotifyRate: -1, Logger: silent, OnInitialized: func(_ context.Context, s *server.Session) {
		session = s
		close(ready)
	}})
	handler := streamable.NewHandler(s, &streamable.Options{Events: brokenStore{func() error { return errBroken }}, Logger: silent, WriteTimeout: 500 * time.Millisecond})
	var stuck atomic.Bool
	h := serveMux(t, handler, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(watchedWriter{w, &stuck}, r)
	}))
	h.open("2025-06-18")
	<-ready

	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", h.session)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	log := slog.New(session.LogHandler())
	padding := strings.Repeat("x", 20<<10)
	n := 0
	for ; !stuck.Load(); n++ {
		log.Info(fmt.Sprintf("%d;", n) + padding)
	}
	log.Info(fmt.Sprintf("%d;", n) + padding)
	log.Info("last")
	second := h.stream(h.request("GET", ""))
	if got := second.next(); !strings.Contains(got, fmt.Sprintf(`"%d;x`, n-1)) {
		t.Errorf("got %.200s, want message %d, which could not be written", got, n-1)
	}
	if got := second.next(); !strings.Contains(got, fmt.Sprintf(`"%d;x`, n)) {
		t.Errorf("got %.200s, want message %d", got, n)
	}
}

// A watchedWriter notes that a response could not be written.
type watchedWriter struct {
	http.ResponseWriter
	stuck *atomic.Bool
}

func (w watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w watchedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	return n, w.note(err)
}

func (w watchedWriter) FlushError() error {
	return w.note(http.NewResponseController(w.ResponseWriter).Flush())
}

func (w watchedWriter) note(err error) error {
	if err != nil {
		w.stuck.Store(true)
	}
	return err
}

// What waits for a stream goes on waiting if that stream breaks off at once.
//
// REQ HTTP-30
func TestPendingOfBrokenStream(t *testing.T) {
	var session *server.Session
	ready := make(chan struct{})
	silent := slog.New(slog.DiscardHandler)
	s := newServer(&server.Options{Anonymous: true, Logging: true, Logger: silent, OnInitialized: func(_ context.Context, s *server.Session) {
		session = s
		close(ready)
	}})
	h := serve(t, s, &streamable.Options{Events: brokenStore{func() error { return errBroken }}, Logger: silent, WriteTimeout: 500 * time.Millisecond})
	h.open("2025-06-18")
	<-ready
	log := slog.New(session.LogHandler())
	log.Info("one")
	log.Info("two")

	client, closed := serveOne(t, h.h)
	fmt.Fprintf(client, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", h.session)
	closed()

	r := h.stream(h.request("GET", ""))
	for _, text := range []string{"three", "four", "five"} {
		log.Info(text)
	}
	for _, text := range []string{"one", "two", "three"} {
		if got := r.next(); !strings.Contains(got, `"`+text+`"`) {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}
