package streamable

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// A stream is a sequence of events to a client. In a session it outlives the HTTP responses that carry it: events
// are kept, and a client that resumes the stream receives the rest.
type stream struct {
	h       *Handler
	session *liveSession // nil if the stream cannot be resumed
	name    string       // unique in the session; empty as long as nothing was sent

	mu   sync.Mutex
	out  *output // nil if nobody is connected
	over bool    // there will be no more events
}

// An output is the HTTP response that carries a stream.
type output struct {
	stream  *stream // whose output it is or was
	w       http.ResponseWriter
	conn    *detached     // in place of w, once the connection is taken over from package net/http
	leaves  bool          // its connection may be taken over from package net/http
	gone    chan struct{} // closed when nothing more is written to it; nil if nothing waits for that
	comment *time.Timer   // writes the next comment; nil if there are none
}

var errNoConnection = errors.New("streamable: the client is not connected")

// Headers are shared by all responses; package net/http only reads their values.
var (
	headerJSON    = []string{typeJSON}
	headerEvents  = []string{typeEvents}
	headerNoStore = []string{"no-store"}
	headerClose   = []string{"close"}
	headerNo      = []string{"no"}
	headerZero    = []string{"0"}
)

// connect begins a response and makes it the output of the stream. The client sees the headers with whatever is
// written next. It is called with mu held, like the methods below.
func (f *stream) connect(out *output) {
	header := out.w.Header()
	header["Content-Type"] = headerEvents
	header["Cache-Control"] = headerNoStore
	header["X-Accel-Buffering"] = headerNo
	if out.leaves {
		header["Connection"] = headerClose
	}
	out.w.WriteHeader(http.StatusOK)
	f.disconnect()
	f.out, out.stream = out, f
	if every := f.h.opts.KeepAlive; every > 0 {
		out.comment = time.AfterFunc(every, func() { f.keepAlive(out) })
	}
}

// prime sends an event without data, after which the client can resume if the connection ends before the next
// event. Older clients would take it for a malformed message.
func (f *stream) prime(ctx context.Context) {
	if f.session == nil || f.session.revision() < mcp.V2025_11_25 {
		return
	}
	if id := f.keep(ctx, nil); id != "" {
		f.write(eventstream.Event{ID: id, Retry: f.h.opts.Retry})
	}
}

// send sends an event. The error is nil if the client receives it, now or when it resumes the stream.
func (f *stream) send(ctx context.Context, data []byte) error {
	if f.over {
		return errNoConnection
	}
	id := f.keep(ctx, data)
	if id == "" && f.session != nil && f.session.stored != nil {
		f.disconnect() // the process that continues the session may send again what is not kept, so leave it to that process
		return errNoConnection
	}
	err := f.write(eventstream.Event{ID: id, Data: data})
	if id != "" {
		return nil
	}
	return err
}

// keep stores an event and returns its id, empty if it was not stored.
func (f *stream) keep(ctx context.Context, data []byte) string {
	if f.session == nil {
		return ""
	}
	if own, ok := f.h.opts.Events.(*memoryStore); ok {
		return own.append(f.session.owner.owner, f.session.id, f.name, data)
	}
	if f.session.isLost() {
		return "" // this process may have continued the session by now, and has told the client that its calls are lost
	}
	id, err := f.h.opts.Events.Append(ctx, f.session.id, f.name, data)
	if err != nil {
		f.h.opts.Logger.WarnContext(ctx, "streamable: an event is not kept", "error", err)
		return ""
	}
	return id
}

func (f *stream) write(e eventstream.Event) error {
	buf := getBuffer()
	out := eventstream.AppendEvent((*buf)[:0], e)
	err := f.writeRaw(out)
	putBuffer(buf, out)
	return err
}

func (f *stream) writeRaw(data []byte) error {
	if f.out == nil {
		return errNoConnection
	}
	if f.out.conn != nil {
		err := f.out.conn.write(data)
		if err != nil {
			f.disconnect()
		}
		return err
	}
	if err := f.h.write(f.out.w, data); err != nil {
		// The response cannot be used any more. Its context ends when nothing can be read.
		http.NewResponseController(f.out.w).SetReadDeadline(time.Unix(1, 0))
		f.disconnect()
		return err
	}
	return nil
}

// disconnect ends the response, if there is one.
func (f *stream) disconnect() {
	if f.out != nil {
		f.out.close()
		f.out = nil
	}
}

// suspend ends the response, and tells the client when to resume the stream.
func (f *stream) suspend() {
	if f.out != nil && f.session != nil {
		buf := getBuffer()
		out := eventstream.AppendRetry((*buf)[:0], f.h.opts.Retry)
		f.writeRaw(out)
		putBuffer(buf, out)
	}
	f.disconnect()
}

// end ends the stream.
func (f *stream) end() {
	f.over = true
	f.disconnect()
}

func (out *output) close() {
	if out.comment != nil {
		out.comment.Stop()
	}
	if out.conn != nil {
		go out.conn.end(out.conn.broken)
		return
	}
	if out.gone != nil {
		close(out.gone)
		out.gone = nil
	}
}

// keepAlive writes a comment, if out is still the output.
func (f *stream) keepAlive(out *output) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out == out && f.writeRaw([]byte(eventstream.KeepAlive)) == nil {
		out.comment.Reset(f.h.opts.KeepAlive)
	}
}

// replay writes the events that follow the one with that id.
func (f *stream) replay(ctx context.Context, events []StoredEvent) {
	for _, e := range events {
		if len(e.Data) == 0 { // it only primed an earlier connection
			continue
		}
		if f.write(eventstream.Event{ID: e.ID, Data: e.Data}) != nil || ctx.Err() != nil {
			return
		}
	}
}

// write writes to a response and flushes it, within [Options.WriteTimeout].
func (h *Handler) write(w http.ResponseWriter, data []byte) error {
	rc := http.NewResponseController(w)
	if d := h.opts.WriteTimeout; d > 0 {
		rc.SetWriteDeadline(time.Now().Add(d))
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
