package httpclient

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A listener keeps open the stream on which a server sends messages that belong to no request, through 2025-11-25.
type listener struct {
	client  *Client
	session session
	stop    context.CancelFunc // ends the context of run; guarded by Client.mu
	ready   chan struct{}      // closed when the stream is open, or has been refused
	idle    bool               // the stream was given up, but may be tried again; guarded by Client.mu

	cursor cursor
	opened bool // at least once
}

// listenTime is how long the client waits for the stream before it continues without it.
const listenTime = time.Second

// listen opens the stream of a session that has just begun. It waits until the stream is open, because the server
// may use it as soon as it receives the next request.
func (c *Client) listen(ctx context.Context, s session) {
	l := &listener{client: c, session: s, ready: make(chan struct{})}
	c.mu.Lock()
	if c.session != s || s.version == "" || c.listener != nil || c.life.Over() {
		c.mu.Unlock()
		return
	}
	c.listener = l
	l.start()
	c.mu.Unlock()
	timer := time.NewTimer(listenTime)
	defer timer.Stop()
	select {
	case <-l.ready:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// revive opens a stream again that the client had given up, now that the server has responded to a request.
func (c *Client) revive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.listener; l != nil && l.idle && !c.life.Over() {
		l.idle = false
		l.cursor.tries = 0
		l.start()
	}
}

// start starts run in a goroutine. It is called with Client.mu held.
func (l *listener) start() {
	ctx, stop := context.WithCancel(l.client.life.Context())
	l.stop = stop
	l.client.life.Go(func(context.Context) {
		defer stop()
		l.run(ctx)
	})
}

// run keeps the stream open until its session ends or the server no longer offers the stream.
func (l *listener) run(ctx context.Context) {
	c := l.client
	err := l.listen(ctx)
	l.open()
	switch {
	case ctx.Err() != nil:
	case !l.opened && !isPassing(err):
		c.opts.Logger.Debug("httpclient: the server offers no stream", "error", err)
	case errors.Is(err, errExpired):
		c.expired(l.session)
	default:
		c.opts.Logger.Warn("httpclient: the stream of the session is given up for now", "error", err)
		c.mu.Lock()
		l.idle = isPassing(err)
		c.mu.Unlock()
	}
}

// listen returns why the stream cannot be opened.
func (l *listener) listen(ctx context.Context) error {
	c, k := l.client, &l.cursor
	stream, err := c.get(ctx, k.lastID, l.session)
	if err != nil && isPassing(err) {
		stream, err = c.reopen(ctx, k, l.session)
	}
	for err == nil {
		l.open()
		if l.opened && k.lastID == "" {
			c.fail(wire.ID{}, transport.ErrMissed)
		}
		l.opened = true
		err = c.read(stream, k, l.take)
		stream.Close()
		c.opts.Logger.Debug("httpclient: the stream of the session broke off", "error", err)
		stream, err = c.reopen(ctx, k, l.session)
		if err != nil && k.lastID != "" && !isPassing(err) && !errors.Is(err, errExpired) {
			k.lastID = "" // the server no longer has the event to resume after
			stream, err = c.get(ctx, "", l.session)
		}
	}
	return err
}

// open wakes the goroutine that waits for the stream.
func (l *listener) open() {
	select {
	case <-l.ready:
	default:
		close(l.ready)
	}
}

func (l *listener) take(data []byte) {
	if m, err := jsonrpc.Parse(data); m.Kind == jsonrpc.Invalid {
		l.client.opts.Logger.Warn("httpclient: an invalid message was ignored", "error", err)
		return
	}
	l.client.deliver(arrival{data: webclient.OneLine(data)})
}
