package sqlitestore_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/auth/as/sqlitestore"
	"github.com/mcpgen/mcpgen/runtime/auth/as/storetest"
)

func open(t *testing.T, path string, opts *sqlitestore.Options) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, max int) as.Store {
		return open(t, filepath.Join(t.TempDir(), "a b?c#d.db"), &sqlitestore.Options{MaxRecords: max})
	})
}

// TestReopen keeps what was stored, in a file that nobody else may read.
//
// REQ AUTH-09
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "as.db")
	r := as.Record{Kind: as.KindGrant, Key: "a", Value: []byte("1"), Expires: time.Now().Add(time.Hour)}
	first, err := sqlitestore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := open(t, path, nil).Get(context.Background(), r.Kind, r.Key); err != nil || string(got.Value) != "1" {
		t.Errorf("got %v, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 {
		t.Fatalf("the file is %v, %v", info, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the file has mode %o, want 600", mode)
	}
}
