package streamable

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
)

// An event is kept before it is sent, in the order in which it is sent, so that what a client may have seen can always be resumed
// from. A stream without a session keeps nothing.

// A stream is a sequence of events to a client. In a session it outlives the HTTP responses that carry it: events
// are kept, and a client that resumes the stream receives the rest.
type stream struct {
	h       *Handler
	session *liveSession // nil if the stream cannot be resumed
	name    string       // unique in the session, and set once; empty as long as nothing was sent

	mu   sync.Mutex     // guards out and over; that of a response guards more
	out  *outlet.Outlet // nil if nobody is connected
	over bool           // there will be no more events
}

var errNoConnection = errors.New("streamable: the client is not connected")

// connect makes an outlet that has just been opened that of the stream. It is called with mu held, like the methods below.
func (f *stream) connect(out *outlet.Outlet) {
	f.disconnect()
	f.out = out
}

// prime sends an event without data, after which the client can resume if the connection ends before the next
// event. Older clients would take it for a malformed message.
func (f *stream) prime(ctx context.Context) {
	if f.session == nil || f.session.revision() < mcp.V2025_11_25 {
		return
	}
	if id, _ := f.keep(ctx, nil); id != "" {
		f.write(eventstream.Event{ID: id, Retry: f.h.opts.Retry})
	}
}

// send sends an event. The error is nil if the client receives it, now or when it resumes the stream: once an event is kept,
// it does not matter whether it can be written. An event of a session that others may continue is not even written if it
// was not kept, since they would not know of it.
func (f *stream) send(ctx context.Context, data []byte) error {
	if f.over {
		return errNoConnection
	}
	id, err := f.keep(ctx, data)
	if err != nil && f.session.kept != nil {
		f.disconnect() // whoever continues the session may send again what is not kept, so it is left to him
		return errNoConnection
	}
	err = f.write(eventstream.Event{ID: id, Data: data})
	if id != "" {
		return nil
	}
	return err
}

// keep stores an event and returns its id, empty if it was not stored. That of a stream without a session never is: its client
// cannot resume it, and may send the request again.
func (f *stream) keep(ctx context.Context, data []byte) (id string, err error) {
	switch own, ok := f.h.opts.Events.(*memoryStore); {
	case f.session == nil:
		return "", nil
	case f.session.isLost():
		return "", errNoConnection // others may have continued it, and have told the client that its calls are lost
	// Our own store counts the events of all sessions of a client together, by their owner.
	case ok:
		return own.append(f.session.owner.owner, f.session.id, f.name, data), nil
	}
	id, err = f.h.opts.Events.Append(ctx, f.session.id, f.name, data)
	if err != nil {
		f.h.opts.Logger.WarnContext(ctx, "streamable: an event is not kept", "error", err)
		return "", err
	}
	return id, nil
}

// write writes an event to whoever is connected.
func (f *stream) write(e eventstream.Event) error {
	buf := buffers.Get()
	out := eventstream.AppendEvent((*buf)[:0], e)
	err := f.writeRaw(out)
	buffers.Put(buf, out)
	return err
}

// writeRaw writes bytes of the event stream. A client that does not take them in time, or has gone, is disconnected.
func (f *stream) writeRaw(data []byte) error {
	if f.out == nil {
		return errNoConnection
	}
	err := f.out.Write(data)
	if err != nil {
		f.disconnect()
	}
	return err
}

// disconnect ends the response, if there is one. The stream goes on without.
func (f *stream) disconnect() {
	if f.out != nil {
		f.out.Close()
		f.out = nil
	}
}

// suspend ends the response, and tells the client when to resume the stream.
func (f *stream) suspend() {
	if f.out != nil && f.session != nil {
		buf := buffers.Get()
		out := eventstream.AppendRetry((*buf)[:0], f.h.opts.Retry)
		f.writeRaw(out)
		buffers.Put(buf, out)
	}
	f.disconnect()
}

// end ends the stream: there is nothing to resume once the client has what was kept. What is sent after that fails, although
// the name of the stream is still known to the store.
func (f *stream) end() {
	f.over = true
	f.disconnect()
}

// replay writes the events that follow the one with that id.
func (f *stream) replay(ctx context.Context, events []StoredEvent) {
	for _, e := range events {
		if len(e.Data) == 0 { // it only primed an earlier connection
			continue
		}
		// What is not written is still kept, and comes when the stream is resumed again.
		if f.write(eventstream.Event{ID: e.ID, Data: e.Data}) != nil || ctx.Err() != nil {
			return
		}
	}
}
