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

// newServer returns a server with limits and with tools a and b, whose handler runs work. Work may be nil.
func newServer(opts *limit.Options, work func(ctx context.Context, c *server.Call)) *server.Server {
	if opts.Logger == nil {
		opts.Logger = quiet
	}
	s := server.New(mcp.Implementation{Name: "test", Version: "1"}, &server.Options{
		Logger: quiet, Middleware: []server.Middleware{limit.Calls(opts)},
	})
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
			s := newServer(&limit.Options{Rates: []limit.Rate{{By: limit.Client | limit.Tool, N: 5}}}, nil)
			c, other := mcptest.Connect(t, s, &mcptest.Options{Revision: rev}), mcptest.Connect(t, s, &mcptest.Options{Revision: rev})
			do := func(c *mcptest.Client, tool string) error {
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
				return err
			}
			for range 5 {
				want(t, do(c, "a"), "")
			}
			err := do(c, "a")
			want(t, err, `want at most 5 calls a second of the tool "a" by one client; try again in 200ms (-32603)`)
			if after, ok := transport.RetryAfter(err); !ok || after != 200*time.Millisecond {
				t.Errorf("after %s, %t", after, ok)
			}
			want(t, do(c, "b"), "")
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
	s := newServer(&limit.Options{Rates: []limit.Rate{{By: limit.Client, N: 1, Per: time.Hour}}}, nil)
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

// What tells requests apart is what the rule says.
func TestBy(t *testing.T) {
	ada1, ada2 := transport.Origin{Principal: "ada", Address: "192.0.2.1:1"}, transport.Origin{Principal: "ada", Address: "192.0.2.2:1"}
	bob1, one := transport.Origin{Principal: "bob", Address: "192.0.2.1:2"}, transport.Origin{Address: "192.0.2.1:3"}
	net, sameNet := transport.Origin{Address: "[2001:db8::1]:1"}, transport.Origin{Address: "[2001:db8::2]:1"}
	for _, test := range []struct {
		by       limit.By
		a, b     transport.Origin
		tool     string // of b; a calls "a"
		together bool
		text     string
	}{
		{0, ada1, bob1, "b", true, "want at most 1 calls a second; try"},
		{limit.Client, ada1, ada2, "b", true, "want at most 1 calls a second by one client; try"},
		{limit.Client, ada1, bob1, "a", false, ""},
		{limit.Client, bob1, one, "a", false, ""},
		{limit.Client, net, sameNet, "a", true, "by one client"},
		{limit.Address, ada1, bob1, "a", true, "want at most 1 calls a second from one address; try"},
		{limit.Address, ada1, ada2, "a", false, ""},
		{limit.Address, ada1, one, "a", true, "from one address"},
		{limit.Address, transport.Origin{Principal: "ada"}, transport.Origin{Principal: "bob"}, "a", false, ""},
		{limit.Session, ada1, ada2, "a", true, "want at most 1 calls a second in one session; try"},
		{limit.Session, ada1, bob1, "a", false, ""},
		{limit.Tool, ada1, bob1, "a", true, `want at most 1 calls a second of the tool "a"; try`},
		{limit.Tool, ada1, ada1, "b", false, ""},
		{limit.Client | limit.Address, ada1, ada2, "a", false, ""},
		{limit.Client | limit.Address, ada1, ada1, "b", true, "by one client from one address"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(&limit.Options{Rates: []limit.Rate{{By: test.by, N: 1}}}, nil)
			if _, err := server.NewEndpoint(s).ServeRequest(t.Context(), request("tools/call", `"name":"a"`, test.a)); err != nil {
				t.Fatal(err)
			}
			_, err := server.NewEndpoint(s).ServeRequest(t.Context(), request("tools/call", `"name":"`+test.tool+`"`, test.b))
			if (err != nil) != test.together {
				t.Errorf("%d, %v and %v: %v", test.by, test.a, test.b, err)
			}
			want(t, err, test.text)
		})
	}
}

// Sessions have limits of their own through 2025-11-25.
func TestBySession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&limit.Options{Rates: []limit.Rate{{By: limit.Session, N: 1}}}, nil)
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			for i := range 2 {
				c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev, Identity: mcptest.As("ada")})
				_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "a"})
				if second := i == 1 && rev == mcp.V2026_07_28; (err != nil) != second {
					t.Errorf("%s, connection %d: %v", rev, i, err)
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
		{limit.Rate{Tools: []string{"a"}}, "a"},
		{limit.Rate{Tools: []string{"a", "b"}}, "ab"},
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
				s := newServer(&limit.Options{Rates: []limit.Rate{test.rule}}, nil)
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

// A request that exceeds one rate counts for none, and is told of the one that it must wait for longest.
func TestRatesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&limit.Options{Rates: []limit.Rate{{By: limit.Tool, N: 2}, {By: limit.Client, N: 3, Per: time.Minute, Burst: 4}}}, nil)
		for range 2 {
			want(t, call(t.Context(), s, "ada", "a"), "")
		}
		for range 10 {
			want(t, call(t.Context(), s, "ada", "a"), `2 calls a second of the tool "a"; try again in 500ms`)
		}
		want(t, call(t.Context(), s, "ada", "b"), "")
		want(t, call(t.Context(), s, "ada", "b"), "")
		want(t, call(t.Context(), s, "ada", "b"), "at most 3 calls a minute by one client, at most 4 at once; try again in 20s")
		want(t, call(t.Context(), s, "bob", "b"), "500ms") // which ada's refused call has not used up
		time.Sleep(500 * time.Millisecond)
		want(t, call(t.Context(), s, "bob", "b"), "")
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
			admit := limit.Requests(&limit.Options{Logger: quiet, Rates: []limit.Rate{r}})
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

