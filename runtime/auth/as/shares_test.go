package as

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// TestMarksAreShared remembers what must not be used any more. It gives way to nothing, so each sender has a part.
func TestMarksAreShared(t *testing.T) {
	s := &Server{store: &store.Memory{}, used: share.NewSeen(8), revoked: share.NewSeen(8)}
	for what, use := range map[string]func(who, id string) error{
		"an assertion": func(who, id string) error {
			a := &assertion{claims: assertionClaims{ID: id, Expiry: jwt.NewNumericDate(time.Now().Add(time.Minute))}}
			return s.use(share.With(t.Context(), share.Of("", who, nil)), kindUsed, a, func(err error) error { return err })
		},
		"an access token": func(who, id string) error {
			return s.revokeAccess(t.Context(), &accessClaims{ID: id, Subject: who, Expiry: time.Now().Add(time.Minute).Unix()})
		},
	} {
		limits.Shared(t, 2, func(who string) bool {
			err := use(who, rand.Text())
			if err != nil && !errors.Is(err, store.ErrFull) {
				t.Errorf("%s: %v", what, err)
			}
			return err == nil
		})
	}
}

// A published is what is at URLs: a document for each, with a set of keys, and how often each was fetched.
type published struct {
	key   jose.JSONWebKey
	count map[string]int
}

func (p *published) RoundTrip(r *http.Request) (*http.Response, error) {
	at := r.URL.String()
	p.count[at]++
	text, err := json.Marshal(map[string]any{"client_id": at, "client_name": "x", "redirect_uris": []string{"https://app.example/cb"}, "keys": []jose.JSONWebKey{p.key}})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, err
}

// TestRememberedFetchesAreShared lets somebody name more documents, and sets of keys, than are remembered: what others use
// meanwhile stays, and the rest is fetched again.
func TestRememberedFetchesAreShared(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	web := &published{key: jose.JSONWebKey{Key: key.Public()}, count: map[string]int{}}
	d, k := newDocuments(&http.Client{Transport: web}, false), newRemoteKeys(&http.Client{Transport: web}, maxKeys)
	d.kept.MaxItems, k.sets.MaxItems = 10, 10
	for what, get := range map[string]func(url string) error{
		"document": func(url string) error {
			_, err := d.client(t.Context(), url)
			return err
		},
		"keys": func(url string) error {
			_, err := k.get(t.Context(), url, "")
			return err
		},
	} {
		used, idle := "https://used.example/"+what, "https://idle.example/"+what
		urls := []string{used, idle}
		for i := range 40 {
			urls = append(urls, fmt.Sprintf("https://mallory.example/%s/%d", what, i), used)
		}
		for _, url := range append(urls, idle) {
			if err := get(url); err != nil {
				t.Fatalf("%s: %v", url, err)
			}
		}
		if web.count[used] != 1 || web.count[idle] != 2 {
			t.Errorf("%s: what is used was fetched %d times, the other %d times", what, web.count[used], web.count[idle])
		}
	}
}
