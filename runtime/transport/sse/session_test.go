package sse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func newHandler() *Handler {
	return NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), nil)
}

// As many messages wait as there may be; the next one waits for room, and is refused if there is none in time.
func TestMessagesThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHandler().newSession(t.Context(), httptest.NewRecorder(), "", "")
		defer s.Close()
		take := func() error {
			return s.take(t.Context(), message{data: []byte("{}")}, time.Second)
		}
		for range maxQueued {
			if err := take(); err != nil {
				t.Error(err)
			}
		}
		start := time.Now()
		if err := take(); err != errBusy || time.Since(start) != time.Second {
			t.Errorf("one more: %v after %v, want %v after 1s", err, time.Since(start), errBusy)
		}
		if _, err := s.Receive(context.Background()); err != nil {
			t.Error(err)
		}
		if err := take(); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

// A session ends when nothing is sent for an hour, but a minute if nothing was sent at all.
func TestSessionsThatNobodyUsesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler()
		unused := h.newSession(t.Context(), httptest.NewRecorder(), "", "")
		used := h.newSession(t.Context(), httptest.NewRecorder(), "", "")
		defer unused.Close()
		defer used.Close()
		time.Sleep(time.Minute - time.Nanosecond)
		if err := used.take(t.Context(), message{}, time.Second); err != nil || unused.hasEnded() {
			t.Errorf("%v; a session without messages has ended: %v", err, unused.hasEnded())
		}
		for _, c := range []struct {
			after        time.Duration
			unused, used bool
		}{{time.Nanosecond, true, false}, {time.Hour - 2*time.Nanosecond, true, false}, {time.Nanosecond, true, true}} {
			time.Sleep(c.after)
			synctest.Wait()
			if unused.hasEnded() != c.unused || used.hasEnded() != c.used {
				t.Errorf("after %v more: ended %v and %v, want %v and %v", c.after, unused.hasEnded(), used.hasEnded(), c.unused, c.used)
			}
		}
	})
}

// A pipe is the response to a GET without a network. A write lasts until the client has read what is written.
type pipe struct {
	net.Conn
	header  http.Header
	flushed func() // is called by Flush; nil for nothing
}

func (p *pipe) Header() http.Header { return p.header }
func (p *pipe) WriteHeader(int)     {}
func (p *pipe) Flush() {
	if p.flushed != nil {
		p.flushed()
	}
}

// newPipe returns a response, and the end of its client.
func newPipe(t *testing.T) (*pipe, net.Conn) {
	near, far := net.Pipe()
	t.Cleanup(func() {
		near.Close()
		far.Close()
	})
	return &pipe{Conn: near, header: http.Header{}}, far
}

// newSession returns a session, its response, and the end of its client.
func newSession(t *testing.T) (*session, *pipe, net.Conn) {
	p, far := newPipe(t)
	s := newHandler().newSession(t.Context(), p, "", "")
	t.Cleanup(func() { s.Close() })
	return s, p, far
}

var hello = transport.Message{Data: []byte(`"hello"`)}

const helloEvent = "event: message\ndata: \"hello\"\n\n"

// A write that fails ends the session, and is the last: part of an event may have been sent.
func TestWriteFails(t *testing.T) {
	why := errors.New("enough")
	for name, test := range map[string]struct {
		meanwhile func(s *session, cancel context.CancelCauseFunc)
		want      error
		after     time.Duration
		then      error // of the next write
	}{
		"the client does not read": {func(*session, context.CancelCauseFunc) {}, os.ErrDeadlineExceeded, 30 * time.Second, errEnded},
		"the context ends": {func(_ *session, cancel context.CancelCauseFunc) {
			time.Sleep(time.Second)
			cancel(why)
		}, why, time.Second, errEnded},
		"the session is closed": {func(s *session, _ context.CancelCauseFunc) {
			time.Sleep(time.Second)
			s.Close()
		}, transport.ErrClosed, time.Second + flushTime, transport.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _, _ := newSession(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				start := time.Now()
				go test.meanwhile(s, cancel)
				if err := s.Send(ctx, hello); !errors.Is(err, test.want) || time.Since(start) != test.after {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), test.want, test.after)
				}
				if !s.hasEnded() {
					t.Error("the session goes on")
				}
				start = time.Now()
				if err := s.Send(t.Context(), hello); err != test.then || time.Since(start) != 0 {
					t.Errorf("the next one: %v after %v, want %v at once", err, time.Since(start), test.then)
				}
			})
		})
	}
}

