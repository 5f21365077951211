package as

import (
	"context"
	"errors"
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
