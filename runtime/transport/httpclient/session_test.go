package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
)

// sessions makes a site forget its sessions: only the newest is known.
type sessions struct {
	site *site
	mu   sync.Mutex
	n    int
}

func newSessions() *sessions {
	k := &sessions{site: &site{}}
	k.site.does("initialize", func(v *visit) {
		k.mu.Lock()
		k.n++
		v.Header().Set("Mcp-Session-Id", fmt.Sprintf("s%d", k.n))
		k.mu.Unlock()
		v.answer(initialized("2025-11-25"))
	})
	k.known("tools/call", func(v *visit) { v.answer(textResult) })
	k.known("resources/subscribe", func(v *visit) { v.answer("{}") })
	k.known("logging/setLevel", func(v *visit) { v.answer("{}") })
	k.known("notifications/roots/list_changed", func(v *visit) { v.WriteHeader(202) })
	k.known("GET", func(v *visit) {
		v.stream("id: 1\ndata:\n\n")
		v.wait()
	})
	return k
}

// known does something in the newest session only.
func (k *sessions) known(key string, f func(*visit)) {
	k.site.does(key, func(v *visit) {
		k.mu.Lock()
		ok := v.req.Header.Get("Mcp-Session-Id") == fmt.Sprintf("s%d", k.n)
		k.mu.Unlock()
		if !ok {
			v.Header().Set("Content-Type", "application/json")
			v.WriteHeader(404)
			io.WriteString(v, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`)
			return
		}
		f(v)
	})
}

func (k *sessions) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n += 10
}

// A call that the server refuses because it has ended the session is made in a new one, which is made
// like the old one. The program learns that it may have missed something.
//
// REQ SESS-05, SESS-07, SESS-08, LIFE-03
func TestClientSessionExpires(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := newSessions()
		changes := make(chan string, 10)
		c := dial(t, k.site, mcp.V2025_11_25, nil, &client.Options{
			OnChange: func(_ context.Context, change client.Change) {
				switch {
				case change.Tools:
					changes <- "tools"
				case change.URI != "":
					changes <- change.URI
				}
			},
			Roots: []mcp.Root{},
		})
		if err := c.SetLevel(t.Context(), "warning"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"f:///a"}}); err != nil {
			t.Fatal(err)
		}
		for round, does := range []func() error{
			func() error { _, err := callTool(t, c, ""); return err },
			func() error { return c.SetRoots(t.Context(), nil) },
		} {
			k.site.took()
			k.forget()
			if err := does(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			what := []string{"tools/call", "notifications/roots/list_changed"}[round]
			before, after := []string{"s1", "s12"}[round], []string{"s12", "s23"}[round]
			want := strings.NewReplacer("<old>", before, "<new>", after, "<it>", what).Replace("POST <it> 2025-11-25 <old>\nPOST initialize\n" +
				"POST notifications/initialized 2025-11-25 <new>\nGET 2025-11-25 <new>\nPOST logging/setLevel 2025-11-25 <new>\n" +
				"POST resources/subscribe 2025-11-25 <new>\nPOST <it> 2025-11-25 <new>")
			if got := k.site.took(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if a, b := <-changes, <-changes; a != "tools" || b != "f:///a" || len(changes) > 0 {
				t.Errorf("told of changes: %s, %s and %d more", a, b, len(changes))
			}
		}
		c.Close()
		if got, want := k.site.took(), "DELETE 2025-11-25 s23"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A cursor is good in its session alone. A list that is being gone through when the session ends
// begins again in the next one, and gives nothing twice.
//
// REQ PAGE-03
func TestClientCursorsOfSessions(t *testing.T) {
	for name, between := range map[string]func(t *testing.T, c *client.Client){
		"the list finds out": func(*testing.T, *client.Client) {},
		"another call finds out": func(t *testing.T, c *client.Client) {
			if _, err := callTool(t, c, ""); err != nil {
				t.Error(err)
			}
		},
	} {
		bubbleOf(t, name, func(t *testing.T) {
			k := newSessions()
			var asked []string
			k.known("tools/list", func(v *visit) {
				session, cursor := v.req.Header.Get("Mcp-Session-Id"), v.msg.Params.StringAt("cursor")
				asked = append(asked, session+" "+cursor)
				page := map[string]string{
					"":         `{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"2 of ` + session + `"}`,
					"2 of s1":  `{"tools":[{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":"3 of s1"}`,
					"2 of s12": `{"tools":[{"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]}`,
				}[cursor]
				v.answer(page)
			})
			c := dial(t, k.site, mcp.V2025_11_25, nil, nil)
			var names []string
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
				if tool.Name == "b" {
					k.forget()
					between(t, c)
				}
				if len(names) > 9 {
					break
				}
			}
			if got, want := fmt.Sprint(names), "[a b c]"; got != want {
				t.Errorf("tools %s, want %s", got, want)
			}
			if got, want := fmt.Sprintf("%q", asked), `["s1 " "s1 2 of s1" "s12 " "s12 2 of s12"]`; got != want {
				t.Errorf("asked for %s, want %s", got, want)
			}

			// A caller who follows cursors itself is told.
			k.forget()
			_, err := c.ListTools(t.Context(), &mcp.PaginatedRequestParams{Cursor: new(mcp.Cursor("2 of s12"))})
			if want := "tools/list: the server has ended the session, and its cursors are not valid any more: start over without one"; errorText(err) != want {
				t.Errorf("got %v, want %s", err, want)
			}
			if _, err := c.ListTools(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// A session is over when the server says that it does not know it, and by no other answer; where there
// is no session, none is opened.
//
// REQ SESS-08
func TestClientKeepsSession(t *testing.T) {
	for name, test := range map[string]struct {
		session string
		do      func(v *visit)
		want    string
	}{
		"another status":           {"s1", func(v *visit) { v.WriteHeader(400) }, "tools/call: the server answered POST with HTTP status 400"},
		"a failure of the server":  {"s1", func(v *visit) { v.WriteHeader(500) }, "tools/call: the server answered POST with HTTP status 500"},
		"an error of the protocol": {"s1", func(v *visit) { v.fail(-32602, 200) }, "error (-32602)"},
		"no such method":           {"s1", func(v *visit) { v.fail(-32601, 404) }, "error (-32601)"},
		"no session":               {"", func(v *visit) { v.WriteHeader(404) }, "tools/call: the server answered POST with HTTP status 404"},
	} {
		bubbleOf(t, name, func(t *testing.T) {
			s := &site{}
			s.does("initialize", func(v *visit) {
				if test.session != "" {
					v.Header().Set("Mcp-Session-Id", test.session)
				}
				v.answer(initialized("2025-11-25"))
			})
			c := dial(t, s, mcp.V2025_11_25, nil, nil)
			s.does("tools/call", test.do)
			if _, err := callTool(t, c, ""); errorText(err) != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			synctest.Wait()
			if got, want := s.took(), strings.TrimSpace("POST tools/call 2025-11-25 "+test.session); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Many calls that are refused share one new session.
func TestClientSessionExpiresForMany(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := newSessions()
		c := dial(t, k.site, mcp.V2025_11_25, nil, nil)
		k.forget()
		var calls sync.WaitGroup
		for range 50 {
			calls.Go(func() {
				if text, err := callTool(t, c, ""); text != "hi" {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if n := strings.Count(k.site.took(), "initialize\n"); n != 1 {
			t.Errorf("%d sessions were opened, want 1", n)
		}
	})
}

// What happens if there is no new session, or if it is as short-lived. Nothing goes round in circles,
// and nothing that may have been carried out is sent again.
//
// REQ SESS-08, H26-13, LIFE-08
func TestClientSessionLost(t *testing.T) {
	tests := []struct {
		name, want string
		change     func(k *sessions)
		calls      int // that reach the server
		over       bool
	}{
		{"refused again", "tools/call: transport: the server has ended the session",
			func(k *sessions) { k.site.does("tools/call", func(v *visit) { v.WriteHeader(404) }) }, 2, false},
		{"server down", "tools/call: the server has ended the session, and a new one could not be opened: initialize: the server answered POST with HTTP status 503",
			func(k *sessions) { k.site.does("initialize", func(v *visit) { v.WriteHeader(503) }) }, 1, false},
		{"another revision", `tools/call: the server has ended the session, and a new one could not be opened: no common revision of the protocol: the client speaks 2025-11-25, the server ["2025-06-18"]`,
			func(k *sessions) {
				k.site.does("initialize", func(v *visit) { v.answer(initialized("2025-06-18")) })
			}, 1, true},
		{"the stream ends with the session", "tools/call: the stream ended before the response; it could not be resumed: transport: the server has ended the session",
			func(k *sessions) {
				k.site.does("tools/call", func(v *visit) { v.stream("id: 7\nretry: 100\ndata:\n\n"); k.forget() })
			}, 1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				k := newSessions()
				c := dial(t, k.site, mcp.V2025_11_25, nil, nil)
				k.forget()
				initialize, tool := k.site.on["initialize"], k.site.on["tools/call"]
				test.change(k)
				if _, err := callTool(t, c, ""); errorText(err) != test.want {
					t.Errorf("got\n%v\nwant\n%s", err, test.want)
				}
				time.Sleep(time.Second)
				if n := strings.Count(k.site.took(), "tools/call"); n != test.calls {
					t.Errorf("the call came to the server %d times, want %d", n, test.calls)
				}
				k.site.does("initialize", initialize)
				k.site.does("tools/call", tool)
				text, err := callTool(t, c, "")
				if test.over {
					<-c.Done()
					if !errors.As(c.Err(), new(*client.VersionError)) || err == nil {
						t.Errorf("the connection ended with %v, the next call with %v", c.Err(), err)
					}
				} else if text != "hi" {
					t.Errorf("the next call: %v", err)
				}
			})
		})
	}
}

// The stream of the session is where its end is noticed if there are no calls.
func TestClientSessionExpiresUnseen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := newSessions()
		cut := make(chan bool)
		k.known("GET", func(v *visit) {
			v.stream("id: 1\ndata:\n\n")
			select {
			case <-cut:
			case <-v.req.Context().Done():
			}
		})
		told := make(chan bool, 5)
		dial(t, k.site, mcp.V2025_11_25, nil, &client.Options{
			OnChange: func(_ context.Context, change client.Change) {
				if change.Tools {
					told <- true
				}
			},
		})
		k.forget()
		cut <- true
		time.Sleep(time.Minute)
		want := "GET 2025-11-25 s1 1\nPOST initialize\nPOST notifications/initialized 2025-11-25 s12\nGET 2025-11-25 s12"
		if got := k.site.took(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if len(told) != 1 {
			t.Errorf("told of changes %d times, want once", len(told))
		}
	})
}

// A session whose id could not be sent in a header is none.
//
// REQ SESS-03
func TestClientSessionID(t *testing.T) {
	for id, want := range map[string]string{
		"!~":     "",
		"a b":    "initialize: httpclient: the id of the session that the server opens is not visible ASCII",
		"\x01":   "initialize: httpclient: the id of the session that the server opens is not visible ASCII",
		"\u00e9": "initialize: httpclient: the id of the session that the server opens is not visible ASCII",
	} {
		bubbleOf(t, id, func(t *testing.T) {
			s := &site{on: map[string]func(*visit){"initialize": func(v *visit) {
				v.Header().Set("Mcp-Session-Id", id)
				v.answer(initialized("2025-11-25"))
			}}}
			if _, err := connectTo(t, s, mcp.V2025_11_25, nil, nil); errorText(err) != want {
				t.Errorf("got %v", err)
			}
		})
	}
}

func bubbleOf(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { bubble(t, test) })
}

// Close ends the session, whatever the server makes of that, and returns soon.
//
// REQ SESS-09, SESS-10, LIFE-13
func TestClientClose(t *testing.T) {
	for name, do := range map[string]func(*visit){
		"done":    func(v *visit) { v.WriteHeader(204) },
		"refused": func(v *visit) { v.WriteHeader(405) },
		"silence": func(v *visit) { v.wait() },
		"reset":   func(v *visit) { panic(http.ErrAbortHandler) },
	} {
		bubbleOf(t, name, func(t *testing.T) {
			s := &site{on: map[string]func(*visit){
				"GET":        func(v *visit) { v.stream(); v.wait() },
				"tools/call": func(v *visit) { v.wait() },
				"DELETE":     do,
			}}
			c := dial(t, s, mcp.V2025_11_25, nil, nil)
			failed := make(chan error)
			go func() {
				_, err := callTool(t, c, "")
				failed <- err
			}()
			synctest.Wait()
			begin := time.Now()
			go c.Close()
			if err := <-failed; errorText(err) != "tools/call: the connection is closed" {
				t.Errorf("the call that is at work: %v", err)
			}
			c.Close()
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
			time.Sleep(4 * time.Second)
			if n := s.atWork(); n != 0 {
				t.Errorf("%d requests are left at the server", n)
			}
			if _, err := callTool(t, c, ""); err == nil {
				t.Error("a call after Close succeeds")
			}
		})
	}
}