// A write waits for the one before it, as long as its context lasts. That harms nobody else.
func TestWriteWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, far := newSession(t)
		first := make(chan error)
		go func() { first <- s.Send(t.Context(), hello) }()
		synctest.Wait()
		why := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		start := time.Now()
		if err := s.Send(ctx, hello); err != why || time.Since(start) != time.Second {
			t.Errorf("%v after %v, want %v after 1s", err, time.Since(start), why)
		}
		got := make([]byte, len(helloEvent))
		if _, err := io.ReadFull(far, got); err != nil || string(got) != helloEvent {
			t.Errorf("the client reads %q, %v", got, err)
		}
		if err := <-first; err != nil || s.hasEnded() {
			t.Errorf("the first one: %v; the session has ended: %v", err, s.hasEnded())
		}
	})
}

// A context that ends when everything is written has cut the deadline short, so nothing can follow. The end of the session
// takes nothing back.
func TestWriteIsJustDone(t *testing.T) {
	for _, closed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s, p, far := newSession(t)
			go io.Copy(io.Discard, far)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var want error = context.Canceled
			p.flushed = cancel
			if closed {
				want = nil
				p.flushed = func() {
					go s.Close()
					synctest.Wait()
				}
			}
			if err := s.Send(ctx, hello); err != want {
				t.Errorf("closed %v: %v, want %v", closed, err, want)
			}
			if !s.hasEnded() {
				t.Errorf("closed %v: the session goes on", closed)
			}
		})
	}
}

// The deadline of a write is gone when it is done, also that of the last: package net/http has the end of the response
// still to write.
func TestWriteLeavesNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, far := newSession(t)
		go io.Copy(io.Discard, far)
		if err := s.Send(t.Context(), hello); err != nil {
			t.Error(err)
		}
		s.Close()
		time.Sleep(time.Minute)
		if _, err := p.Write([]byte("the end")); err != nil {
			t.Error(err)
		}
	})
}

// Comments show that the connection is alive, as long as it is.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, far := newSession(t)
		for range 3 {
			start, got := time.Now(), make([]byte, len(eventstream.KeepAlive))
			if _, err := io.ReadFull(far, got); err != nil || string(got) != eventstream.KeepAlive || time.Since(start) != 25*time.Second {
				t.Errorf("%q, %v after %v, want a comment after 25s", got, err, time.Since(start))
			}
		}
	})
}

// Close ends what waits for messages, drops those that wait to be received, and leaves no timer that would keep the
// session in memory.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newSession(t)
		received := make(chan error)
		go func() {
			_, err := s.Receive(context.Background())
			received <- err
		}()
		synctest.Wait()
		s.Close()
		if err := <-received; err != transport.ErrClosed {
			t.Errorf("what has waited for a message: %v", err)
		}
		if s.idle.Stop() || s.alive.Stop() {
			t.Error("a timer goes on")
		}

		s, _, _ = newSession(t)
		if err := s.take(t.Context(), message{}, time.Second); err != nil {
			t.Error(err)
		}
		s.Close()
		if m, err := s.Receive(context.Background()); err != transport.ErrClosed {
			t.Errorf("received although it is closed: %v, %v", m, err)
		}
	})
}

// A hook is a context that does something as somebody begins to wait for its end.
type hook struct {
	context.Context
	do func()
}

func (h hook) Done() <-chan struct{} {
	h.do()
	return h.Context.Done()
}

