package taskclient_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	quiet    = slog.New(slog.DiscardHandler)
	enabled  = []client.Extension{taskclient.Enable(nil)}
	testInfo = mcp.Implementation{Name: "c", Version: "1"}
)

// connect connects a client to a server. It must be called in a bubble.
func connect(t *testing.T, s *server.Server, opts *client.Options) *client.Client {
	t.Helper()
	near, far := inmem.Pair(0)
	served := make(chan error)
	go func() { served <- s.Serve(context.Background(), far) }()
	c, err := client.Connect(t.Context(), near, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c
}

// A script is a server that responds to each method by what a test says, in JSON. Methods that it does not have are not
// found.
type script map[string]func() (result string)

// A fake is a server that follows a script.
type fake struct {
	script script
	conn   *peer.Conn

	mu  sync.Mutex
	log []string // what the client sent: "METHOD PARAMS"
}

// bubble runs a test in a bubble of its own, where time is fake and goroutines must end.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// dial connects a client to a script. It must be called in a bubble.
func dial(t *testing.T, s script, opts *client.Options) (*client.Client, *fake) {
	t.Helper()
	f := &fake{script: s}
	near, far := inmem.Pair(0)
	f.conn = peer.New(far, func(*peer.Conn) transport.Handler { return f }, &peer.Options{Logger: quiet, Limits: transport.Limits{DrainTime: 1}})
	go f.conn.Run(context.Background(), far)
	t.Cleanup(func() { f.conn.Close() })
	o := *opts
	o.Logger = quiet
	if o.Revisions == nil {
		o.Revisions = []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	}
	c, err := client.Connect(t.Context(), near, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	synctest.Wait()
	f.log = nil
	return c, f
}

func (f *fake) ServeRequest(_ context.Context, r *transport.Request) (wire.Raw, error) {
	f.record(r)
	respond := f.script[r.Method]
	if respond == nil {
		return nil, jsonrpc.ErrMethodNotFound
	}
	return wire.Raw(respond()), nil
}

func (f *fake) ServeNotification(_ context.Context, r *transport.Request) error {
	f.record(r)
	return nil
}

func (f *fake) Revision() wire.Revision { return 0 }

func (f *fake) record(r *transport.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, strings.TrimSpace(r.Method+" "+string(r.Params)))
}

// sent returns what the client has sent since it has connected.
func (f *fake) sent() []string {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// methods returns the methods of what was sent.
func (f *fake) methods() []string {
	var methods []string
	for _, line := range f.sent() {
		method, _, _ := strings.Cut(line, " ")
		methods = append(methods, method)
	}
	return methods
}

// request sends a request to the client and returns its result.
func (f *fake) request(method, params string) (string, error) {
	var result wire.Raw
	err := f.conn.CallWith(context.Background(), method, wire.Raw(params), &result, &peer.CallOptions{Timeout: time.Second, Silent: true})
	return string(result), err
}

// always responds with the same result.
func always(result string) func() string { return func() string { return result } }

// discovered is what a server of 2026-07-28 says of itself.
func discovered(capabilities string) func() string {
	return always(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + capabilities + `,"ttlMs":0,"cacheScope":"public"}`)
}
