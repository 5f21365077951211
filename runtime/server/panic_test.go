package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func explode(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
	panic(errors.New("secret"))
}

// Middleware sees a panic as an error that says where it was. It is logged once, and the client learns nothing.
//
// REQ JRPC-21, LOG-07
func TestPanicReachesMiddleware(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		var log bytes.Buffer
		var seen []*PanicError
		record := func(err error) {
			if e, ok := errors.AsType[*PanicError](err); ok {
				seen = append(seen, e)
			}
		}
		s := newServer(&Options{
			Logger: slog.New(slog.NewJSONHandler(&log, nil)),
			Middleware: []Middleware{func(next Handler) Handler {
				return func(ctx context.Context, c *Call) (wire.Encodable, error) {
					result, err := next(ctx, c)
					record(err)
					return result, err
				}
			}},
		})
		add(t, s.AddTool(mcp.Tool{Name: "explode"}, explode))
		add(t, s.AddNotification("example/explode", func(context.Context, *Call) error { panic("secret") }))
		c := newClient(t, s, rev, `{}`)
		err := c.Fails("tools/call", `{"name":"explode"}`, codeInternal)
		equal(t, "error", err.Message, "internal error")
		note := c.Request("example/explode", `{}`)
		note.ID = wire.ID{}
		if err := c.session.ServeNotification(t.Context(), note); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
		if len(seen) != 2 {
			t.Fatalf("middleware saw %d panics, want 2", len(seen))
		}
		equal(t, "error", seen[0].Error(), "panic: secret")
		if stack := string(seen[0].Stack); !strings.Contains(stack, "server.explode(") {
			t.Errorf("the stack is %s", stack)
		}
		if n := strings.Count(log.String(), "panic in a handler"); n != 2 {
			t.Errorf("%d log lines, want 2: %s", n, log.String())
		}
		contains(t, "log", log.String(), `"stack":"goroutine `)
	})
}

// A panic in middleware ends its request or notification alone, and is logged. Whoever asks for scopes does not see it.
func TestPanicInMiddleware(t *testing.T) {
	var log bytes.Buffer
	s := newServer(&Options{Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Middleware: []Middleware{func(Handler) Handler { return func(context.Context, *Call) (wire.Encodable, error) { panic("oops") } }},
		Filters:    []Filter{{Admit: func(context.Context, *Call, *Item) (bool, error) { panic("filter") }}},
	})
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("")))
	c := strangerTo(t, s, mcp.V2026_07_28, `{}`)
	if scopes, err := NewEndpoint(s).Scopes(t.Context(), c.Request("tools/call", `{"name":"a"}`)); scopes != nil || err != nil {
		t.Errorf("got %q, %v", scopes, err)
	}
	if scopes, err := NewEndpoint(s).Scopes(t.Context(), c.Request("tools/call", `{"_meta":{"io.modelcontextprotocol/protocolVersion":7},"name":"a"}`)); scopes != nil || err != nil {
		t.Errorf("of metadata that is wrong: got %q, %v", scopes, err)
	}
	equal(t, "request", c.Fails("server/discover", `{}`, codeInternal).Message, "internal error")
	count(t, "panics that are logged", strings.Count(log.String(), "panic in a handler"), 1)
	r := c.Request("x/n", `{}`)
	r.ID = wire.ID{}
	if err := c.session.ServeNotification(t.Context(), r); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("notification: %v", err)
	}
	count(t, "panics that are logged", strings.Count(log.String(), "panic in a handler"), 2)
}