// A session that has ended takes no messages. One that ends meanwhile keeps none.
func TestNoMessagesAfterTheEnd(t *testing.T) {
	for range 20 { // where the queue has room, chance decides
		s, _, _ := newSession(t)
		if err := s.take(hook{t.Context(), s.end}, message{}, time.Second); err != nil && err != errEnded {
			t.Errorf("while it ends: %v", err)
		}
		if n := len(s.in); n != 0 {
			t.Fatalf("%d messages are kept", n)
		}
		if err := s.take(t.Context(), message{}, time.Second); err != errEnded {
			t.Fatalf("when it has ended: %v, want %v", err, errEnded)
		}
	}
}

// do has a handler respond to a request from an address, with a message if there is a body.
func do(ctx context.Context, h *Handler, w http.ResponseWriter, from, target, body string) {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = from
	h.ServeHTTP(w, r)
}

// There are 1000 sessions at most unless Options.MaxSessions says otherwise. One that ends makes room for one.
func TestSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandler()
		var open atomic.Int32
		h.serve = func(ctx context.Context, _ transport.Transport) error {
			open.Add(1)
			defer open.Add(-1)
			<-ctx.Done()
			return nil
		}
		start := func(n int) (end func()) {
			ctx, cancel := context.WithCancel(t.Context())
			go do(ctx, h, httptest.NewRecorder(), fmt.Sprint("client ", n), "http://localhost/sse", "")
			return cancel
		}
		end := start(0)
		for n := range 1000 {
			start(n + 1)
		}
		synctest.Wait()
		if got := open.Load(); got != 1000 {
			t.Errorf("%d sessions, want 1000", got)
		}
		end()
		synctest.Wait()
		start(1001)
		start(1002)
		synctest.Wait()
		if got := open.Load(); got != 1000 {
			t.Errorf("when one has ended and two want its place: %d sessions, want 1000", got)
		}
	})
}

// A queue is a handler whose sessions receive nothing by themselves.
type queue struct {
	*Handler
	sessions chan *session
}

func newQueue(opts *streamable.Options) *queue {
	q := &queue{NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), opts), make(chan *session)}
	q.serve = func(ctx context.Context, tr transport.Transport) error {
		q.sessions <- tr.(*session)
		<-ctx.Done()
		return nil
	}
	return q
}

// open opens a session, which the function ends that it returns.
func (q *queue) open(t *testing.T) (*session, func()) {
	ctx, cancel := context.WithCancel(t.Context())
	go do(ctx, q.Handler, httptest.NewRecorder(), "a", "http://localhost/sse", "")
	return <-q.sessions, func() {
		cancel()
		synctest.Wait()
	}
}

// post checks what the handler responds to a message of so many bytes.
func (q *queue) post(t *testing.T, s *session, size, status int, text string) {
	t.Helper()
	w := httptest.NewRecorder()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	do(t.Context(), q.Handler, w, "a", "http://localhost/sse?sessionId="+s.id, ping+strings.Repeat(" ", size-len(ping)))
	if w.Code != status || strings.TrimSpace(w.Body.String()) != text {
		t.Errorf("%d bytes: %d %s, want %d %s", size, w.Code, w.Body, status, text)
	}
}

// Requests count for Options.MaxRequests until they have their response. A stream is one.
func TestRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(&streamable.Options{MaxRequests: 8}) // a quarter for each address
		first, _ := q.open(t)
		for range 3 {
			q.post(t, first, 50, http.StatusAccepted, "")
		}
		q.open(t)
		q.post(t, first, 50, http.StatusServiceUnavailable, "there are too many requests at the same time; try again later")
	})
}

// Messages count for Options.MaxBytes until they are received, or their session ends.
func TestMessagesCountUntilReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const noRoom = "the current requests are too large together; try again later"
		q := newQueue(&streamable.Options{MaxBytes: 4 * 100}) // a quarter for each address
		s, end := q.open(t)
		q.post(t, s, 55, http.StatusAccepted, "")
		q.post(t, s, 46, http.StatusServiceUnavailable, noRoom)
		q.post(t, s, 45, http.StatusAccepted, "")
		if n := len(s.in); n != 2 {
			t.Errorf("%d messages wait, want 2", n)
		}
		if _, err := s.Receive(t.Context()); err != nil {
			t.Error(err)
		}
		q.post(t, s, 56, http.StatusServiceUnavailable, noRoom)
		end()
		q.post(t, s, 56, http.StatusNotFound, "there is no such session")
		s, _ = q.open(t)
		q.post(t, s, 100, http.StatusAccepted, "")
	})
}

