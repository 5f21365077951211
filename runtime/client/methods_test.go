package client

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Params of other methods are decoded into the type of the handler, in requests as inside input-required
// results; what does not fit is an error.
func TestMethods(t *testing.T) {
	more := script{"tools/call": func(r *received) (string, error) {
		if r.server.revision != mcp.V2026_07_28 {
			return r.server.request("example/pick", `{"uri":"a:b"}`)
		}
		if answer := r.params.StringAt("inputResponses", "k", "picked"); answer != "" {
			return `{"resultType":"complete","content":[],"structuredContent":{"picked":"` + answer + `"}}`, nil
		}
		return `{"resultType":"input_required","inputRequests":{"k":{"method":"example/pick","params":{"uri":"a:b"}}}}`, nil
	}}
	both(t, more, func(t *testing.T, server script, opts Options) {
		opts.Methods = []Method{handleRequest("example/pick", func(_ context.Context, p *mcp.SubscribeRequestParams) (wire.Encodable, error) {
			return wire.Raw(`{"picked":"` + p.URI + `"}`), nil
		})}
		c, f := dial(t, server, &opts)
		f.revision = c.Revision()
		var result wire.Raw
		err := c.Call(t.Context(), &mcp.MethodCallTool, &mcp.CallToolRequestParams{Name: "t"}, &result)
		if err != nil || !strings.Contains(string(result), `"picked":"a:b"`) {
			t.Errorf("%s, %v", result, err)
		}
		if c.modern() {
			return
		}
		for _, params := range []string{``, `{"uri":7}`} {
			if _, err := f.request("example/pick", params); !errors.Is(err, jsonrpc.ErrInvalidParams) {
				t.Errorf("%q: %v", params, err)
			}
		}
	})
}

// A generated set of calls works with a client.
func TestGeneratedCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := modernServer(script{"tasks/cancel": always(`{"resultType":"complete"}`)})
		c, f := dial(t, server, &Options{Info: testInfo})
		calls := extension.ServerCalls{Caller: c}
		if _, err := calls.CancelTask(t.Context(), &extension.CancelTaskRequestParams{TaskID: "1"}); err != nil || f.count("tasks/cancel") != 1 {
			t.Errorf("%q, %v", f.sent(), err)
		}
	})
}

func TestMethodsRefused(t *testing.T) {
	request := func(name string) Method {
		return handleRequest(name, func(context.Context, *wire.Raw) (wire.Encodable, error) { return nil, nil })
	}
	notification := func(name string) Method { return handleNotification(name, func(context.Context, *wire.Raw) {}) }
	for want, list := range map[string][]Method{
		"": {request("x"), request("y"), notification("x"), notification("notifications/tasks/status"), request("tasks/get"), request("tasks/list")},
		`client: Options.Methods: "x" is given twice`:                                          {request("x"), request("x")},
		`client: Options.Methods: "z" is given twice`:                                          {notification("z"), request("x"), notification("z")},
		`client: Options.Methods: the client handles "roots/list" itself; use Options.Receive`: {request("roots/list")},
		`client: Options.Methods: want a name and a function, got the name ""`:                 {request("")},
		`client: Options.Methods: want a name and a function, got the name "x"`:                {{Name: "x"}},
	} {
		if _, err := methodsOf(list); errorText(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	near, far := inmem.Pair(0)
	defer far.Close()
	if _, err := Connect(t.Context(), near, &Options{Methods: []Method{request("ping")}}); err == nil {
		t.Error("Connect accepts a method of the protocol")
	}
}

// The result of a custom request inside an input-required result is whatever the handler returns; an error
// of the handler ends the call.
func TestCustomInput(t *testing.T) {
	errBroken := errors.New("broken")
	for name, test := range map[string]struct {
		result wire.Encodable
		err    error
		want   string // the input responses
	}{
		"an object": {wire.Raw(`{"a":1}`), nil, `{"k":{"a":1}}`},
		"nothing":   {nil, nil, `{"k":{}}`},
		"not JSON":  {wire.Raw(`{`), nil, ""},
		"an error":  {nil, errBroken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				server := modernServer(script{"tools/call": func(r *received) (string, error) {
					if r.params.StringAt("requestState") == "s" {
						return emptyResult, nil
					}
					return `{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"example/pick"}}}`, nil
				}})
				c, f := dial(t, server, &Options{Methods: []Method{
					handleRequest("example/pick", func(context.Context, *wire.Raw) (wire.Encodable, error) { return test.result, test.err }),
				}})
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
				if (err == nil) != (test.want != "") || test.err != nil && !errors.Is(err, test.err) {
					t.Errorf("got %v", err)
				}
				sent := f.sent()
				if test.want != "" && !strings.Contains(sent[len(sent)-1], `"inputResponses":`+test.want) {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}
