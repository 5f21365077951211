package sqlite_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/shared/sharedtest"
	"github.com/mcpgen/mcpgen/cluster/sqlite"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/cluster/store/storetest"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func open(t testing.TB, path string, opts *sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path, opts)
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

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "a b?c#d.db") }

// Processes that open a new file at the same time wait for each other. SQLite itself does not wait when it changes the
// journal's mode.
func TestOpenAtOnce(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "new.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				s, err := sqlite.Open(path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestStore(t *testing.T) {
	storetest.Store(t, func(t *testing.T) store.Store { return open(t, file(t), nil) })
}

func TestTasks(t *testing.T) {
	sharedtest.Tasks(t, func(t *testing.T) store.Store { return open(t, file(t), nil) })
}

func TestRoom(t *testing.T) {
	path := file(t)
	storetest.Room(t, open(t, path, &sqlite.Options{MaxRecords: 10}), 10)
	s := open(t, path, &sqlite.Options{MaxRecords: -1})
	if _, err := s.Put(t.Context(), "a.11", nil, 0, 0); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// Records of a kind have a size together. One may be replaced by a larger one.
func TestRecordBytes(t *testing.T) {
	s := open(t, file(t), &sqlite.Options{RecordBytes: 1000})
	put := func(key string, size int, revision uint64, want error) uint64 {
		t.Helper()
		next, err := s.Put(t.Context(), key, make([]byte, size), revision, 0)
		if !errors.Is(err, want) {
			t.Fatalf("%s with %d bytes: %v, want %v", key, size, err, want)
		}
		return next
	}
	one := put("a.1", 497, 0, nil)
	put("a.2", 498, 0, store.ErrFull)
	put("b.2", 498, 0, nil)
	put("a.2", 497, 0, nil)
	put("a.3", 0, 0, store.ErrFull)
	one = put("a.1", 1000, one, nil)
	one = put("a.1", 400, one, nil)
	put("a.3", 95, 0, store.ErrFull)
	put("a.3", 94, 0, nil)
	if err := s.Delete(t.Context(), "a.1", one); err != nil {
		t.Fatal(err)
	}
	put("a.4", 400, 0, nil)
	put("a.5", 0, 0, store.ErrFull)
}

func TestEvents(t *testing.T) {
	sharedtest.Events(t, func(t *testing.T) (a, b shared.Events) {
		path := file(t)
		return open(t, path, nil), open(t, path, nil)
	})
}

// What was stored is still there when the file is opened again, and nobody else may read the file.
func TestReopen(t *testing.T) {
	path := file(t)
	first, err := sqlite.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := first.Put(t.Context(), "a", []byte("1"), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	id, err := first.Append(t.Context(), "S", "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, path, nil)
	if r, err := second.Get(t.Context(), "a"); err != nil || string(r.Value) != "1" || r.Revision != revision {
		t.Errorf("got %v, %v", r, err)
	}
	if next, err := second.Put(t.Context(), "a", nil, revision, 0); err != nil || next <= revision {
		t.Errorf("the next revision is %d, %v, want more than %d", next, err, revision)
	}
	if stream, err := second.Stream(t.Context(), "S", id); err != nil || stream != "r1" {
		t.Errorf("the stream is %q, %v", stream, err)
	}
	if _, err := second.Append(t.Context(), "S", "r1", nil); err == nil {
		t.Error("another process appends to a session that it has not taken over")
	}
	if err := second.Fence(t.Context(), "S", 1); err != nil {
		t.Error(err)
	}
	if _, err := second.Append(t.Context(), "S", "r1", nil); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 600", info.Mode(), err)
	}
}

// Events are bounded by number, by bytes and by age, and the oldest are dropped.
func TestEventsAreBounded(t *testing.T) {
	for _, test := range []struct {
		name string
		opts sqlite.Options
		size int
		wait time.Duration
		kept int // of ten
	}{
		{"number", sqlite.Options{EventsPerStream: 3}, 10, 0, 3},
		{"bytes", sqlite.Options{EventBytes: 4 * (256 + 100)}, 100, 0, 4},
		{"one that is larger", sqlite.Options{EventBytes: 10}, 100, 0, 1},
		{"any bytes", sqlite.Options{EventBytes: -1}, 100, 0, 10},
		{"any number", sqlite.Options{EventsPerStream: -1}, 10, 0, 10},
		{"any age", sqlite.Options{EventAge: -1}, 10, 100 * 365 * 24 * time.Hour, 10},
		{"almost too old", sqlite.Options{}, 100, time.Hour - time.Millisecond, 10},
		{"too old", sqlite.Options{}, 100, time.Hour, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testBound(t, &test.opts, test.size, test.wait, test.kept) })
		})
	}
}

