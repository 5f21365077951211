package typed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestAddMethod(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	for _, err := range []error{
		typed.AddMethod(s, "example/forecast", forecast),
		typed.AddMethod(s, "example/root", func(_ context.Context, _ *server.Call, in mcp.Root) (*mcp.Root, error) { return &in, nil }),
		typed.AddMethod(s, "example/value", func(_ context.Context, _ *server.Call, in *mcp.Root) (mcp.Root, error) { return *in, nil }),
		typed.AddMethod(s, "example/array", func(context.Context, *server.Call, struct{}) ([]int, error) { return []int{1}, nil }),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := typed.AddMethod(s, "example/root", forecast); err == nil {
		t.Error("a method was added twice")
	}
	if err := typed.AddMethod[query, report](s, "example/none", nil); err == nil {
		t.Error("a method has no handler")
	}
	for _, test := range []struct{ method, params, want string }{
		{"example/forecast", `{"city":"Oslo","_meta":{}}`, `{"text":"Oslo"}`},
		{"example/forecast", `{"city":"Atlantis"}`, "no such city (-32603)"},
		{"example/forecast", ``, `{"text":""}`},
		{"example/forecast", `{"city":7}`, "params: json: cannot unmarshal number into Go struct field query.city of type string (-32602)"},
		{"example/forecast", `{"City":"Oslo"}`, `params: City: unknown member; did you mean city instead of "City"? (-32602)`},
		{"example/root", `{"uri":"file:///a","name":"a"}`, `{"uri":"file:///a","name":"a"}`},
		{"example/root", `{"name":"a"}`, "Root: missing required member: uri (-32602)"},
		{"example/value", `{"uri":"file:///a"}`, `{"uri":"file:///a"}`},
		{"example/array", `{}`, "the result cannot be sent: Result: want object, got array (-32603)"},
	} {
		if got := call(t, s, test.method, test.params); got != test.want {
			t.Errorf("%s %s:\n got %s\nwant %s", test.method, test.params, got, test.want)
		}
	}
}

func TestAddNotification(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
	var got query
	handler := func(_ context.Context, _ *server.Call, q query) error {
		got = q
		if q.Days < 0 {
			return errors.New("days: want none or more")
		}
		return nil
	}
	if err := typed.AddNotification(s, "example/notice", handler); err != nil {
		t.Fatal(err)
	}
	if err := typed.AddNotification(s, "example/notice", handler); err == nil {
		t.Error("a notification was added twice")
	}
	if err := typed.AddNotification[query](s, "example/none", nil); err == nil {
		t.Error("a notification has no handler")
	}
	send := func(params string) error {
		return server.NewEndpoint(s).ServeNotification(t.Context(), &transport.Request{Method: "example/notice", Revision: mcp.V2025_11_25, Params: wire.Raw(params)})
	}
	if err := send(`{"city":"Oslo","days":2}`); err != nil || got != (query{"Oslo", 2}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := send(`{"city":7}`); err == nil {
		t.Error("params that do not fit were taken")
	}
	if err := send(`{"city":"Oslo","days":-1}`); err == nil || !strings.Contains(err.Error(), "want none or more") {
		t.Errorf("what the handler returns: %v", err)
	}
}
