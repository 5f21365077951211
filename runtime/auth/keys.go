package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
)

// A key set is fetched for one of three reasons, each of which has a limit, since tokens come from strangers:
//
//   - There are no keys, or they are stale. All tokens wait for the fetch, and share its error for failedWait.
//   - The keys have reached their age. They are fetched in the background, and used meanwhile.
//   - A token names a key that is not in the set, as after a rotation. It waits for a fetch, of which there is one in
//     unknownWait: whoever makes up key ids causes no more.

// The limits of a key set.
const (
	maxKeys     = 100
	minRSABits  = 2048
	unknownWait = time.Minute     // between two fetches because of unknown keys
	failedWait  = 5 * time.Second // between two fetches while there are no keys

	keysAge   = 15 * time.Minute // when keys are fetched again in the background
	keysStale = 4 * keysAge      // when they are not used until they are fetched again
)

// A keySet holds the keys of an authorization server: RFC 7517 section 5. They are fetched when they are first needed,
// again in the background when they have reached their age, and again when a token has an unknown key. There is at
// most one fetch at a time, and no token whose key is known waits for it.
type keySet struct {
	issuer string
	client *http.Client

	list atomic.Pointer[keyList]

	mu      sync.Mutex
	last    *keyFetch // the last fetch, which may be under way
	unknown time.Time // when keys were last fetched because one was unknown
}

// A keyList holds keys that were fetched together.
type keyList struct {
	keys    []jose.JSONWebKey
	fetched time.Time
}

// A keyFetch is a fetch of keys. Err and end are set before done is closed; mu guards end, which is zero while the fetch is
// under way.
type keyFetch struct {
	done chan struct{}
	err  error
	end  time.Time
}

// find returns the keys that may have signed a token with a key id and an algorithm, and the list that they are from. Without a
// key id they are all for the algorithm.
func (s *keySet) find(ctx context.Context, id string, algorithm string) ([]jose.JSONWebKey, *keyList, error) {
	list, err := s.current(ctx)
	if err != nil {
		return nil, nil, err
	}
	keys := list.find(id, algorithm)
	if len(keys) == 0 {
		if err := s.fetchUnknown(ctx); err != nil {
			return nil, nil, err
		}
		list = s.list.Load()
		keys = list.find(id, algorithm)
	}
	return keys, list, nil
}

func (l *keyList) find(id string, algorithm string) (found []jose.JSONWebKey) {
	for _, k := range l.keys {
		if (id == "" || k.KeyID == id) && (k.Algorithm == "" || k.Algorithm == algorithm) {
			found = append(found, k)
		}
	}
	return found
}

// current returns the keys that are known, unless they are too old.
func (s *keySet) current(ctx context.Context) (*keyList, error) {
	list := s.list.Load()
	if list != nil {
		age := time.Since(list.fetched)
		if age < keysAge {
			return list, nil
		}
		if age < keysStale {
			s.start(unknownWait)
			return list, nil
		}
	}
	if err := s.wait(ctx, s.start(failedWait)); err != nil {
		return nil, err
	}
	return s.list.Load(), nil
}

// fetchUnknown fetches the keys because one is unknown, unless that was done shortly before. If a fetch is under way, the
// caller waits for that one: it may find the key.
func (s *keySet) fetchUnknown(ctx context.Context) error {
	s.mu.Lock()
	if !s.last.end.IsZero() && time.Since(s.unknown) >= unknownWait {
		s.unknown = time.Now()
		s.fetchLocked()
	}
	f := s.last
	s.mu.Unlock()
	return s.wait(ctx, f)
}

// start returns a fetch that is under way, or that ended less than pause ago.
func (s *keySet) start(pause time.Duration) *keyFetch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || !s.last.end.IsZero() && time.Since(s.last.end) >= pause {
		s.fetchLocked()
	}
	return s.last
}

// fetchLocked begins a fetch, with mu held. It may outlive the request that caused it, since others wait for it. A fetch
// that fails leaves the keys as they are.
func (s *keySet) fetchLocked() {
	f := &keyFetch{done: make(chan struct{})}
	s.last = f
	go func() {
		keys, err := flights.Contained(s.fetch)
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.end = time.Now(); err == nil {
			s.list.Store(&keyList{keys, f.end})
		}
		f.err = err
		close(f.done)
	}()
}

// wait returns the error of a fetch, or that of a caller who does not wait for its end.
func (s *keySet) wait(ctx context.Context, f *keyFetch) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fetch fetches the keys that can verify signatures, at most maxKeys of them. What else is in the set counts for nothing,
// so that a key of a new kind does not shut everybody out.
func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	m, err := FetchServerMetadata(ctx, s.client, s.issuer)
	if err != nil {
		return nil, err
	}
	if m.JWKSURI == "" {
		return nil, fmt.Errorf("auth: the metadata of %s has no jwks_uri", s.issuer)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if _, err := fetch.Get(ctx, s.client, m.JWKSURI, nil, &set); err != nil {
		return nil, fmt.Errorf("auth: the keys of %s: %s: %w", s.issuer, m.JWKSURI, err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		if k, err := parseKey(raw); err == nil && len(keys) < maxKeys {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// parseKey parses a signing key. A set may have other keys, which are ignored: RFC 7517 section 5.
func parseKey(raw []byte) (k jose.JSONWebKey, err error) {
	if err := k.UnmarshalJSON(raw); err != nil {
		return k, err
	}
	if !k.IsPublic() || !k.Valid() || k.Use != "" && k.Use != "sig" {
		return k, errors.New("want a public key that signs")
	}
	if r, ok := k.Key.(*rsa.PublicKey); ok && r.N.BitLen() < minRSABits {
		return k, fmt.Errorf("want at least %d bits", minRSABits)
	}
	return k, nil
}
