// Package outlet has the HTTP responses of a handler that stay open, such as streams of events.
//
// A response that waits for something to send takes two goroutines and 25 KiB as long as its handler has not returned:
// those of package net/http, with its buffers. So an Outlet may be parked: it takes over the connection, the handler
// returns, and the response continues in chunks, until it ends and the connection with it. A session with an open stream
// then takes 7.0 KiB of memory and one goroutine, which notices when the client has gone, instead of 28.6 and two (bench,
// workload 5-idle).
package outlet

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/inflight"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// Outlets are the open responses of a handler. The exported fields are set before the first is opened.
type Outlets struct {
	WriteTimeout time.Duration // how long the client's side of a connection may take to accept what is written; 0 for ever
	KeepAlive    time.Duration // between comments, which show that the connection is alive; none if it is not positive

	mu     sync.Mutex
	parked map[*Outlet]struct{}
	count  inflight.Counter // of those that are parked
}

// An Outlet is a response that stays open. The zero value is one that is still to be opened. Its methods may be called
// by several goroutines at once.
type Outlet struct {
	mu      sync.Mutex
	of      *Outlets
	w       http.ResponseWriter
	r       *http.Request // nil if it cannot be parked
	conn    net.Conn      // in place of w, once it is parked
	over    func()        // see Park
	comment *time.Timer   // writes the next one; nil if there are none
	done    chan struct{} // closed with the outlet; nil before somebody asks for it
	closed  bool
	broken  bool // nothing can be written any more
}

// ErrClosed is the error of writing to an outlet that is closed.
var ErrClosed = errors.New("outlet: the response has ended")

// Headers are shared by all responses; package net/http only reads their values.
var (
	headerEvents  = []string{eventstream.ContentType}
	headerNoStore = []string{"no-store"}
	headerClose   = []string{"close"}
	headerNo      = []string{"no"}
)

// Open begins a response. Its client sees the headers with whatever is written next. R is the request if the outlet may
// be parked, else nil.
func (os *Outlets) Open(o *Outlet, w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Content-Type"] = headerEvents
	header["Cache-Control"] = headerNoStore
	header["X-Accel-Buffering"] = headerNo
	if r != nil && os.parks(w, r) {
		header["Connection"] = headerClose
	} else {
		r = nil
	}
	w.WriteHeader(http.StatusOK)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of, o.w, o.r = os, w, r
	if os.KeepAlive > 0 {
		o.comment = time.AfterFunc(os.KeepAlive, o.keepAlive)
	}
}

// Done returns a channel that is closed when the outlet is.
func (o *Outlet) Done() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done == nil {
		o.done = make(chan struct{})
		if o.closed {
			close(o.done)
		}
	}
	return o.done
}

// Write writes data and sends it at once. If it cannot, the outlet is closed.
func (o *Outlet) Write(data []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(data)
}

// write is Write. It is called with mu held. After an error the outlet has ended.
func (o *Outlet) write(data []byte) (err error) {
	switch {
	case o.closed:
		return ErrClosed
	case o.conn != nil:
		err = o.writeChunk(data)
	default:
		if err = Write(o.w, o.of.WriteTimeout, data); err != nil {
			// The response cannot be used any more. Its context ends when nothing can be read.
			http.NewResponseController(o.w).SetReadDeadline(time.Unix(1, 0))
		}
	}
	if err != nil {
		o.broken = true
		o.end()
	}
	return err
}

// Close ends the response.
func (o *Outlet) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
}

// end is called with mu held.
func (o *Outlet) end() {
	if o.closed {
		return
	}
	o.closed = true
	if o.comment != nil {
		o.comment.Stop()
	}
	if o.done != nil {
		close(o.done)
	}
	if o.conn != nil {
		go o.leave(o.broken)
	}
	o.w, o.r = nil, nil // a task may keep the outlet, through its context
}

// keepAlive writes a comment.
func (o *Outlet) keepAlive() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.write([]byte(eventstream.KeepAlive)) == nil {
		o.comment.Reset(o.of.KeepAlive)
	}
}

// Write writes data to a response and sends it at once. The client's side of the connection has a time to accept it;
// without limit if that is not positive.
func Write(w http.ResponseWriter, within time.Duration, data []byte) error {
	rc := http.NewResponseController(w)
	if within > 0 {
		rc.SetWriteDeadline(time.Now().Add(within))
		defer rc.SetWriteDeadline(time.Time{}) // it is that of the connection, which may serve other requests
	}
	if len(data) > 0 {
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
