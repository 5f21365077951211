package methods_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Params are decoded into types of any kind, and results encoded from them.
func TestMethodTypes(t *testing.T) {
	type door struct {
		Name string `json:"name"`
		Open bool   `json:"open,omitempty"`
	}
	const params = `{"name":"east"}`
	for name, test := range map[string]struct {
		m    client.Method
		want string
	}{
		"structs": {methods.Request("x", func(_ context.Context, d door) (door, error) { d.Open = true; return d, nil }),
			`{"name":"east","open":true}`},
		"pointers": {methods.Request("x", func(_ context.Context, d *door) (*door, error) { d.Open = true; return d, nil }),
			`{"name":"east","open":true}`},
		"maps": {methods.Request("x", func(_ context.Context, m map[string]any) (map[string]any, error) { m["n"] = 1; return m, nil }),
			`{"n":1,"name":"east"}`},
		"generated": {methods.Request("x", func(_ context.Context, p mcp.GetPromptRequestParams) (mcp.Implementation, error) {
			return mcp.Implementation{Name: p.Name, Title: "new", Version: "1"}, nil
		}), `{"name":"east","version":"1"}`}, // as the revision has it
		"pointers to generated": {methods.Request("x", func(_ context.Context, p *mcp.GetPromptRequestParams) (*mcp.Implementation, error) {
			return &mcp.Implementation{Name: p.Name, Title: "new", Version: "1"}, nil
		}), `{"name":"east","version":"1"}`},
		"raw":     {methods.Request("x", func(_ context.Context, p wire.Raw) (wire.Raw, error) { return p, nil }), params},
		"nothing": {methods.Request("x", func(context.Context, wire.Raw) (wire.Encodable, error) { return nil, nil }), ``},
	} {
		result, err := test.m.Request(t.Context(), wire.Raw(params))
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
		_, err = test.m.Request(t.Context(), wire.Raw(`{"name":7,"description":7,"arguments":7}`))
		if _, decode := errors.AsType[*wire.DecodeError](err); name != "maps" && !decode && !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("%s: %v, want an error about the params", name, err)
		}
	}
	// Names of members are exact, as everywhere.
	for _, params := range []string{`{"Name":"east"}`, `{"name":"east","NAME":"west"}`, `{"name":"east","name":"west"}`} {
		m := methods.Request("x", func(_ context.Context, d door) (door, error) { return d, nil })
		if result, err := m.Request(t.Context(), wire.Raw(params)); !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("%s: %v, %v, want an error about the params", params, result, err)
		}
	}
	m := methods.Notification("x", func(context.Context, map[string]any) { t.Error("a handler received a duplicate member") })
	err := m.Notification(t.Context(), wire.Raw(`{"list":[{"a":1,"b":{"c":1,"c":2}}]}`))
	if !errors.Is(err, jsonrpc.ErrInvalidParams) || !strings.Contains(err.Error(), `list[0].b.c: duplicate member "c"`) {
		t.Errorf("a duplicate member: %v", err)
	}
	var got door
	m = methods.Notification("x", func(_ context.Context, d door) { got = d })
	if err := m.Notification(t.Context(), wire.Raw(params)); err != nil || got.Name != "east" {
		t.Errorf("a notification: %+v, %v", got, err)
	}
	if err := m.Notification(t.Context(), nil); err != nil || got.Name != "" {
		t.Errorf("without params: %+v, %v", got, err)
	}
}

// Methods without a function are refused by Connect, which sees that there is none.
func TestNoFunction(t *testing.T) {
	if m := methods.Request[wire.Raw, wire.Raw]("x", nil); m.Request != nil {
		t.Error("there is a handler of requests")
	}
	if m := methods.Notification[wire.Raw]("x", nil); m.Notification != nil {
		t.Error("there is a handler of notifications")
	}
}

// A caller is a server that has a response for each request.
type caller func(params wire.Raw) (string, error)

func (c caller) Call(_ context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	var text wire.Raw
	if params != nil {
		var err error
		if text, err = wire.Marshal(mcp.V2026_07_28, params); err != nil {
			return err
		}
	}
	response, err := c(text)
	if err != nil {
		return err
	}
	return wire.Decode([]byte(response), result)
}

func (c caller) Notify(context.Context, *wire.Method, wire.Encodable) error { return nil }

// A custom method is called with Go values of any kind.
func TestCall(t *testing.T) {
	type query struct{ Text string }
	c := caller(func(params wire.Raw) (string, error) {
		switch text := params.StringAt("Text"); text {
		case "":
			return `{"name":"nothing","version":"1"}`, nil
		case "case":
			return `{"text":"in another case"}`, nil
		case "fails":
			return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
		default:
			return `{"Text":"` + text + `!","new":1}`, nil
		}
	})
	ctx := t.Context()
	if got, err := methods.Call[query](ctx, c, "acme/search", query{"tea"}); err != nil || got.Text != "tea!" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := methods.Call[*query](ctx, c, "acme/search", &query{"tea"}); err != nil || got.Text != "tea!" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := methods.Call[mcp.Implementation](ctx, c, "acme/search", nil); err != nil || got.Name != "nothing" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := methods.Call[wire.Raw](ctx, c, "acme/search", wire.Raw(`{"Text":"x"}`)); err != nil || got.StringAt("Text") != "x!" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := methods.Call[query](ctx, c, "acme/search", query{"case"}); err == nil || !strings.Contains(err.Error(), "acme/search: the result does not decode as methods_test.query") {
		t.Errorf("got %v", err)
	}
	if _, err := methods.Call[query](ctx, c, "acme/search", query{"fails"}); !errors.Is(err, jsonrpc.ErrInvalidParams) {
		t.Errorf("got %v", err)
	}
	if _, err := methods.Call[query](ctx, c, "acme/search", make(chan int)); err == nil || !strings.HasPrefix(err.Error(), "methods: acme/search: params: ") {
		t.Errorf("got %v", err)
	}
}
