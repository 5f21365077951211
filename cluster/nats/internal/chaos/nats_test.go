//go:build unix

package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsio "github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/cluster/nats"
	"github.com/mcpgen/mcpgen/cluster/nats/internal/ports"
)

const roleNATS = "nats"

// A natsConfig configures a NATS server.
type natsConfig struct {
	Name   string   `json:"name"`
	Client int      `json:"client"` // ports
	Own    int      `json:"own"`    // the port for the cluster
	Routes []string `json:"routes"`
	Dir    string   `json:"dir"`
}

// runNATS is the main function of a NATS server.
func runNATS(data []byte) error {
	var c natsConfig
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	term := terminated()
	opts := &server.Options{
		ServerName: c.Name, Host: "127.0.0.1", Port: c.Client, HTTPHost: "127.0.0.1", HTTPPort: -1, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: c.Dir, JetStreamMaxStore: 4 << 30,
		Cluster: server.ClusterOpts{Name: "chaos", Host: "127.0.0.1", Port: c.Own},
	}
	for _, r := range c.Routes {
		u, err := url.Parse(r)
		if err != nil {
			return err
		}
		opts.Routes = append(opts.Routes, u)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	s.SetLogger(fatalLog{}, false, false)
	s.Start()
	if !s.ReadyForConnections(startTime) {
		return errors.New("the NATS server does not start")
	}
	if err := sayReady(s.MonitorAddr().String()); err != nil {
		return err
	}
	<-term
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// A fatalLog says why a NATS server cannot start, and nothing else.
type fatalLog struct{}

func (fatalLog) Fatalf(format string, v ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", v...)
	os.Exit(1)
}

func (fatalLog) Errorf(string, ...any)  {}
func (fatalLog) Warnf(string, ...any)   {}
func (fatalLog) Noticef(string, ...any) {}
func (fatalLog) Debugf(string, ...any)  {}
func (fatalLog) Tracef(string, ...any)  {}

// A natsServer is a server of the cluster.
type natsServer struct {
	config  natsConfig
	process *process
	monitor string // address
}

func (n *natsServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", n.config.Client) }

func (n *natsServer) start(s *site) error {
	p, err := startProcess(s.dir, n.config.Name, roleNATS, n.config, &n.monitor)
	n.process = p
	return err
}

// isHealthy reports whether a server has everything that it should have of what the cluster stores.
func (n *natsServer) isHealthy() bool {
	resp, err := http.Get("http://" + n.monitor + "/healthz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// startNATS starts the cluster.
func (s *site) startNATS() {
	s.Helper()
	const n = 3
	ports, err := ports.Free(2 * n)
	if err != nil {
		s.Fatal(err)
	}
	var routes []string
	for i := range n {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[n+i]))
	}
	for i := range n {
		name := fmt.Sprint("nats", i)
		s.nats = append(s.nats, &natsServer{config: natsConfig{
			Name: name, Client: ports[i], Own: ports[n+i], Routes: routes, Dir: filepath.Join(s.dir, name),
		}})
	}
	each(s.nats, func(n *natsServer) {
		if err := n.start(s); err != nil {
			s.Errorf("%v", err)
		}
	})
	s.Cleanup(func() {
		for _, n := range s.nats {
			if n.process != nil {
				n.process.kill()
			}
		}
	})
	if s.Failed() {
		s.FailNow()
	}
	s.note("the NATS servers have started")
}

// dialNATS connects to the cluster, as the instances do. It soon leaves a server that does not answer pings.
func dialNATS(urls string) (*natsio.Conn, error) {
	return natsio.Connect(urls, natsio.MaxReconnects(-1), natsio.ReconnectWait(50*time.Millisecond),
		natsio.RetryOnFailedConnect(true), natsio.PingInterval(time.Second), natsio.MaxPingsOutstanding(2))
}

// join makes the test itself a process of the cluster.
func (s *site) join() (c *nats.Cluster, leave func()) {
	s.Helper()
	conn, err := dialNATS(s.natsURLs())
	if err != nil {
		s.Fatal(err)
	}
	if c, err = nats.New(s.Context(), conn, clusterOptions(*leaseTTL, silent)); err != nil {
		s.Fatal(err)
	}
	return c, func() {
		c.Leave(s.Context())
		conn.Close()
	}
}

// natsURLs returns the addresses of the cluster.
func (s *site) natsURLs() string {
	var urls []string
	for _, n := range s.nats {
		urls = append(urls, n.url())
	}
	return strings.Join(urls, ",")
}

// stopNATS shuts the servers down gracefully.
func (s *site) stopNATS() {
	s.Helper()
	each(s.nats, func(n *natsServer) {
		if n.process == nil { // it did not start again, which was reported
			return
		}
		if err := n.process.stop(settleTime); err != nil {
			s.Errorf("%s ended with %v", n.config.Name, err)
		}
	})
	http.DefaultClient.CloseIdleConnections()
}
