package limit_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = slog.New(slog.DiscardHandler)

// newServer returns a server with middleware and with tools a and b, whose handler runs work. Work may be nil.
func newServer(work func(ctx context.Context, c *server.Call), limits ...server.Middleware) *server.Server {
	s := server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{Logger: quiet, Middleware: limits})
	addTools(s, work)
	return s
}

func addTools(s *server.Server, work func(ctx context.Context, c *server.Call)) {
	for _, name := range []string{"a", "b"} {
		s.AddTool(mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if work != nil {
				work(ctx, c)
			}
			return server.TextResult("done"), nil
		})
	}
}

// request returns a request that needs no session.
func request(method, params string, from transport.Origin) *transport.Request {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		params += ","
	}
	return &transport.Request{ID: wire.IntID(1), Method: method, Params: wire.Raw(`{` + params + `"_meta":` + meta + `}`), Meta: wire.Raw(meta), Origin: from}
}

// call calls a tool for a principal.
func call(ctx context.Context, s *server.Server, principal, tool string) error {
	_, err := server.NewEndpoint(s).ServeRequest(ctx, request("tools/call", fmt.Sprintf(`"name":%q`, tool), transport.Origin{Principal: principal}))
	return err
}

// want checks an error: nothing, or a part of its text, which is followed by the time after which to try again.
func want(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Error(err)
	case text != "" && (err == nil || !strings.Contains(err.Error(), text)):
		t.Errorf("got %v, want %s", err, text)
	}
}

// Rates hold in every revision, and the error says to people and to programs when to come again.
func TestRates(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil, limit.Rate{N: 5}.Middleware())
			c, other := mcptest.Connect(t, s, &mcptest.Options{Revision: rev}), mcptest.Connect(t, s, &mcptest.Options{Revision: rev})
			do := func(c *mcptest.Client, tool string) error {
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
				return err
			}
			for range 5 {
				want(t, do(c, "a"), "")
			}
			err := do(c, "a")
			want(t, err, `want at most 5 calls a second by one client; try again in 200ms (-32603)`)
			if after, ok := transport.RetryAfter(err); !ok || after != 200*time.Millisecond {
				t.Errorf("after %s, %t", after, ok)
			}
			want(t, do(c, "b"), "try again")
			want(t, do(other, "a"), "")
			if _, err := c.ListTools(t.Context(), nil); err != nil {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
			want(t, do(c, "a"), "")
			want(t, do(c, "a"), "try again in 200ms")
		})
	})
}

// Over standard input, too, the response says when to come again.
func TestOverStdio(t *testing.T) {
	s := newServer(nil, limit.Rate{N: 1, Per: time.Hour}.Middleware())
	in, requests := io.Pipe()
	responses, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context(), stdio.New(in, out, nil)) }()
	lines := bufio.NewScanner(responses)
	r := request("tools/call", `"name":"a"`, transport.Origin{})
	for i, text := range []string{
		`"text":"done"`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"want at most 1 calls an hour by one client; try again in `, `"data":{"retryAfterMs":3`,
	} {
		if i < 2 {
			fmt.Fprintf(requests, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", i, r.Params)
			lines.Scan()
		}
		if got := lines.Text(); !strings.Contains(got, text) {
			t.Errorf("response %s, want %s", got, text)
		}
	}
	requests.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A client is a principal, or an address, or a connection, whatever tool it calls. A shared rate is that of all.
func TestClients(t *testing.T) {
	ada1, ada2 := transport.Origin{Principal: "ada", Address: "192.0.2.1:1"}, transport.Origin{Principal: "ada", Address: "192.0.2.2:1"}
	bob1, one := transport.Origin{Principal: "bob", Address: "192.0.2.1:2"}, transport.Origin{Address: "192.0.2.1:3"}
	net, sameNet := transport.Origin{Address: "[2001:db8::1]:1"}, transport.Origin{Address: "[2001:db8::2]:1"}
	for _, test := range []struct {
		shared   bool
		a, b     transport.Origin
		together bool
		text     string
	}{
		{true, ada1, bob1, true, "want at most 1 calls a second; try"},
		{true, net, one, true, "want at most 1 calls a second; try"},
		{false, ada1, ada2, true, "want at most 1 calls a second by one client; try"},
		{false, ada1, bob1, false, ""},
		{false, bob1, one, false, ""},
		{false, one, one, true, "by one client"},
		{false, net, sameNet, true, "by one client"},
		{false, net, one, false, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			rate := limit.Rate{N: 1, Shared: test.shared}
			s, admit := newServer(nil, rate.Middleware()), rate.Admit()
			if _, err := server.NewEndpoint(s).ServeRequest(t.Context(), request("tools/call", `"name":"a"`, test.a)); err != nil {
				t.Fatal(err)
			}
			_, err := server.NewEndpoint(s).ServeRequest(t.Context(), request("tools/call", `"name":"b"`, test.b))
			if (err != nil) != test.together {
				t.Errorf("%t, %v and %v: %v", test.shared, test.a, test.b, err)
			}
			want(t, err, test.text)
			admit(test.a)
			if refused := admit(test.b); (refused != nil) != test.together {
				t.Errorf("HTTP: %t, %v and %v: %v", test.shared, test.a, test.b, refused)
			}
		})
	}
}

