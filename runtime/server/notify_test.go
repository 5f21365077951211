package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// settle lets everything happen that is due within a second.
func settle() { time.Sleep(time.Second); synctest.Wait() }

// REQ PROG-01, PROG-04, PROG-05, PROG-06, PROG-07, PROG-08, META-08
func TestProgress(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			var late *Progress
			s := newServer(nil)
			add(t, s.AddTool(mcp.Tool{Name: "work"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				p := c.Progress()
				late = p
				p.Report(0, 10, "begin")
				p.Report(1, 10, "too fast")
				time.Sleep(10 * time.Millisecond)
				p.Report(0, 10, "again")
				p.Report(-1, 10, "back")
				p.Report(math.NaN(), 10, "nothing")
				p.Report(math.Inf(1), 10, "everything")
				p.Report(2.5, 0, "")
				time.Sleep(10 * time.Millisecond)
				p.Report(2.5, 10, "again")
				p.Report(2.25, 10, "back")
				p.Report(0, 0, "from the start")
				p.Report(10, 10, "done") // too fast, but the last
				return nil, nil
			}))
			c := newClient(t, s, rev, `{}`)
			c.Must("tools/call", `{"name":"work"}`)
			if n := c.Seen(); n != nil {
				t.Errorf("without a token: %q", n)
			}
			for _, token := range []string{`7`, `"7"`} {
				c.Token = token
				c.Must("tools/call", `{"name":"work"}`)
				time.Sleep(time.Minute)
				late.Report(11, 0, "after the end")
				begin, done := `,"message":"begin"`, `,"message":"done"`
				if rev == mcp.V2024_11_05 {
					begin, done = "", ""
				}
				equal(t, "progress", strings.Join(c.Seen(), "\n"), strings.Join([]string{
					`notifications/progress {"progressToken":` + token + `,"progress":0,"total":10` + begin + `}`,
					`notifications/progress {"progressToken":` + token + `,"progress":2.5}`,
					`notifications/progress {"progressToken":` + token + `,"progress":10,"total":10` + done + `}`,
				}, "\n"))
			}
		})
	})
}

// REQ LOG-02, LOG-03, LOG-05, LOG-06, META-12
func TestLogging(t *testing.T) {
	s := newServer(&Options{Logging: true})
	add(t, s.AddTool(mcp.Tool{Name: "log"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		l := c.Logger()
		l.Debug("d")
		l.Info("i")
		l.With("user", 7).WithGroup("g").Log(ctx, LevelNotice, "n", "a", "b")
		l.Warn("w", "err", errors.New("x"))
		l.Log(ctx, LevelEmergency+3, "e")
		return nil, nil
	}))
	all := []string{
		`notifications/message {"level":"debug","data":"d"}`,
		`notifications/message {"level":"info","data":"i"}`,
		`notifications/message {"level":"notice","data":{"msg":"n","user":7,"g":{"a":"b"}}}`,
		`notifications/message {"level":"warning","data":{"msg":"w","err":"x"}}`,
		`notifications/message {"level":"emergency","data":"e"}`,
	}
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		c := newClient(t, s, rev, `{}`)
		check := func(level string, want []string) {
			t.Helper()
			if level == "" {
			} else if rev < mcp.Modern {
				equal(t, "setLevel", c.Must("logging/setLevel", `{"level":"`+level+`"}`), `{}`)
			} else {
				c.LogLevel = level
			}
			c.Must("tools/call", `{"name":"log"}`)
			equal(t, level, strings.Join(c.Seen(), "\n"), strings.Join(want, "\n"))
		}
		if rev < mcp.Modern {
			check("", all[1:])
			c.Fails("logging/setLevel", `{"level":"loud"}`, codeInvalidParams)
		} else {
			check("", nil)
			c.LogLevel = "loud"
			c.Fails("tools/call", `{"name":"log"}`, codeInvalidParams)
		}
		check("debug", all)
		check("notice", all[2:])
		check("error", all[4:])
	})

	silent := newServer(nil) // REQ LOG-01
	add(t, silent.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Logger().Error("x")
		return nil, nil
	}))
	c := newClient(t, silent, mcp.V2026_07_28, `{}`)
	c.LogLevel = "debug"
	c.Must("tools/call", `{"name":"log"}`)
	if n := c.Seen(); n != nil {
		t.Errorf("without the capability: %q", n)
	}

	c = newClient(t, s, mcp.V2025_06_18, `{}`)
	slog.New(c.session.Session().LogHandler()).Info("on its own")
	equal(t, "session", fmt.Sprint(c.Seen()), `[notifications/message {"level":"info","data":"on its own"}]`)
}

