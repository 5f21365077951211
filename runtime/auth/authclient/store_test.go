package authclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// REQ AUTH-09
func TestStores(t *testing.T) {
	files, err := NewFileStore(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Store{new(MemoryStore), files} {
		load := func(key string) string {
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
		if got := load("a"); got != "" {
			t.Errorf("%T: an empty store has %q", s, got)
		}
		if err := errors.Join(s.Update(t.Context(), "a", set("one")), s.Update(t.Context(), "b", set("two"))); err != nil || load("a") != "one" || load("b") != "two" {
			t.Errorf("%T: got %q, %q, %v", s, load("a"), load("b"), err)
		}
		failed := errors.New("failed")
		if err := s.Update(t.Context(), "a", func([]byte) ([]byte, error) { return []byte("x"), failed }); err != failed || load("a") != "one" {
			t.Errorf("%T: a failed change: got %q, %v", s, load("a"), err)
		}
		for range 2 {
			if err := s.Update(t.Context(), "a", func([]byte) ([]byte, error) { return nil, nil }); err != nil || load("a") != "" || load("b") != "two" {
				t.Errorf("%T: deleted: got %q, %v", s, load("a"), err)
			}
			if data, _ := s.Load(t.Context(), "a"); data != nil {
				t.Errorf("%T: something is left of what was deleted", s)
			}
		}
		err := s.Update(t.Context(), "b", func([]byte) ([]byte, error) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(failed)
			return []byte("two"), s.Update(ctx, "b", set("x"))
		})
		if !errors.Is(err, failed) {
			t.Errorf("%T: waiting for another: got %v", s, err)
		}
	}
}

// Updates of a key run one after the other, those of another key meanwhile.
//
// REQ AUTH-09
func TestUpdatesAreExclusive(t *testing.T) {
	files, err := NewFileStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Store{new(MemoryStore), files} {
		var inside atomic.Int32
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				err := s.Update(t.Context(), "n", func(old []byte) ([]byte, error) {
					if n := inside.Add(1); n != 1 {
						t.Errorf("%T: %d updates at once", s, n)
					}
					defer inside.Add(-1)
					n, _ := strconv.Atoi(string(old))
					return []byte(strconv.Itoa(n + 1)), s.Update(t.Context(), "other", func([]byte) ([]byte, error) { return []byte("x"), nil })
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := s.Load(t.Context(), "n"); string(got) != "10" || err != nil {
			t.Errorf("%T: got %s, %v", s, got, err)
		}
	}
}

// What the file store writes is the user's alone, also while it is written.
//
// REQ AUTH-09
func TestFileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("only Unix has file modes")
	}
	dir := filepath.Join(t.TempDir(), "tokens")
	s, err := NewFileStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	check := func() {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) == 0 {
			t.Fatal(entries, err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(e.Name(), "example") {
				t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
			}
		}
	}
	for range 2 {
		err := s.Update(t.Context(), "token https://example.com", func([]byte) ([]byte, error) { return []byte("x"), nil })
		if err != nil {
			t.Fatal(err)
		}
		check()
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	if _, err := NewFileStore(filepath.Join(os.DevNull, "x")); err == nil {
		t.Error("a folder that cannot be made")
	}
}

// Several processes add to the same number, one after the other, while another one reads. Nothing is lost, and the
// reader never sees half of it.
//
// REQ AUTH-09
func TestProcesses(t *testing.T) {
	const env, processes, rounds = "AUTHCLIENT_TEST_STORE", 4, 50
	add := func(dir string) error {
		s, err := NewFileStore(dir)
		for i := 0; i < rounds && err == nil; i++ {
			err = s.Update(context.Background(), "n", func(old []byte) ([]byte, error) {
				n, _ := strconv.Atoi(strings.TrimSpace(string(old)))
				return fmt.Appendf(nil, "%1000d", n+1), nil
			})
		}
		return err
	}
	if dir := os.Getenv(env); dir != "" {
		if err := add(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), env+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done := make(chan bool)
	go func() { all.Wait(); close(done) }()
	s, err := NewFileStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(time.Millisecond):
		}
		if data, err := s.Load(t.Context(), "n"); err != nil || data != nil && len(data) != 1000 {
			t.Fatalf("got %d bytes, %v", len(data), err)
		}
	}
	data, err := s.Load(t.Context(), "n")
	if got := strings.TrimSpace(string(data)); err != nil || got != strconv.Itoa(processes*rounds) {
		t.Errorf("got %s, %v", got, err)
	}
}

// Programs that share a store use a refresh token once, and each other's tokens.
//
// REQ AUTH-09
func TestSharedStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Hour
		store := new(MemoryStore)
		programs := make([]*Transport, 20)
		for i := range programs {
			programs[i] = newTransport(t, w, as, &Options{Store: store})
			welcome(t, programs[i])
		}
		for round := range 2 {
			sleep(time.Hour)
			var calls sync.WaitGroup
			for _, tr := range programs {
				calls.Go(func() {
					if got, err := askWith(t.Context(), tr, "x"); got != "welcome" || err != nil {
						t.Errorf("got %q, %v", got, err)
					}
				})
			}
			calls.Wait()
			if n := w.count("POST " + endpointURL); len(as.logins) != 1 || len(as.tokens) != round+2 || n != 1+20*(round+2) {
				t.Errorf("%d logins, %d token requests, %d requests", len(as.logins), len(as.tokens), n)
			}
		}
	})
}

