package streamable_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// The benchmarks measure calls over connections of loopback, many at a time. The client sends the
// same bytes again and again, and costs no allocations, so what is reported is the server's. Floor is a
// handler that reads the body and answers what the others do.
func BenchmarkHandlerFloor(b *testing.B) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(callAnswer))
	})
	benchmarkHTTP(b, h, func(int) string { return callBody }, callAnswer)
}

const (
	callBody   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world"}}}`
	callAnswer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"text\":\"hello, world\"}"}]}}`
)

func BenchmarkHandlerSession(b *testing.B) {
	s := newServer(nil)
	tool(b, s, "echo", echo)
	h := streamable.NewHandler(s, nil)
	srv := httptest.NewServer(h)
	defer srv.Close()
	c := &host{t: b, http: srv}
	c.open("2025-11-25")
	headers := "Mcp-Session-Id: " + c.session + "\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	benchmarkHTTP(b, h, func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world"}}}`, n)
	}, "", headers)
}

func BenchmarkHandlerModern(b *testing.B) {
	s := newServer(nil)
	tool(b, s, "echo", echo)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world"},` + modernMeta + `}}`
	benchmarkHTTP(b, streamable.NewHandler(s, nil), func(int) string { return body }, "",
		"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n")
}

// BenchmarkHandlerOld measures what a client of 2024-11-05 sends beside its calls, without connections: its requests do not
// name a revision.
func BenchmarkHandlerOld(b *testing.B) {
	for _, stateless := range []bool{false, true} {
		h := streamable.NewHandler(newServer(&server.Options{Logger: silent}), &streamable.Options{Logger: silent, Stateless: stateless})
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
		r.Header["Content-Type"] = []string{"application/json"}
		r.Header["Accept"] = []string{"application/json, text/event-stream"}
		data, w := new(body), &sink{header: http.Header{}}
		send := func(method string, text []byte) {
			r.Method, r.Body, r.ContentLength = method, data, int64(len(text))
			data.Reset(text)
			clear(w.header)
			h.ServeHTTP(w, r)
			if w.status/100 > 2 {
				b.Fatalf("%d %s", w.status, w.body)
			}
		}
		initialize := []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`)
		initialized := []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		open := func() {
			delete(r.Header, "Mcp-Session-Id")
			send(http.MethodPost, initialize)
			if id := w.header["Mcp-Session-Id"]; id != nil {
				r.Header["Mcp-Session-Id"] = []string{id[0]}
			}
		}
		name := map[bool]string{false: "session/", true: "stateless/"}[stateless]
		b.Run(name+"initialize", func(b *testing.B) { // and DELETE, if there is a session
			b.ReportAllocs()
			for b.Loop() {
				open()
				if !stateless {
					send(http.MethodDelete, nil)
				}
			}
		})
		b.Run(name+"initialized", func(b *testing.B) {
			open()
			b.ReportAllocs()
			for b.Loop() {
				send(http.MethodPost, initialized)
			}
		})
	}
}

func benchmarkHTTP(b *testing.B, h http.Handler, body func(n int) string, want string, headers ...string) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	head := "POST /mcp HTTP/1.1\r\nHost: " + srv.Listener.Addr().String() +
		"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	for _, line := range headers {
		head += line
	}
	var ids atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		var out, in []byte
		for pb.Next() {
			text := body(int(ids.Add(1)))
			out = append(out[:0], head...)
			out = append(out, "Content-Length: "...)
			out = strconv.AppendInt(out, int64(len(text)), 10)
			out = append(out, "\r\n\r\n"...)
			out = append(out, text...)
			if _, err := conn.Write(out); err != nil {
				b.Error(err)
				return
			}
			if in, err = readResponse(conn, in[:0]); err != nil {
				b.Error(err)
				return
			}
			if !bytes.HasPrefix(in, []byte("HTTP/1.1 200")) || want != "" && !bytes.HasSuffix(in, []byte(want)) {
				b.Errorf("response %s", in)
				return
			}
		}
	})
}

// readResponse reads a response that has a length.
func readResponse(conn net.Conn, buf []byte) ([]byte, error) {
	if cap(buf) == 0 {
		buf = make([]byte, 0, 16<<10)
	}
	for {
		n, err := conn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
		head, body, ok := bytes.Cut(buf, []byte("\r\n\r\n"))
		if !ok {
			continue
		}
		_, length, ok := bytes.Cut(head, []byte("Content-Length: "))
		if !ok {
			return buf, fmt.Errorf("no length in %s", head)
		}
		digits, _, _ := bytes.Cut(length, []byte("\r"))
		if size, _ := strconv.Atoi(string(digits)); len(body) >= size {
			return buf, nil
		}
	}
}
