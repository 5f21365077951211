package as

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
)

const (
	maxRemoteKeys  = 1000        // sets that are kept
	remoteKeysTime = time.Hour   // how long they are kept at most
	remoteKeysWait = time.Minute // how long before an unknown key causes another fetch
	maxIssuerKeys  = 100         // of an issuer that the program trusts; clients have maxKeys
)

// remoteKeys holds the keys of clients and issuers that publish them at a URL.
type remoteKeys struct {
	http    *http.Client
	max     int // keys of a set
	fetches *fetches[*jose.JSONWebKeySet]

	mu   sync.Mutex
	sets lru.Map[string, remoteSet]
}

type remoteSet struct {
	keys    *jose.JSONWebKeySet
	fetched time.Time
}

func newRemoteKeys(c *http.Client, max int) *remoteKeys {
	return &remoteKeys{http: c, max: max, fetches: newFetches[*jose.JSONWebKeySet](), sets: lru.Map[string, remoteSet]{MaxItems: maxRemoteKeys}}
}

// get returns the keys at a URL. If no known key has the given id, it fetches them again, but at most once a
// minute.
func (k *remoteKeys) get(ctx context.Context, url, id string) (*jose.JSONWebKeySet, error) {
	k.mu.Lock()
	have, found := k.sets.Get(url)
	k.mu.Unlock()
	known := found && (id == "" || slices.ContainsFunc(have.keys.Keys, func(key jose.JSONWebKey) bool { return key.KeyID == id }))
	if age := time.Since(have.fetched); found && (age < remoteKeysWait || known && age < remoteKeysTime) {
		return have.keys, nil
	}
	return k.fetches.do(ctx, url, func(ctx context.Context) (*jose.JSONWebKeySet, error) { return k.fetch(ctx, url) })
}

func (k *remoteKeys) fetch(ctx context.Context, url string) (*jose.JSONWebKeySet, error) {
	var set struct {
		Keys json.RawMessage `json:"keys"`
	}
	if _, err := fetch.Get(ctx, k.http, url, &set); err != nil {
		return nil, errors.New("the keys could not be fetched")
	}
	text, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(text, k.max)
	if err != nil {
		return nil, errors.New("the keys at their URL: " + err.Error())
	}
	k.keep(url, remoteSet{keys, time.Now()})
	return keys, nil
}

// keep keeps a set. If there are too many, it drops the least recently used one.
func (k *remoteKeys) keep(url string, set remoteSet) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sets.Put(url, set, 0)
}
