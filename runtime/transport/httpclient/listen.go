package httpclient

// Through 2025-11-25 a server sends what belongs to no request on a stream of its own, the response to a GET. The client
// opens it when it has sent notifications/initialized, and opens it again, for as long as the session lasts, unless the
// server says that it has none. After a stream that could not be resumed the client is told that it may have missed
// something.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server.

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventreader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A listener keeps the stream of a session open.
type listener struct {
	client  *Client
	session session
	stop    context.CancelFunc // ends the context of run
	open    func()             // notes that the stream is open, or has been refused

	cursor cursor
	opened bool // at least once
}

// listenTime is how long the client waits for the stream before it continues without it.
const listenTime = time.Second

// listen opens the stream of a session that has just begun. It waits until the stream is open, because the server
// may use it as soon as it receives the next request.
func (c *Client) listen(ctx context.Context, s session) {
	c.mu.Lock()
	if c.session != s || s.version == "" || c.listener != nil || c.life.Over() {
		c.mu.Unlock()
		return
	}
	ready := make(chan struct{})
	running, stop := context.WithCancel(c.life.Context())
	l := &listener{client: c, session: s, stop: stop, open: sync.OnceFunc(func() { close(ready) })}
	c.listener = l
	c.life.Go(func(context.Context) {
		defer stop()
		l.run(running)
	})
	c.mu.Unlock()
	select {
	case <-ready:
	case <-time.After(listenTime):
	case <-ctx.Done():
	}
}

// run keeps the stream open until its session ends or the server no longer offers the stream.
func (l *listener) run(ctx context.Context) {
	c := l.client
	err := l.listen(ctx)
	l.open()
	switch {
	case ctx.Err() != nil:
	case !l.opened:
		c.opts.Logger.Debug("httpclient: the server offers no stream", "error", err)
	case errors.Is(err, errExpired):
		c.expired(l.session)
	default:
		c.opts.Logger.Warn("httpclient: the stream of the session is given up", "error", err)
	}
}

// listen returns why the stream cannot be opened.
func (l *listener) listen(ctx context.Context) error {
	c, k := l.client, &l.cursor
	stream, err := c.get(ctx, "", l.session)
	if err != nil && isPassing(err) {
		stream, err = c.reopen(ctx, k, l.session, math.MaxInt)
	}
	for err == nil {
		l.open()
		if l.opened && k.lastID == "" {
			c.fail(wire.ID{}, transport.ErrMissed)
		}
		l.opened = true
		err = c.read(eventreader.New(stream, c.opts.MaxMessage), k, l.take)
		stream.Close()
		c.opts.Logger.Debug("httpclient: the stream of the session broke off", "error", err)
		stream, err = c.reopen(ctx, k, l.session, math.MaxInt)
		if err != nil && k.lastID != "" && !isPassing(err) && !errors.Is(err, errExpired) {
			k.lastID = "" // the server no longer has the event to resume after
			stream, err = c.get(ctx, "", l.session)
		}
	}
	return err
}

func (l *listener) take(data []byte) {
	if m, err := jsonrpc.Parse(data); m.Kind == jsonrpc.Invalid {
		l.client.opts.Logger.Warn("httpclient: an invalid message was ignored", "error", err)
		return
	}
	l.client.deliver(arrival{data: oneLine(data)})
}
