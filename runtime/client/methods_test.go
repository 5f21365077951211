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
		opts.Methods = []Method{HandleRequest("example/pick", func(_ context.Context, p *mcp.SubscribeRequestParams) (wire.Encodable, error) {
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

// Params are decoded into types of any kind, and results encoded from them.
func TestMethodTypes(t *testing.T) {
	type door struct {
		Name string `json:"name"`
		Open bool   `json:"open,omitempty"`
	}
	const params = `{"name":"east"}`
	for name, test := range map[string]struct {
		m    Method
		want string
	}{
		"structs": {HandleRequest("x", func(_ context.Context, d door) (door, error) { d.Open = true; return d, nil }),
			`{"name":"east","open":true}`},
		"pointers": {HandleRequest("x", func(_ context.Context, d *door) (*door, error) { d.Open = true; return d, nil }),
			`{"name":"east","open":true}`},
		"maps": {HandleRequest("x", func(_ context.Context, m map[string]any) (map[string]any, error) { m["n"] = 1; return m, nil }),
			`{"n":1,"name":"east"}`},
		"generated": {HandleRequest("x", func(_ context.Context, p mcp.GetPromptRequestParams) (mcp.Implementation, error) {
			return mcp.Implementation{Name: p.Name, Title: "new", Version: "1"}, nil
		}), `{"name":"east","version":"1"}`}, // as the revision has it
		"pointers to generated": {HandleRequest("x", func(_ context.Context, p *mcp.GetPromptRequestParams) (*mcp.Implementation, error) {
			return &mcp.Implementation{Name: p.Name, Title: "new", Version: "1"}, nil
		}), `{"name":"east","version":"1"}`},
		"raw":     {HandleRequest("x", func(_ context.Context, p wire.Raw) (wire.Raw, error) { return p, nil }), params},
		"nothing": {HandleRequest("x", func(context.Context, wire.Raw) (wire.Encodable, error) { return nil, nil }), ``},
	} {
		result, err := test.m.request(t.Context(), wire.Raw(params))
		var got []byte
		if result != nil && err == nil {
			got, err = wire.Marshal(mcp.V2025_03_26, result)
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, test.want)
		}
		if strings.Contains(name, "raw") || name == "nothing" {
			continue
		}
		_, err = test.m.request(t.Context(), wire.Raw(`{"name":7,"description":7,"arguments":7}`))
		if _, decode := errors.AsType[*wire.DecodeError](err); name != "maps" && !decode && !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("%s: %v, want an error about the params", name, err)
		}
	}
	// Names of members are exact, as everywhere.
	for _, params := range []string{`{"Name":"east"}`, `{"name":"east","NAME":"west"}`, `{"name":"east","name":"west"}`} {
		m := HandleRequest("x", func(_ context.Context, d door) (door, error) { return d, nil })
		if result, err := m.request(t.Context(), wire.Raw(params)); !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("%s: %v, %v, want an error about the params", params, result, err)
		}
	}
	m := HandleNotification("x", func(context.Context, map[string]any) { t.Error("a handler received a duplicate member") })
	err := m.notification(t.Context(), wire.Raw(`{"list":[{"a":1,"b":{"c":1,"c":2}}]}`))
	if !errors.Is(err, jsonrpc.ErrInvalidParams) || !strings.Contains(err.Error(), `list[0].b.c: duplicate member "c"`) {
		t.Errorf("a duplicate member: %v", err)
	}
	var got door
	m = HandleNotification("x", func(_ context.Context, d door) { got = d })
	if err := m.notification(t.Context(), wire.Raw(params)); err != nil || got.Name != "east" {
		t.Errorf("a notification: %+v, %v", got, err)
	}
	if err := m.notification(t.Context(), nil); err != nil || got.Name != "" {
		t.Errorf("without params: %+v, %v", got, err)
	}
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
		return HandleRequest(name, func(context.Context, *wire.Raw) (wire.Encodable, error) { return nil, nil })
	}
	notification := func(name string) Method { return HandleNotification(name, func(context.Context, *wire.Raw) {}) }
	var none func(context.Context, *wire.Raw)
	for want, list := range map[string][]Method{
		"": {request("x"), request("y"), notification("x"), notification("notifications/tasks/status"), request("tasks/get"), request("tasks/list")},
		`client: Options.Methods: "x" is given twice`:                                          {request("x"), request("x")},
		`client: Options.Methods: "z" is given twice`:                                          {notification("z"), request("x"), notification("z")},
		`client: Options.Methods: the client handles "roots/list" itself; use Options.Receive`: {request("roots/list")},
		`client: Options.Methods: want a name and a function, got the name ""`:                 {request("")},
		`client: Options.Methods: want a name and a function, got the name "x"`:                {HandleNotification("x", none)},
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
					HandleRequest("example/pick", func(context.Context, *wire.Raw) (wire.Encodable, error) { return test.result, test.err }),
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

// A custom method is called with Go values of any kind.
func TestCallMethod(t *testing.T) {
	type query struct{ Text string }
	more := script{"acme/search": func(r *received) (string, error) {
		switch text := r.params.StringAt("Text"); text {
		case "":
			return `{"name":"nothing","version":"1"}`, nil
		case "case":
			return `{"text":"in another case"}`, nil
		case "fails":
			return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
		default:
			return `{"Text":"` + text + `!","new":1}`, nil
		}
	}}
	both(t, more, func(t *testing.T, server script, opts Options) {
		c, _ := dial(t, server, &opts)
		ctx := t.Context()
		if got, err := CallMethod[query](ctx, c, "acme/search", query{"tea"}); err != nil || got.Text != "tea!" {
			t.Errorf("got %v, %v", got, err)
		}
		if got, err := CallMethod[*query](ctx, c, "acme/search", &query{"tea"}); err != nil || got.Text != "tea!" {
			t.Errorf("got %v, %v", got, err)
		}
		if got, err := CallMethod[mcp.Implementation](ctx, c, "acme/search", nil); err != nil || got.Name != "nothing" {
			t.Errorf("got %v, %v", got, err)
		}
		if got, err := CallMethod[wire.Raw](ctx, c, "acme/search", wire.Raw(`{"Text":"x"}`)); err != nil || got.StringAt("Text") != "x!" {
			t.Errorf("got %s, %v", got, err)
		}
		if _, err := CallMethod[query](ctx, c, "acme/search", query{"case"}); err == nil || !strings.Contains(err.Error(), "acme/search: the result does not decode as client.query") {
			t.Errorf("got %v", err)
		}
		if _, err := CallMethod[query](ctx, c, "acme/search", query{"fails"}); !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("got %v", err)
		}
		if _, err := CallMethod[query](ctx, c, "acme/search", make(chan int)); err == nil || !strings.HasPrefix(err.Error(), "client: acme/search: params: ") {
			t.Errorf("got %v", err)
		}
	})
}