// Without a principal or an address, connections have rates of their own.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			s := newServer(nil, limit.Rate{N: 1}.Middleware())
			for _, identity := range []string{"", "ada"} {
				for i := range 2 {
					opts := &mcptest.Options{Revision: rev}
					if identity != "" {
						opts.Identity = mcptest.As(identity)
					}
					c := mcptest.Connect(t, s, opts)
					_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "a"})
					if again := i == 1 && identity != ""; (err != nil) != again {
						t.Errorf("%s, connection %d of %q: %v", rev, i, identity, err)
					}
				}
			}
		}
	})
}

// A rule is about tool calls, unless it says otherwise; pings count only if it names them.
func TestWhatCounts(t *testing.T) {
	for _, test := range []struct {
		rule   limit.Rate
		counts string // of the requests below
	}{
		{limit.Rate{}, "ab?"},
		{limit.Rate{Methods: []string{limit.All}}, "ab?l"},
		{limit.Rate{Methods: []string{"ping"}}, "p"},
		{limit.Rate{Methods: []string{limit.All, "ping"}}, "ab?lp"},
		{limit.Rate{Methods: []string{"tools/list", "tools/call"}}, "ab?l"},
	} {
		synctest.Test(t, func(t *testing.T) {
			test.rule.N, test.rule.Per = 1, time.Hour
			counts := ""
			for name, r := range map[string][2]string{
				"a": {"tools/call", `"name":"a"`}, "b": {"tools/call", `"name":"b"`}, "?": {"tools/call", `"name":"c"`},
				"l": {"tools/list", ``}, "p": {"ping", ``},
			} {
				s := newServer(nil, test.rule.Middleware())
				session := legacySession(t, s)
				time.Sleep(time.Hour) // since initialize
				refused := 0
				for range 3 {
					_, err := session.ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(2), Method: r[0], Params: wire.Raw(`{` + r[1] + `}`)})
					if _, ok := transport.RetryAfter(err); ok {
						refused++
					}
					session.ServeNotification(t.Context(), &transport.Request{Method: "notifications/roots/list_changed"})
				}
				if refused == 2 {
					counts += name
				} else if refused != 0 {
					t.Errorf("%s: %d are refused", name, refused)
				}
			}
			for _, name := range "ab?lp" {
				if strings.ContainsRune(counts, name) != strings.ContainsRune(test.counts, name) {
					t.Errorf("%+v: %s count, want %s", test.rule, counts, test.counts)
				}
			}
		})
	}
}

