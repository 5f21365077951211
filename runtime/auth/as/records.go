package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/store"
)

// The kinds of records, each the first part of its keys. Values are JSON. Secrets in them are hashed, or encrypted if
// they must be read again.
const (
	kindClient  = "as-client"  // a registered client, by its id
	kindLogin   = "as-login"   // a browser in which a user is logged in
	kindRequest = "as-request" // an authorization request that waits for consent
	kindState   = "as-state"   // one that waits for the upstream provider
	kindGrant   = "as-grant"   // what a user granted, with its code and refresh token
	kindRevoked = "as-revoked" // an access token that was revoked
	kindUsed    = "as-used"    // an assertion that must not be used a second time
	kindKeys    = "as-keys"    // the keys that sign access tokens
)

// The limits of the default store: how many records of each kind, and how many bytes they have.
const (
	standardRecords = 10_000
	standardBytes   = 32 << 20
)

// put stores the JSON of v in place of the record with a revision, 0 if there must be none. See [store.Store].
func (s *Server) put(ctx context.Context, kind, key string, v any, revision uint64, expires time.Time) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.store.Put(ctx, kind+"."+key, value, revision, max(time.Until(expires), time.Second))
	return err
}

// load decodes the record with a key, which may be any text from a request, and returns its revision.
func (s *Server) load(ctx context.Context, kind, key string, v any) (revision uint64, err error) {
	r, err := s.store.Get(ctx, kind+"."+key)
	if errors.Is(err, store.ErrKey) {
		return 0, store.ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(r.Value, v); err != nil {
		return 0, fmt.Errorf("as: the record %s.%s: %w", kind, key, err)
	}
	return r.Revision, nil
}

// take removes a record that was loaded. If several callers take it, one succeeds; for the others it is not found.
func (s *Server) take(ctx context.Context, kind, key string, revision uint64) error {
	err := s.store.Delete(ctx, kind+"."+key, revision)
	if errors.Is(err, store.ErrConflict) {
		return store.ErrNotFound
	}
	return err
}