// A client gets no more log messages in a second than it should, and is told how many it did not get.
//
// REQ LOG-08
func TestLogRate(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(&Options{Logging: true, NotifyRate: 3})
			add(t, s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				for i := range 10 {
					c.Logger().Info(strconv.Itoa(i))
				}
				time.Sleep(time.Second)
				c.Logger().Info("later")
				return nil, nil
			}))
			c := newClient(t, s, rev, `{}`)
			if rev >= mcp.Modern {
				c.LogLevel = "info"
			}
			c.Must("tools/call", `{"name":"log"}`)
			equal(t, "messages", strings.Join(c.Seen(), "\n"), strings.Join([]string{
				`notifications/message {"level":"info","data":"0"}`,
				`notifications/message {"level":"info","data":"1"}`,
				`notifications/message {"level":"info","data":"2"}`,
				`notifications/message {"level":"warning","data":"7 log messages were discarded: there were too many"}`,
				`notifications/message {"level":"info","data":"later"}`,
			}, "\n"))
			// Since 2026-07-28 the limit is that of a request, also if it shares its connection with others.
			c.Must("tools/call", `{"name":"log"}`)
			if n := len(c.Seen()); rev >= mcp.Modern && n != 5 {
				t.Errorf("another request has sent %d messages", n)
			}
			if rev < mcp.Modern {
				time.Sleep(time.Second)
				l := slog.New(c.session.Session().LogHandler())
				for range 10 {
					l.Info("on its own")
				}
				if n := len(c.Seen()); n != 3 {
					t.Errorf("the session has sent %d messages", n)
				}
			}
		})
	})

	s := newServer(&Options{Logging: true, NotifyRate: -1})
	add(t, s.AddTool(mcp.Tool{Name: "log"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for range 300 {
			c.Logger().Info("x")
		}
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	c.Must("tools/call", `{"name":"log"}`)
	if n := len(c.Seen()); n != 300 {
		t.Errorf("without a limit there were %d messages", n)
	}
}

// REQ TOOL-25, RES-13, PRM-08, RES-01, PRM-01: whatever adds to a list or takes from it.
func TestEveryListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		steps := []struct {
			list string
			do   func()
		}{
			{"tools", func() { add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a"))) }},
			{"tools", func() { s.RemoveTools("a") }},
			{"tools", func() { s.Changed(Change{Tools: true}) }},
			{"prompts", func() { add(t, s.AddPrompt(mcp.Prompt{Name: "a"}, noPrompt)) }},
			{"prompts", func() { s.RemovePrompts("a") }},
			{"prompts", func() { s.Changed(Change{Prompts: true}) }},
			{"resources", func() { add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, noResource)) }},
			{"resources", func() { s.RemoveResources("a:b") }},
			{"resources", func() {
				add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"), nothing))
			}},
			{"resources", func() { s.RemoveTemplates("a:{x}") }},
			{"resources", func() { s.Changed(Change{Resources: true}) }},
		}
		for _, step := range steps {
			step.do() // so that all three are declared
		}
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		contains(t, "capabilities", capabilities(c), `"resources":{"listChanged":true}`)
		modern := newClient(t, s, mcp.V2026_07_28, `{}`)
		_, done := listen(modern, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`)
		modern.Seen()
		for i, step := range steps {
			step.do()
			settle()
			equal(t, fmt.Sprint("step ", i), fmt.Sprint(c.Seen()), "[notifications/"+step.list+"/list_changed {}]")
			equal(t, fmt.Sprint("step ", i), fmt.Sprint(modern.Seen()), "[notifications/"+step.list+
				`/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":1}}]`)
		}
		add(t, s.Shutdown(t.Context()))
		<-done
	})
}

