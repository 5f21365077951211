package nats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/nats/internal/ports"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// threeServers returns the options of three NATS servers that are a cluster.
func threeServers(t *testing.T) (all []*natsserver.Options) {
	t.Helper()
	own, err := ports.Free(3)
	if err != nil {
		t.Fatal(err)
	}
	var routes []*url.URL
	for _, port := range own {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	for i, port := range own {
		all = append(all, &natsserver.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: -1, JetStream: true, JetStreamMaxStore: maxStore, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, Routes: routes,
			Cluster: natsserver.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
		})
	}
	return all
}

// startServer starts a NATS server.
func startServer(t *testing.T, opts *natsserver.Options) *natsserver.Server {
	t.Helper()
	s, err := natsserver.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// A process joins while the NATS servers have no leader, and succeeds when they do.
func TestNewWithoutLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take a few seconds")
	}
	opts := threeServers(t)
	conn := connect(t, startServer(t, opts[0]))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := nats.New(ctx, conn, &nats.Options{Logger: silent})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "nats: the stream of the records: JetStream did not respond in time: ") {
		t.Errorf("without a leader: %v", err)
	}
	joined := make(chan error)
	waits := make(signalled, 1)
	go func() {
		c, err := nats.New(t.Context(), conn, &nats.Options{Logger: slog.New(slog.NewTextHandler(waits, nil))})
		if err == nil {
			err = c.Leave(t.Context())
		}
		joined <- err
	}()
	<-waits // the first attempt has failed
	for _, o := range opts[1:] {
		startServer(t, o)
	}
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// A signalled writer signals that something was written.
type signalled chan struct{}

func (s signalled) Write(p []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(p), nil
}

// The NATS server that numbers the changes stops. Changes made in the meantime still reach all clients.
func TestChangesWithoutLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take a few seconds")
	}
	var servers []*natsserver.Server
	var urls []string
	for _, o := range threeServers(t) {
		s := startServer(t, o)
		servers = append(servers, s)
		urls = append(urls, s.ClientURL())
	}
	f := newFleet(t, servers[0], 0)
	for i := range 2 {
		conn, err := natsio.Connect(strings.Join(urls, ","), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.DontRandomize())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		f.all = append(f.all, f.addTo(i, conn, nats.Options{TTL: 2 * time.Second, Replicas: 3}))
	}
	h := f.hear(f.all[1], mcp.V2026_07_28, "file:///a")
	f.all[0].server.ResourceUpdated("file:///a")
	h.wants("file:///a")

	js, err := jetstream.New(f.all[0].conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "mcp_changes")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if s.Name() == info.Cluster.Leader {
			s.Shutdown()
			s.WaitForShutdown()
		}
	}
	f.all[0].server.Changed(server.Change{Tools: true})
	h.wantsAtLeast("tools")
	f.all[0].server.ResourceUpdated("file:///a")
	h.wantsAtLeast("file:///a")
}
