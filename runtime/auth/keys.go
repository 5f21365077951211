package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// The limits of a key set.
const (
	maxKeys     = 100
	minRSABits  = 2048
	unknownWait = time.Minute     // between two fetches because of unknown keys
	failedWait  = 5 * time.Second // between two fetches while there are no keys
	staleAges   = 4               // after this many ages, keys are not used until they are fetched again
	maxKeyAge   = 24 * time.Hour
)

// A publicKey is the public key of a key with which an authorization server signs.
type publicKey struct {
	keyName
	key crypto.PublicKey
}

// A keyName tells keys apart.
type keyName struct {
	id        string
	algorithm string // empty: any that suits the key
	sum       string // the thumbprint
}

// suits reports whether the key may be used with an algorithm, so that no key is taken for one of another type.
func (k *publicKey) suits(algorithm string) bool {
	if k.algorithm != "" {
		return k.algorithm == algorithm
	}
	switch key := k.key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	case *ecdsa.PublicKey:
		only, err := oauth.Algorithm(key, nil)
		return err == nil && string(only) == algorithm
	}
	return false
}

// A keySet holds the keys of an authorization server: RFC 7517 section 5. They are fetched when they are first needed,
// again in the background when they have reached their age, and again when a token has an unknown key. There is at
// most one fetch at a time, and no token whose key is known waits for it.
type keySet struct {
	issuer string
	uri    string // empty: as the metadata of the issuer says
	age    time.Duration
	client *http.Client

	list atomic.Pointer[keyList]

	mu      sync.Mutex
	last    *keyFetch // the last fetch, which may be under way
	unknown time.Time // when keys were last fetched because one was unknown
}

// A keyList holds keys that were fetched together.
type keyList struct {
	keys    []*publicKey
	fetched time.Time
}

// has reports whether the authorization server still publishes a key.
func (l *keyList) has(name keyName) bool {
	return slices.ContainsFunc(l.keys, func(k *publicKey) bool { return k.keyName == name })
}

// A keyFetch is a fetch of keys. Err and end are set before done is closed; mu guards end.
type keyFetch struct {
	done chan struct{}
	err  error
	end  time.Time
}

// find returns the keys that may have signed a token with a key id and an algorithm; without a key id, all that suit
// the algorithm.
func (s *keySet) find(ctx context.Context, id string, algorithm string) ([]*publicKey, error) {
	list, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if keys := list.find(id, algorithm); len(keys) > 0 {
		return keys, nil
	}
	if err := s.fetchUnknown(ctx); err != nil {
		return nil, err
	}
	return s.list.Load().find(id, algorithm), nil
}

func (l *keyList) find(id string, algorithm string) []*publicKey {
	var found []*publicKey
	for _, k := range l.keys {
		if (id == "" || k.id == id) && k.suits(algorithm) {
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
		if age < s.age {
			return list, nil
		}
		if age < staleAges*s.age {
			s.start(unknownWait)
			return list, nil
		}
	}
	if err := s.wait(ctx, s.start(failedWait)); err != nil {
		return nil, err
	}
	return s.list.Load(), nil
}

// fetchUnknown fetches the keys because one is unknown, unless that was done shortly before.
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

// fetchLocked begins a fetch. It may outlive the request that caused it, since others wait for it.
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

func (s *keySet) wait(ctx context.Context, f *keyFetch) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *keySet) fetch(ctx context.Context) ([]*publicKey, error) {
	uri := s.uri
	if uri == "" {
		m, err := FetchServerMetadata(ctx, s.client, s.issuer)
		if err != nil {
			return nil, err
		}
		if uri = m.JWKSURI; uri == "" {
			return nil, fmt.Errorf("auth: the metadata of %s has no jwks_uri", s.issuer)
		}
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if _, err := fetch.Get(ctx, s.client, uri, &set); err != nil {
		return nil, fmt.Errorf("auth: the keys of %s: %s: %w", s.issuer, uri, err)
	}
	var keys []*publicKey
	for _, raw := range set.Keys {
		if k, err := parseKey(raw); err == nil && len(keys) < maxKeys {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// parseKey parses a signing key. A set may have other keys, which are ignored: RFC 7517 section 5.
func parseKey(raw []byte) (*publicKey, error) {
	var k jose.JSONWebKey
	if err := k.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	if !k.IsPublic() || !k.Valid() || k.Use != "" && k.Use != "sig" {
		return nil, errors.New("want a public key that signs")
	}
	if r, ok := k.Key.(*rsa.PublicKey); ok && r.N.BitLen() < minRSABits {
		return nil, fmt.Errorf("want at least %d bits", minRSABits)
	}
	sum, err := k.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, err
	}
	return &publicKey{keyName{k.KeyID, k.Algorithm, string(sum)}, k.Key}, nil
}
