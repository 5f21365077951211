package nats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A hearer is a client of one instance that records what it was notified of.
type hearer struct {
	f    *fleet
	what string

	mu    sync.Mutex
	heard []string
}

// hear connects a client to one instance. The client subscribes to all lists and to resources.
func (f *fleet) hear(in *instance, rev wire.Revision, uris ...string) *hearer {
	f.Helper()
	h := &hearer{f: f, what: fmt.Sprintf("the client of %s at %d", rev, in.number)}
	note := func(what string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.heard = append(h.heard, what)
	}
	site := httptest.NewServer(in.http)
	f.Cleanup(site.Close)
	c, err := client.Connect(f.Context(), httpclient.New(site.URL, &httpclient.Options{Logger: silent}), &client.Options{
		Revisions: []wire.Revision{rev}, Logger: silent,
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				note("tools")
			case change.Resources:
				note("resources")
			case change.URI != "":
				note(change.URI)
			}
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { c.Close() })
	if _, err := c.Subscribe(f.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true), ResourcesListChanged: new(true), ResourceSubscriptions: uris}); err != nil {
		f.Fatal(err)
	}
	return h
}

// wants waits until the client has received as many notifications as are wanted, in any order, and checks and forgets them.
func (h *hearer) wants(what ...string) {
	h.f.Helper()
	var got []string
	h.f.until(fmt.Sprintf("%s has heard of %q", h.what, what), func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		got = slices.Clone(h.heard)
		return len(got) >= len(what)
	})
	slices.Sort(got)
	slices.Sort(what)
	if !slices.Equal(got, what) {
		h.f.Errorf("%s was notified of %q, want %q", h.what, got, what)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = nil
}

