package servercard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/servercard"
)

const card = `{"name":"io.github.example/weather","description":"The weather.","version":"1.0.0"}` + "\n"

func TestServe(t *testing.T) {
	h, err := servercard.New([]byte(card))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/mcp/server-card", nil)
		r.Header.Set("Origin", "https://elsewhere.example")
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	got := ask("GET", "")
	if got.Code != http.StatusOK || got.Body.String() != card || got.Header().Get("Content-Type") != servercard.MIMEType || got.Header().Get("Access-Control-Allow-Origin") != "*" ||
		got.Header().Get("Cache-Control") != "public, max-age=3600" || got.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("got %d %v %s", got.Code, got.Header(), got.Body)
	}
	if again := ask("GET", got.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("a card that is known: got %d %s", again.Code, again.Body)
	}
	if head := ask("HEAD", ""); head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("ETag") != got.Header().Get("ETag") {
		t.Errorf("HEAD: got %d %v", head.Code, head.Header())
	}
	for _, method := range []string{"POST", "DELETE", "OPTIONS"} {
		if w := ask(method, ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: got %d %v", method, w.Code, w.Header())
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "servercard: ",
		`[]`:                             "servercard: want a string name",
		`{"name":"a"`:                    "servercard: ",
		`{"name":"a","version":"1"}`:     "servercard: want a string description",
		`{"name":"a","description":"b"}`: "servercard: want a string version",
		strings.Replace(card, "The", strings.Repeat("x", 300_000), 1): "servercard: want at most 262144 bytes, got 3000",
	} {
		if _, err := servercard.New([]byte(text)); !strings.HasPrefix(fmt.Sprint(err), want) || want == "servercard: " && strings.Contains(err.Error(), "want a string") {
			t.Errorf("%.50s: got %v", text, err)
		}
	}
}
