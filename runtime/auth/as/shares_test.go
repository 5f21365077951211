package as

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// TestMarksAreShared remembers what must not be used any more. It gives way to nothing, so each sender has a part.
func TestMarksAreShared(t *testing.T) {
	s := &Server{store: &store.Memory{}, used: share.NewSeen(8)}
	limits.Shared(t, 2, func(who string) bool {
		a := &assertion{claims: jwt.Claims{ID: rand.Text(), Expiry: jwt.NewNumericDate(time.Now().Add(time.Minute))}}
		err := s.use(share.With(t.Context(), share.Of("", who, nil)), kindUsed, a)
		if err != nil && !errors.Is(err, store.ErrFull) {
			t.Error(err)
		}
		return err == nil
	})
}

// published has a document at each URL, and counts how often each was fetched.
type published map[string]int

func (p published) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.URL.String()
	p[at]++
	text, err := json.Marshal(map[string]any{"client_id": at, "client_name": "x", "redirect_uris": []string{"https://app.example/cb"}})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

// TestRememberedFetchesAreShared lets somebody name more documents than are remembered: what others use meanwhile stays, and
// the rest is fetched again.
func TestRememberedFetchesAreShared(t *testing.T) {
	web := published{}
	d := newDocuments(&http.Client{Transport: web}, false)
	d.kept.MaxItems = 10
	const used, idle = "https://used.example/a", "https://idle.example/a"
	urls := []string{used, idle}
	for i := range 40 {
		urls = append(urls, fmt.Sprintf("https://mallory.example/%d", i), used)
	}
	for _, url := range append(urls, idle) {
		if _, err := d.client(t.Context(), url); err != nil {
			t.Fatalf("%s: %v", url, err)
		}
	}
	if web[used] != 1 || web[idle] != 2 {
		t.Errorf("what is used was fetched %d times, the other %d times", web[used], web[idle])
	}
}
