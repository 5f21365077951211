package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// FuzzHandler sends any bytes with any headers, as lines of text, in a session or without one. The
// handler answers with a status that fits, JSON is valid and on one line, and it lives on.
func FuzzHandler(f *testing.F) {
	const version = "Mcp-Protocol-Version: 2026-07-28\n"
	f.Add("POST", "", false, []byte(initialize("2025-11-25")))
	f.Add("POST", "", true, []byte(ping))
	f.Add("POST", "", true, []byte(talkCall))
	f.Add("POST", "", true, []byte(`[`+ping+`,`+talkCall+`]`))
	f.Add("POST", "", true, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add("POST", "Accept: text/event-stream;q=0\n", true, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	f.Add("POST", version+"Mcp-Method: tools/call\nMcp-Name: echo\n", false, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",`+modernMeta+`}}`))
	f.Add("POST", version+"Mcp-Method: tools/call\nMcp-Name: =?base64?ZWNobw==?=\nOrigin: http://localhost\n", false, []byte(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo",`+modernMeta+`}}`))
	f.Add("POST", version+"Mcp-Method: resources/read\nMcp-Name: a:b\n", false, []byte(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b",`+modernMeta+`}}`))
	f.Add("GET", "Last-Event-ID: s1-1\n", true, []byte{})
	f.Add("DELETE", "", true, []byte{})
	f.Add("PUT", "Origin: null\nHost: evil\n", true, []byte("{"))
	s := newServer(&server.Options{Anonymous: true})
	tool(f, s, "echo", echo)
	tool(f, s, "talk", talk)
	h := streamable.NewHandler(s, nil)
	f.Fuzz(func(t *testing.T, method, headers string, session bool, body []byte) {
		r := &recording{t: t, h: h}
		if r.open() != 200 {
			t.Fatal("no session can be opened")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // ends streams
		defer cancel()
		if strings.ContainsFunc(method, func(c rune) bool { return c <= ' ' || c > '~' }) || method == "" {
			method = "POST"
		}
		req, err := http.NewRequestWithContext(ctx, method, "http://localhost/mcp", strings.NewReader(string(body)))
		if err != nil {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		if session {
			req.Header.Set("Mcp-Session-Id", r.session)
		}
		for line := range strings.SplitSeq(headers, "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				req.Header.Add(name, strings.TrimSpace(value))
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		got := w.Body.String()
		switch kind := w.Header().Get("Content-Type"); kind {
		case "application/json":
			if err := wire.Raw(got).Check(); err != nil || strings.ContainsAny(got, "\r\n") {
				t.Errorf("%d %q: %v", w.Code, got, err)
			}
		case "text/event-stream":
			if w.Code != 200 || got != "" && !strings.HasSuffix(got, "\n\n") {
				t.Errorf("%d %q", w.Code, got)
			}
		default:
			if ctx.Err() != nil && got == "" {
				break // the client was gone before the answer
			}
			if got != "" || w.Code != 202 && w.Code != 204 {
				t.Errorf("%d %s %q", w.Code, kind, got)
			}
		}
		if method != "DELETE" && r.do(t.Context(), "DELETE", "").Code != 204 {
			t.Error("the session is gone")
		}
	})
}
