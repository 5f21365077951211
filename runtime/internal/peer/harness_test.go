package peer_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// handlers is a handler made of two functions, of which each may be nil.
type handlers struct {
	revision     wire.Revision
	request      func(ctx context.Context, r *transport.Request) (wire.Raw, error)
	notification func(ctx context.Context, n *transport.Request)
}

func (h handlers) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	if h.request == nil {
		return nil, wire.ErrUnknownMethod
	}
	return h.request(ctx, r)
}

func (h handlers) ServeNotification(ctx context.Context, n *transport.Request) error {
	if h.notification != nil {
		h.notification(ctx, n)
	}
	return nil
}

func (h handlers) Revision() wire.Revision { return h.revision }

// at returns the same handlers for a revision.
func (h handlers) at(rev wire.Revision) handlers {
	h.revision = rev
	return h
}

// newConn returns a connection whose handler does not know it.
func newConn(out transport.Sender, h transport.Handler, opts *peer.Options) *peer.Conn {
	return peer.New(out, func(*peer.Conn) transport.Handler { return h }, opts)
}

// A log collects the messages of a logger, one on each line.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *log) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// A far is the other side of a connection, which does what a test tells it, by raw messages.
type far struct {
	t    *testing.T
	end  *inmem.End
	log  *log
	done chan error // gets what Run returns
}

// connect returns a connection and its other side. It is called in a bubble of testing/synctest,
// in which it leaves nothing behind.
func connect(t *testing.T, h handlers, opts *peer.Options) (*peer.Conn, *far) {
	t.Helper()
	near, end := inmem.Pair(0)
	f := &far{t: t, end: end, log: &log{}, done: make(chan error, 1)}
	var o peer.Options
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = f.log.logger()
	}
	c := newConn(near, h, &o)
	go func() { f.done <- c.Run(t.Context(), near) }()
	t.Cleanup(func() {
		c.Close()
		end.Close()
	})
	return c, f
}

// send sends a message, or what is none.
func (f *far) send(text string) {
	f.t.Helper()
	if err := f.end.Send(f.t.Context(), transport.Message{Data: []byte(text)}); err != nil {
		f.t.Errorf("send %s: %v", text, err)
	}
}

// trySend sends a message as long as ctx lasts.
func (f *far) trySend(ctx context.Context, text string) error {
	return f.end.Send(ctx, transport.Message{Data: []byte(text)})
}

// want receives a message and compares it.
func (f *far) want(text string) {
	f.t.Helper()
	if got := f.receive(); got != text {
		f.t.Errorf("got  %s\nwant %s", got, text)
	}
}

// receive returns the next message, or the error, or "nothing" after a minute.
func (f *far) receive() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	m, err := f.end.Receive(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return "nothing"
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return string(m.Data)
}

// settle waits until everything has happened that is about to happen; so long after that a request has
// begun whose handler takes long, messages are read by another goroutine.
func settle() {
	time.Sleep(2 * time.Millisecond)
	synctest.Wait()
}

// quiet checks that there is no message to receive now.
func (f *far) quiet() {
	f.t.Helper()
	settle()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := f.end.Receive(ctx); err == nil {
		f.t.Errorf("unexpected message: %s", m.Data)
	} else if err != io.EOF && !errors.Is(err, context.Canceled) {
		f.t.Error(err)
	}
}

// logged checks that the log has n lines with the text.
func (f *far) logged(n int, text string) {
	f.t.Helper()
	settle()
	if got := strings.Count(f.log.String(), text); got != n {
		f.t.Errorf("%q stands %d times in the log, want %d:\n%s", text, got, n, f.log)
	}
}

// bubble runs f as a subtest in a bubble.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// A pending call is one that another goroutine makes.
type pending struct {
	result wire.Raw
	err    error
	took   time.Duration
	done   chan struct{}
}

// goCall makes a call in another goroutine.
func goCall(ctx context.Context, c *peer.Conn, method string, opts *peer.CallOptions) *pending {
	p := &pending{done: make(chan struct{})}
	start := time.Now()
	go func() {
		defer close(p.done)
		p.err = c.CallWith(ctx, method, nil, &p.result, opts)
		p.took = time.Since(start)
	}()
	synctest.Wait()
	return p
}

// wait returns the error of the call.
func (p *pending) wait() error {
	<-p.done
	return p.err
}
