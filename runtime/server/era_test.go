package server

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const hello = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`

func TestInitializeNegotiates(t *testing.T) {
	// REQ LIFE-02, LIFE-07, LIFE-15
	for _, test := range []struct {
		revisions     []wire.Revision
		offered, want string
	}{
		{nil, "2024-11-05", "2024-11-05"},
		{nil, "2025-03-26", "2025-03-26"},
		{nil, "2025-06-18", "2025-06-18"},
		{nil, "2025-11-25", "2025-11-25"},
		{nil, "2026-07-28", "2025-11-25"}, // has no initialize
		{nil, "2030-01-01", "2025-11-25"},
		{nil, "1.0", "2025-11-25"},
		{[]wire.Revision{mcp.V2025_03_26, mcp.V2024_11_05}, "2025-06-18", "2025-03-26"},
		{[]wire.Revision{mcp.V2025_03_26, mcp.V2026_07_28}, "2025-06-18", "2025-03-26"},
	} {
		s := newServer(&Options{Revisions: test.revisions, Instructions: "be kind"})
		c := strangerTo(t, s, mcp.V2024_11_05, `{}`)
		got := c.Must("initialize", `{"protocolVersion":"`+test.offered+`","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`)
		equal(t, test.offered, got, `{"protocolVersion":"`+test.want+
			`","capabilities":{},"serverInfo":{"name":"test","version":"1"},"instructions":"be kind"}`)
		equal(t, "session", c.session.Revision().String(), test.want)
		equal(t, "client", c.session.Session().Client().Name, "c")
	}
}

func TestInitializeTwice(t *testing.T) {
	// REQ LIFE-01
	c := newClient(t, newServer(nil), mcp.V2025_06_18, `{}`)
	c.Fails("initialize", hello, codeInvalidRequest)
}

