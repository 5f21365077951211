package client

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const emptyResult = `{"content":[]}`

// What each kind of request carries, in each era.
//
// REQ META-08 META-09 META-10 META-11 META-12 STATE-10 VER-01 CAP-07 LOG-04 TOOL-13 PRM-04 COMP-02 JRPC-12
func TestRequestMeta(t *testing.T) {
	t.Parallel()
	server := script{
		"tools/call":          always(emptyResult),
		"tools/list":          always(`{"tools":[]}`),
		"completion/complete": always(`{"completion":{"values":[]}}`),
		"x/custom":            always(`{"a":1}`),
	}
	calls := func(ctx context.Context, c *Client) error {
		args := &mcp.CallToolRequestParams{Name: "t", Arguments: wire.Raw(`{"a":1}`)}
		_, err1 := c.CallTool(ctx, args)
		_, err2 := c.ListTools(ctx, nil)
		_, err3 := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t", Meta: &mcp.RequestMetaObject{
			LogLevel: mcp.LoggingLevelDebug, Extra: wire.Extra{{Name: "com.example/a", Value: wire.Raw("1")}}}})
		_, err4 := c.Complete(ctx, &mcp.CompleteRequestParams{
			Ref:      &mcp.PromptReference{Name: "p"},
			Argument: mcp.CompleteRequestParamsArgument{Name: "n", Value: "v"}})
		var custom wire.Raw
		err5 := c.Call(ctx, &wire.Method{Name: "x/custom"}, wire.Raw(`{"b":2,"_meta":{"com.example/c":3}}`), &custom)
		if string(custom) != `{"a":1}` {
			t.Errorf("custom result %s", custom)
		}
		if args.Meta != nil {
			t.Error("the caller's params were changed")
		}
		return errors.Join(err1, err2, err3, err4, err5)
	}
	both(t, server, func(t *testing.T, server script, opts Options) {
		c, f := dial(t, server, &opts)
		if err := calls(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		meta := modernMeta[1 : len(modernMeta)-1]
		want := []string{
			`tools/call {"_meta":{` + meta + `},"name":"t","arguments":{"a":1}}`,
			`tools/list {"_meta":{` + meta + `}}`,
			`tools/call {"_meta":{` + meta + `,"io.modelcontextprotocol/logLevel":"debug","com.example/a":1},"name":"t"}`,
			`completion/complete {"_meta":{` + meta + `},"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"v"}}`,
			`x/custom {"_meta":{` + meta + `,"com.example/c":3},"b":2}`,
		}
		if !c.modern() {
			want = []string{
				`tools/call {"name":"t","arguments":{"a":1}}`,
				`tools/list`,
				`tools/call {"_meta":{"com.example/a":1},"name":"t"}`,
				`completion/complete {"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"n","value":"v"}}`,
				`x/custom {"b":2,"_meta":{"com.example/c":3}}`,
			}
		}
		if diff := cmp.Diff(want, f.sent()); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

// What the revision or the server does not have is not sent.
//
// REQ LIFE-10 LIFE-11 CAP-02 COMP-01 PING-04 RES-11 RES-12 LOG-03
func TestUnsupported(t *testing.T) {
	t.Parallel()
	bare := func(rev string) script {
		return script{
			"server/discover": always(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"public"}`),
			"initialize": always(`{"protocolVersion":"` + rev +
				`","capabilities":{"resources":{"subscribe":false}},"serverInfo":{"name":"s","version":"1"}}`),
			"tools/list":          always(`{"tools":[]}`),
			"resources/list":      always(`{"resources":[]}`),
			"completion/complete": always(`{"completion":{"values":[]}}`),
		}
	}
	complete := func(ctx context.Context, c *Client) error {
		_, err := c.Complete(ctx, &mcp.CompleteRequestParams{Ref: &mcp.PromptReference{Name: "p"}})
		return err
	}
	listTools := func(ctx context.Context, c *Client) error { return listTools(ctx, c, nil) }
	for name, test := range map[string]struct {
		rev  wire.Revision
		lax  bool
		call func(context.Context, *Client) error
		err  string
	}{
		"ping, legacy server without it": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error { return c.Ping(ctx) },
			"method not found (-32601)"},
		"ping, modern": {mcp.V2026_07_28, false, func(ctx context.Context, c *Client) error { return c.Ping(ctx) },
			"ping: clients cannot call it in revision 2026-07-28"},
		"tools, undeclared": {mcp.V2025_06_18, false, listTools, "tools/list: the server does not declare the capability tools"},
		"resources, declared": {mcp.V2025_06_18, false, func(ctx context.Context, c *Client) error {
			_, err := c.ListResources(ctx, nil)
			return err
		}, ""},
		"tools, undeclared but allowed": {mcp.V2025_06_18, true, listTools, ""},
		"completion, undeclared":        {mcp.V2025_03_26, false, complete, "completion/complete: the server does not declare the capability completions"},
		"completion, 2024-11":           {mcp.V2024_11_05, false, complete, ""},
		"subscribe, undeclared": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.Call(ctx, &mcp.MethodSubscribe, &mcp.SubscribeRequestParams{URI: "a:b"}, new(mcp.EmptyResult))
		}, "resources/subscribe: the server does not declare the capability resources.subscribe"},
		"subscribe, modern": {mcp.V2026_07_28, false, func(ctx context.Context, c *Client) error {
			return c.Call(ctx, &mcp.MethodSubscribe, &mcp.SubscribeRequestParams{URI: "a:b"}, new(mcp.EmptyResult))
		}, "resources/subscribe: clients cannot call it in revision 2026-07-28"},
		"listen, legacy": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.Call(ctx, &mcp.MethodSubscriptionsListen, new(mcp.SubscriptionsListenRequestParams), new(mcp.SubscriptionsListenResult))
		}, "subscriptions/listen: clients cannot call it in revision 2025-11-25"},
		"listen, without a subscription": {mcp.V2026_07_28, false, func(ctx context.Context, c *Client) error {
			return c.Call(ctx, &mcp.MethodSubscriptionsListen, new(mcp.SubscriptionsListenRequestParams), new(mcp.SubscriptionsListenResult))
		}, "client: subscriptions/listen: Client.Subscribe sends it"},
		"initialize again": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.Call(ctx, &mcp.MethodInitialize, new(mcp.InitializeRequestParams), new(mcp.InitializeResult))
		}, "client: initialize: Connect sends it"},
		"initialized again": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.Notify(ctx, &mcp.MethodInitializedNotification, nil)
		}, "client: notifications/initialized: Connect sends it"},
		"cancellation": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.Notify(ctx, &mcp.MethodCancelledNotification, new(mcp.CancelledNotificationParams))
		}, "client: notifications/cancelled: the client sends it when the context of a call ends"},
		"notification of another era": {mcp.V2026_07_28, false, func(ctx context.Context, c *Client) error {
			return c.Notify(ctx, &mcp.MethodRootsListChangedNotification, nil)
		}, "notifications/roots/list_changed: clients cannot call it in revision 2026-07-28"},
		"log level, undeclared, legacy": {mcp.V2025_11_25, false, func(ctx context.Context, c *Client) error {
			return c.SetLevel(ctx, mcp.LoggingLevelInfo)
		}, "logging/setLevel: the server does not declare the capability logging"},
		"log level, undeclared, modern": {mcp.V2026_07_28, false, func(ctx context.Context, c *Client) error {
			return c.SetLevel(ctx, mcp.LoggingLevelInfo)
		}, "logging/setLevel: the server does not declare the capability logging"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, f := dial(t, bare(test.rev.String()), &Options{Revisions: []wire.Revision{test.rev}, AllowUndeclared: test.lax})
				err := test.call(t.Context(), c)
				if got := errorText(err); got != test.err {
					t.Errorf("error %q, want %q", got, test.err)
				}
				sent := err == nil || errors.As(err, new(*jsonrpc.Error))
				if sent != (len(f.sent()) > 0) {
					t.Errorf("sent %q", f.sent())
				}
			})
		})
	}
}