// legacySession returns an open session of 2025-11-25.
func legacySession(t *testing.T, s *server.Server) *server.SessionEndpoint {
	t.Helper()
	session := server.NewEndpoint(s).NewSession(nil, "")
	t.Cleanup(session.Close)
	_, err := session.ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "initialize",
		Params: wire.Raw(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// Each rate refuses by itself, and those after it do not count what it has refused.
func TestRatesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil, limit.Rate{N: 2}.Middleware(), limit.Rate{Shared: true, N: 3, Per: time.Minute, Burst: 4}.Middleware())
		for range 2 {
			want(t, call(t.Context(), s, "ada", "a"), "")
		}
		for range 10 {
			want(t, call(t.Context(), s, "ada", "a"), `2 calls a second by one client; try again in 500ms`)
		}
		want(t, call(t.Context(), s, "bob", "b"), "")
		want(t, call(t.Context(), s, "bob", "b"), "")
		want(t, call(t.Context(), s, "eve", "b"), "at most 3 calls a minute, at most 4 at once; try again in 20s")
		time.Sleep(20 * time.Second)
		want(t, call(t.Context(), s, "ada", "b"), "")
	})
}

// Whoever waits as long as it was told is let in, and over time nobody gets more than its rate and one burst.
func TestRateIsKept(t *testing.T) {
	random, rules := rand.New(rand.NewPCG(1, 2)), 200
	if testing.Short() {
		rules = 20
	}
	for range rules {
		synctest.Test(t, func(t *testing.T) {
			r := limit.Rate{N: 1 + random.IntN(1000), Per: time.Duration(1 + random.Int64N(int64(time.Minute))), Burst: 1 + random.IntN(20)}
			admit := r.Admit()
			begun, n := time.Now(), 0
			for range 300 {
				refused := admit(transport.Origin{})
				if refused == nil {
					n++
					continue
				}
				time.Sleep(refused.RetryAfter)
				if admit(transport.Origin{}) != nil {
					t.Fatalf("%+v: refused again after %s", r, refused.RetryAfter)
				}
				n++
			}
			if most := float64(r.Burst) + time.Since(begun).Seconds()/r.Per.Seconds()*float64(r.N) + 0.01; float64(n) > most {
				t.Errorf("%+v: %d, want at most %f", r, n, most)
			}
		})
	}
}

// Clients that come and go do not make others wait, nor one client all others; see share.TestRateIsBounded.
func TestBucketsAreBounded(t *testing.T) {
	admit := limit.Rate{N: 3, Per: time.Hour}.Admit()
	limits.Shared(t, 3, func(who string) bool { return admit(transport.Origin{Principal: who}) == nil })
	s := newServer(nil, limit.Rate{N: 3, Per: time.Hour}.Middleware())
	limits.Shared(t, 3, func(who string) bool { return call(t.Context(), s, who, "a") == nil })
}

// HTTP requests are told apart by what is known of all of them.
func TestAdmit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admit := limit.Rate{N: 3}.Admit()
		ada, bob := transport.Origin{Principal: "ada", Address: "192.0.2.1:1"}, transport.Origin{Principal: "bob", Address: "192.0.2.1:2"}
		for range 3 {
			admit(ada)
		}
		want(t, admit(ada), "want at most 3 HTTP requests a second by one client; try again in 334ms")
		if err := admit(bob); err != nil {
			t.Error(err)
		}
	})
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		make func()
		want string
	}{
		{func() { limit.Rate{}.Middleware() }, "limit: Rate: want a positive number in a positive time, got 0 in 1s, at once 0"},
		{func() { limit.Rate{N: 1, Per: -1}.Tool(nil) }, "got 1 in -1ns, at once 1"},
		{func() { limit.Rate{N: -1, Burst: 1}.Middleware() }, "got -1 in 1s, at once 1"},
		{func() { limit.Rate{N: 1, Burst: -1}.Admit() }, "got 1 in 1s, at once -1"},
		{func() { limit.Rate{N: 1, Methods: []string{"ping"}}.Admit() }, `want no Methods, got ["ping"]`},
		{func() { limit.Concurrency{}.Middleware() }, "limit: Concurrency: Max: want a positive number, got 0"},
		{func() { limit.Concurrency{Max: -1}.Tool(nil) }, "got -1"},
	} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, test.want) {
					t.Errorf("got %s, want %s", p, test.want)
				}
			}()
			test.make()
		}()
	}
}