func TestEra(t *testing.T) {
	const (
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		caps    = `"io.modelcontextprotocol/clientCapabilities":{}`
		modern  = `{"_meta":{` + version + `,` + caps + `}}`
	)
	legacy := []wire.Revision{mcp.V2024_11_05, mcp.V2025_11_25}
	stateless := []wire.Revision{mcp.V2026_07_28}
	both := slices.Concat(legacy, stateless)
	for _, test := range []struct {
		name           string
		revisions      []wire.Revision
		open           bool          // a session
		known          wire.Revision // by the transport
		method, params string
		code           int64 // 0: a result
		msg            string
	}{
		// REQ VER-05, VER-06
		{name: "modern", method: "server/discover", params: modern},
		{name: "modern beside a session", open: true, method: "server/discover", params: modern},
		{name: "legacy in a session", open: true, method: "ping"},
		{name: "legacy in a session, empty meta", open: true, method: "ping", params: `{"_meta":{}}`},
		{name: "ping before initialize", method: "ping"}, // REQ PING-01
		{name: "stateless legacy", known: mcp.V2025_06_18, method: "tools/list"},

		// REQ META-09, META-10, META-18, STATE-01
		{"no version", nil, false, 0, "tools/list", `{"_meta":{` + caps + `}}`, codeInvalidParams,
			"params._meta lacks io.modelcontextprotocol/protocolVersion"},
		{"no version in a session", nil, true, 0, "tools/list", `{"_meta":{` + caps + `}}`, codeInvalidParams,
			"params._meta lacks io.modelcontextprotocol/protocolVersion"},
		{"no capabilities", nil, false, 0, "tools/list", `{"_meta":{` + version + `}}`, codeInvalidParams,
			"params._meta lacks io.modelcontextprotocol/clientCapabilities"},
		{"nothing, modern by header", nil, false, mcp.V2026_07_28, "tools/list", "", codeInvalidParams, // REQ AMB-01
			"params._meta lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities"},
		{"nothing", nil, false, 0, "tools/list", "", codeInvalidParams,
			"no session is open, and params._meta lacks io.modelcontextprotocol/protocolVersion: send initialize first, or say in every request which revision it follows"},
		{"nothing, modern only", stateless, false, 0, "tools/list", "", codeInvalidParams,
			"params._meta lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities"},
		{"nothing, legacy only", legacy, false, 0, "tools/list", "", codeInvalidRequest, "no session is open: send initialize first"},
		{"no capabilities in a session", nil, true, 0, "tools/list", `{"_meta":{` + version + `}}`, codeInvalidParams,
			"params._meta lacks io.modelcontextprotocol/clientCapabilities"},
		{"capabilities of a wrong kind", nil, false, 0, "tools/list", `{"_meta":{` + version + `,"io.modelcontextprotocol/clientCapabilities":[]}}`,
			codeInvalidParams, "params._meta: RequestMetaObject: [\"io.modelcontextprotocol/clientCapabiliti\"…]: want object, got array"},

		// REQ VER-02
		{"unknown version", both, false, 0, "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"v999.0.0",` + caps + `}}`,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "v999.0.0", want one of 2026-07-28`},
		{"later version", both, false, 0, "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",` + caps + `}}`,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "2099-01-01", want one of 2026-07-28`},
		{"version that is switched off", append(stateless, mcp.V2025_06_18), true, 0, "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + caps + `}}`,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "2025-11-25", want one of 2026-07-28`},
		{"version with sessions", both, false, 0, "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + caps + `}}`,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "2025-11-25", want one of 2026-07-28`},
		// REQ VER-07
		{"initialize, modern only", stateless, false, 0, "initialize", hello,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "2025-06-18", want one of 2026-07-28`},
		{"initialize, modern only, modern by header", stateless, false, mcp.V2026_07_28, "initialize", hello,
			mcp.CodeUnsupportedProtocolVersion, `unsupported protocol version "2025-06-18", want one of 2026-07-28`},
		// REQ AMB-11
		{"initialize with modern meta", nil, false, 0, "initialize",
			`{"_meta":{` + version + `,` + caps + `},"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`,
			codeNotFound, `method "initialize" not found`},
		// A client that probes falls back on any error but those of the modern era.
		{"probe of a legacy server", legacy, false, 0, "server/discover", modern, codeInvalidRequest, "no session is open: send initialize first"},
		{"discover in a legacy session", legacy, true, 0, "server/discover", modern, codeNotFound, `method "server/discover" not found`},

		// REQ PING-04, LOG-04, RES-12
		{"ping", nil, false, 0, "ping", modern, codeNotFound, `method "ping" not found`},
		{"setLevel", nil, false, 0, "logging/setLevel", modern, codeNotFound, `method "logging/setLevel" not found`},
		{"subscribe", nil, false, 0, "resources/subscribe", modern, codeNotFound, `method "resources/subscribe" not found`},
		{"unsubscribe", nil, false, 0, "resources/unsubscribe", modern, codeNotFound, `method "resources/unsubscribe" not found`},
		// REQ JRPC-19
		{"unknown method", nil, false, 0, "unknown/method", modern, codeNotFound, `method "unknown/method" not found`},
		{"unknown method in a session", nil, true, 0, "unknown/method", "", codeNotFound, `method "unknown/method" not found`},
		{"modern method in a session", nil, true, 0, "subscriptions/listen", `{"notifications":{}}`, codeNotFound, `method "subscriptions/listen" not found`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(&Options{Revisions: test.revisions, Logging: true, OnSubscribe: func(context.Context, *Call, string) error { return nil }})
			add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
			c := strangerTo(t, s, mcp.V2024_11_05, `{}`)
			if test.open {
				c.Must("initialize", hello)
			}
			r := c.Request(test.method, test.params)
			r.Revision = test.known
			_, err := c.session.ServeRequest(t.Context(), r)
			if test.code == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			rpc, ok := errors.AsType[*jsonrpc.Error](err)
			if !ok || rpc.Code != test.code || rpc.Message != test.msg {
				t.Fatalf("error %v\nwant  %s (%d)", err, test.msg, test.code)
			}
			if test.code == mcp.CodeUnsupportedProtocolVersion {
				contains(t, "data", string(rpc.Data), `{"supported":["2026-07-28"],"requested":"`)
			}
		})
	}
}

// REQ STATE-01, STATE-02, STATE-05, CAP-09: requests of both eras on one connection do not know of
// each other.
func TestErasSideBySide(t *testing.T) {
	s := newServer(nil)
	type seen struct {
		rev    wire.Revision
		roots  bool
		client string
		sess   bool
	}
	var got seen
	add(t, s.AddTool(mcp.Tool{Name: "who"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		got = seen{c.Revision(), c.Capabilities().Roots != nil, "", c.Session() != nil}
		if c.Client() != nil {
			got.client = c.Client().Name
		}
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2025_03_26, `{"roots":{}}`)
	call := func(params string, want seen) {
		t.Helper()
		c.Must("tools/call", params)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	call(`{"name":"who"}`, seen{mcp.V2025_03_26, true, "c", true})
	call(`{"name":"who","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`,
		seen{mcp.V2026_07_28, false, "", false})
	call(`{"name":"who","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},
		"io.modelcontextprotocol/clientInfo":{"name":"d","version":"1"}}}`, seen{mcp.V2026_07_28, true, "d", false})
	call(`{"name":"who"}`, seen{mcp.V2025_03_26, true, "c", true})
}

// What a server lists is the same on every connection, whatever was asked on it before.
//
// REQ STATE-13, STATE-02, TOOL-03
func TestListsDoNotVary(t *testing.T) {
	s := newServer(&Options{PageSize: 2})
	for _, name := range []string{"b", "a", "c"} {
		add(t, s.AddTool(mcp.Tool{Name: name}, says(name)))
		add(t, s.AddPrompt(mcp.Prompt{Name: name}, func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }))
		add(t, s.AddResource(mcp.Resource{URI: name + ":x", Name: name}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			return TextResource("", "x"), nil
		}))
	}
	lists := func(c *client) (all string) {
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			all += c.Must(method, `{}`) + "\n"
		}
		return all
	}
	want := lists(newClient(t, s, mcp.V2026_07_28, `{}`))
	one, two := newClient(t, s, mcp.V2026_07_28, `{}`), newClient(t, s, mcp.V2026_07_28, `{"roots":{}}`)
	for range 3 {
		one.Must("tools/call", `{"name":"a"}`)
		two.Must("prompts/get", `{"name":"b"}`)
		one.Must("resources/read", `{"uri":"c:x"}`)
		two.Fails("tools/call", `{"name":"x"}`, codeInvalidParams)
		newClient(t, s, mcp.V2025_06_18, `{}`).Must("tools/list", `{}`)
		equal(t, "one", lists(one), want)
		equal(t, "two", lists(two), want)
	}
}

func TestDiscover(t *testing.T) {
	// REQ STATE-06, STATE-09, META-13, CACHE-01, VER-17
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	s := newServer(&Options{Revisions: both, Instructions: "be kind"})
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	equal(t, "zero", c.Must("server/discover", `{}`),
		`{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},"resultType":"complete","ttlMs":0,"cacheScope":"private",`+
			`"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"be kind"}`)
	anonymous := newServer(&Options{Revisions: both, Anonymous: true})
	c = newClient(t, anonymous, mcp.V2026_07_28, `{}`)
	equal(t, "anonymous", c.Must("server/discover", `{}`),
		`{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{}}`)
}

// What a request says twice, or not at all, is not guessed.
//
// REQ META-18
func TestMetadataTwice(t *testing.T) {
	c := newClient(t, newServer(&Options{Logging: true}), mcp.V2026_07_28, `{}`)
	const (
		version = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		caps    = `"io.modelcontextprotocol/clientCapabilities":{}`
		client  = `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`
		level   = `"io.modelcontextprotocol/logLevel":"info"`
		token   = `"progressToken":1`
	)
	for _, twice := range []string{version, caps, client, level, token} {
		for n, meta := range []string{
			strings.Join([]string{version, caps, client, level, token}, ","),
			strings.Join([]string{version, caps, client, level, token, twice}, ","),
		} {
			if _, err := c.Call("server/discover", `{"_meta":{`+meta+`}}`); (err == nil) != (n == 0) {
				t.Errorf("%s: %v", meta, err)
			}
		}
	}
	for _, null := range []string{"io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/logLevel", "progressToken"} {
		c.Must("server/discover", `{"_meta":{`+version+`,`+caps+`,"`+null+`":null}}`)
	}
	long := c.Fails("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+strings.Repeat("9", 10_000)+`",`+caps+`}}`, mcp.CodeUnsupportedProtocolVersion)
	if len(long.Message) > 1000 || len(long.Data) > 1000 || !strings.Contains(string(long.Data), `"requested":"999`) {
		t.Errorf("%s %s", long.Message, long.Data)
	}
}

// Middleware sees the revision that a request follows, also without a session.
func TestRevisionOfCalls(t *testing.T) {
	var seen []string
	s := newServer(&Options{Middleware: []Middleware{func(next Handler) Handler {
		return func(ctx context.Context, c *Call) (wire.Encodable, error) {
			seen = append(seen, c.Method()+" "+c.Revision().String())
			return next(ctx, c)
		}
	}}})
	add(t, s.AddNotification("x/n", func(context.Context, *Call) error { return nil }))
	c := strangerTo(t, s, mcp.V2025_06_18, `{}`)
	c.Must("ping", "")
	r := c.Request("x/n", "")
	r.ID = wire.ID{}
	add(t, c.session.ServeNotification(t.Context(), r))
	r.Revision = mcp.V2025_03_26
	add(t, c.session.ServeNotification(t.Context(), r))
	c.Must("initialize", hello)
	equal(t, "seen", strings.Join(seen, ", "), "ping 2025-11-25, x/n "+s.served[len(s.served)-1].String()+", x/n 2025-03-26, initialize 2025-11-25")
}