// Buckets are bounded. Who has lost one starts with a full one.
func TestBucketsAreBounded(t *testing.T) {
	admit := limit.Requests(&limit.Options{Logger: quiet, Rates: []limit.Rate{{By: limit.Client, N: 3, Per: time.Hour}}})
	limits.Shared(t, 3, func(who string) bool { return admit(transport.Origin{Principal: who}) == nil })
	synctest.Test(t, func(t *testing.T) {
		admit := limit.Requests(&limit.Options{Logger: quiet, MaxBuckets: 3, Rates: []limit.Rate{{By: limit.Client, N: 1, Per: time.Hour}}})
		for i, test := range []struct {
			who     string
			refused bool
		}{
			{"a", false}, {"b", false}, {"c", false}, {"a", true}, {"d", false}, // takes the place of b
			{"a", true}, {"c", true}, {"d", true}, {"b", false}, {"c", true}, {"a", false},
		} {
			if got := admit(transport.Origin{Principal: test.who}); (got != nil) != test.refused {
				t.Errorf("%d, %s: %v", i, test.who, got)
			}
		}
	})
	for _, name := range []string{"unknown", strings.Repeat("long", 1000)} { // names that anybody can make up have one bucket together
		s := newServer(&limit.Options{Rates: []limit.Rate{{By: limit.Tool, N: 1, Per: time.Hour}}}, nil)
		call(t.Context(), s, "", "x")
		want(t, call(t.Context(), s, "", name), "want at most 1 calls an hour of one tool; try again")
	}
}

// HTTP requests are told apart by what is known of all of them.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admit := limit.Requests(&limit.Options{Logger: quiet, Rates: []limit.Rate{{By: limit.Client, N: 2}, {By: limit.Address, N: 3}}})
		ada, bob := transport.Origin{Principal: "ada", Address: "192.0.2.1:1"}, transport.Origin{Principal: "bob", Address: "192.0.2.1:2"}
		admit(ada)
		admit(ada)
		want(t, admit(ada), "want at most 2 HTTP requests a second by one client; try again in 500ms")
		if err := admit(bob); err != nil {
			t.Error(err)
		}
		want(t, admit(bob), "want at most 3 HTTP requests a second from one address; try again in 334ms")
	})
}

// However many are refused, one line a minute says so.
func TestWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := newServer(&limit.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Rates:  []limit.Rate{{By: limit.Client, N: 1, Per: time.Hour}},
		}, nil)
		for i := range 1000 {
			call(t.Context(), s, fmt.Sprint(i%10), "a")
		}
		time.Sleep(time.Minute)
		call(t.Context(), s, "1", "a")
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `msg="limit: requests are refused" rule="at most 1 calls an hour by one client" refused=1`) || !strings.Contains(lines[1], "refused=990") {
			t.Errorf("the log: %s", log.String())
		}
	})
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		make func()
		want string
	}{
		{func() { limit.Calls(&limit.Options{Rates: []limit.Rate{{N: 1}, {N: 0}}}) }, "limit: Calls: rate 1: want a positive number in a positive time, got 0 in 1s, at once 0"},
		{func() { limit.Calls(&limit.Options{Rates: []limit.Rate{{N: 1, Per: -1}}}) }, "got 1 in -1ns"},
		{func() { limit.Calls(&limit.Options{Concurrency: []limit.Concurrency{{}}}) }, "limit: Calls: concurrency 0: want a positive number, got 0"},
		{func() {
			limit.Calls(&limit.Options{Rates: []limit.Rate{{N: 1, By: limit.Tool, Methods: []string{"*"}}}})
		}, `a rule about tools is about tools/call, want no other methods, got ["*"]`},
		{func() { limit.Requests(&limit.Options{Concurrency: []limit.Concurrency{{Max: 1}}}) }, "limit: Requests: want no Concurrency"},
		{func() { limit.Requests(&limit.Options{Rates: []limit.Rate{{N: 1, By: limit.Session}}}) }, "limit: Requests: rate 0: want none about sessions"},
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
	limit.Calls(nil)
	limit.Calls(&limit.Options{Rates: []limit.Rate{{N: 1, By: limit.Tool, Methods: []string{"tools/call"}}}})
}