// REQ TOOL-25, LIFE-05, LIFE-10, LIFE-11
func TestListChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
		c := newClient(t, s, mcp.V2025_06_18, `{}`)
		quietC := strangerTo(t, s, mcp.V2025_06_18, `{}`) // has not said that it is initialized
		quietC.Must("initialize", hello)

		for i := range 20 {
			add(t, s.AddTool(mcp.Tool{Name: fmt.Sprint(i)}, says("")))
		}
		settle()
		equal(t, "many changes", fmt.Sprint(c.Seen()), "[notifications/tools/list_changed {}]")
		s.RemoveTools("a")
		settle()
		equal(t, "removed", fmt.Sprint(c.Seen()), "[notifications/tools/list_changed {}]")
		s.RemoveTools("a")
		add(t, s.AddPrompt(mcp.Prompt{Name: "p"}, noPrompt)) // the client was not promised to be told
		settle()
		equal(t, "nothing", fmt.Sprint(c.Seen()), "[]")
		s.Changed(Change{Tools: true})
		settle()
		equal(t, "told", fmt.Sprint(c.Seen()), "[notifications/tools/list_changed {}]")
		c.session.Close()
		s.Changed(Change{Tools: true})
		settle()
		equal(t, "closed", fmt.Sprint(c.Seen()), "[]")
		equal(t, "not initialized", fmt.Sprint(quietC.Seen()), "[]")
		quietC.Notify("notifications/initialized", `{}`)
		settle()
		equal(t, "initialized", fmt.Sprint(quietC.Seen()), "[notifications/tools/list_changed {}]")
		add(t, s.Shutdown(t.Context()))
	})
}

// REQ RES-11
func TestSubscribe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched := map[string]int{}
		s := newServer(&Options{
			OnSubscribe: func(_ context.Context, c *Call, uri string) error {
				if uri == "a:secret" {
					return errors.New("not for you")
				}
				watched[uri]++
				return nil
			},
			OnUnsubscribe: func(uri string) { watched[uri]-- },
		})
		for _, uri := range []string{"a:1", "a:2", "a:secret"} {
			add(t, s.AddResource(mcp.Resource{URI: uri, Name: uri}, noResource))
		}
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		for range 2 {
			equal(t, "subscribe", c.Must("resources/subscribe", `{"uri":"a:1"}`), `{}`)
		}
		c.Must("resources/subscribe", `{"uri":"a:2"}`)
		c.Fails("resources/subscribe", `{"uri":"a:3"}`, -32002)
		c.Fails("resources/subscribe", `{"uri":"a:secret"}`, codeInternal)
		equal(t, "watched", fmt.Sprint(watched), "map[a:1:1 a:2:1]")
		for range 5 {
			s.ResourceUpdated("a:2")
			s.ResourceUpdated("a:1")
			s.ResourceUpdated("a:3")
		}
		settle()
		equal(t, "updated", strings.Join(c.Seen(), "\n"),
			"notifications/resources/updated {\"uri\":\"a:1\"}\nnotifications/resources/updated {\"uri\":\"a:2\"}")
		s.ResourceUpdated("a:1") // which has not been told yet when the client no longer wants to know
		equal(t, "unsubscribe", c.Must("resources/unsubscribe", `{"uri":"a:1"}`), `{}`)
		c.Must("resources/unsubscribe", `{"uri":"a:unknown"}`)
		s.ResourceUpdated("a:1")
		settle()
		equal(t, "unsubscribed", fmt.Sprint(c.Seen()), "[]")
		c.session.Close()
		equal(t, "watched", fmt.Sprint(watched), "map[a:1:0 a:2:0]")
	})
}

// Shutdown ends subscriptions of sessions and of requests, whether it waits for these or not.
func TestShutdownUnsubscribes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, patient := range []bool{true, false} {
			var ended atomic.Int32
			s := newServer(&Options{
				OnSubscribe:   func(context.Context, *Call, string) error { return nil },
				OnUnsubscribe: func(string) { ended.Add(1) },
			})
			add(t, s.AddResource(mcp.Resource{URI: "a:1", Name: "1"}, noResource))
			legacy, modern := newClient(t, s, mcp.V2025_11_25, `{}`), newClient(t, s, mcp.V2026_07_28, `{}`)
			legacy.Must("resources/subscribe", `{"uri":"a:1"}`)
			_, answer := listen(modern, `{"resourceSubscriptions":["a:1"]}`)
			ctx, cancel := context.WithCancel(t.Context())
			if !patient {
				cancel()
			}
			s.Shutdown(ctx)
			<-answer
			legacy.session.Close()
			equal(t, fmt.Sprint("ended, patient ", patient), fmt.Sprint(ended.Load()), "2")
			cancel()
		}
	})
}

