package httpclient

// A stream is a response of server-sent events. Where its events have ids, through 2025-11-25, one that breaks is resumed by
// a GET that names the last event; the server says how long to wait, and the client waits longer after failures. One
// goroutine owns a stream and its cursor.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventreader"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A cursor says how far a stream has been read, and when to resume it if it breaks.
type cursor struct {
	lastID string        // of the last event with an id
	retry  time.Duration // how long the server says to wait, within bounds; 0 if it does not say
	tries  int           // failures in a row
	empty  int           // how many streams in a row brought nothing
}

// Bounds for the time to wait that a server demands.
const (
	minRetry = 50 * time.Millisecond
	maxRetry = 24 * time.Hour
)

// delay returns how long to wait before the stream is opened again.
//
// REQ HTTP-22
func (k *cursor) delay(o *Options) time.Duration {
	d, most := o.RetryTime, 30*o.RetryTime
	mostEmpty := most
	if k.retry > 0 {
		d, mostEmpty = k.retry, max(o.RetryTime, k.retry) // it may want the client to poll
	}
	d = doubled(doubled(d, k.empty, mostEmpty), k.tries, most)
	return d + rand.N(d/4+1)
}

// doubled returns d doubled n times, but at most most. If d is already more, it returns d.
func doubled(d time.Duration, n int, most time.Duration) time.Duration {
	for ; n > 0 && d < most; n-- {
		d = min(2*d, most)
	}
	return d
}

// read reads a stream to its end and delivers the messages. The error says how it ended: io.EOF for a graceful end.
func (c *Client) read(r *eventreader.Reader, k *cursor, take func(data []byte)) error {
	for {
		e, err := r.Next()
		if id := r.LastEventID(); id != "" {
			k.lastID = id
		}
		if wait, ok := r.Retry(); ok {
			k.retry = min(max(wait, minRetry), maxRetry)
		}
		if err != nil {
			return err
		}
		k.tries, k.empty = 0, 0
		if len(e.Data) > 0 && (e.Type == "" || e.Type == "message") {
			take(e.Data)
		}
	}
}

// lingerTime is how long a stream may continue after the response.
const lingerTime = time.Second

// follow reads the stream with the response to the request. If the stream breaks before the response, it is
// resumed, provided that the server gives events ids.
//
// REQ H26-13
func (x *exchange) follow(ctx context.Context, body io.ReadCloser) error {
	c := x.client
	var k cursor
	var linger *time.Timer // runs from the response on
	defer func() {
		if linger != nil {
			linger.Stop() // there may be many calls in a second
		}
	}()
	take := func(data []byte) {
		if x.take(data); x.answered && linger == nil {
			linger = time.AfterFunc(lingerTime, x.abort)
		}
	}
	for {
		err := c.read(eventreader.New(body, c.opts.MaxMessage), &k, take)
		body.Close()
		switch {
		case x.answered || ctx.Err() != nil:
			return nil
		case err == io.EOF:
			err = errors.New("the stream ended before the response")
		default:
			err = fmt.Errorf("the stream broke off before the response: %w", err)
		}
		if x.modern || k.lastID == "" || errors.Is(err, eventreader.ErrTooLarge) {
			return err
		}
		var failed error
		if body, failed = c.reopen(ctx, &k, x.session, maxTries); failed != nil {
			if errors.Is(failed, errExpired) {
				c.expired(x.session)
			}
			return fmt.Errorf("%w; it could not be resumed: %s", err, text(failed))
		}
	}
}

// maxTries is how many attempts in a row may fail before a request does.
const maxTries = 6

// reopen opens a broken stream again. It makes no further attempt after so many failures in a row.
func (c *Client) reopen(ctx context.Context, k *cursor, s session, tries int) (io.ReadCloser, error) {
	if c.opts.RetryTime < 0 {
		return nil, errNoRetry
	}
	for {
		if err := pause(ctx, k.delay(&c.opts)); err != nil {
			return nil, err
		}
		stream, err := c.get(ctx, k.lastID, s)
		if err == nil {
			k.tries = 0
			k.empty++ // until something comes
			return stream, nil
		}
		if k.tries++; k.tries > tries || !isPassing(err) && !(k.isGarbled(err) && k.tries <= maxTries) {
			return nil, err
		}
		if k.tries == 1 { // the log says why nothing happens
			c.opts.Logger.Warn("httpclient: the connection is lost, and tried again", "error", err)
		}
	}
}

// errNoRetry is the error of a stream that is not opened again.
var errNoRetry = errors.New("httpclient: Options.RetryTime says that streams are never opened again")

// pause waits for the given time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// get opens a stream, to continue after the event lastID.
func (c *Client) get(ctx context.Context, lastID string, s session) (io.ReadCloser, error) {
	c.mu.Lock()
	header := c.headers(nil, s, nil)
	c.mu.Unlock()
	header.Set("Accept", eventstream.ContentType)
	if lastID != "" {
		header.Set(mcpheader.LastEventID, lastID)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(headerTime, func() { cancel(errSilent) })
	resp, err := c.do(ctx, "GET", c.url, header, nil)
	if err == nil && resp.StatusCode == http.StatusOK && mediaType(resp.Header) == eventstream.ContentType {
		timer.Stop()
		return &streamBody{resp.Body, cancel}, nil
	}
	defer cancel(nil) // and until then the timer bounds the reading of the body, too
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		status := statusError("GET", resp, nil)
		status.Text = fmt.Sprintf("content type %q, want %s", resp.Header.Get("Content-Type"), eventstream.ContentType)
		return nil, status
	}
	return nil, c.refusal("GET", resp, s, wire.ID{})
}

// A streamBody is the body of a response that is a stream. Closing it ends the request.
type streamBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (s *streamBody) Close() error {
	s.cancel(nil)
	return s.ReadCloser.Close()
}

// isGarbled reports whether an attempt to resume may have been refused because it was damaged on the way: if the
// connection breaks within the headers, an HTTP server responds with 400 before it knows what was requested. A
// server that has read the whole request refuses it with a JSON-RPC error.
func (k *cursor) isGarbled(err error) bool {
	status, ok := errors.AsType[*transport.StatusError](err)
	return ok && status.Status == http.StatusBadRequest && k.lastID != ""
}

// isPassing reports whether opening a stream or sending a response, which has failed with err, may succeed later.
func isPassing(err error) bool {
	if errors.Is(err, errExpired) {
		return false
	}
	if status, ok := errors.AsType[*transport.StatusError](err); ok {
		return isPassingStatus(status.Status)
	}
	_, answered := errors.AsType[*jsonrpc.Error](err)
	return !answered
}

func isPassingStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}
