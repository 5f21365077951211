package transport_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What errors say, and what is in them.
func TestErrors(t *testing.T) {
	scopes := &transport.ScopeError{Scopes: []string{"a", "b"}, Missing: []string{"b"}}
	const lacks = "insufficient scope: the request requires a, b; the sender lacks b"
	for _, test := range []struct {
		err  error
		text string
		in   error // nil: nothing
	}{
		{scopes, lacks, nil},
		{&transport.StatusError{Method: "POST", Status: 503, Err: io.EOF}, "the server answered POST with HTTP status 503", io.EOF},
		{&transport.StatusError{Method: "GET", Status: 404, Text: " not\n\xff found "}, "the server answered GET with HTTP status 404: not \uFFFD found", nil},
		{&transport.MessageError{Limit: 16 << 20}, "transport: a message is longer than the limit of 16777216 bytes", nil},
		{&transport.RequestError{Err: io.EOF}, "EOF", io.EOF},
		{&transport.BrokenError{Err: io.EOF}, "EOF", io.EOF},
		{&transport.RefusedError{Err: &jsonrpc.Error{Code: 7, Message: "m"}}, "m (7)", nil},
	} {
		if got := test.err.Error(); got != test.text || test.in != nil && !errors.Is(test.err, test.in) {
			t.Errorf("got %s, want %s", got, test.text)
		}
	}
	if e, ok := errors.AsType[*jsonrpc.Error](error(scopes)); !ok || e.Code != jsonrpc.CodeInvalidRequest || e.Message != lacks {
		t.Errorf("where there is no status the response is %v", e)
	}
	if long := (&transport.ScopeError{Scopes: []string{strings.Repeat("a", 1<<20)}, Missing: []string{strings.Repeat("b", 1<<20)}}); len(long.Error()) > 3000 {
		t.Errorf("the error has %d bytes", len(long.Error()))
	}
}

func TestDenied(t *testing.T) {
	for status, want := range map[int]bool{401: true, 403: true, 407: true, 400: false, 402: false, 404: false, 408: false, 503: false} {
		if got := (&transport.StatusError{Status: status}).Denied(); got != want {
			t.Errorf("%d: got %t", status, got)
		}
	}
}

// The first middleware is outermost.
func TestWrap(t *testing.T) {
	named := func(name string) transport.Middleware {
		return func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				m.Method += name
				return next(ctx, m)
			}
		}
	}
	var got string
	last := func(_ context.Context, m *transport.ServerMessage) (wire.Raw, error) {
		got = m.Method
		return wire.Raw("{}"), io.EOF
	}
	for want, middleware := range map[string][]transport.Middleware{"": nil, "a": {named("a")}, "abc": {named("a"), named("b"), named("c")}} {
		if result, err := transport.Wrap(last, middleware)(t.Context(), new(transport.ServerMessage)); string(result) != "{}" || err != io.EOF || got != want {
			t.Errorf("got %s, %v by way of %q, want %q", result, err, got, want)
		}
	}
}
