// Package servertest drives a server without a transport, in any revision, for the tests of package server and of the
// packages that build on it. Package mcptest is for programs.
package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Client is a client of one revision.
type Client struct {
	T      testing.TB
	Rev    wire.Revision
	Caps   string            // capabilities, JSON
	Server transport.Handler // where it sends its requests
	NextID int64

	Identity  transport.Identity
	Principal string
	Address   string
	LogLevel  string // of modern requests
	Token     string // progress token, JSON

	// Answer returns the result of a request that the server sends.
	Answer func(method string, params wire.Raw) (wire.Raw, error)

	Mu       sync.Mutex
	Notified []string // "method params"
	Asked    []string
}

// Connect connects a client, with capabilities in JSON. Open returns the server's handler of its requests; through out
// the server sends what belongs to none of them.
func Connect(t testing.TB, rev wire.Revision, caps string, open func(out transport.Caller) transport.Handler) *Client {
	t.Helper()
	c := New(t, rev, caps, open)
	if rev < mcp.Modern {
		got := c.Must(mcp.MethodInitialize.Name, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"c","version":"2"}}`, rev, caps))
		if v := wire.Raw(got).StringAt("protocolVersion"); v != rev.String() {
			t.Fatalf("negotiated %s, want %s", v, rev)
		}
		c.Notify(mcp.MethodInitializedNotification.Name, `{}`)
	}
	return c
}

// New returns a client that has not said anything yet.
func New(t testing.TB, rev wire.Revision, caps string, open func(out transport.Caller) transport.Handler) *Client {
	c := &Client{T: t, Rev: rev, Caps: caps}
	c.Server = open(receiver{c})
	return c
}

// Receiver returns what receives the messages of the server.
func (c *Client) Receiver() transport.Caller { return receiver{c} }

// A receiver receives what the server sends.
type receiver struct{ *Client }

func (c receiver) Notify(_ context.Context, method string, params wire.Raw) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.Notified = append(c.Notified, strings.TrimSpace(method+" "+string(params)))
	return nil
}

func (c receiver) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	c.Mu.Lock()
	c.Asked = append(c.Asked, strings.TrimSpace(method+" "+string(params)))
	c.Mu.Unlock()
	if c.Answer == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c.Answer(method, params)
}

// Seen returns the notifications that came since it was last called.
func (c *Client) Seen() []string {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	n := c.Notified
	c.Notified = nil
	return n
}

// Meta returns the _meta of a request.
func (c *Client) Meta() string {
	var m []string
	if c.Rev >= mcp.Modern {
		m = append(m, fmt.Sprintf(`%q:%q`, mcp.KeyProtocolVersion, c.Rev), fmt.Sprintf(`%q:%s`, mcp.KeyClientCapabilities, c.Caps))
		if c.LogLevel != "" {
			m = append(m, fmt.Sprintf(`%q:%q`, mcp.KeyLogLevel, c.LogLevel))
		}
	}
	if c.Token != "" {
		m = append(m, fmt.Sprintf(`%q:%s`, mcp.KeyProgressToken, c.Token))
	}
	if m == nil {
		return ""
	}
	return "{" + strings.Join(m, ",") + "}"
}

// Request makes a request with the metadata of the client's revision.
func (c *Client) Request(method, params string) *transport.Request {
	c.NextID++
	r := &transport.Request{
		ID: wire.IntID(c.NextID), Method: method, Out: receiver{c},
		Origin: transport.Origin{Identity: c.Identity, Principal: c.Principal, Address: c.Address},
	}
	meta := c.Meta()
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
		r.Meta = MetaOf(c.T, r.Params)
	}
	return r
}

// MetaOf returns the member _meta of params.
func MetaOf(t testing.TB, params wire.Raw) wire.Raw {
	var p map[string]json.RawMessage
	if err := json.Unmarshal(params, &p); err != nil {
		t.Fatalf("params %s: %v", params, err)
	}
	return wire.Raw(p["_meta"])
}

// Call sends a request, and returns its result or its error.
func (c *Client) Call(method, params string) (string, *jsonrpc.Error) {
	return c.CallContext(context.Background(), method, params)
}

// CallContext sends a request whose handler has ctx, and returns its result or its error.
func (c *Client) CallContext(ctx context.Context, method, params string) (string, *jsonrpc.Error) {
	c.T.Helper()
	raw, err := c.Server.ServeRequest(ctx, c.Request(method, params))
	if err != nil {
		if refused, ok := err.(*transport.RefusedError); ok {
			err = refused.Err
		}
		if scope, ok := err.(*transport.ScopeError); ok {
			err = scope.Unwrap()
		}
		rpc, ok := err.(*jsonrpc.Error)
		if !ok {
			c.T.Fatalf("%s: the error is %T, want *jsonrpc.Error", method, err)
		}
		return "", rpc
	}
	if err := raw.Check(); err != nil {
		c.T.Fatalf("%s: result %s: %v", method, raw, err)
	}
	return string(raw), nil
}

// Must sends a request and expects a result.
func (c *Client) Must(method, params string) string {
	c.T.Helper()
	result, err := c.Call(method, params)
	if err != nil {
		c.T.Fatalf("%s %s: %v %s", method, params, err, err.Data)
	}
	return result
}

// Fails sends a request and expects an error of that code.
func (c *Client) Fails(method, params string, code int64) *jsonrpc.Error {
	c.T.Helper()
	result, err := c.Call(method, params)
	if err == nil {
		c.T.Fatalf("%s %s: result %s, want error %d", method, params, result, code)
	}
	if err.Code != code {
		c.T.Fatalf("%s %s: error %v, want code %d", method, params, err, code)
	}
	return err
}

// Notify sends a notification.
func (c *Client) Notify(method, params string) {
	c.T.Helper()
	r := c.Request(method, params)
	r.ID = wire.ID{}
	if err := c.Server.ServeNotification(context.Background(), r); err != nil {
		c.T.Fatalf("%s: %v", method, err)
	}
}

// A required is an InputRequiredResult as it came.
type required struct {
	InputRequests map[string]struct {
		Method string
		Params wire.Raw
	} `json:"inputRequests"`
	RequestState string `json:"requestState"`
}

// Complete sends a request, and gives the server the input that it asks for: through 2025-11-25 by requests, afterwards
// by results. It returns the final result, and how often the request was sent.
func (c *Client) Complete(method, params string, answer func(method string, params wire.Raw) string) (result string, rounds int) {
	c.T.Helper()
	c.Answer = func(method string, params wire.Raw) (wire.Raw, error) { return wire.Raw(answer(method, params)), nil }
	retry := params
	for rounds = 1; ; rounds++ {
		result = c.Must(method, retry)
		if !strings.Contains(result, `"input_required"`) {
			return result, rounds
		}
		if rounds == 10 {
			c.T.Fatalf("%s: asks again and again: %s", method, result)
		}
		retry = c.Retry(params, result, answer)
	}
}

// Retry returns the params with which a request is sent again after an input-required result.
func (c *Client) Retry(params, result string, answer func(method string, params wire.Raw) string) string {
	c.T.Helper()
	var r required
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		c.T.Fatal(err)
	}
	answers := map[string]json.RawMessage{}
	for key, q := range r.InputRequests {
		answers[key] = json.RawMessage(answer(q.Method, q.Params))
	}
	encoded, _ := json.Marshal(answers)
	return fmt.Sprintf(`%s,"inputResponses":%s,"requestState":%q}`, strings.TrimSuffix(params, "}"), encoded, r.RequestState)
}

// EveryRevision runs a test once for each revision.
func EveryRevision(t *testing.T, f func(t *testing.T, rev wire.Revision)) {
	for _, rev := range taught.Revisions() {
		t.Run(rev.String(), func(t *testing.T) { f(t, rev) })
	}
}

// Eras runs a test for the newest revision of each era.
func Eras(t *testing.T, f func(t *testing.T, rev wire.Revision)) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.Modern} {
		t.Run(rev.String(), func(t *testing.T) { f(t, rev) })
	}
}

// AllCaps are the capabilities of a client that gives every kind of input.
const AllCaps = `{"roots":{},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}}}`

// Form returns a form with one required text.
func Form(message, name string) *mcp.ElicitRequestFormParams {
	return &mcp.ElicitRequestFormParams{Message: message, RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
		Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: name, Value: &mcp.StringSchema{}}},
		Required:   []string{name},
	}}
}

// Bare returns a result without the members that servers add to every result since 2026-07-28: resultType, ttlMs, cacheScope,
// and _meta with the name of the server.
func Bare(result string) string {
	const about = `"_meta":{"` + mcp.KeyServerInfo + `":{"name":"test","version":"1"}}`
	for _, cut := range []string{about + ",", "," + about, about, `"resultType":"complete",`, `"resultType":"complete"`,
		`,"ttlMs":0,"cacheScope":"private"`, `"ttlMs":0,"cacheScope":"private",`} {
		result = strings.Replace(result, cut, "", 1)
	}
	return result
}

// Equal reports a difference.
func Equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// Contains reports a text that does not contain another.
func Contains(t testing.TB, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %s\nlacks %s", what, got, want)
	}
}

// Check ends the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
