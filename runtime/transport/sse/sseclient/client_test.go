package sseclient_test

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
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse/sseclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var silent = slog.New(slog.DiscardHandler)

func connect(t *testing.T, url string, opts *sseclient.Options) (*client.Client, error) {
	t.Helper()
	var o sseclient.Options
	if opts != nil {
		o = *opts
	}
	o.Logger = silent
	c, err := client.Connect(t.Context(), sseclient.New(url, &o), &client.Options{
		Revisions: []wire.Revision{mcp.V2024_11_05},
		Logger:    silent,
		Limits:    transport.Limits{Timeout: time.Minute},
	})
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

// What a client makes of what should be the beginning of a stream.
//
// REQ SSE-02, SSE-03, SSE-07
func TestClientOpens(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a stranger got %s %s", r.Method, r.URL)
	}))
	t.Cleanup(stranger.Close)
	const silent = "sse: the server does not respond"
	for name, test := range map[string]struct {
		get  func(w http.ResponseWriter)
		want string
	}{
		"refused":        {func(w http.ResponseWriter) { w.WriteHeader(405) }, "the server answered GET with HTTP status 405"},
		"web page":       {func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html") }, `the server answered GET with HTTP status 200: content type "text/html", want text/event-stream`},
		"empty":          {func(w http.ResponseWriter) {}, "sse: the stream ended before the event endpoint"},
		"cut":            {func(w http.ResponseWriter) { io.WriteString(w, "event: "); flush(w); panic(http.ErrAbortHandler) }, "sse: the stream broke off before the event endpoint: unexpected EOF"},
		"another event":  {func(w http.ResponseWriter) { io.WriteString(w, "data: {}\n\n") }, `sse: the stream begins with the event "", want endpoint`},
		"no URL":         {func(w http.ResponseWriter) { io.WriteString(w, "event: endpoint\ndata: :\n\n") }, `sse: the event endpoint has no URL: parse ":": missing protocol scheme`},
		"another origin": {func(w http.ResponseWriter) { io.WriteString(w, "event: endpoint\ndata: "+stranger.URL+"/x\n\n") }, "sse: the server wants messages to go to another origin, " + stranger.URL + "/x"},
		"another scheme": {func(w http.ResponseWriter) { io.WriteString(w, "event: endpoint\ndata: javascript:1\n\n") }, "sse: the server wants messages to go to another origin, javascript:1"},
		"another host":   {func(w http.ResponseWriter) { io.WriteString(w, "event: endpoint\ndata: //evil.example/x\n\n") }, "sse: the server wants messages to go to another origin, http://evil.example/x"},
		"too long": {func(w http.ResponseWriter) {
			io.WriteString(w, "event: endpoint\ndata: "+strings.Repeat("x", 5000)+"\n\n")
		}, "sse: the stream broke off before the event endpoint: eventstream: event too large: it has more than the 1000 bytes allowed"},
		"silence":         {flush, silent},
		"nothing but air": {func(http.ResponseWriter) {}, silent},
	} {
		t.Run(name, func(t *testing.T) {
			hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				test.get(w)
				if test.want == silent {
					<-r.Context().Done()
				}
			}))
			defer hs.Close()
			opts := &sseclient.Options{MaxMessage: 1000}
			if test.want == silent {
				opts.HeaderTimeout = 100 * time.Millisecond
			}
			_, err := connect(t, hs.URL, opts)
			if want := "initialize: " + test.want; err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// A message that the server refuses fails alone; the end of the stream is the end of all.
func TestClientFails(t *testing.T) {
	cut, called := make(chan bool), make(chan bool)
	hs := httptest.NewServer(nil)
	t.Cleanup(hs.Close)
	messages := make(chan string, 10)
	hs.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: endpoint\ndata: "+hs.URL+"/post#fragment\n\nevent: other\ndata: {}\n\n")
			for flush(w); ; flush(w) {
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
		switch m.Method {
		case "initialize":
			messages <- `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`
		case "tools/list":
			http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`, 400)
		case "prompts/list":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "tools/call":
			close(called)
		}
	})
	c, err := connect(t, hs.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.ListTools(t.Context(), nil)
	status, ok := errors.AsType[*transport.StatusError](err)
	if !ok || status.Status != 400 || !errors.Is(err, jsonrpc.ErrInvalidRequest) || !errors.As(err, new(*transport.RequestError)) {
		t.Errorf("a request that is refused: %v", err)
	}
	if _, err := c.ListPrompts(t.Context(), nil); err == nil || err.Error() != `prompts/list: Post "/elsewhere": redirect that makes a GET of a POST` {
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

// A client that was never used, one with a bad URL, and one that is closed.
func TestClientClose(t *testing.T) {
	hs := httptest.NewServer(http.NotFoundHandler())
	defer hs.Close()
	for _, c := range []*sseclient.Client{sseclient.New(hs.URL, nil), sseclient.New("nonsense", nil)} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := c.Receive(t.Context()); err != transport.ErrClosed {
			t.Errorf("Receive: %v", err)
		}
		if err := c.Send(t.Context(), transport.Message{Data: []byte(`{}`)}); err == nil {
			t.Error("Send after Close succeeds")
		}
	}
}
