package as

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// The kinds of records, each the first part of its keys. Values are JSON. Secrets in them are hashed, or encrypted if
// they must be read again.
const (
	kindNewClient = "as-new-client" // a registered client that no user has granted anything, by its id
	kindClient    = "as-client"     // one that was granted something
	kindLogin     = "as-login"      // a browser in which a user is logged in
	kindDecided   = "as-decided"    // a consent page whose form was sent
	kindState     = "as-state"      // an authorization request that waits for the upstream provider
	kindGrant     = "as-grant"      // what a user granted, with its code and refresh token
	kindUsed      = "as-used"       // an assertion of a client of the options, which must not be used a second time
	kindForeign   = "as-foreign"    // one of another client
	kindKeys      = "as-keys"       // the keys that sign access tokens
)

// maxKept is of how many records of a kind a process knows whose they are.
const maxKept = 20_000

// maxYields is how many records give way to one that is larger.
const maxYields = 64

// of returns a user, as the one whose records there are. What nobody is known to ask for is that of the sender, which
// [share.From] knows.
func of(subject string) share.Owner { return share.Of(subject, "", nil) }

// The limits of the default store: how many records of each kind, and how many bytes they have. For what is kept without
// a login, they are those of each process with any store.
const (
	standardRecords = 10_000
	standardBytes   = 32 << 20
)

// put stores the JSON of v, for an owner, in place of the record with a revision, 0 if there must be none. See
// [store.Store]. If the store is full, older records of the owner that has most give way.
func (s *Server) put(ctx context.Context, who share.Owner, kind, key string, v any, revision uint64, expires time.Time) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	kept := s.kept[kind]
	for range maxYields {
		var next uint64
		if err = store.ErrFull; kept == nil || revision != 0 || !kept.Full(len(value), time.Now()) {
			next, err = s.store.Put(ctx, kind+"."+key, value, revision, max(time.Until(expires), time.Second))
		}
		if kept == nil {
			return err
		}
		if err == nil {
			kept.Put(who, key, next, len(value), expires)
			return nil
		}
		if !errors.Is(err, store.ErrFull) {
			return err
		}
		other, seen, ok := kept.Yield(who, len(value), time.Now())
		if !ok {
			return err
		}
		// If it has another revision, another process uses it.
		if err := s.store.Delete(ctx, kind+"."+other, seen); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return err
}

// delete deletes a record. See [store.Store].
func (s *Server) delete(ctx context.Context, kind, key string, revision uint64) error {
	if kept := s.kept[kind]; kept != nil {
		kept.Remove(key)
	}
	return s.store.Delete(ctx, kind+"."+key, revision)
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
	err := s.delete(ctx, kind, key, revision)
	if errors.Is(err, store.ErrConflict) {
		return store.ErrNotFound
	}
	return err
}
