package httpclient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// oldSite is a server of HTTP+SSE that refuses POST at its stream's URL with a status.
func oldSite(status int) *site {
	s := &site{}
	messages := make(chan string, 10)
	s.does("GET", func(v *visit) {
		v.stream("event: endpoint\ndata: /messages?session=1\n\n")
		for {
			select {
			case m := <-messages:
				v.stream(event(m))
			case <-v.req.Context().Done():
				return
			}
		}
	})
	post := func(result string) func(*visit) {
		return func(v *visit) {
			if v.req.URL.Path == "/mcp" {
				v.WriteHeader(status)
				return
			}
			v.WriteHeader(202)
			if result != "" {
				messages <- answerTo(v.msg.ID, result)
			}
		}
	}
	s.does("server/discover", post(""))
	s.does("initialize", post(initialized("2024-11-05")))
	s.does("notifications/initialized", post(""))
	s.does("tools/call", post(textResult))
	return s
}

// A client finds out what a server speaks, from the newest revision to HTTP+SSE, and by the shortest
// way if it remembers.
//
// REQ VER-12, VER-13, VER-14, VER-15, VER-16, VER-17, VER-03, VER-07, SSE-10, SSE-11, SEED-19, AMB-18, HDR-01, VER-01
func TestClientFindsEra(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) func(*visit) {
		return func(v *visit) {
			v.Header().Set("Content-Type", "application/json")
			v.WriteHeader(code)
			io.WriteString(v, body)
		}
	}
	modern := func(v *visit) { v.answer(discovered) }
	const old = "POST initialize\nGET\nPOST initialize\nPOST notifications/initialized"
	all := client.Revisions()
	newest := all[len(all)-1].String()
	asked := "POST server/discover " + newest + " server/discover"
	legacy := asked + "\nPOST initialize\nPOST notifications/initialized 2025-11-25 s1\nGET 2025-11-25 s1"
	with := func(discover func(*visit)) *site {
		s := &site{}
		s.does("server/discover", discover)
		return s
	}
	oldAfter := func(code int) string {
		return fmt.Sprintf("initialize: the server answered POST with HTTP status %d", code)
	}
	tests := []struct {
		name string
		site *site
		want wire.Revision
		took string
		err  string
	}{
		{name: "modern", site: with(modern), want: mcp.V2026_07_28, took: asked},
		{name: "legacy that knows JSON-RPC", site: &site{}, want: mcp.V2025_11_25, took: legacy},
		{name: "400", site: with(status(400, "")), want: mcp.V2025_11_25, took: legacy},
		{name: "400 with an old error", site: with(status(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`)), want: mcp.V2025_11_25, took: legacy},
		{name: "400 with a draft's error", site: with(status(400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x"}}`)), want: mcp.V2025_11_25, took: legacy},
		{name: "404", site: with(status(404, "")), want: mcp.V2025_11_25, took: legacy},
		{name: "500", site: with(status(500, "<oops>")), want: mcp.V2025_11_25, took: legacy},
		{name: "reset", site: with(func(*visit) { panic(http.ErrAbortHandler) }), want: mcp.V2025_11_25, took: legacy},
		{name: "silence", site: with(func(v *visit) { v.wait() }), want: mcp.V2025_11_25, took: legacy},
		{name: "a stream of nothing", site: with(func(v *visit) { v.stream(); v.wait() }), want: mcp.V2025_11_25, took: legacy},
		{name: "401", site: with(status(401, "who are you?")), took: asked, err: "server/discover: the server answered POST with HTTP status 401: who are you?"},
		{name: "403", site: with(status(403, "")), took: asked, err: "server/discover: the server answered POST with HTTP status 403"},
		{name: "header mismatch", site: with(func(v *visit) { v.fail(-32020, 400) }), took: asked, err: "server/discover: error (-32020)"},
		{name: "refused, and listed all the same", site: func() *site {
			s := &site{}
			n := 0
			s.does("server/discover", func(v *visit) {
				if n++; n > 1 {
					modern(v)
					return
				}
				v.Header().Set("Content-Type", "application/json")
				v.WriteHeader(400)
				fmt.Fprintf(v, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"x","data":{"supported":["2026-07-28"],"requested":%q}}}`, v.msg.ID, newest)
			})
			return s
		}(), want: mcp.V2026_07_28, took: asked + "\nPOST server/discover 2026-07-28 server/discover"},
		{name: "old, 400", site: oldSite(400), want: mcp.V2024_11_05, took: asked + "\n" + old},
		{name: "old, 404", site: oldSite(404), want: mcp.V2024_11_05, took: asked + "\n" + old},
		{name: "old, 405", site: oldSite(405), want: mcp.V2024_11_05, took: asked + "\n" + old},
		{name: "old, 501", site: oldSite(501), took: asked + "\nPOST initialize", err: oldAfter(501)},
		{name: "nothing at all", site: func() *site {
			s := with(status(404, ""))
			s.does("initialize", status(404, ""))
			return s
		}(), took: asked + "\nPOST initialize\nGET", err: oldAfter(404)},
		{name: "a web page", site: func() *site {
			s := with(status(405, ""))
			s.does("initialize", status(405, ""))
			s.does("GET", func(v *visit) { v.Header().Set("Content-Type", "text/html"); io.WriteString(v, "<html>") })
			return s
		}(), took: asked + "\nPOST initialize\nGET", err: oldAfter(405)},
		{name: "a stream of another kind", site: func() *site {
			s := with(status(405, ""))
			s.does("initialize", status(405, ""))
			s.does("GET", func(v *visit) { v.stream("data: {}\n\n"); v.wait() })
			return s
		}(), took: asked + "\nPOST initialize\nGET", err: oldAfter(405)},
		{name: "a stream that says nothing", site: func() *site {
			s := with(status(405, ""))
			s.does("initialize", status(405, ""))
			s.does("GET", func(v *visit) { v.stream(); v.wait() })
			return s
		}(), took: asked + "\nPOST initialize\nGET", err: oldAfter(405)},
	}
	for _, test := range tests {
		bubbleOf(t, test.name, func(t *testing.T) {
			begin := time.Now()
			c, err := connectTo(t, test.site, wire.Any, nil, nil)
			got, _, _ := strings.Cut(errorText(err), " (before that, server/discover: ")
			if got != test.err {
				t.Errorf("got %v, want %s", err, test.err)
			}
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			if took := test.site.took(); took != test.took {
				t.Errorf("took\n%s\nwant\n%s", took, test.took)
			}
			if err != nil {
				time.Sleep(time.Minute)
				if n := test.site.atWork(); n != 0 {
					t.Errorf("%d requests are left at the server", n)
				}
				return
			}
			if c.Revision() != test.want {
				t.Errorf("revision %v, want %v", c.Revision(), test.want)
			}
			test.site.does("tools/call", map[bool]func(*visit){true: test.site.on["tools/call"], false: func(v *visit) { v.answer(textResult) }}[test.want == mcp.V2024_11_05])
			if text, err := callTool(t, c, ""); text != "hi" {
				t.Errorf("call: %v", err)
			}
			c.Close()
			test.site.took()
			if test.name == "refused, and listed all the same" {
				return
			}
			if _, err = connectTo(t, test.site, wire.Any, nil, &client.Options{LastRevision: c.Revision()}); err != nil {
				t.Fatal(err)
			}
			again := strings.Replace(strings.TrimPrefix(test.took, asked+"\n"), newest, "2026-07-28", 1) // what it remembers
			if took := test.site.took(); took != again {
				t.Errorf("the second time took\n%s\nwant\n%s", took, again)
			}
		})
	}
}

// Which refusals of initialize let a client look for a server of HTTP+SSE: all that say that it is the
// request's fault, before 2025-11-25 named three.
//
// REQ SSE-09, SSE-10
func TestClientFallsBack(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 405, 406, 410, 415, 422, 499, 500, 503} {
		for _, rev := range []wire.Revision{mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25} {
			bubbleOf(t, fmt.Sprint(status, " ", rev), func(t *testing.T) {
				s := oldSite(status)
				_, err := connectTo(t, s, wire.Any, nil, &client.Options{Revisions: []wire.Revision{mcp.V2024_11_05, rev}})
				falls := status == 400 || status == 404 || status == 405 || status < 500 && rev < mcp.V2025_11_25
				want := "POST initialize"
				if falls {
					want += "\nGET\nPOST initialize\nPOST notifications/initialized"
				}
				if got := s.took(); got != want || (err == nil) != falls {
					t.Errorf("%v, took\n%s\nwant\n%s", err, got, want)
				}
			})
		}
	}
}

// With a server of HTTP+SSE, the end of the stream is the end of the connection.
func TestClientOfOldServerEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := oldSite(404)
		cut := make(chan bool)
		get := s.on["GET"]
		s.does("GET", func(v *visit) {
			go func() {
				<-cut
				v.ResponseWriter.(interface{ CutOff(error) }).CutOff(io.ErrUnexpectedEOF)
			}()
			get(v)
		})
		c := dial(t, s, mcp.V2024_11_05, nil, nil)
		s.does("tools/call", func(v *visit) { v.WriteHeader(500); io.WriteString(v, "oops") })
		_, err := callTool(t, c, "")
		if want := "tools/call: the server answered POST with HTTP status 500: oops"; errorText(err) != want || !errors.As(err, new(*transport.RequestError)) {
			t.Errorf("got %v, want %s", err, want)
		}
		cut <- true
		<-c.Done()
		if !errors.Is(c.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("the connection ended with %v", c.Err())
		}
	})
}