// listen opens a subscription and returns how to end it from the client's side, and its answer.
func listen(c *client, filter string) (cancel func(), answer <-chan string) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan string, 1)
	r := c.Request("subscriptions/listen", `{"notifications":`+filter+`}`)
	go func() {
		raw, err := c.session.ServeRequest(ctx, r)
		if err != nil {
			raw = wire.Raw(err.Error())
		}
		done <- string(raw)
	}()
	synctest.Wait()
	return cancel, done
}

// REQ SUB-01, SUB-02, SUB-03, SUB-06, SUB-07, SUB-08, META-15, AMB-14
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched := 0
		s := newServer(&Options{
			Logging: true,
			OnSubscribe: func(ctx context.Context, c *Call, _ string) error {
				watched++
				c.Logger().Error("x")
				c.Progress().Report(1, 2, "x")
				if err := c.Notify(ctx, "x/soon", nil); err == nil {
					t.Error("something other than a change was sent on a subscription")
				}
				return nil
			},
			OnUnsubscribe: func(string) { watched-- },
		})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
		add(t, s.AddResource(mcp.Resource{URI: "a:1", Name: "1"}, noResource))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		c.LogLevel, c.Token = "debug", `"t"` // REQ SUB-05, LOG-05, PROG-03: neither is for a subscription

		cancel, one := listen(c, `{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:1","a:1","a:2"]}`)
		meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
		equal(t, "acknowledged", fmt.Sprint(c.Seen()), `[notifications/subscriptions/acknowledged {`+meta+
			`,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:1"]}}]`)
		_, two := listen(c, `{}`)
		equal(t, "empty", fmt.Sprint(c.Seen()), `[notifications/subscriptions/acknowledged {"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}]`)

		s.Changed(Change{Tools: true})
		s.Changed(Change{Prompts: true})
		s.Changed(Change{Resources: true})
		s.ResourceUpdated("a:1")
		settle()
		equal(t, "changes", strings.Join(c.Seen(), "\n"), `notifications/tools/list_changed {`+meta+`}`+"\n"+
			`notifications/resources/updated {`+meta+`,"uri":"a:1"}`)

		cancel()
		equal(t, "cancelled", <-one, "context canceled (-32603)")
		s.Changed(Change{Tools: true})
		settle()
		equal(t, "nothing more", fmt.Sprint(c.Seen()), "[]")
		if watched != 0 {
			t.Errorf("%d resources are watched", watched)
		}

		add(t, s.Shutdown(t.Context()))
		var r mcp.SubscriptionsListenResult
		if err := json.Unmarshal([]byte(<-two), &r); err != nil || r.Meta.SubscriptionID != wire.IntID(2) || r.GetResultType() != "complete" {
			t.Errorf("result %+v, %v", r, err)
		}
	})
}

// REQ SUB-03: what changes before the acknowledgement is out waits for it.
func TestListenOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		out := &slowSender{c.Receiver()}
		r := c.Request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
		r.Out = out
		ctx, cancel := context.WithCancel(t.Context())
		go c.session.ServeRequest(ctx, r)
		synctest.Wait()
		s.Changed(Change{Tools: true})
		settle()
		equal(t, "before", fmt.Sprint(c.Seen()), "[]")
		time.Sleep(5 * time.Second)
		settle()
		if got := c.Seen(); len(got) < 1 || !strings.HasPrefix(got[0], "notifications/subscriptions/acknowledged") {
			t.Errorf("first: %q", got)
		}
		time.Sleep(10 * time.Second)
		equal(t, "after", strings.Join(c.Seen(), "\n"), `notifications/tools/list_changed {"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
		cancel()
		synctest.Wait()
	})
}

// A slowSender takes five seconds for each notification.
type slowSender struct{ transport.Caller }

func (s *slowSender) Notify(ctx context.Context, method string, params wire.Raw) error {
	select {
	case <-time.After(5 * time.Second):
		return s.Caller.Notify(ctx, method, params)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A client that does not read holds up nobody else, and what it missed is told once.
func TestSlowSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
		slow := newClient(t, s, mcp.V2025_06_18, `{}`)
		slow.session.Session().subscription.out = &slowSender{slow.Receiver()}
		quick := newClient(t, s, mcp.V2025_06_18, `{}`)
		for range 20 {
			s.Changed(Change{Tools: true})
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(quick.Seen()); n != 20 {
			t.Errorf("quick: %d notifications", n)
		}
		time.Sleep(time.Minute)
		if n := len(slow.Seen()); n < 1 || n > 2 {
			t.Errorf("slow: %d notifications", n)
		}
		s.Changed(Change{Tools: true})
		time.Sleep(time.Second)
		slow.session.Close() // ends what is going out
		synctest.Wait()
		if n := slow.Seen(); n != nil {
			t.Errorf("after close: %q", n)
		}
	})
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(time.Minute)
			return nil, nil
		}))
		c := newClient(t, s, mcp.V2025_06_18, `{}`)
		done := make(chan string, 1)
		go func() { done <- c.Must("tools/call", `{"name":"slow"}`) }()
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("shutdown in a second: %v", err)
		}
		c.Fails("ping", "", codeInternal) // takes no more
		add(t, s.Shutdown(t.Context()))   // waits
		equal(t, "answer", <-done, `{"content":[]}`)
		add(t, s.Shutdown(t.Context()))
	})
}

// REQ PING-01, PING-03
func TestPing(t *testing.T) {
	s := newServer(nil)
	c := newClient(t, s, mcp.V2025_06_18, `{}`)
	c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{}`), nil }
	add(t, c.session.Session().Ping(t.Context()))
	equal(t, "asked", fmt.Sprint(c.Asked), "[ping]")
	equal(t, "answered", c.Must("ping", ""), `{}`)
	if err := newClient(t, s, mcp.V2026_07_28, `{}`).session.Session().Ping(t.Context()); err == nil {
		t.Error("a client without a session was pinged")
	}
}