// A store that does not work does not keep a token from being used, but it is said.
func TestBrokenStore(t *testing.T) {
	w, _, as := newWorld(t)
	var log bytes.Buffer
	tr := newTransport(t, w, as, &Options{Store: brokenStore{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	welcome(t, tr)
	if !strings.Contains(log.String(), "the token could not be stored") || strings.Contains(log.String(), "secret") {
		t.Errorf("the log is %s", log.String())
	}
	if !strings.Contains(log.String(), "the registration could not be stored") {
		t.Errorf("the log is %s", log.String())
	}
	as.onToken = func(w http.ResponseWriter, _ *http.Request) bool {
		object(w, 400, map[string]any{"error": "invalid_client"})
		return true
	}
	refused(t, newTransport(t, w, as, &Options{Store: brokenStore{}, Logger: slog.New(slog.NewTextHandler(&log, nil))}), "invalid_client")
	if !strings.Contains(log.String(), "the registration could not be removed") {
		t.Errorf("the log is %s", log.String())
	}
	var standard bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&standard, nil)))
	as.onToken = nil
	silent, err := New(endpointURL, &Options{Base: w, HTTP: &http.Client{Transport: w}, Store: brokenStore{}, Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: as.authorize}})
	if err != nil {
		t.Fatal(err)
	}
	if welcome(t, silent); !strings.Contains(standard.String(), "the token could not be stored") {
		t.Errorf("the standard log is %s", standard.String())
	}
	tr = newTransport(t, w, as, &Options{Store: brokenStore{load: errors.New("locked")}})
	refused(t, tr, "reading the stored token: locked")
}

type brokenStore struct{ load error }

func (s brokenStore) Load(context.Context, string) ([]byte, error) { return nil, s.load }

func (brokenStore) Update(_ context.Context, _ string, change func([]byte) ([]byte, error)) error {
	if _, err := change(nil); err != nil {
		return err
	}
	return errors.New("disk full")
}

// What cannot be read in a store is not used, and not shown.
func TestDamagedStore(t *testing.T) {
	for _, data := range []string{"", "{", `{"access_token":"secret"`, `{"token_type":"DPoP","access_token":"secret","key":"c2VjcmV0"}`, `"secret"`,
		`{"token_type":"mac","access_token":"secret"}`, `{"token_type":"Bearer","access_token":"secret a"}`} {
		w, _, as := newWorld(t)
		store := new(MemoryStore)
		for _, key := range []string{"token " + endpointURL, "client " + issuerURL} {
			store.Update(t.Context(), key, func([]byte) ([]byte, error) { return []byte(data), nil })
		}
		var log bytes.Buffer
		welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover), Logger: slog.New(slog.NewTextHandler(&log, nil))}))
		if strings.Contains(log.String(), "secret") || !strings.Contains(log.String(), "cannot be read") {
			t.Errorf("%s: the log is %s", data, log.String())
		}
		object := strings.HasPrefix(data, "{") && json.Valid([]byte(data)) // a registration with nothing in it
		if strings.Contains(log.String(), "the client is registered anew") == object {
			t.Errorf("%s: the log of the registration is %s", data, log.String())
		}
	}
}

// A token that cannot be stored after a refresh is used all the same: the one before it is spent.
func TestRefreshThatCannotBeStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		as.lifetime = time.Hour
		var log bytes.Buffer
		store := &fullStore{}
		tr := newTransport(t, w, as, &Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		welcome(t, tr)
		store.full = true
		sleep(time.Hour)
		welcome(t, tr)
		welcome(t, tr)
		if len(as.logins) != 1 || len(as.tokens) != 2 || !strings.Contains(log.String(), "the token could not be stored") {
			t.Errorf("%d logins, %d token requests; the log is %s", len(as.logins), len(as.tokens), log.String())
		}
	})
}

// A fullStore stores nothing more once it is full.
type fullStore struct {
	MemoryStore
	full bool
}

func (s *fullStore) Update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	if !s.full {
		return s.MemoryStore.Update(ctx, key, change)
	}
	old, _ := s.Load(ctx, key)
	if _, err := change(old); err != nil {
		return err
	}
	return errors.New("disk full")
}

// What is no file where one should be is an error, and leaves nothing behind.
func TestBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := NewFileStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.path("a")+".json", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	set := func(data []byte) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return data, nil }
	}
	if _, err := s.Load(t.Context(), "a"); err == nil {
		t.Error("a folder is loaded")
	}
	if err := s.Update(t.Context(), "a", func([]byte) ([]byte, error) { t.Error("a folder is changed"); return nil, nil }); err == nil {
		t.Error("a folder is updated")
	}
	if err := writeFile(s.path("a")+".json", []byte("x")); err == nil {
		t.Error("a folder is replaced")
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(files) > 0 {
		t.Errorf("%q are left, %v", files, err)
	}
	if err := writeFile(filepath.Join(dir, "none", "b"), []byte("x")); err == nil {
		t.Error("a file in no folder is written")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), "b", set([]byte("x"))); err == nil {
		t.Error("a store without its folder is updated")
	}
}
