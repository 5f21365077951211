package httpclient_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
)

// What a client makes of what should be the beginning of a stream of HTTP+SSE: the log says why it is none.
//
// REQ SSE-02, SSE-03, SSE-07
func TestOldServerOpens(t *testing.T) {
	const cannot = "httpclient: the stream of HTTP+SSE cannot be used"
	stream := func(events string) func(v *visit) { return func(v *visit) { v.stream(events) } }
	for name, test := range map[string]struct {
		get  func(v *visit)
		want string
	}{
		"refused":         {func(v *visit) { v.WriteHeader(405) }, "the server answered GET with HTTP status 405"},
		"web page":        {func(v *visit) { v.Header().Set("Content-Type", "text/html"); io.WriteString(v, "x") }, `content type \"text/html\", want text/event-stream`},
		"empty":           {stream(""), cannot + `" error="the stream ended before the event endpoint: EOF"`},
		"cut":             {func(v *visit) { v.stream("event: "); panic(http.ErrAbortHandler) }, "the stream ended before the event endpoint: unexpected EOF"},
		"another event":   {stream("data: {}\n\n"), `the stream begins with the event \"\", want endpoint`},
		"no URL":          {stream("event: endpoint\ndata: :\n\n"), `the event endpoint has no URL: parse \":\": missing protocol scheme`},
		"another origin":  {stream("event: endpoint\ndata: http://other.test/x\n\n"), "the server wants messages to go to another origin, http://other.test/x"},
		"another scheme":  {stream("event: endpoint\ndata: javascript:1\n\n"), "the server wants messages to go to another origin, javascript:1"},
		"another host":    {stream("event: endpoint\ndata: //evil.test/x\n\n"), "the server wants messages to go to another origin, http://evil.test/x"},
		"too long":        {stream("event: endpoint\ndata: " + strings.Repeat("x", 5000) + "\n\n"), "event too large: it has more than the 1000 bytes allowed"},
		"silence":         {func(v *visit) { v.stream(); v.wait() }, "the stream ended before the event endpoint: io: read"},
		"nothing but air": {func(v *visit) { v.wait() }, "httpclient: the server does not respond"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log strings.Builder
				s := &site{}
				s.does("initialize", func(v *visit) { v.WriteHeader(405) })
				s.does("GET", test.get)
				_, err := connectTo(t, s, mcp.V2024_11_05, &httpclient.Options{
					MaxMessage: 1000, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				}, nil)
				if want := "initialize: the server answered POST with HTTP status 405"; errorText(err) != want {
					t.Errorf("got %v, want %s", err, want)
				}
				if !strings.Contains(log.String(), test.want) {
					t.Errorf("logged\n%s\nwant %s", log.String(), test.want)
				}
			})
		})
	}
}

// A message that the server refuses fails alone; the end of the stream is the end of all.
func TestOldServerFails(t *testing.T) {
	cut, called := make(chan bool), make(chan bool)
	hs := httptest.NewServer(nil)
	t.Cleanup(hs.Close)
	messages := make(chan string, 10)
	hs.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := func() { w.(http.Flusher).Flush() }
		if r.Method == "GET" {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: endpoint\ndata: "+hs.URL+"/post#fragment\n\nevent: other\ndata: {}\n\n")
			for flush(); ; flush() {
				select {
				case m := <-messages:
					io.WriteString(w, "data: "+m+"\n\n")
				case <-cut:
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		m, _ := jsonrpc.Parse(body)
		switch {
		case r.URL.Path != "/post":
			w.WriteHeader(405)
		case m.Method == "initialize":
			messages <- `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`
		case m.Method == "tools/list":
			http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`, 400)
		case m.Method == "prompts/list":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case m.Method == "tools/call":
			close(called)
		}
	})
	c, err := connectOver(t, hs.URL, mcp.V2024_11_05, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.ListTools(t.Context(), nil); !errors.Is(err, jsonrpc.ErrInvalidRequest) {
		t.Errorf("a request that is refused: %v", err)
	}
	_, err = c.ListPrompts(t.Context(), nil)
	if want := `prompts/list: Post "/elsewhere": redirect that makes a GET of a POST`; errorText(err) != want || !errors.As(err, new(*transport.RequestError)) {
		t.Errorf("a request that is redirected: %v", err)
	}
	lost := make(chan error)
	go func() {
		_, err := c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "x"})
		lost <- err
	}()
	<-called
	close(cut)
	if err := <-lost; !errors.As(err, new(*jsonrpc.DisconnectedError)) {
		t.Errorf("the call at work: %v", err)
	}
	<-c.Done()
	if c.Err() != nil {
		t.Errorf("the connection ended with %v", c.Err())
	}
}

// The id of a session is in the header, or in the URL for messages as package sse has it.
func TestSessionID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		old := &site{}
		stream := make(chan string)
		old.does("GET", func(v *visit) {
			v.stream("event: endpoint\ndata: /post?sessionId=s2\n\n")
			v.stream(event(<-stream))
			v.wait()
		})
		initialize := 0
		old.does("initialize", func(v *visit) {
			if initialize++; initialize == 1 {
				v.WriteHeader(405)
				return
			}
			v.WriteHeader(http.StatusAccepted)
			stream <- answerTo(v.msg.ID, initialized("2024-11-05"))
		})
		for want, s := range map[string]*site{"s1": {}, "s2": old} {
			c := opened(t, s, nil)
			if got := c.SessionID(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	})
}

// The trace context of a message is repeated in headers, if it is visible.
func TestTraceContextIsMirrored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var header http.Header
		s := &site{}
		s.does("notifications/x", func(v *visit) { header = v.req.Header })
		c := opened(t, s, nil)
		send := func(meta string) {
			t.Helper()
			if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":` + meta + `}}`)}); err != nil {
				t.Fatal(err)
			}
		}
		send(`{"traceparent":"00-1-2-01","tracestate":"a=~ ","baggage":"x=\u007f"}`)
		if header.Get("Traceparent") != "00-1-2-01" || header.Get("Tracestate") != "a=~ " || header["Baggage"] != nil {
			t.Errorf("got %v", header)
		}
	})
}
