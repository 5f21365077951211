package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func ack(r *received, filter string) {
	r.server.tell("notifications/subscriptions/acknowledged",
		fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}`, r.id, filter))
}

// listening acknowledges a filter and keeps the subscription open.
func listening(filter string) func(*received) (string, error) {
	return func(r *received) (string, error) {
		ack(r, filter)
		return silence(r)
	}
}

var wholeFilter = mcp.SubscriptionFilter{
	ToolsListChanged:      new(true),
	PromptsListChanged:    new(true),
	ResourceSubscriptions: []string{"f:///a"},
}

// REQ SUB-01 SUB-03 SUB-04 SUB-06 SUB-07 META-15 STDIO-15
func TestSubscribe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		opts := &Options{
			Info: testInfo,
			OnChange: func(_ context.Context, change Change) {
				mu.Lock()
				defer mu.Unlock()
				what := change.URI
				if change.Tools {
					what = "tools"
				}
				got = append(got, what+" "+change.Subscription.String())
			},
		}
		c, f := dial(t, modernServer(script{"subscriptions/listen": listening(`{"toolsListChanged":true}`)}), opts)
		s, err := c.Subscribe(t.Context(), wholeFilter)
		if err != nil {
			t.Fatal(err)
		}
		want := `subscriptions/listen {"_meta":` + modernMeta +
			`,"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["f:///a"]}}`
		if sent := f.sent(); !slices.Equal(sent, []string{want}) {
			t.Errorf("sent %q, want %q", sent, want)
		}
		if diff := cmp.Diff(mcp.SubscriptionFilter{ToolsListChanged: new(true)}, s.Filter()); diff != "" {
			t.Error(diff)
		}
		other, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil || other.ID() == s.ID() {
			t.Fatal(other, err)
		}
		change := func(id wire.ID) {
			f.notice("notifications/tools/list_changed", fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, id))
		}
		change(s.ID())
		change(other.ID())
		f.notice("notifications/resources/updated", fmt.Sprintf(`{"uri":"f:///a","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, s.ID()))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		change(s.ID())                // not any more
		change(wire.StringID("none")) // never was one
		s.Close()
		if s.Err() != nil {
			t.Error(s.Err())
		}
		select {
		case <-other.Done():
			t.Error("closing one has ended the other")
		default:
		}
		if want := []string{"tools 2", "tools 3", "f:///a 2"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		c.Close()
		<-other.Done()
		if !errors.Is(other.Err(), jsonrpc.ErrClosed) {
			t.Errorf("the connection was closed: %v", other.Err())
		}
	})
}

// How a subscription can end, or never begin.
//
// REQ SUB-08 SUB-09 AMB-04 AMB-14 TIME-01 CANC-08
func TestSubscriptionEnds(t *testing.T) {
	t.Parallel()
	const result = `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}`
	for name, test := range map[string]struct {
		listen     func(*received) (string, error)
		begin, end string
	}{
		"result": {listen: func(r *received) (string, error) { ack(r, `{}`); time.Sleep(time.Second); return result, nil }},
		"cancelled, without _meta": {listen: func(r *received) (string, error) {
			ack(r, `{}`)
			time.Sleep(time.Second)
			r.server.tell("notifications/cancelled", fmt.Sprintf(`{"requestId":%s}`, r.id))
			return silence(r)
		}},
		"result and cancelled": {listen: func(r *received) (string, error) {
			ack(r, `{}`)
			time.Sleep(time.Second)
			defer r.server.tell("notifications/cancelled", fmt.Sprintf(`{"requestId":%s}`, r.id))
			return result, nil
		}},
		"acknowledged and ended at once": {listen: func(r *received) (string, error) { ack(r, `{}`); return result, nil }},
		"acknowledged twice": {listen: func(r *received) (string, error) {
			ack(r, `{}`)
			ack(r, `{"toolsListChanged":true}`)
			time.Sleep(time.Second)
			return result, nil
		}},
		"error": {listen: func(r *received) (string, error) {
			ack(r, `{}`)
			time.Sleep(time.Second)
			return "", jsonrpc.ErrInternal
		}, end: "internal error (-32603)"},
		"refused":            {listen: fails(-32602, ""), begin: "error (-32602)"},
		"never acknowledged": {listen: silence, begin: "subscriptions/listen: the server does not acknowledge the subscription"},
		"acknowledged for another": {listen: func(r *received) (string, error) {
			r.server.tell("notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":"2"},"notifications":{}}`)
			r.server.tell("notifications/subscriptions/acknowledged", `{"notifications":{}}`)
			return silence(r)
		}, begin: "subscriptions/listen: the server does not acknowledge the subscription"},
		"answered at once": {listen: always(result)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c, _ := dial(t, modernServer(script{"subscriptions/listen": test.listen}), nil)
				s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
				if errorText(err) != test.begin {
					t.Fatalf("begin: %v, want %q", err, test.begin)
				}
				if err != nil {
					return
				}
				<-s.Done()
				if f := s.Filter(); f.GetToolsListChanged() {
					t.Error("a second acknowledgement has changed the filter")
				}
				if errorText(s.Err()) != test.end {
					t.Errorf("end: %v, want %q", s.Err(), test.end)
				}
				s.Close()
			})
		})
	}
}

