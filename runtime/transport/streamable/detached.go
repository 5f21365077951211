package streamable

import (
	"context"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
)

// A stream that waits for something to send needs neither a goroutine nor the buffers of package net/http, so it
// takes over the connection and lets the handler of its HTTP request return. The response continues in chunks, and
// the connection ends with the response.

// A detached is the connection of an output, taken over from package net/http.
type detached struct {
	stream *stream
	out    *output // of the stream, until it ends
	conn   net.Conn
	key    uint64 // in detachments
	broken bool   // nothing can be written any more
	over   func() // called when the response has ended
}

// mayDetach reports whether the connection of a response can be taken over from package net/http. It cannot if
// something wraps the [http.ResponseWriter], which must see the whole response.
func (h *Handler) mayDetach(w http.ResponseWriter, r *http.Request) bool {
	if h.opts.HoldStreams || r.ProtoMajor != 1 || r.ProtoMinor == 0 {
		return false
	}
	if a, ok := w.(*accesslog.Response); ok {
		w = a.ResponseWriter
	}
	t := reflect.TypeOf(w)
	if _, ok := w.(http.Hijacker); !ok || t.Kind() != reflect.Pointer {
		return false
	}
	return t.Elem().PkgPath() == "net/http"
}

// detach takes the connection of a stream's output over from package net/http, and reports whether it could. The
// handler of the request must then return. Over is called when the response has ended.
func (f *stream) detach(out *output, r *http.Request, over func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out != out || !out.leaves || r.Context().Err() != nil {
		return false
	}
	conn, _, err := http.NewResponseController(out.w).Hijack()
	if err != nil {
		return false
	}
	accesslog.Postpone(out.w)
	d := &detached{stream: f, out: out, conn: conn, over: over}
	out.w, out.gone, out.conn = nil, nil, d
	f.h.detached.add(d)
	return true
}

// write writes a chunk.
func (d *detached) write(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	buf := getBuffer()
	out := strconv.AppendUint((*buf)[:0], uint64(len(data)), 16)
	out = append(out, "\r\n"...)
	out = append(out, data...)
	out = append(out, "\r\n"...)
	err := d.send(out)
	putBuffer(buf, out)
	d.broken = d.broken || err != nil
	return err
}

func (d *detached) send(data []byte) error {
	if t := d.stream.h.opts.WriteTimeout; t > 0 {
		d.conn.SetWriteDeadline(time.Now().Add(t))
	}
	_, err := d.conn.Write(data)
	return err
}

// end ends the response. It is called once, when the output is no longer that of its stream.
func (d *detached) end(broken bool) {
	if !broken {
		d.send([]byte("0\r\n\r\n"))
	}
	h := d.stream.h
	d.conn.Close()
	d.over()
	h.detached.remove(d)
}

// closed is called when the client has closed the connection, or to cut the connection off.
func (d *detached) closed() {
	d.conn.Close() // so that writers stop
	f := d.stream
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out == d.out {
		d.broken = true
		f.disconnect()
	}
}

// readToEnd reads from a connection that only the server should write to, until the client closes it.
func readToEnd(conn net.Conn) {
	buf := make([]byte, 512)
	for {
		if _, err := conn.Read(buf); err != nil {
			return
		}
	}
}

// detachments holds the outputs whose connections were taken over from package net/http.
type detachments struct {
	mu      sync.Mutex
	all     map[uint64]*detached
	lastKey uint64
	none    chan struct{} // closed when there are none; nil if nobody waits for that
	watcher watcher
}

func (ds *detachments) add(d *detached) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.all == nil {
		ds.all = make(map[uint64]*detached)
	}
	ds.lastKey++
	d.key = ds.lastKey
	ds.all[d.key] = d
	ds.watcher.watch(d.conn, d.key, ds.closed)
}

// closed is called when the client has closed a connection.
func (ds *detachments) closed(key uint64) {
	ds.mu.Lock()
	d := ds.all[key]
	ds.mu.Unlock()
	if d != nil {
		go d.closed()
	}
}

func (ds *detachments) remove(d *detached) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.all, d.key)
	if len(ds.all) > 0 {
		return
	}
	ds.all = nil
	ds.watcher.stop()
	if ds.none != nil {
		close(ds.none)
		ds.none = nil
	}
}

// wait waits until there are none, and cuts off those that are left when ctx ends.
func (ds *detachments) wait(ctx context.Context) {
	ds.mu.Lock()
	if len(ds.all) == 0 {
		ds.mu.Unlock()
		return
	}
	if ds.none == nil {
		ds.none = make(chan struct{})
	}
	none := ds.none
	ds.mu.Unlock()
	select {
	case <-none:
		return
	case <-ctx.Done():
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, d := range ds.all {
		go d.closed()
	}
}
