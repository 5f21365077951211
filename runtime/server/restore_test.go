package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A session continues in another process as its client left it, and the client is notified of everything that it subscribes
// to.
//
// REQ SUB-02
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened, ended, unsubscribed []string
		options := func() *Options {
			return &Options{
				Logging: true,
				OnSubscribe: func(_ context.Context, _ *Call, uri string) error {
					if uri == "a:gone" {
						return errors.New("it is gone")
					}
					return nil
				},
				OnUnsubscribe: func(uri string) { unsubscribed = append(unsubscribed, uri) },
				OnSession: func(_ context.Context, c *Call) func() {
					opened = append(opened, c.Revision().String()+" "+c.Client().Name)
					return func() { ended = append(ended, c.Session().ID()) }
				},
			}
		}
		first := newServer(options())
		add(t, first.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, noResource))
		add(t, first.AddTool(mcp.Tool{Name: "t"}, says("")))
		add(t, first.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
		c := newClient(t, first, mcp.V2025_06_18, `{"roots":{}}`)
		versions := []uint32{c.session.StateVersion()}
		step := func(method, params string) {
			t.Helper()
			c.Must(method, params)
			v := c.session.StateVersion()
			if slices.Contains(versions, v) {
				t.Errorf("%s: the version %d is not new: %v", method, v, versions)
			}
			versions = append(versions, v)
		}
		step("logging/setLevel", `{"level":"error"}`)
		step("resources/subscribe", `{"uri":"a:b"}`)
		state, err := c.session.State()
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "state", string(state), `{"revision":20250618,"client":{"name":"c","version":"2"},"capabilities":{"roots":{}},"logLevel":"error","ready":true,"subscriptions":["a:b"]}`)
		step("resources/unsubscribe", `{"uri":"a:b"}`)
		equal(t, "unsubscribed", strings.Join(unsubscribed, " "), "a:b")

		second := newServer(options())
		add(t, second.AddResource(mcp.Resource{URI: "a:b", Name: "b"}, noResource))
		add(t, second.AddResource(mcp.Resource{URI: "a:gone", Name: "gone"}, noResource))
		add(t, second.AddTool(mcp.Tool{Name: "t"}, says("")))
		add(t, second.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt))
		moved := strangerTo(t, second, mcp.V2025_06_18, ``)
		with := strings.Replace(string(state), `["a:b"]`, `["a:b","a:gone"]`, 1)
		if v := moved.session.StateVersion(); v != 0 {
			t.Errorf("the version before is %d, want 0", v)
		}
		if err := moved.session.Restore(t.Context(), transport.Origin{Address: "192.0.2.1"}, []byte(with)); err != nil {
			t.Fatal(err)
		}
		if v := moved.session.StateVersion(); v == 0 {
			t.Error("the version is still 0")
		}
		equal(t, "opened", strings.Join(opened, ", "), "2025-06-18 c, 2025-06-18 c")
		time.Sleep(time.Second)
		count(t, "notifications before Resume", len(moved.Seen()), 0)
		moved.session.Resume()
		time.Sleep(time.Second)
		seen := moved.Seen()
		equal(t, "notifications", strings.Join(seen, ", "), "notifications/tools/list_changed {}, notifications/prompts/list_changed {}, "+
			`notifications/resources/list_changed {}, notifications/resources/updated {"uri":"a:b"}`)
		again, err := moved.session.State()
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the state again", string(again), string(state))
		ss := moved.session.Session()
		if ss.Revision() != mcp.V2025_06_18 || ss.Client().Name != "c" || ss.Capabilities().Roots == nil || ss.LogLevel() != mcp.LoggingLevelError {
			t.Errorf("restored %s, %v, %v, %s", ss.Revision(), ss.Client(), ss.Capabilities(), ss.LogLevel())
		}
		second.ResourceUpdated("a:b")
		time.Sleep(time.Second)
		count(t, "notifications", len(moved.Seen()), 1)
		if err := moved.session.Restore(t.Context(), transport.Origin{}, state); err == nil || err.Error() != "server: Restore: the session is open already" {
			t.Errorf("restored again: %v", err)
		}
		for range second.Sessions() {
			moved.session.Close()
		}
		count(t, "ended", len(ended), 1)
		moved.session.Close()
		count(t, "ended", len(ended), 1)
	})
}