// wantsAtLeast waits until the client was notified of all that is wanted, and forgets its notifications.
func (h *hearer) wantsAtLeast(what ...string) {
	h.f.Helper()
	h.f.until(fmt.Sprintf("%s has heard of %q", h.what, what), func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return !slices.ContainsFunc(what, func(one string) bool { return !slices.Contains(h.heard, one) })
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = nil
}

// When something changes at one instance, the clients of all instances that subscribe to it are notified once.
//
// REQ SUB-02
func TestChanges(t *testing.T) {
	f := newFleet(t, startNATS(t), 3)
	var all []*hearer
	for _, in := range f.all {
		all = append(all, f.hear(in, mcp.V2025_11_25, "file:///a"), f.hear(in, mcp.V2026_07_28, "file:///a"))
	}
	deaf := f.hear(f.all[2], mcp.V2026_07_28)
	in := f.all[1].server
	for i := range 3 {
		in.ResourceUpdated("file:///b") // which nobody subscribes to
		in.ResourceUpdated("file:///a")
		for _, h := range all {
			h.wants("file:///a")
		}
		if i == 0 {
			in.RemoveTools("hold")
		} else {
			in.Changed(server.Change{Tools: true})
		}
		for _, h := range append(all, deaf) {
			h.wants("tools")
		}
	}
	if err := f.all[0].cluster.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.all[0].server.Changed(server.Change{Tools: true}) // the instance is no longer connected to the cluster
	in.Changed(server.Change{Resources: true})
	for _, h := range append(all[2:], deaf) {
		h.wants("resources")
	}
}

// Without NATS a change does not block. The others learn of it later: of each change, or that there were too many.
func TestChangesWithoutNATS(t *testing.T) {
	dir := t.TempDir()
	start := func(port int) *natsserver.Server {
		s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: port, JetStream: true, JetStreamMaxStore: maxStore, StoreDir: dir, NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(20 * time.Second) {
			t.Fatal("the NATS server does not start")
		}
		return s
	}
	s := start(-1)
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	port := s.Addr().(*net.TCPAddr).Port
	f := newFleet(t, s, 2)
	own, other := f.hear(f.all[0], mcp.V2026_07_28, "file:///a"), f.hear(f.all[1], mcp.V2026_07_28, "file:///a")
	change := func(n int) {
		s.Shutdown()
		s.WaitForShutdown()
		for i := range n {
			f.all[0].server.ResourceUpdated("file:///" + strconv.Itoa(i))
		}
		f.all[0].server.ResourceUpdated("file:///a")
		own.wants("file:///a")
		f.all[0].server.Changed(server.Change{Tools: true})
		own.wants("tools")
		s = start(port)
	}
	change(100)
	other.wants("tools", "file:///a")
	change(3 * 10_000) // more than may wait
	other.wantsAtLeast("tools", "resources", "file:///a")
}

// An instance that was cut off and has missed changes notifies its clients of everything.
func TestMissedChanges(t *testing.T) {
	s := startNATS(t)
	link := newLink(t, s.Addr().String())
	f := newFleet(t, s, 1)
	conn, err := natsio.Connect("nats://"+link.l.Addr().String(), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.IgnoreDiscoveredServers())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	f.all = append(f.all, f.add(1, conn))
	h := f.hear(f.all[1], mcp.V2026_07_28, "file:///a")
	js, err := jetstream.New(f.all[0].conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "mcp_changes")
	if err != nil {
		t.Fatal(err)
	}
	link.set(false)
	f.until("the connection is lost", func() bool { return !conn.IsConnected() })
	for i := range 3 {
		f.all[0].server.Changed(server.Change{Prompts: true})
		f.until("the change is stored", func() bool {
			info, err := stream.Info(t.Context())
			return err == nil && info.State.LastSeq == uint64(i+1)
		})
	}
	link.set(true)
	h.wants("tools", "resources", "file:///a")
	f.all[0].server.Changed(server.Change{Tools: true})
	h.wants("tools")
}

// Events are bounded: the oldest of a stream are dropped, and the stream cannot be resumed after them.
func TestEventsAreBounded(t *testing.T) {
	events := join(t, connect(t, startNATS(t)), nats.Options{EventsPerStream: 3}).Events()
	var ids []string
	for i := range 5 {
		id, err := events.Append(t.Context(), "S", "r1", []byte(strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if _, err := events.After(t.Context(), "S", ids[1]); !errors.Is(err, streamable.ErrNoEvent) {
		t.Errorf("after an event that was dropped: %v, want %v", err, streamable.ErrNoEvent)
	}
	if list, err := events.After(t.Context(), "S", ids[2]); err != nil || len(list) != 2 {
		t.Errorf("after the oldest that is there: %v, %v, want 2", list, err)
	}
}

// Negative options are no limits.
func TestEventsWithoutBounds(t *testing.T) {
	events := join(t, connect(t, startNATS(t)), nats.Options{EventAge: -1, EventBytes: -1, EventsPerStream: -1}).Events()
	var ids []string
	for i := range 5 {
		id, err := events.Append(t.Context(), "S", "r1", []byte(strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if list, err := events.After(t.Context(), "S", ids[0]); err != nil || len(list) != 4 {
		t.Errorf("after the first: %v, %v, want 4", list, err)
	}
}

// A link passes TCP connections on, or cuts them.
type link struct {
	l    net.Listener
	mu   sync.Mutex
	up   bool
	trip string // cuts once, in place of passing on what a client sends with this in it
	open []net.Conn
}

func newLink(t *testing.T, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &link{l: listener, up: true}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", strings.Replace(to, "[::]", "127.0.0.1", 1))
			if err != nil || !k.enter(in, out) {
				in.Close()
				if out != nil {
					out.Close()
				}
				continue
			}
			pass := func(to io.Writer, from io.Reader) {
				io.Copy(to, from)
				in.Close()
				out.Close()
			}
			all.Go(func() { pass(in, out) })
			all.Go(func() { pass(out, io.TeeReader(in, k)) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		k.set(false)
		all.Wait()
	})
	return k
}

// Write sees what a client sends, before it is passed on.
func (k *link) Write(data []byte) (int, error) {
	k.mu.Lock()
	tripped := k.trip != "" && bytes.Contains(data, []byte(k.trip))
	if tripped {
		k.trip = ""
	}
	k.mu.Unlock()
	if tripped {
		k.set(true)
		return 0, io.ErrClosedPipe
	}
	return len(data), nil
}

// enter records a pair of connections, unless the link is cut.
func (k *link) enter(conns ...net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.up {
		k.open = append(k.open, conns...)
	}
	return k.up
}

func (k *link) set(up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.up = up
	for _, c := range k.open {
		c.Close()
	}
	k.open = nil
}
