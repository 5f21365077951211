package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client drives a server over [Session.ServeRequest], without a transport.
type client struct {
	t       testing.TB
	s       *Server
	rev     wire.Revision
	caps    string // capabilities, JSON
	session *SessionEndpoint
	nextID  int64

	identity  transport.Identity
	principal string
	address   string
	logLevel  string // of modern requests
	token     string // progress token, JSON

	// answer answers what the server asks by a request of its own.
	answer func(method string, params wire.Raw) (wire.Raw, error)

	mu       sync.Mutex
	notified []string // "method params"
	asked    []string
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func newServer(o *Options) *Server {
	if o == nil {
		o = &Options{}
	}
	if o.Logger == nil {
		o.Logger = quiet
	}
	return New(mcp.Implementation{Name: "test", Version: "1"}, o)
}

// newClient connects a client of a revision, with capabilities in JSON.
func newClient(t testing.TB, s *Server, rev wire.Revision, caps string) *client {
	t.Helper()
	c := &client{t: t, s: s, rev: rev, caps: caps}
	c.session = NewEndpoint(s).NewSession(c, "")
	t.Cleanup(c.session.Close)
	if rev < firstModern {
		got := c.must("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"c","version":"2"}}`, rev, caps))
		if v := wire.Raw(got).StringAt("protocolVersion"); v != rev.String() {
			t.Fatalf("negotiated %s, want %s", v, rev)
		}
		c.notify("notifications/initialized", `{}`)
	}
	return c
}

// Notify takes a notification of the server.
func (c *client) Notify(_ context.Context, method string, params wire.Raw) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notified = append(c.notified, strings.TrimSpace(method+" "+string(params)))
	return nil
}

// Call takes a request of the server.
func (c *client) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	c.mu.Lock()
	c.asked = append(c.asked, strings.TrimSpace(method+" "+string(params)))
	c.mu.Unlock()
	if c.answer == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c.answer(method, params)
}

// seen returns the notifications that came since it was last called.
func (c *client) seen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.notified
	c.notified = nil
	return n
}

// meta returns the _meta of a request.
func (c *client) meta() string {
	var m []string
	if c.rev >= firstModern {
		m = append(m, fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q`, c.rev),
			`"io.modelcontextprotocol/clientCapabilities":`+c.caps)
		if c.logLevel != "" {
			m = append(m, fmt.Sprintf(`"io.modelcontextprotocol/logLevel":%q`, c.logLevel))
		}
	}
	if c.token != "" {
		m = append(m, `"progressToken":`+c.token)
	}
	if m == nil {
		return ""
	}
	return "{" + strings.Join(m, ",") + "}"
}

// request makes a request with the metadata of the client's revision.
func (c *client) request(method, params string) *transport.Request {
	c.nextID++
	r := &transport.Request{ID: wire.IntID(c.nextID), Method: method, Out: c, Origin: transport.Origin{Identity: c.identity, Principal: c.principal, Address: c.address}}
	meta := c.meta()
	if params == "" && meta != "" {
		params = "{}"
	}
	if params != "" && meta != "" && !strings.Contains(params, `"_meta"`) {
		rest := strings.TrimPrefix(params, "{")
		if rest != "}" {
			rest = "," + rest
		}
		params = `{"_meta":` + meta + rest
	}
	if params != "" {
		r.Params = wire.Raw(params)
		r.Meta = metaOf(c.t, r.Params)
	}
	return r
}

// metaOf returns the member _meta of params.
func metaOf(t testing.TB, params wire.Raw) wire.Raw {
	var p map[string]json.RawMessage
	if err := json.Unmarshal(params, &p); err != nil {
		t.Fatalf("params %s: %v", params, err)
	}
	return wire.Raw(p["_meta"])
}

func (c *client) call(method, params string) (string, *jsonrpc.Error) {
	return c.callContext(context.Background(), method, params)
}

func (c *client) callContext(ctx context.Context, method, params string) (string, *jsonrpc.Error) {
	c.t.Helper()
	raw, err := c.session.ServeRequest(ctx, c.request(method, params))
	if err != nil {
		if refused, ok := err.(*transport.RefusedError); ok {
			err = refused.Err
		}
		if scope, ok := err.(*transport.ScopeError); ok {
			err = scope.Unwrap()
		}
		rpc, ok := err.(*jsonrpc.Error)
		if !ok {
			c.t.Fatalf("%s: the error is %T, want *jsonrpc.Error", method, err)
		}
		return "", rpc
	}
	if err := raw.Check(); err != nil {
		c.t.Fatalf("%s: result %s: %v", method, raw, err)
	}
	return string(raw), nil
}

// must calls and expects a result.
func (c *client) must(method, params string) string {
	c.t.Helper()
	result, err := c.call(method, params)
	if err != nil {
		c.t.Fatalf("%s %s: %v %s", method, params, err, err.Data)
	}
	return result
}

// fails calls and expects an error of that code.
func (c *client) fails(method, params string, code int64) *jsonrpc.Error {
	c.t.Helper()
	result, err := c.call(method, params)
	if err == nil {
		c.t.Fatalf("%s %s: result %s, want error %d", method, params, result, code)
	}
	if err.Code != code {
		c.t.Fatalf("%s %s: error %v, want code %d", method, params, err, code)
	}
	return err
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	r := c.request(method, params)
	r.ID = wire.ID{}
	if err := c.session.ServeNotification(context.Background(), r); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// everyRevision runs a test once for each revision.
func everyRevision(t *testing.T, f func(t *testing.T, rev wire.Revision)) {
	for _, rev := range taught.Revisions() {
		t.Run(rev.String(), func(t *testing.T) { f(t, rev) })
	}
}

// bare returns a result without what every modern result has.
func bare(result string) string {
	const about = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}`
	for _, cut := range []string{about + ",", "," + about, about, `"resultType":"complete",`, `"resultType":"complete"`,
		`,"ttlMs":0,"cacheScope":"private"`, `"ttlMs":0,"cacheScope":"private",`} {
		result = strings.Replace(result, cut, "", 1)
	}
	return result
}

func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func contains(t testing.TB, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %s\nlacks %s", what, got, want)
	}
}

func add(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says returns a tool that says something.
func says(text string) ToolHandler {
	return func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult(text), nil }
}
