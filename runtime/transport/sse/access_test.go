package sse_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
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

// The access log has a record of each HTTP request, without what would let its reader use the session.
func TestAccessLog(t *testing.T) {
	var out lockedBuffer
	var served sync.WaitGroup
	h := sse.NewHandler(newServer(t), &streamable.Options{
		AccessLog: slog.New(slog.NewJSONHandler(&out, nil)),
		Logger:    silent,
		Auth:      streamable.Named(func(*http.Request) (string, error) { return "ada", nil }),
	})
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		defer served.Done()
		h.ServeHTTP(w, r)
	}))
	defer hs.Close()
	s := open(t, hs.URL+"/sse")
	_, endpoint, _ := strings.Cut(s.event(t), " ")
	_, id, _ := strings.Cut(endpoint, "sessionId=")
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, `no JSON`} {
		resp, err := http.Post(hs.URL+endpoint, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	s.Body.Close()
	served.Wait()
	var got []string
	for line := range strings.Lines(out.b.String()) {
		var r struct {
			Method, Path, Principal, Address, Session, RPC, Name string
			Status                                               int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Address == "" || strings.Contains(line, id) || r.Session != "" && !strings.HasPrefix(id, r.Session) {
			t.Errorf("a record: %s", line)
		}
		got = append(got, fmt.Sprintf("%s %s %d %s %q %q %d", r.Method, r.Path, r.Status, r.Principal, r.RPC, r.Name, len(r.Session)))
	}
	// A response reaches its client before the record of it is written.
	slices.Sort(got)
	want := []string{`GET /sse 200 ada "" "" 0`, `POST /sse 202 ada "tools/call" "echo" 8`, `POST /sse 400 ada "" "" 8`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is not admitted is refused before its body is read, and says when to come again.
func TestAdmit(t *testing.T) {
	refuse := false
	h := sse.NewHandler(newServer(t), &streamable.Options{
		Logger:  silent,
		Address: func(*http.Request) string { return "192.0.2.9" },
		Admit: func(from transport.Origin) *transport.RefusedError {
			if from.Address != "192.0.2.9" {
				t.Errorf("from %+v", from)
			}
			if refuse {
				return transport.TryLater("too many requests", 1100*time.Millisecond)
			}
			return nil
		},
	})
	do := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "http://localhost/sse?sessionId=x", strings.NewReader("{}")))
		return w
	}
	if w := do("POST"); w.Code != 404 {
		t.Errorf("admitted: %d %s", w.Code, w.Body)
	}
	refuse = true
	for _, method := range []string{"GET", "POST"} {
		w := do(method)
		if w.Code != 429 || w.Header().Get("Retry-After") != "2" ||
			w.Body.String() != `{"jsonrpc":"2.0","error":{"code":-32603,"message":"too many requests; try again in 1.1s","data":{"retryAfterMs":1100}}}` {
			t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
}
