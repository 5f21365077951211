package authclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A FileStore is a [Store] in a folder that several processes may share. It has a file for each key, which only the user
// may read. The file system must support locks.
type FileStore struct{ dir string }

// NewFileStore returns a store in a folder, which it creates if necessary.
func NewFileStore(dir string) (*FileStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("authclient: %w", err)
	}
	return &FileStore{dir}, nil
}

// path returns the file of a key. Its name does not reveal where the user has access.
func (s *FileStore) path(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16]))
}

// Load implements [Store].
func (s *FileStore) Load(_ context.Context, key string) ([]byte, error) {
	data, err := os.ReadFile(s.path(key) + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// lockPause is how long an Update waits before it tries again to lock what another one has locked.
const lockPause = 10 * time.Millisecond

// Update implements [Store].
func (s *FileStore) Update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	lock := flock.New(s.path(key) + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
		return fmt.Errorf("authclient: locking the store: %w", cmp.Or(context.Cause(ctx), err))
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
	if data == nil {
		if err := os.Remove(s.path(key) + ".json"); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return writeFile(s.path(key)+".json", data)
}

// writeFile replaces a file atomically: readers, even after a crash, find the old contents or the new.
//
// REQ AUTH-09
func writeFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
