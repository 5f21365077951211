package sse_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

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