// REQ STATE-10 STATE-11 XTASK-05 EXT-06 MRTR-02 JRPC-09
func TestResultType(t *testing.T) {
	t.Parallel()
	const task = `{"resultType":"task","taskId":"1"}`
	tasks := []Extension{{ID: "io.modelcontextprotocol/tasks", ResultTypes: map[string][]string{"tools/call": {"task"}}}}
	callTool := func(ctx context.Context, c *Client) error {
		_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t"})
		return err
	}
	listTools := func(ctx context.Context, c *Client) error { return listTools(ctx, c, nil) }
	for name, test := range map[string]struct {
		rev        wire.Revision
		extensions []Extension
		call       func(context.Context, *Client) error
		result     string
		err        string
	}{
		"complete":           {mcp.V2026_07_28, nil, callTool, `{"resultType":"complete","content":[]}`, ""},
		"absent":             {mcp.V2026_07_28, nil, callTool, `{"content":[]}`, ""},
		"null":               {mcp.V2026_07_28, nil, callTool, `{"resultType":null,"content":[]}`, ""},
		"unknown member":     {mcp.V2026_07_28, nil, callTool, `{"content":[],"x":{"y":[]}}`, ""},
		"unknown":            {mcp.V2026_07_28, nil, callTool, `{"resultType":"other"}`, `tools/call: invalid result: want a resultType that the method may have, got "other"`},
		"unknown, of a list": {mcp.V2026_07_28, nil, listTools, `{"resultType":"other","tools":[]}`, `tools/list: invalid result: want a resultType that the method may have, got "other"`},
		"no string":          {mcp.V2026_07_28, nil, callTool, `{"resultType":7,"content":[]}`, `tools/call: invalid result: want a resultType that the method may have, got ""`},
		"task, undeclared":   {mcp.V2026_07_28, nil, callTool, task, `tools/call: invalid result: want a resultType that the method may have, got "task"`},
		"task, declared":     {mcp.V2026_07_28, tasks, callTool, task, `tools/call: want CallToolResult, got another type of result`},
		"task, of a list":    {mcp.V2026_07_28, tasks, listTools, task, `tools/list: invalid result: want a resultType that the method may have, got "task"`},
		"input, of a list":   {mcp.V2026_07_28, nil, listTools, `{"resultType":"input_required","requestState":"s"}`, `tools/list: invalid result: want a resultType that the method may have, got "input_required"`},
		"input, of nothing":  {mcp.V2026_07_28, nil, callTool, `{"resultType":"input_required"}`, `tools/call: invalid result: an input-required result must have inputRequests or requestState`},
		"other type, legacy": {mcp.V2025_11_25, nil, listTools, `{"resultType":"other","tools":[]}`, ""},
		"nonsense, legacy":   {mcp.V2025_11_25, nil, callTool, `{"content":7}`, `tools/call: CallToolResult: content: want array, got number`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				server := modernServer(legacyServer(script{"tools/call": always(test.result), "tools/list": always(test.result)}))
				c, _ := dial(t, server, &Options{Revisions: []wire.Revision{test.rev}, Extensions: test.extensions})
				if got := errorText(test.call(t.Context(), c)); got != test.err {
					t.Errorf("error %q, want %q", got, test.err)
				}
			})
		})
	}
}

