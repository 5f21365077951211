package streamable_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// corsHeaders returns the headers of a response that are about other origins.
func corsHeaders(h http.Header) string {
	var list []string
	for _, name := range []string{"Vary", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Allow-Methods",
		"Access-Control-Allow-Headers", "Access-Control-Max-Age", "Access-Control-Allow-Credentials"} {
		if values := h.Values(name); values != nil {
			list = append(list, strings.TrimPrefix(name, "Access-Control-")+": "+strings.Join(values, " | "))
		}
	}
	return strings.Join(list, "\n")
}

// What a browser needs so that a page may use the server, and does not get for other pages.
//
// REQ HTTP-02, SEC-17
func TestCORS(t *testing.T) {
	const exposed = "Expose-Headers: Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, WWW-Authenticate"
	app := &streamable.Options{Origins: []string{"https://app.example.com"}}
	local := &streamable.Options{Origins: []string{"http://localhost:6274"}}
	any := &streamable.Options{Origins: []string{"*"}}
	refuses := &streamable.Options{Origins: []string{"*"}, Auth: streamable.Named(func(*http.Request) (string, error) { return "", fmt.Errorf("unknown key") })}
	for _, test := range []struct {
		name   string
		opts   *streamable.Options
		origin string
		status int // of a POST
		want   string
		asks   int // the status of a preflight request
		may    string
	}{
		{"listed", app, "https://app.example.com", 200, "Vary: Origin\nAllow-Origin: https://app.example.com\n" + exposed, 204,
			"Vary: Origin\nAllow-Origin: https://app.example.com\nAllow-Methods: DELETE, GET, POST\n" +
				"Allow-Headers: authorization, content-type, mcp-protocol-version, mcp-param-city\nMax-Age: 600"},
		{"this machine", local, "http://localhost:6274", 200, "Vary: Origin\nAllow-Origin: http://localhost:6274\n" + exposed, 204,
			"Vary: Origin\nAllow-Origin: http://localhost:6274\nAllow-Methods: DELETE, GET, POST\n" +
				"Allow-Headers: authorization, content-type, mcp-protocol-version, mcp-param-city\nMax-Age: 600"},
		{"any", any, "https://x.example", 200, "Allow-Origin: *\n" + exposed, 204,
			"Allow-Origin: *\nAllow-Methods: DELETE, GET, POST\nAllow-Headers: authorization, content-type, mcp-protocol-version, mcp-param-city\nMax-Age: 600"},
		{"refused sender", refuses, "https://x.example", 401, "Allow-Origin: *\n" + exposed, 204,
			"Allow-Origin: *\nAllow-Methods: DELETE, GET, POST\nAllow-Headers: authorization, content-type, mcp-protocol-version, mcp-param-city\nMax-Age: 600"},
		{"not listed", app, "https://evil.example", 403, "", 403, ""},
		{"this machine, not listed", app, "http://localhost:6274", 403, "", 403, ""},
		{"by default", nil, "http://localhost:6274", 403, "", 403, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := serve(t, newServer(nil), test.opts)
			got := h.send(h.request("POST", initialize("2025-11-25"), "Origin: "+test.origin))
			if headers := corsHeaders(got.header); got.status != test.status || headers != test.want {
				t.Errorf("POST: %d\n%s\nwant %d\n%s", got.status, headers, test.status, test.want)
			}
			got = h.send(h.request("OPTIONS", "", "Origin: "+test.origin, "Access-Control-Request-Method: POST",
				"Access-Control-Request-Headers: authorization,content-type, Mcp-Protocol-Version,mcp-param-city,x-forwarded-for"))
			if headers := corsHeaders(got.header); got.status != test.asks || headers != test.may {
				t.Errorf("OPTIONS: %d\n%s\nwant %d\n%s", got.status, headers, test.asks, test.may)
			}
		})
	}
	h := serve(t, newServer(nil), app)
	if got := h.post(initialize("2025-11-25")); corsHeaders(got.header) != "" {
		t.Errorf("a request of no page: %s", corsHeaders(got.header))
	}
	if got := h.send(h.request("OPTIONS", "", "Origin: https://app.example.com")); got.status != 405 {
		t.Errorf("OPTIONS that asks nothing: %d, want 405", got.status)
	}
}

// Who runs the server learns what was refused, but not without end.
//
// REQ HTTP-02, HTTP-03, SEC-17
func TestRefusalsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		opts := &streamable.Options{
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: noTime})),
			Auth:   streamable.Named(func(*http.Request) (string, error) { return "", fmt.Errorf("unknown key") }),
		}
		h := streamable.NewHandler(newServer(nil), opts)
		send := func(headers ...string) {
			r := request(t, "POST", initialize("2025-11-25"), headers...)
			r.RemoteAddr = "192.0.2.1:7"
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		send("Origin: https://evil.example")
		const end = " address=192.0.2.1:7 method=POST path=/mcp"
		if got, want := log.String(), `level=WARN msg="http: a request was refused" reason="the origin \"https://evil.example\" may not use this server; `+
			`Options.Origins lists those that may"`+end+"\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		log.Reset()
		send()
		if got, want := log.String(), `level=INFO msg="http: a request was refused" reason="unknown key"`+end+"\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		log.Reset()
		for range 100 {
			send()
		}
		if n := strings.Count(log.String(), "\n"); n != 8 {
			t.Errorf("%d lines, want 8", n)
		}
		time.Sleep(time.Minute)
		log.Reset()
		send()
		if got := log.String(); !strings.HasSuffix(got, end+" others=92\n") {
			t.Errorf("got %s, want the number of others", got)
		}
	})
}

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// A server says where it can be reached, and whether.
func TestServeTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		l := listenPipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		opts := &streamable.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: noTime}))}
		go func() { ended <- streamable.Serve(ctx, l, newServer(nil), opts) }()
		c := l.client()
		defer c.CloseIdleConnections()
		resp, err := c.Get("http://probe.example/health")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || string(body) != "ok\n" {
			t.Errorf("%d %s %v", resp.StatusCode, body, err)
		}
		if got, want := log.String(), "level=INFO msg=\"http: serving\" address=127.0.0.1:80 path=/mcp\n"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