// A client cannot make the server remember without bound.
func TestTooManySubscriptions(t *testing.T) {
	s := newServer(&Options{Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)}}})
	add(t, s.AddTemplate(mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, prefix("a:"),
		func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return nil, nil
		}))
	c := newClient(t, s, mcp.V2025_06_18, `{}`)
	for i := range maxSubscriptions {
		c.Must("resources/subscribe", fmt.Sprintf(`{"uri":"a:%d"}`, i))
	}
	c.Fails("resources/subscribe", `{"uri":"a:more"}`, codeInvalidParams)
	c.Must("resources/unsubscribe", `{"uri":"a:0"}`)
	c.Must("resources/subscribe", `{"uri":"a:more"}`)
}

// TestSessionNotify sends a notification of a custom method that belongs to no call.
func TestSessionNotify(t *testing.T) {
	s := newServer(nil)
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	add(t, c.session.Session().Notify(t.Context(), "notifications/example", wire.Raw(`{"a":1}`)))
	add(t, c.session.Session().Notify(t.Context(), "notifications/example", nil))
	equal(t, "notifications", strings.Join(c.Seen(), "\n"), "notifications/example {\"a\":1}\nnotifications/example")
	if err := c.session.Session().Notify(t.Context(), "notifications/example", wire.Raw(`{`)); err == nil {
		t.Error("params that are not JSON were sent")
	}
	if err := NewEndpoint(s).NewSession(nil, "").Session().Notify(t.Context(), "notifications/example", nil); err == nil {
		t.Error("a session that is not open sent a notification")
	}
}

// Middleware around what is sent may report progress itself, and a report during another one is sent after it.
//
// REQ PROG-04, PROG-06
func TestProgressWithinProgress(t *testing.T) {
	var call *Call
	s := newServer(&Options{NotifyRate: -1, Send: []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
		return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
			call.Progress().Report(2, 0, "")
			return next(ctx, m)
		}
	}}})
	add(t, s.AddTool(mcp.Tool{Name: "t"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		call = c
		c.Progress().Report(1, 0, "")
		return nil, nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	c.Must("tools/call", `{"name":"t","_meta":{"progressToken":1}}`)
	equal(t, "sent", strings.Join(c.Seen(), "\n"), `notifications/progress {"progressToken":1,"progress":1}
notifications/progress {"progressToken":1,"progress":2}`)
}

// Clients are notified that an extension may have changed the lists.
//
// REQ TOOL-25
func TestExtensionChangesLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "t"}, says("")))
		c := newClient(t, s, mcp.V2025_11_25, `{}`)
		hide := func(context.Context, *Call, *Item) (bool, error) { return false, nil }
		add(t, s.AddExtension(Extension{ID: "com.example/x", Filter: &Filter{Admit: hide}}))
		time.Sleep(time.Second)
		equal(t, "told", strings.Join(c.Seen(), "\n"), `notifications/tools/list_changed {}`)
		equal(t, "list", bare(c.Must("tools/list", `{}`)), `{"tools":[]}`)
	})
}
