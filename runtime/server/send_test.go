package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The middleware of what is sent sees requests, notifications of calls, and those that belong to none.
func TestSend(t *testing.T) {
	var log []string
	s := newServer(&Options{Logging: true, Send: []transport.Middleware{
		func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				of, session := "no call", false
				switch m := m.Of.(type) {
				case *Call:
					of, session = m.Method(), m.Session() != nil
				case *Session:
					session = true
				}
				log = append(log, fmt.Sprintf("%s of %s, session %t, notification %t", m.Method, of, session, m.Notification))
				result, err := next(ctx, m)
				if len(result) > 0 {
					log = append(log, string(result))
				}
				return result, err
			}
		},
		func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				switch m.Method {
				case "x/secret":
					return nil, errors.New("not sent")
				case "x/panic":
					panic("oops")
				case "x/changed":
					m.Params = wire.Raw(`{"a":2}`)
				}
				return next(ctx, m)
			}
		},
	}})
	add(t, s.AddMethod("x/run", func(ctx context.Context, c *Call) (wire.Encodable, error) {
		if err := c.Notify(ctx, "x/secret", nil); err == nil || err.Error() != "not sent" {
			t.Errorf("x/secret: %v", err)
		}
		if err := c.Notify(ctx, "x/panic", nil); err == nil {
			t.Error("x/panic: no error")
		}
		if err := c.Notify(ctx, "x/changed", wire.Raw(`{"a":1}`)); err != nil {
			t.Error(err)
		}
		if c.modern() {
			return &mcp.EmptyResult{}, nil
		}
		if _, err := c.Request(ctx, "x/ask", wire.Raw(`{"a":3}`)); err != nil {
			return nil, err
		}
		_, err := c.ListRoots(ctx)
		return &mcp.EmptyResult{}, err
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{"roots":{}}`)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{"roots":[]}`), nil }
		log = nil
		c.Must("x/run", `{}`)
		equal(t, "sent", fmt.Sprint(c.Seen()), `[x/changed {"a":2}]`)
		want := []string{}
		for _, method := range []string{"x/secret", "x/panic", "x/changed"} {
			want = append(want, fmt.Sprintf("%s of x/run, session %t, notification true", method, rev < mcp.Modern))
		}
		if rev < mcp.Modern {
			want = append(want, "x/ask of x/run, session true, notification false", `{"roots":[]}`)
			equal(t, "asked", c.Asked[0], `x/ask {"a":3}`)
			want = append(want, "roots/list of x/run, session true, notification false", `{"roots":[]}`)
		}
		equal(t, "log", strings.Join(log, "\n"), strings.Join(want, "\n"))
		if rev >= mcp.Modern {
			return
		}
		log = nil
		add(t, c.session.Session().Ping(t.Context()))
		equal(t, "ping", log[0], "ping of no call, session true, notification false")
	})
}

// Middleware is around notifications, too.
func TestMiddlewareNotifications(t *testing.T) {
	var log []string
	s := newServer(&Options{Middleware: []Middleware{
		func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				if c.IsNotification() {
					log = append(log, c.Method())
				}
				return next(ctx, c)
			}
		},
		func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				if c.Method() == "x/refused" {
					return nil, nil
				}
				return next(ctx, c)
			}
		},
	}})
	for _, method := range []string{"x/refused", "x/taken"} {
		add(t, s.AddNotification(method, func(_ context.Context, c *Call) error {
			log = append(log, "handled "+c.Method())
			return nil
		}))
	}
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	c.Notify("x/refused", `{}`)
	c.Notify("x/taken", `{}`)
	equal(t, "log", fmt.Sprint(log), "[notifications/initialized x/refused x/taken handled x/taken]")
}

func TestSessions(t *testing.T) {
	s := newServer(nil)
	old := newClient(t, s, mcp.V2024_11_05, `{}`)
	closed := newClient(t, s, mcp.V2025_11_25, `{}`)
	last := newClient(t, s, mcp.V2025_11_25, `{}`)
	modern := newClient(t, s, mcp.V2026_07_28, `{}`)
	modern.Must("server/discover", `{}`) // has none
	_, end := opened(t, s, modern, `{"notifications":{}}`)
	defer end(nil)
	NewEndpoint(s).NewSession(last.Receiver(), "") // is not open
	closed.session.Close()
	sessions := slices.Collect(s.Sessions())
	if len(sessions) != 2 || !slices.Contains(sessions, old.session.Session()) || !slices.Contains(sessions, last.session.Session()) {
		t.Errorf("sessions %v, want %p and %p", sessions, old.session, last.session)
	}
	for range s.Sessions() {
		break
	}
}

func TestCallOrigin(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddMethod("x/origin", func(_ context.Context, c *Call) (wire.Encodable, error) {
		got := "none"
		if h, ok := c.Header().(http.Header); ok {
			got = h.Get("X-Tenant")
		}
		return wire.Raw(fmt.Sprintf(`{"address":%q,"tenant":%q}`, c.Address(), got)), nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	contains(t, "without", c.Must("x/origin", `{}`), `{"address":"","tenant":"none"}`)
	r := c.Request("x/origin", `{}`)
	r.Origin = transport.Origin{Address: "192.0.2.1:50", Header: http.Header{"X-Tenant": {"acme"}}}
	result, err := c.session.ServeRequest(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "with", string(result), `{"address":"192.0.2.1:50","tenant":"acme"}`)
}