// A state that cannot be restored leaves the session as it was.
func TestRestoreFails(t *testing.T) {
	const good = `{"revision":20251125,"client":{"name":"c","version":"2"},"capabilities":{},"logLevel":"info"}`
	for _, test := range []struct {
		state string
		want  string
		code  int64 // 0 for an error that is no response
	}{
		{`{`, "server: Restore: unexpected end of JSON input", 0},
		{`{}`, "server: Restore: the revision is missing", 0},
		{strings.Replace(good, "20251125", "20260728", 1), "server: Restore: the server has no sessions of revision 2026-07-28", mcp.CodeUnsupportedProtocolVersion},
		{strings.Replace(good, "20251125", "20250618", 1), "server: Restore: the server has no sessions of revision 2025-06-18", mcp.CodeUnsupportedProtocolVersion},
		{strings.Replace(good, `{"name":"c","version":"2"}`, `7`, 1), "server: Restore: Implementation: want object, got number", 0},
		{strings.Replace(good, `"capabilities":{}`, `"capabilities":[]`, 1), "server: Restore: ClientCapabilities: want object, got array", 0},
		{strings.Replace(good, `"name":"c"`, `"name":"`+strings.Repeat("c", maxIntroduction)+`"`, 1), "want at most 262144", codeInvalidParams},
		{strings.Replace(good, `"name":"c"`, `"name":"`+strings.Repeat("c", 8<<10)+`"`, 1), "have reached the limit on what they keep", codeInternal},
	} {
		s := newServer(&Options{Revisions: []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}, MaxKept: 16 << 10})
		c := strangerTo(t, s, mcp.V2025_11_25, ``)
		err := c.session.Restore(t.Context(), transport.Origin{Address: "192.0.2.1"}, []byte(test.state))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.100s: got %v, want %s", test.state, err, test.want)
			continue
		}
		var rpc *jsonrpc.Error
		if errors.As(err, &rpc) != (test.code != 0) || rpc != nil && rpc.Code != test.code {
			t.Errorf("%.100s: got %#v, want the code %d", test.state, err, test.code)
		}
		for range s.Sessions() {
			t.Errorf("%.100s: a session is open", test.state)
		}
	}
}

// A server that serves subscriptions no more restores a session without them; what is refused twice is given back.
func TestRestoreWithoutSubscriptions(t *testing.T) {
	var subscribed, unsubscribed []string
	s := newServer(&Options{
		OnSubscribe:   func(_ context.Context, _ *Call, uri string) error { subscribed = append(subscribed, uri); return nil },
		OnUnsubscribe: func(uri string) { unsubscribed = append(unsubscribed, uri) },
	})
	c := strangerTo(t, s, mcp.V2025_11_25, ``)
	state, _ := json.Marshal(map[string]any{"revision": 20251125, "client": map[string]string{"name": "c", "version": "1"},
		"capabilities": map[string]any{}, "logLevel": "info", "subscriptions": []string{"a:b", "a:b"}})
	if err := c.session.Restore(t.Context(), transport.Origin{}, state); err != nil {
		t.Fatal(err)
	}
	back, err := c.session.State()
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "state", string(back), `"subscriptions":["a:b"]`)
	if len(subscribed) != 2 || len(unsubscribed) != 1 {
		t.Errorf("subscribed %q, unsubscribed %q", subscribed, unsubscribed)
	}
	if strings.Contains(string(back), `"ready"`) {
		t.Errorf("the client is ready: %s", back)
	}
}

// A session that ends while it is opened has ended for whoever hears of it, and one that nobody hears of ends, too.
func TestSessionEndsAtOnce(t *testing.T) {
	var closing *client
	ended := 0
	s := newServer(&Options{OnSession: func(_ context.Context, c *Call) func() {
		if closing == nil {
			return nil
		}
		closing.session.Close()
		return func() { ended++ }
	}})
	newClient(t, s, mcp.V2025_11_25, `{}`).session.Close()
	closing = strangerTo(t, s, mcp.V2025_11_25, `{}`)
	closing.Must("initialize", hello)
	count(t, "ended", ended, 1)
	if v := closing.session.StateVersion(); v == 0 {
		t.Error("the version is that of a session that was never open")
	}
	if closing.session.Session().subscription.Add("a:b") {
		t.Error("a session that has ended subscribes")
	}
}

// A function of the program that panics while a session is restored leaves nothing of it behind.
func TestRestorePanics(t *testing.T) {
	for name, opts := range map[string]*Options{
		"OnSubscribe": {OnSubscribe: func(context.Context, *Call, string) error { panic("boom") }},
		"OnSession":   {OnSession: func(context.Context, *Call) func() { panic("boom") }},
	} {
		s := newServer(opts)
		c := strangerTo(t, s, mcp.V2025_11_25, ``)
		state := []byte(`{"revision":20251125,"client":{"name":"c","version":"1"},"capabilities":{},"logLevel":"info","subscriptions":["a:b"]}`)
		if err := c.session.Restore(t.Context(), transport.Origin{}, state); !errors.As(err, new(*PanicError)) {
			t.Errorf("%s: %v", name, err)
		}
		c.session.Close()
		if n := len(s.subscriptions.all()); n > 0 {
			t.Errorf("%s: %d subscriptions are left", name, n)
		}
	}
}
