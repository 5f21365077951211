package nats_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/shared/sharedtest"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/cluster/store/storetest"
)

var silent = slog.New(slog.DiscardHandler)

// maxStore is what streams may reserve: by default it is a part of the disk, which may be too small for all that a test
// makes, though it writes next to nothing.
const maxStore = 1 << 40

// startNATS starts a NATS server on loopback.
func startNATS(t testing.TB) *server.Server {
	t.Helper()
	return startSmallNATS(t, maxStore, 0)
}

// startSmallNATS starts one where streams may reserve so much in files and in memory, where 0 is for the default.
func startSmallNATS(t testing.TB, store, memory int64) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: store, JetStreamMaxMemory: memory, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

func connect(t testing.TB, s *server.Server) *natsio.Conn {
	t.Helper()
	conn, err := natsio.Connect(s.ClientURL(), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func join(t testing.TB, conn *natsio.Conn, opts nats.Options) *nats.Cluster {
	t.Helper()
	opts.Logger = silent
	c, err := nats.New(t.Context(), conn, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Leave(t.Context()) })
	return c
}

// prefixOf makes a prefix from the name of a test.
func prefixOf(t testing.TB) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, t.Name())
}

// A connection that is lost while a process joins is no reason to give up, as it comes back.
func TestConnectionIsLostWhileJoining(t *testing.T) {
	link := newLink(t, startNATS(t).Addr().String())
	conn, err := natsio.Connect("nats://"+link.l.Addr().String(), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.IgnoreDiscoveredServers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	for _, at := range []string{"STREAM.CREATE.mcp_changes", "SUB mcp.changes.stored", "PING"} {
		t.Run(at, func(t *testing.T) {
			link.mu.Lock()
			link.trip = at
			link.mu.Unlock()
			join(t, conn, nats.Options{})
			link.mu.Lock()
			defer link.mu.Unlock()
			if link.trip != "" {
				t.Error("the connection was not cut")
			}
		})
	}
}

// A connection that was closed does not come back.
func TestJoinOverClosedConnection(t *testing.T) {
	conn := connect(t, startNATS(t))
	conn.Close()
	if _, err := nats.New(t.Context(), conn, nil); !errors.Is(err, natsio.ErrConnectionClosed) {
		t.Errorf("got %v, want %v", err, natsio.ErrConnectionClosed)
	}
}

func TestStore(t *testing.T) {
	conn := connect(t, startNATS(t))
	storetest.Store(t, func(t *testing.T) store.Store {
		return join(t, conn, nats.Options{Prefix: prefixOf(t)}).Store()
	})
}

func TestTasks(t *testing.T) {
	conn := connect(t, startNATS(t))
	sharedtest.Tasks(t, func(t *testing.T) store.Store {
		return join(t, conn, nats.Options{Prefix: prefixOf(t)}).Store()
	})
}

// The store refuses a value that does not fit into a message.
func TestLargeRecord(t *testing.T) {
	s := join(t, connect(t, startNATS(t)), nats.Options{}).Store()
	if _, err := s.Put(t.Context(), "a", make([]byte, 2<<20), 0, 0); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("2 MiB: %v, want %v", err, store.ErrTooLarge)
	}
	if _, err := s.Put(t.Context(), "a", make([]byte, 512<<10), 0, 0); err != nil {
		t.Error(err)
	}
}

// The records of a kind have a size, beyond which there is room for changes, for leases, and for other kinds.
func TestRecordBytes(t *testing.T) {
	conn := connect(t, startNATS(t))
	s := join(t, conn, nats.Options{RecordBytes: 100 << 10}).Store()
	value := make([]byte, 10<<10)
	revisions := map[string]uint64{}
	var err error
	for i := range 20 {
		key := "a." + strconv.Itoa(i)
		if revisions[key], err = s.Put(t.Context(), key, value, 0, 0); err != nil {
			break
		}
	}
	if n := len(revisions) - 1; !errors.Is(err, store.ErrFull) || n < 8 || n > 9 {
		t.Errorf("%d records: %v", n, err)
	}
	if revisions["a.0"], err = s.Put(t.Context(), "a.0", append(value, value...), revisions["a.0"], 0); err != nil {
		t.Errorf("a change: %v", err)
	}
	join(t, conn, nats.Options{RecordBytes: 100 << 10}) // which takes a lease
	if _, err := s.Put(t.Context(), "b", value, 0, 0); err != nil {
		t.Errorf("a record of another kind: %v", err)
	}
	for _, key := range []string{"a.0", "a.1"} {
		if err := s.Delete(t.Context(), key, revisions[key]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Put(t.Context(), "a", value, 0, 0); err != nil {
		t.Errorf("after deletions: %v", err)
	}
}

// When there is no room, a record may take the place of another one of the same size, however small they are.
func TestDeletionMakesRoom(t *testing.T) {
	s := join(t, connect(t, startNATS(t)), nats.Options{RecordBytes: 4 << 10}).Store()
	deleted := 0
	for i := range 100 {
		key := fmt.Sprint("a.", i)
		_, err := s.Put(t.Context(), key, nil, 0, time.Hour)
		if errors.Is(err, store.ErrFull) {
			if err := s.Delete(t.Context(), fmt.Sprint("a.", deleted), 0); err != nil {
				t.Fatal(err)
			}
			deleted++
			_, err = s.Put(t.Context(), key, nil, 0, time.Hour)
		}
		if err != nil {
			t.Fatalf("record %d, after %d deletions: %v", i, deleted, err)
		}
	}
	if deleted < 50 {
		t.Errorf("%d records gave way", deleted)
	}
}

func TestEvents(t *testing.T) {
	s := startNATS(t)
	a, b := connect(t, s), connect(t, s)
	sharedtest.Events(t, func(t *testing.T) (one, two shared.Events) {
		opts := nats.Options{Prefix: prefixOf(t)}
		return join(t, a, opts).Events(), join(t, b, opts).Events()
	})
}

// Where the NATS server has no room for what the events reserve, the error says how much that is, and what changes it.
func TestNoRoomForEvents(t *testing.T) {
	conn := connect(t, startSmallNATS(t, 512<<20, 256<<20))
	for _, test := range []struct {
		opts nats.Options
		want string
	}{
		{nats.Options{Prefix: "files"}, "nats: the stream of the events: want 1073741824 bytes on each NATS server that keeps it, which Options.EventBytes may lower: "},
		{nats.Options{Prefix: "memory", Storage: jetstream.MemoryStorage, EventBytes: 300 << 20}, "nats: the stream of the events: want 314572800 bytes on each NATS server that keeps it, which Options.EventBytes may lower: "},
	} {
		test.opts.Logger = silent
		_, err := nats.New(t.Context(), conn, &test.opts)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s…", test.opts.Prefix, err, test.want)
		}
	}
	join(t, conn, nats.Options{EventBytes: 100 << 20})
}