// What the server says about itself, in both eras.
//
// REQ LIFE-02 STATE-06 META-13 CAP-04
func TestServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := script{
			"server/discover": always(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"odd":[1]},` +
				`"instructions":"i","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"ttlMs":0,"cacheScope":"public"}`),
			"initialize": always(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"odd":[1]},` +
				`"instructions":"i","serverInfo":{"name":"s","version":"1"}}`),
		}
		want := &ServerInfo{
			Capabilities: mcp.ServerCapabilities{
				Tools: new(mcp.ServerCapabilitiesTools),
				Extra: wire.Extra{{Name: "odd", Value: wire.Raw("[1]")}},
			},
			Info:         &mcp.Implementation{Name: "s", Version: "1"},
			Instructions: "i",
		}
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			c, _ := dial(t, server, &Options{Revisions: []wire.Revision{rev}})
			if diff := cmp.Diff(want, c.Server()); diff != "" {
				t.Errorf("%v: %s", rev, diff)
			}
		}
	})
}

// Arguments that are no JSON fail the call at once: a server would not know what to answer.
func TestBrokenArguments(t *testing.T) {
	t.Parallel()
	const want = `client: tools/call "t": arguments: `
	for _, arguments := range []string{`{"a":01}`, "{\"a\":\"\xff\"}", `{}{}`} {
		both(t, script{"tools/call": always(emptyResult)}, func(t *testing.T, server script, opts Options) {
			c, f := dial(t, server, &opts)
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t", Arguments: wire.Raw(arguments)})
			if got := errorText(err); !strings.HasPrefix(got, want) || f.count("tools/call") != 0 {
				t.Errorf("%q: error %q, want %q…", arguments, got, want)
			}
		})
	}
}
