package client

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
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A script is a server that answers each method by what a test says, in JSON. Methods that it
// does not have are not found.
type script map[string]func(r *received) (result string, err error)

type received struct {
	id     wire.ID
	method string
	params wire.Raw
	ctx    context.Context
	server *fake
}

// A fake is a server that follows a script.
type fake struct {
	script   script
	conn     *peer.Conn
	revision wire.Revision
	closed   chan struct{} // when the connection has ended

	mu  sync.Mutex
	log []string // what the client sent: "METHOD PARAMS"

	broken chan error // what the client's transport receives in place of the next message
}

// A breaking transport is the client's, which may receive an error.
type breaking struct {
	transport.Transport
	broken <-chan error
}

func (b breaking) Receive(ctx context.Context) (transport.Message, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-b.broken:
			cancel(err)
		case <-ctx.Done():
		}
	}()
	return b.Transport.Receive(ctx)
}

// bubble runs a test in a bubble of its own, where time is fake and goroutines must end.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// connectTo connects a client to a script. It must be called in a bubble.
func connectTo(t *testing.T, s script, opts *Options) (*Client, *fake, error) {
	t.Helper()
	return connectWith(t.Context(), t, s, opts)
}

// scripted returns the revisions that the scripts know. There may be later ones.
func scripted() []wire.Revision {
	return []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25, mcp.V2026_07_28}
}

func connectWith(ctx context.Context, t *testing.T, s script, opts *Options) (*Client, *fake, error) {
	t.Helper()
	return connectOver(ctx, t, s, opts, func(b breaking) transport.Transport { return b })
}

func connectOver(ctx context.Context, t *testing.T, s script, opts *Options, wrap func(breaking) transport.Transport) (*Client, *fake, error) {
	t.Helper()
	f := &fake{script: s, closed: make(chan struct{})}
	near, far := inmem.Pair(0)
	f.conn = peer.New(far, func(*peer.Conn) transport.Handler { return f }, &peer.Options{Logger: quiet, Limits: transport.Limits{DrainTime: 1}})
	go func() {
		f.conn.Run(context.Background(), far)
		close(f.closed)
	}()
	t.Cleanup(func() { f.conn.Close() })
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Revisions == nil {
		o.Revisions = scripted()
	}
	o.Logger = quiet
	f.broken = make(chan error)
	c, err := Connect(ctx, wrap(breaking{near, f.broken}), &o)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, f, err
}

var quiet = slog.New(slog.DiscardHandler)

// dial is connectTo where the connection itself is not what is tested.
func dial(t *testing.T, s script, opts *Options) (*Client, *fake) {
	t.Helper()
	c, f, err := connectTo(t, s, opts)
	if err != nil {
		t.Fatal(err)
	}
	f.forget()
	return c, f
}

func (f *fake) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	f.record(r.Method, r.Params)
	answer := f.script[r.Method]
	if answer == nil {
		return nil, jsonrpc.ErrMethodNotFound
	}
	result, err := answer(&received{r.ID, r.Method, r.Params, ctx, f})
	return wire.Raw(result), err
}

func (f *fake) ServeNotification(_ context.Context, r *transport.Request) error {
	f.record(r.Method, r.Params)
	return nil
}

func (f *fake) Revision() wire.Revision { return f.revision }

func (f *fake) record(method string, params wire.Raw) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, strings.TrimSpace(method+" "+string(params)))
}

// sent returns what the client sent since the last forget.
func (f *fake) sent() []string {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

func (f *fake) forget() {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = nil
}

// count returns how often the client called a method.
func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, line := range f.log {
		if strings.HasPrefix(line, method+" ") || line == method {
			n++
		}
	}
	return n
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

// tell sends a notification to the client.
func (f *fake) tell(method, params string) {
	var p wire.Encodable
	if params != "" {
		p = wire.Raw(params)
	}
	f.conn.NotifyAt(context.Background(), wire.Any, method, p)
}

// notice is tell, and waits until the client has done what follows from it.
func (f *fake) notice(method, params string) {
	f.tell(method, params)
	synctest.Wait()
}

// request sends a request to the client and returns its result.
func (f *fake) request(method, params string) (string, error) {
	var p wire.Encodable
	if params != "" {
		p = wire.Raw(params)
	}
	var result wire.Raw
	err := f.conn.CallWith(context.Background(), method, p, &result, &peer.CallOptions{Timeout: time.Second, Silent: true})
	return string(result), err
}

// always answers with the same result.
func always(result string) func(*received) (string, error) {
	return func(*received) (string, error) { return result, nil }
}

// fails answers with an error.
func fails(code int64, data string) func(*received) (string, error) {
	return func(*received) (string, error) {
		return "", &jsonrpc.Error{Code: code, Message: "error", Data: wire.Raw(data)}
	}
}

// silence never answers.
func silence(r *received) (string, error) {
	<-r.ctx.Done()
	return "", jsonrpc.ErrNoResponse
}

const allCapabilities = `{"logging":{},"completions":{},"prompts":{"listChanged":true},` +
	`"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`

// modernServer is a server of 2026-07-28 with everything, and what a test adds.
func modernServer(more script) script {
	s := script{"server/discover": always(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` +
		allCapabilities + `,"ttlMs":0,"cacheScope":"public"}`)}
	for name, f := range more {
		s[name] = f
	}
	return s
}

// legacyServer is a server that speaks the revision that it is asked for, and knows nothing of
// server/discover.
func legacyServer(more script) script {
	s := script{"initialize": func(r *received) (string, error) {
		return `{"protocolVersion":"` + r.params.StringAt("protocolVersion") + `","capabilities":` + allCapabilities +
			`,"serverInfo":{"name":"s","version":"1"}}`, nil
	}}
	for name, f := range more {
		s[name] = f
	}
	return s
}

// both runs a test in both eras.
func both(t *testing.T, more script, test func(t *testing.T, server script, opts Options)) {
	for era, rev := range map[string]wire.Revision{"legacy": mcp.V2025_11_25, "modern": mcp.V2026_07_28} {
		t.Run(era, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				test(t, modernServer(legacyServer(more)), Options{Info: testInfo, Revisions: []wire.Revision{rev}})
			})
		})
	}
}

var testInfo = mcp.Implementation{Name: "c", Version: "1"}

// modernMeta is the metadata of requests of a client without handlers.
const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`
