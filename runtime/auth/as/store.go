package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Kind says what a record is about.
type Kind string

// The kinds of records.
const (
	KindClient  Kind = "client"  // a registered client, by its id
	KindLogin   Kind = "login"   // a browser in which somebody is logged in
	KindRequest Kind = "request" // an authorization request that waits for consent
	KindState   Kind = "state"   // one that waits for the upstream provider
	KindGrant   Kind = "grant"   // what a user granted, with its code and refresh token
	KindRevoked Kind = "revoked" // an access token that was revoked
	KindUsed    Kind = "used"    // an assertion or a proof that must not be used a second time
	KindKeys    Kind = "keys"    // the keys that sign access tokens
)

// A Record is what a [Store] keeps. Its value is JSON. Secrets in it are hashed, or encrypted if they must be
// read again, but for what clients are told in public.
type Record struct {
	Kind    Kind
	Key     string
	Value   []byte
	Expires time.Time // when it is no longer found
}

// A Store keeps the records of a [Server]. Its methods must be atomic and safe for concurrent use. Package storetest
// tests a store.
type Store interface {
	// Create stores a record whose key is new. The error is [ErrExists] if it is not, and [ErrFull] if there
	// is no room.
	Create(ctx context.Context, r Record) error

	// Get returns the record of a key. The error is [ErrNotFound] if there is none, or if it has expired.
	Get(ctx context.Context, kind Kind, key string) (Record, error)

	// Replace replaces the record of a key if its value is still old. The error is [ErrConflict] if it is
	// not, and [ErrNotFound] if there is no such record any more.
	Replace(ctx context.Context, old []byte, r Record) error

	// Take removes the record of a key and returns it. If several callers take it, one receives it; the others
	// receive [ErrNotFound].
	Take(ctx context.Context, kind Kind, key string) (Record, error)
}

// The errors of stores.
var (
	ErrNotFound = errors.New("as: there is no such record")
	ErrExists   = errors.New("as: there is a record of that key")
	ErrConflict = errors.New("as: the record has changed")
	ErrFull     = errors.New("as: there is no room for another record")
)

// create stores a record with the JSON of v as its value. See [Store].
func (s *Server) create(ctx context.Context, kind Kind, key string, v any, expires time.Time) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.store.Create(ctx, Record{Kind: kind, Key: key, Value: value, Expires: expires})
}

// load returns the record of a key, and decodes its value.
func (s *Server) load(ctx context.Context, kind Kind, key string, v any) (Record, error) {
	r, err := s.store.Get(ctx, kind, key)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(r.Value, v); err != nil {
		return r, fmt.Errorf("as: the %s %q: %w", kind, key, err)
	}
	return r, nil
}

// remove removes the record of a key, if there is one.
func (s *Server) remove(ctx context.Context, kind Kind, key string) error {
	if _, err := s.store.Take(ctx, kind, key); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}