// A client that sends faster than its messages are received is refused after ReadTimeout, which is 30 s even if it is
// negative.
func TestMessagesThatAreNotReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(&streamable.Options{ReadTimeout: -time.Second})
		s, _ := q.open(t)
		for range maxQueued {
			q.post(t, s, 50, http.StatusAccepted, "")
		}
		start := time.Now()
		q.post(t, s, 50, http.StatusServiceUnavailable, "the session does not keep up with its messages")
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("it took %v, want 30s", took)
		}
		s.Close()
		q.post(t, s, 50, http.StatusNotFound, "the session has ended")
	})
}

// A stream that fails before its session begins is no session; and when one has ended, for whatever reason, nothing more
// is written, since the response is not the handler's any more. Why it ended is logged, unless its client has gone.
func TestStreamEnds(t *testing.T) {
	failed := errors.New("it failed")
	for name, test := range map[string]struct {
		unread, gone bool
		err          error
		want         string // that is logged
	}{
		"no reader":                {unread: true},
		"end":                      {},
		"failure":                  {err: failed, want: `msg="sse: a session ended" error="it failed"`},
		"failure without a client": {err: failed, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log strings.Builder
				h := NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), &streamable.Options{
					Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), WriteTimeout: -time.Second,
				})
				ctx, cancel := context.WithCancel(t.Context())
				served := false
				h.serve = func(context.Context, transport.Transport) error {
					served = true
					if test.gone {
						cancel()
					}
					return test.err
				}
				p, far := newPipe(t)
				start := time.Now()
				var got strings.Builder
				if !test.unread {
					go io.Copy(&got, far)
				}
				do(ctx, h, p, "a", "http://localhost/sse", "")
				if took := time.Since(start); served == test.unread || test.unread != (took == 30*time.Second) {
					t.Errorf("served %v after %v", served, took)
				}
				time.Sleep(time.Hour)
				p.Close()
				synctest.Wait()
				if strings.Count(got.String(), "\n\n") > 1 {
					t.Errorf("written: %q", got.String())
				}
				if _, line, _ := strings.Cut(strings.TrimSpace(log.String()), "level=DEBUG "); line != test.want {
					t.Errorf("logged: %s", line)
				}
			})
		})
	}
}

// An observer learns of a stream, from its first event to its end.
func TestObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := new(observer)
		q := newQueue(&streamable.Options{Observer: o, Auth: streamable.Named(func(*http.Request) (string, error) { return "ada", nil })})
		s, end := q.open(t)
		want := observe.Operation{Kind: observe.Stream, HTTP: true, Session: s.id, Address: "a", Principal: "ada", Begun: time.Now()}
		if !reflect.DeepEqual(o.begun, []observe.Operation{want}) || o.ended != 0 {
			t.Errorf("%d ended of %+v, want %+v", o.ended, o.begun, want)
		}
		end()
		if o.ended != 1 {
			t.Errorf("at the end: %d ended", o.ended)
		}
	})
}

type observer struct {
	begun []observe.Operation
	ended int
}

func (o *observer) Observe(ctx context.Context, op *observe.Operation) (context.Context, func()) {
	o.begun = append(o.begun, *op)
	return ctx, func() { o.ended++ }
}

// The path of messages is that of the stream, also if the request does not have it as it was sent.
func TestMessageURL(t *testing.T) {
	r := httptest.NewRequest("GET", "http://localhost/a%2Fb", nil)
	r.RequestURI = ""
	if got := newHandler().messageURL(r, "x"); got != "/a%2Fb?sessionId=x" {
		t.Errorf("got %s", got)
	}
}
