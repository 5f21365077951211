package keyring

import (
	"context"
	"errors"
	"os"
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
	if _, err := New("", t.TempDir()); err == nil {
		t.Error("a store without a name")
	}
	if _, err := New("a", os.DevNull+"/x"); err == nil {
		t.Error("a store without a folder for locks")
	}
}
