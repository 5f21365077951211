package keyring

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/zalando/go-keyring"
)

// REQ AUTH-09
func TestStore(t *testing.T) {
	keyring.MockInit()
	s, err := New("mcpgen test", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const key = "token https://example.com/mcp"
	load := func() string {
		t.Helper()
		data, err := s.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	set := func(text string) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return []byte(text), nil }
	}
	if got := load(); got != "" {
		t.Errorf("an empty store has %q", got)
	}
	if err := s.Update(t.Context(), key, set("one")); err != nil || load() != "one" {
		t.Errorf("got %q, %v", load(), err)
	}
	failed := errors.New("failed")
	if err := s.Update(t.Context(), key, func([]byte) ([]byte, error) { return []byte("two"), failed }); err != failed || load() != "one" {
		t.Errorf("a failed change: got %q, %v", load(), err)
	}
	for range 2 {
		if err := s.Update(t.Context(), key, func([]byte) ([]byte, error) { return nil, nil }); err != nil || load() != "" {
			t.Errorf("deleted: got %q, %v", load(), err)
		}
	}
}

// Stores of several processes are several stores here.
func TestUpdatesOneAfterTheOther(t *testing.T) {
	keyring.MockInit()
	locks := t.TempDir()
	var wg sync.WaitGroup
	for range 20 {
		s, err := New("mcpgen test", locks)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			err := s.Update(context.Background(), "n", func(old []byte) ([]byte, error) {
				n, _ := strconv.Atoi(string(old))
				return []byte(strconv.Itoa(n + 1)), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, err := keyring.Get("mcpgen test", "n"); got != "20" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("locked")
	keyring.MockInitWithError(broken)
	s, err := New("mcpgen test", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), "a"); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := s.Update(t.Context(), "a", nil); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	keyring.MockInit()
	err = s.Update(t.Context(), "a", func([]byte) ([]byte, error) {
		keyring.MockInitWithError(broken)
		return []byte("b"), nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("a keyring that was locked meanwhile: got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(broken)
	changed := func([]byte) ([]byte, error) { panic("not reached") }
	if err := s.Update(ctx, "a", changed); !errors.Is(err, broken) {
		t.Errorf("nobody waits for the lock: got %v", err)
	}
	if _, err := New("", t.TempDir()); err == nil {
		t.Error("a store without a name")
	}
	if _, err := New("a", os.DevNull+"/x"); err == nil {
		t.Error("a store without a folder for locks")
	}
}

// Only the user may see the folder of the locks, which is in the cache if the program names none.
func TestFolder(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} { // of all systems
		t.Setenv(name, home)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New("a", ""); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(cache, "mcpgen-keyring"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o700 {
		t.Errorf("got the mode %o", mode)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if _, err := New("a", ""); err == nil {
		t.Error("a store without a home")
	}
}
