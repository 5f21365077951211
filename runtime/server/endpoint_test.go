package server

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// What transports call is not among the methods that programs see.
func TestEndpoint(t *testing.T) {
	s := newServer(nil)
	e := NewEndpoint(s).NewSession(nil, "id")
	for _, v := range []any{s, e.Session()} {
		if _, ok := v.(transport.Handler); ok {
			t.Errorf("%T is a handler of requests, want its endpoint to be", v)
		}
	}
	first, second := NewEndpoint(s), NewEndpoint(s)
	if first != second || e.Session().ID() != "id" || e.Session().LogLevel() != "info" {
		t.Errorf("id %q, log level %q", e.Session().ID(), e.Session().LogLevel())
	}
}
