package streamable_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A lockedBuffer may be written to by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestAccessLog is what the log has of HTTP requests.
func TestAccessLog(t *testing.T) {
	for _, c := range []struct {
		rev  wire.Revision
		want []string // in any order
	}{
		{mcp.V2025_11_25, []string{
			"POST /mcp 200 ada initialize  session", "POST /mcp 202 ada notifications/initialized  session", "GET /mcp 200 ada   session",
			"POST /mcp 200 ada tools/call echo session", "POST /mcp 200 ada tools/call none session", "DELETE /mcp 204 ada   session",
			"PUT /mcp 405    ", "POST /mcp 415 ada   ",
		}},
		{mcp.V2026_07_28, []string{
			"POST /mcp 200 ada server/discover  ", "POST /mcp 200 ada tools/call echo ", "POST /mcp 200 ada tools/call none ",
			"PUT /mcp 405    ", "POST /mcp 415 ada   ",
		}},
	} {
		t.Run(c.rev.String(), func(t *testing.T) {
			s := newServer(nil)
			tool(t, s, "echo", echo)
			var out lockedBuffer
			h := streamable.NewHandler(s, &streamable.Options{
				AccessLog: slog.New(slog.NewJSONHandler(&out, nil)),
				Logger:    slog.New(slog.DiscardHandler),
				Auth:      streamable.Named(func(*http.Request) (string, error) { return "ada", nil }),
			})
			var served sync.WaitGroup
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				served.Add(1)
				defer served.Done()
				h.ServeHTTP(w, r)
			}))
			defer srv.Close()
			cl, err := client.Connect(t.Context(), httpclient.New(srv.URL+"/mcp", nil), &client.Options{Revisions: []wire.Revision{c.rev}})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"echo", "none"} {
				cl.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: name, Arguments: wire.Raw(`{"text":"x"}`)})
			}
			cl.Close()
			for _, method := range []string{"PUT", "POST"} {
				r, err := http.NewRequestWithContext(t.Context(), method, srv.URL+"/mcp", strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
			}
			h.Shutdown(t.Context())
			srv.Close() // waits for all requests
			got := map[string]int{}
			for line := range strings.Lines(out.b.String()) {
				var r struct {
					Msg, Method, Path, Address, Principal, Session, RPC, Name string
					Status                                                    int
					Duration                                                  *int64
				}
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				if r.Msg != "http: request" || r.Duration == nil || *r.Duration < 0 || !strings.HasPrefix(r.Address, "127.0.0.1:") {
					t.Errorf("the record %s", line)
				}
				if len(r.Session) == 8 {
					r.Session = "session"
				}
				got[strings.Join([]string{r.Method, r.Path, http.StatusText(r.Status), r.Principal, r.RPC, r.Name, r.Session}, " ")]++
			}
			total := 0
			for _, n := range got {
				total += n
			}
			for _, want := range c.want {
				method, rest, _ := strings.Cut(want, " /mcp ")
				status, rest, _ := strings.Cut(rest, " ")
				if key := method + " /mcp " + statusText[status] + " " + rest; got[key] != 1 {
					t.Errorf("there are %d records of %q, want 1", got[key], key)
				}
			}
			if total != len(c.want) {
				t.Errorf("the records are %v", got)
			}
		})
	}
}

var statusText = map[string]string{"200": "OK", "202": "Accepted", "204": "No Content", "405": "Method Not Allowed", "415": "Unsupported Media Type"}
