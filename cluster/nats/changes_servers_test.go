package nats_test

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/mcp"
)

// startServers starts a cluster of three NATS servers.
func startServers(t *testing.T) []*natsserver.Server {
	t.Helper()
	var listeners []net.Listener
	var routes []*url.URL
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
	}
	var all []*natsserver.Server
	for i, l := range listeners {
		l.Close()
		opts := &natsserver.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, Routes: routes,
			Cluster: natsserver.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port},
		}
		s, err := natsserver.NewServer(opts)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		all = append(all, s)
	}
	return all
}

// The NATS server that numbers the changes stops. Changes made in the meantime still reach all clients.
func TestChangesWithoutLeader(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take a few seconds")
	}
	servers := startServers(t)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	f := newFleet(t, servers[0], 0)
	for i := range 2 {
		conn, err := natsio.Connect(strings.Join(urls, ","), natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond), natsio.DontRandomize())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		if i == 0 { // it creates the streams, as soon as the servers can
			f.until("the servers work together", func() bool {
				c, err := nats.New(t.Context(), conn, &nats.Options{Replicas: 3, Logger: silent})
				if err == nil {
					err = c.Leave(t.Context())
				}
				return err == nil
			})
		}
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
	f.all[0].server.ToolsChanged()
	h.wantsAtLeast("tools")
	f.all[0].server.ResourceUpdated("file:///a")
	h.wantsAtLeast("file:///a")
}
