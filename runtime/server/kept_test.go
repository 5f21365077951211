package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
)

// watchable returns a server with resources a:… that can be subscribed to.
func watchable(t *testing.T, o *Options) *Server {
	t.Helper()
	o.OnSubscribe = func(context.Context, *Call, string) error { return nil }
	s := newServer(o)
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), nothing))
	return s
}

// REQ SUB-01: listeners are bounded, and no client can have them all.
func TestListensAreBounded(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := watchable(t, &Options{MaxKept: 16 * listenBytes})
		ctx, cancel := context.WithCancel(t.Context())
		var open sync.WaitGroup
		limits.Shared(t, 4, func(who string) bool {
			c := newClient(t, s, mcp.V2026_07_28, `{}`)
			c.Address = who
			before := s.kept.Used()
			open.Go(func() { c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{}}`)) })
			synctest.Wait()
			return s.kept.Used() > before
		})
		mallory := newClient(t, s, mcp.V2026_07_28, `{}`)
		mallory.Address = "mallory"
		err := mallory.Fails("subscriptions/listen", `{"notifications":{}}`, codeInternal)
		contains(t, "the refusal", err.Message, "reached the limit on subscriptions")
		cancel()
		open.Wait()
		if n := s.kept.Used(); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

// REQ SUB-01, RES-16: what clients subscribe to is bounded in all sessions and listeners together.
func TestKeptIsBounded(t *testing.T) {
	uri := func(n int) string { return fmt.Sprintf("a:%d%s", n, strings.Repeat("x", 1000)) }
	bubbles(t, func(t *testing.T) {
		s := watchable(t, &Options{MaxKept: 64 << 10})
		open := func(address string) *client {
			c := newClient(t, s, mcp.V2025_11_25, `{}`)
			c.Address = address
			return c
		}
		limits.Shared(t, 14, func(who string) bool { // a quarter of 64 KiB
			_, err := open(who).Call("resources/subscribe", `{"uri":"`+uri(0)+`"}`)
			return err == nil
		})
		alice := open("alice")
		alice.Must("resources/subscribe", `{"uri":"`+uri(0)+`"}`)
		used := s.kept.Used()
		alice.Must("resources/unsubscribe", `{"uri":"`+uri(0)+`"}`)
		if now := s.kept.Used(); now >= used {
			t.Errorf("%d bytes are kept after the end of a subscription, %d before", now, used)
		}

		listener := newClient(t, s, mcp.V2026_07_28, `{}`)
		listener.Address = "192.0.2.3:5"
		var uris []string
		for n := range 20 {
			uris = append(uris, `"`+uri(n)+`"`)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			listener.session.ServeRequest(ctx, listener.Request("subscriptions/listen", `{"notifications":{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}}`))
		})
		synctest.Wait()
		if sent := listener.Seen(); len(sent) != 1 || strings.Count(sent[0], "a:") != 9 { // beside the listener itself
			t.Errorf("granted: %.200s", sent)
		}
		cancel()
		group.Wait()
	})
}

// What clients say about themselves counts, too; and all is given back with the sessions.
func TestIntroductionsAreBounded(t *testing.T) {
	s := newServer(&Options{MaxKept: 64 << 10})
	params := fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}`, strings.Repeat("n", 5000))
	var sessions []*SessionEndpoint
	introduce := func(address string) bool {
		c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
		c.Address = address
		sessions = append(sessions, c.session)
		_, err := c.Call("initialize", params)
		if err != nil {
			contains(t, "the refusal", err.Message, "have reached the limit on what they keep")
			if c.session.Revision() != 0 {
				t.Error("the session is open all the same")
			}
		}
		return err == nil
	}
	taken := 0
	for range 10 {
		if introduce("192.0.2.1:5") {
			taken++
		}
	}
	if taken != 3 || !introduce("192.0.2.2:5") {
		t.Errorf("%d of one address, want 3, and 1 of another", taken)
	}
	for _, ss := range sessions {
		ss.Close()
		ss.Close()
	}
	if n := s.kept.Used(); n != 0 {
		t.Errorf("%d bytes are kept without a session", n)
	}
}
