// Package keyring keeps the tokens of package authclient in the keyring of the operating system: the Keychain, the
// Credential Manager, or the Secret Service. The Credential Manager accepts at most 2,560 bytes; a longer token is not
// stored, which is logged, and the user has to log in again when the program next starts.
package keyring

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/zalando/go-keyring"

	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
)

//go:generate go run -C ../../.. ./internal/api -module runtime/auth/keyring runtime/auth/keyring/api.txt

// A Store is an [authclient.Store] in the user's keyring. Several processes may share it.
type Store struct{ service, locks string }

var _ authclient.Store = (*Store)(nil)

// New returns a store for a program. Service is the name that the keyring shows the user, such as that of the program.
// Locks is a folder for lock files, which are empty; the default is a folder in [os.UserCacheDir].
func New(service, locks string) (*Store, error) {
	if service == "" {
		return nil, errors.New("keyring: service is empty, want the name of the program")
	}
	if locks == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("keyring: %w", err)
		}
		locks = filepath.Join(cache, "mcpgen-keyring")
	}
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return &Store{service, locks}, nil
}

// Load implements [authclient.Store].
func (s *Store) Load(_ context.Context, key string) ([]byte, error) {
	text, err := keyring.Get(s.service, key)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("keyring: %w", err)
	}
	return []byte(text), nil
}

// lockPause is how long an Update waits before it tries again to lock what another one has locked.
const lockPause = 10 * time.Millisecond

// Update implements [authclient.Store].
func (s *Store) Update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	sum := sha256.Sum256([]byte(s.service + "\n" + key))
	lock := flock.New(filepath.Join(s.locks, hex.EncodeToString(sum[:])+".lock"))
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return fmt.Errorf("keyring: locking: %w", cmp.Or(context.Cause(ctx), err))
	}
	defer lock.Unlock()
	old, err := s.Load(ctx, key)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if data != nil {
		err = keyring.Set(s.service, key, string(data))
	} else if err = keyring.Delete(s.service, key); errors.Is(err, keyring.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	return nil
}
