package httpclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// ack acknowledges subscriptions/listen.
func (v *visit) ack(filter string) {
	v.stream(event(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}}`, v.msg.ID, filter)))
}

// changed tells that the tools have changed.
func (v *visit) changed() {
	v.stream(event(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, v.msg.ID)))
}

// told is what a program was told about changes.
type told struct {
	mu   sync.Mutex
	list []string
}

func (l *told) note(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, what)
}

func (l *told) take() []string {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

func (l *told) options() *client.Options {
	return &client.Options{
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				l.note("tools " + change.Subscription.String())
			case change.Prompts:
				l.note("prompts")
			default:
				l.note(change.URI)
			}
		},
	}
}

// A subscription that breaks off is begun again, as often as it takes; the program is told as if all
// that it wants to know about had changed, and what is cached of it is forgotten.
//
// REQ SUB-07, SUB-10, SUB-11, CACHE-08, H26-13
func TestClientSubscribesAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l told
		var clock clock
		s := &site{}
		n := 0
		s.does("subscriptions/listen", func(v *visit) {
			clock.note()
			n++
			defer clock.start()
			switch {
			case n == 1:
				v.ack(`{"toolsListChanged":true,"resourceSubscriptions":["f:///a"]}`)
				v.changed()
				time.Sleep(time.Hour)
				panic(http.ErrAbortHandler)
			case n < 5:
				v.WriteHeader(503)
			case n == 5:
				v.ack(`{"toolsListChanged":true}`)
				v.sleep(time.Millisecond)
			default:
				v.ack(`{"toolsListChanged":true}`)
				v.changed()
				v.wait()
			}
		})
		s.does("tools/list", func(v *visit) { v.answer(toolList(`{}`)) })
		var log bytes.Buffer
		opts := l.options()
		opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		c := dial(t, s, mcp.V2026_07_28, nil, opts)
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true), PromptsListChanged: new(true), ResourceSubscriptions: []string{"f:///a"}})
		if err != nil {
			t.Fatal(err)
		}
		first := sub.ID()
		if got := l.take(); !slices.Equal(got, []string{"tools " + first.String()}) {
			t.Errorf("told %q", got)
		}
		time.Sleep(59*time.Minute + 30*time.Second)
		listed := func(want int) {
			t.Helper()
			s.took()
			c.ListTools(t.Context(), nil)
			if got := len(s.took()); (got > 0) != (want > 0) {
				t.Errorf("listing the tools took %d requests, want %d", got, want)
			}
		}
		listed(1)
		listed(0) // it is cached
		time.Sleep(time.Minute)
		clock.keep(1, 9)
		clock.check(t, time.Second, 2*time.Second, 4*time.Second, 8*time.Second, time.Second)
		if sub.ID() == first {
			t.Error("the subscription has its old id")
		}
		if lines := log.String(); strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "a subscription broke, and subscribing again fails so far") {
			t.Errorf("log: %s", lines)
		}
		last := "tools " + sub.ID().String()
		if got := l.take(); len(got) != 3 || got[0] == last || got[1] != last || got[2] != last {
			t.Errorf("told %q", got)
		}
		if f := sub.Filter(); !f.GetToolsListChanged() || f.ResourceSubscriptions != nil {
			t.Errorf("filter %+v", f)
		}
		listed(1)
		if err := sub.Close(); err != nil || sub.Err() != nil {
			t.Error(err, sub.Err())
		}
		time.Sleep(time.Minute)
		if n := s.atWork(); n != 0 {
			t.Errorf("%d requests are left at the server", n)
		}
	})
}

// How beginning again can end.
//
// REQ SUB-08, SUB-10, AMB-04
func TestClientSubscriptionEnds(t *testing.T) {
	for name, test := range map[string]struct {
		then  func(v *visit)
		tries int
		want  string
	}{
		"the server ends it": {func(v *visit) {
			v.answer(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}`)
		}, 1, ""},
		"the server refuses it": {func(v *visit) { v.fail(-32601, 404) }, 1, "error (-32601)"},
		"no access any more":    {func(v *visit) { v.WriteHeader(403) }, 1, "subscriptions/listen: the server answered POST with HTTP status 403"},
		"the server is gone":    {func(v *visit) { panic(http.ErrAbortHandler) }, 10, `subscriptions/listen: Post "http://site.test/mcp": connection reset`},
		"never acknowledged":    {func(v *visit) { v.stream(); v.wait() }, 10, "subscriptions/listen: the server does not acknowledge the subscription"},
	} {
		bubbleOf(t, name, func(t *testing.T) {
			s := &site{}
			s.does("subscriptions/listen", func(v *visit) { v.ack(`{}`); v.sleep(time.Minute) })
			c := dial(t, s, mcp.V2026_07_28, nil, nil)
			sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
			if err != nil {
				t.Fatal(err)
			}
			s.took()
			s.does("subscriptions/listen", test.then)
			<-sub.Done()
			tries := strings.Count(s.took(), "POST")
			if errorText(sub.Err()) != test.want || tries != test.tries {
				t.Errorf("ended with %v after %d attempts, want %s after %d", sub.Err(), tries, test.want, test.tries)
			}
			select {
			case <-c.Done():
				t.Error("the connection has ended, too")
			default:
			}
		})
	}
}

// A subscription that fails before it has begun does not go on by itself.
func TestClientSubscriptionFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		s.does("subscriptions/listen", func(v *visit) { panic(http.ErrAbortHandler) })
		c := dial(t, s, mcp.V2026_07_28, nil, nil)
		_, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if !errors.As(err, new(*transport.RequestError)) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour)
		if got, want := s.took(), "POST subscriptions/listen 2026-07-28 subscriptions/listen"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// Close ends a subscription that waits for its next attempt.
func TestClientSubscriptionCloseInPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		s.does("subscriptions/listen", func(v *visit) { v.ack(`{}`) })
		c := dial(t, s, mcp.V2026_07_28, nil, nil)
		sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begin := time.Now()
		if sub.Close(); time.Since(begin) != 0 || sub.Err() != nil {
			t.Errorf("it took %v: %v", time.Since(begin), sub.Err())
		}
	})
}