// Close does not wait until a subscription whose stream has broken tries again.
func TestCloseOfBrokenSubscription(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, f := dial(t, modernServer(script{"subscriptions/listen": listening(`{}`)}), nil)
		s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		f.broken <- &transport.RequestError{ID: s.ID(), Err: errors.New("the stream broke")}
		synctest.Wait()
		begin := time.Now()
		c.Close()
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %v", took)
		}
		if <-s.Done(); !errors.Is(s.Err(), jsonrpc.ErrClosed) {
			t.Errorf("got %v, want %v", s.Err(), jsonrpc.ErrClosed)
		}
	})
}

// Up to 2025-11-25 a resource is subscribed to as long as any subscription has it.
//
// REQ RES-11 SUB-04
func TestSubscribeLegacy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := legacyServer(script{
			"resources/subscribe": func(r *received) (string, error) {
				if r.params.StringAt("uri") == "f:///none" {
					return "", jsonrpc.ErrInvalidParams
				}
				return `{}`, nil
			},
			"resources/unsubscribe": always(`{}`),
		})
		c, f := dial(t, server, nil)
		subscribe := func(uris ...string) *Subscription {
			s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true), ResourceSubscriptions: uris})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		expect := func(want ...string) {
			t.Helper()
			if got := f.sent(); !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
			f.forget()
		}
		s := subscribe("f:///b", "f:///a", "f:///b")
		expect(`resources/subscribe {"uri":"f:///a"}`, `resources/subscribe {"uri":"f:///b"}`)
		if diff := cmp.Diff(mcp.SubscriptionFilter{ToolsListChanged: new(true), ResourceSubscriptions: []string{"f:///a", "f:///b"}}, s.Filter()); diff != "" {
			t.Error(diff)
		}
		other := subscribe("f:///b", "f:///c")
		expect(`resources/subscribe {"uri":"f:///c"}`)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		expect(`resources/unsubscribe {"uri":"f:///a"}`)
		s.Close()
		expect()
		<-s.Done()
		if s.Err() != nil || !s.ID().IsZero() {
			t.Error(s.Err(), s.ID())
		}
		if s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"f:///b", "f:///d", "f:///none"}}); s != nil || !errors.Is(err, jsonrpc.ErrInvalidParams) {
			t.Errorf("%v, %v", s, err)
		}
		expect(`resources/subscribe {"uri":"f:///d"}`, `resources/subscribe {"uri":"f:///none"}`, `resources/unsubscribe {"uri":"f:///d"}`)
		other.Close()
		expect(`resources/unsubscribe {"uri":"f:///b"}`, `resources/unsubscribe {"uri":"f:///c"}`)
	})
}

// What a server did not declare is missing from what it agrees to.
func TestSubscribeLegacyUndeclared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := script{"initialize": always(`{"protocolVersion":"2025-06-18","capabilities":{"prompts":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`)}
		c, f := dial(t, server, nil)
		s, err := c.Subscribe(t.Context(), wholeFilter)
		if err != nil || len(f.sent()) > 0 {
			t.Fatal(err, f.sent())
		}
		if diff := cmp.Diff(mcp.SubscriptionFilter{PromptsListChanged: new(true)}, s.Filter()); diff != "" {
			t.Error(diff)
		}
		if err := s.Close(); err != nil || len(f.sent()) > 0 {
			t.Error(err, f.sent())
		}
	})
}