// testBound appends ten events of a size, the last after some time, and checks how many are kept.
func testBound(t *testing.T, opts *sqlite.Options, size int, wait time.Duration, kept int) {
	s := open(t, file(t), opts)
	var ids []string
	for i := range 10 {
		if i == 9 {
			time.Sleep(wait)
		}
		id, err := s.Append(t.Context(), "S", "r1", []byte(strings.Repeat("x", size)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for i, id := range ids {
		list, err := s.After(t.Context(), "S", id)
		if _, found := s.Stream(t.Context(), "S", id); !errors.Is(err, found) {
			t.Errorf("event %d: After says %v, and Stream %v", i, err, found)
		}
		switch {
		case i >= 10-kept:
			if err != nil || len(list) != 9-i {
				t.Errorf("after event %d: %d events, %v, want %d", i, len(list), err, 9-i)
			}
		case !errors.Is(err, streamable.ErrNoEvent):
			t.Errorf("after event %d: %v, want %v", i, err, streamable.ErrNoEvent)
		}
	}
}

// What has expired takes up no room.
func TestExpiredRecordsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "expired.db")
		s := open(t, path, nil)
		for i := range 20 {
			if _, err := s.Put(t.Context(), "a"+strconv.Itoa(i), nil, 0, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		for i := range 4 {
			if _, err := s.Put(t.Context(), "b"+strconv.Itoa(i), nil, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(t, path, "records"); n != 4 {
			t.Errorf("%d records are in the file, want 4", n)
		}
	})
}

// Events that are too old take up no room, and neither do the rows of their sessions.
func TestOldEventsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "old.db")
		s := open(t, path, nil)
		for i := range 150 {
			if i == 100 {
				time.Sleep(time.Hour)
			}
			if _, err := s.Append(t.Context(), "S"+strconv.Itoa(i), "r1", nil); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(t, path, "events"); n != 50 {
			t.Errorf("%d events are in the file, want 50", n)
		}
		if n := count(t, path, "sessions"); n != 50 {
			t.Errorf("%d sessions are in the file, want 50", n)
		}
	})
}

// A session outlives the process that served it, with what was sent on its streams.
func TestSessionOutlivesProcess(t *testing.T) {
	path := file(t)
	process := func() (*streamable.Handler, *store.Member, *shared.Sessions, *sqlite.Store) {
		db := open(t, path, nil)
		m, err := store.Join(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := server.New(mcp.Implementation{Name: "test", Version: "1"}, nil)
		if err := s.AddTool(mcp.Tool{Name: "hello", InputSchema: wire.Raw(`{"type":"object"}`)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("hello"), nil
		}); err != nil {
			t.Fatal(err)
		}
		sessions := shared.NewSessions(m, db, nil)
		return streamable.NewHandler(s, sessions.Options(nil)), m, sessions, db
	}
	h, m, _, _ := process()
	site := httptest.NewServer(h)
	defer site.Close()
	c, err := client.Connect(t.Context(), httpclient.New(site.URL, nil), &client.Options{Revisions: []wire.Revision{mcp.V2025_11_25}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call := func() {
		t.Helper()
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "hello"})
		if err != nil || r.Content[0].(*mcp.TextContent).Text != "hello" {
			t.Fatalf("%v, %v", r, err)
		}
	}
	call()
	sessions, err := m.Store().List(t.Context(), "session", "", 10)
	if err != nil || len(sessions) != 1 {
		t.Fatalf("the sessions are %v, %v", sessions, err)
	}
	h.Shutdown(t.Context())
	if err := m.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, other, kept, db := process()
	defer other.Leave(context.WithoutCancel(t.Context()))
	defer second.Shutdown(context.WithoutCancel(t.Context()))
	site.Config.Handler = second
	call()
	if id := strings.TrimPrefix(sessions[0].Key, "session."); !kept.Has(id) {
		t.Error("the session does not continue")
	}
	if list, err := db.List(t.Context(), "session", "", 10); err != nil || len(list) != 1 {
		t.Errorf("the sessions are %v, %v", list, err)
	}
}

// What is kept of sessions that have ended is removed when nobody can remember them.
func TestEndedSessionsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ended.db")
		s := open(t, path, nil)
		for i := range 150 {
			if i == 100 {
				time.Sleep(time.Hour)
			}
			if err := s.Forget(t.Context(), "S"+strconv.Itoa(i)); err != nil {
				t.Fatal(err)
			}
		}
		if n := count(t, path, "sessions"); n != 50 {
			t.Errorf("%d sessions are in the file, want 50", n)
		}
	})
}
