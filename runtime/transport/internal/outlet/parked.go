package outlet

import (
	"context"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
)

// parks reports whether the connection of a response can be taken over from package net/http. It cannot if something
// wraps the [http.ResponseWriter], which must see the whole response.
func (os *Outlets) parks(w http.ResponseWriter, r *http.Request) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor == 0 {
		return false
	}
	t := reflect.TypeOf(w)
	if _, ok := w.(http.Hijacker); !ok || t.Kind() != reflect.Pointer {
		return false
	}
	return t.Elem().PkgPath() == "net/http"
}

// Park makes the outlet independent of the handler of its request, and reports whether it could. If so, the handler must
// return; over is called once when the response has ended.
func (o *Outlet) Park(over func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.r == nil || o.r.Context().Err() != nil {
		return false
	}
	conn, _, err := http.NewResponseController(o.w).Hijack()
	if err != nil {
		return false
	}
	o.conn, o.over = conn, over
	o.w, o.r = nil, nil
	o.of.add(o)
	go o.untilGone(conn)
	return true
}

// writeChunk writes data as a chunk of the body.
func (o *Outlet) writeChunk(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	buf := buffers.Get()
	out := strconv.AppendUint((*buf)[:0], uint64(len(data)), 16)
	out = append(out, "\r\n"...)
	out = append(out, data...)
	out = append(out, "\r\n"...)
	err := o.send(out)
	buffers.Put(buf, out)
	return err
}

func (o *Outlet) send(data []byte) error {
	if t := o.of.WriteTimeout; t > 0 {
		o.conn.SetWriteDeadline(time.Now().Add(t))
	}
	_, err := o.conn.Write(data)
	return err
}

// leave ends a parked response, which is closed already.
func (o *Outlet) leave(broken bool) {
	if !broken {
		o.send([]byte("0\r\n\r\n"))
	}
	o.conn.Close()
	o.over()
	o.of.remove(o)
}

// cut closes the connection of a parked outlet, or is called when the client has closed it.
func (o *Outlet) cut() {
	o.conn.Close() // so that writers stop
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.broken = true
		o.end()
	}
}

// untilGone cuts the outlet when the client closes the connection, to which only the server should write. Package
// net/http read from it before; nothing else would notice.
func (o *Outlet) untilGone(conn net.Conn) {
	buf := make([]byte, 512)
	for {
		if _, err := conn.Read(buf); err != nil {
			o.cut()
			return
		}
	}
}

func (os *Outlets) add(o *Outlet) {
	os.mu.Lock()
	defer os.mu.Unlock()
	if os.parked == nil {
		os.parked = make(map[*Outlet]struct{})
	}
	os.parked[o] = struct{}{}
	os.count.Enter()
}

func (os *Outlets) remove(o *Outlet) {
	os.mu.Lock()
	defer os.mu.Unlock()
	delete(os.parked, o)
	os.count.Leave()
}

// Wait waits until no outlet is parked, and cuts off those that are left when ctx ends.
func (os *Outlets) Wait(ctx context.Context) {
	os.mu.Lock()
	none := os.count.Idle()
	os.mu.Unlock()
	if none == nil {
		return
	}
	select {
	case <-none:
	case <-ctx.Done():
		os.mu.Lock()
		defer os.mu.Unlock()
		for o := range os.parked {
			go o.cut()
		}
	}
}
