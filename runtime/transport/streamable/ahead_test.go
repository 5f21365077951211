package streamable_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func TestReadAhead(t *testing.T) {
	h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxRequests: 8, MaxBytes: 128 << 10})
	read := func(body string, length int64, n int64) (*httptest.ResponseRecorder, *http.Request, string, func(), bool) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.ContentLength = length
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		begun, release, ok := h.ReadAhead(w, r, n)
		return w, r, string(begun), release, ok
	}
	for range 20 { // more than there is room for at once
		for _, test := range []struct {
			body   string
			length int64
			want   string
		}{
			{"", 0, ""}, {"short", 5, "short"}, {"short", -1, "short"}, {"0123456789", 10, "0123456789"}, {"0123456789+", 11, "0123456789"}, {"0123456789+", -1, "0123456789"},
		} {
			_, r, begun, release, ok := read(test.body, test.length, 10)
			if !ok || begun != test.want {
				t.Fatalf("%q of %d: got %q, %t, want %q", test.body, test.length, begun, ok, test.want)
			}
			release()
			if rest, err := io.ReadAll(r.Body); begun+string(rest) != test.body || err != nil {
				t.Errorf("%q of %d: the rest is %q, %v", test.body, test.length, rest, err)
			}
		}
		if w, _, _, _, ok := read("short", 9, 10); ok || w.Code != http.StatusRequestTimeout {
			t.Fatalf("of a body that ends early: %t, status %d", ok, w.Code)
		}
	}
	long := strings.Repeat("x", 64<<10)
	_, _, _, release, ok := read(long, int64(len(long)), 20<<10) // a quarter of MaxBytes is 32 KiB
	if !ok {
		t.Fatal("there is no room for a body")
	}
	if w, _, _, _, ok := read(long, int64(len(long)), 64<<10); ok || w.Code != http.StatusServiceUnavailable {
		t.Errorf("of more bytes than there is room for: %t, status %d", ok, w.Code)
	}
	_, _, _, other, ok := read("", 0, 10)
	if !ok {
		t.Fatal("there is no room for a second request")
	}
	if w, _, _, _, ok := read("", 0, 10); ok || w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("of more requests than there is room for: %t, status %d", ok, w.Code)
	}
	release()
	other()
}
