package httpclient_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Whatever a server does with a call, its caller gets the answer or an error that says what happened,
// and the connection goes on.
//
// REQ HTTP-13, AMB-02, AMB-21, H26-11, H26-13, H26-14, JRPC-27, SSE-04
func TestClientFaults(t *testing.T) {
	body := func(status int, contentType, text string) func(*visit) {
		return func(v *visit) {
			if contentType != "" {
				v.Header().Set("Content-Type", contentType)
			}
			v.WriteHeader(status)
			io.WriteString(v, text)
		}
	}
	const js, sse = "application/json", "text/event-stream"
	tests := []struct {
		name string
		do   func(v *visit)
		want string // the text, or the error
	}{
		{"JSON", func(v *visit) { v.answer(textResult) }, "hi"},
		{"JSON in lines", func(v *visit) {
			body(200, "Application/JSON; charset=utf-8", strings.ReplaceAll(answerTo(v.msg.ID, textResult), ",", ",\r\n"))(v)
		}, "hi"},
		{"stream", func(v *visit) { v.stream(event(answerTo(v.msg.ID, textResult))) }, "hi"},
		{"stream that goes on after the answer", func(v *visit) {
			v.stream(event(answerTo(v.msg.ID, textResult)))
			v.wait()
		}, "hi"},
		{"stream with comments, other events, priming, lines", func(v *visit) {
			v.stream(": hello\n\n", "event: other\ndata: {}\n\n", "id: 1\ndata:\n\n", "event: message\r\ndata: "+
				strings.ReplaceAll(answerTo(v.msg.ID, textResult), ",", ",\r\ndata: ")+"\r\n\r\n")
		}, "hi"},
		{"a line break in a string", func(v *visit) {
			v.stream("data: " + strings.ReplaceAll(answerTo(v.msg.ID, textResult), "hi", "h\ndata: i") + "\n\n")
		}, "tools/call: the response is invalid: parse error: result.content[0].text: control character 0xa in a string, where it must be escaped, at offset 93"},
		{"nonsense before the answer", func(v *visit) {
			v.stream(event("nonsense"), event(`{"jsonrpc":"2.0"}`), event(`{"jsonrpc":"2.0","id":999,"result":{}}`), event(answerTo(v.msg.ID, textResult)))
		}, "hi"},
		{"error with status 200", func(v *visit) { v.fail(-32602, 200) }, "error (-32602)"},
		{"error with status 404", func(v *visit) { v.fail(-32601, 404) }, "error (-32601)"},
		{"error with status 500", func(v *visit) { v.fail(-32603, 500) }, "error (-32603)"},
		{"error that names no request", body(400, js, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`), "bad (-32600)"},
		{"error that names no request, status 200", body(200, js, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"bad"}}`), "bad (-32600)"},
		{"error for another request", body(400, js, `{"jsonrpc":"2.0","id":77,"error":{"code":-32600,"message":"bad"}}`),
			`tools/call: the server answered POST with HTTP status 400: {"jsonrpc":"2.0","id":77,"error":{"code":-32600,"message":"bad"}}`},
		{"plain status", body(503, "text/plain", "try\nlater\xff"), "tools/call: the server answered POST with HTTP status 503: try later\uFFFD"},
		{"status with a binary body", body(502, "image/png", "\x89PNG"), "tools/call: the server answered POST with HTTP status 502"},
		{"accepted, not answered", body(202, "", ""),
			`tools/call: the server answered with HTTP status 202 and content type "", want application/json or text/event-stream`},
		{"accepted, with an answer", func(v *visit) { body(202, js, answerTo(v.msg.ID, textResult))(v) },
			`tools/call: the server answered with HTTP status 202 and content type "application/json", want application/json or text/event-stream`},
		{"web page", body(200, "text/html", "<html>"),
			`tools/call: the server answered with HTTP status 200 and content type "text/html", want application/json or text/event-stream`},
		{"no JSON", body(200, js, "nonsense"), `tools/call: the response is invalid: parse error: want null, got an unknown word at offset 0`},
		{"no body", body(200, js, ""), "tools/call: the response is invalid: parse error: want a value, got the end of the input at offset 0"},
		{"another answer", body(200, js, `{"jsonrpc":"2.0","id":77,"result":{}}`), "tools/call: the server sent the response to another request instead"},
		{"a result that is none", func(v *visit) { body(200, js, answerTo(v.msg.ID, "[]"))(v) },
			"tools/call: the response is invalid: invalid request: result: want object, got array"},
		{"a request as the answer", body(200, js, `{"jsonrpc":"2.0","method":"notifications/x"}`), "tools/call: the server sent the response to another request instead"},
		{"as long as can be", func(v *visit) {
			answer := answerTo(v.msg.ID, textResult)
			body(200, js, answer+strings.Repeat(" ", 1000-len(answer)))(v)
		}, "hi"},
		{"parameters that are none", func(v *visit) { body(200, js+"; charset", answerTo(v.msg.ID, textResult))(v) }, "hi"},
		{"too long", body(200, js, `"`+strings.Repeat("x", 2000)+`"`),
			"tools/call: the response broke off: transport: a message is longer than the limit of 1000 bytes"},
		{"too long an event", func(v *visit) { v.stream("id: 1\ndata: " + strings.Repeat("x", 2000) + "\n\n") },
			"tools/call: the stream broke off before the response: eventreader: event too large: it has more than the 1000 bytes allowed"},
		{"too long an event after one with an id", func(v *visit) { v.stream("id: 1\ndata:\n\ndata: " + strings.Repeat("x", 2000) + "\n\n") },
			"tools/call: the stream broke off before the response: eventreader: event too large: it has more than the 1000 bytes allowed"},
		{"half a body", func(v *visit) {
			body(200, js, `{"jsonrpc":`)(v)
			v.flush()
			panic(http.ErrAbortHandler)
		}, "tools/call: the response broke off: unexpected EOF"},
		{"half a stream", func(v *visit) {
			v.stream("data: {")
			panic(http.ErrAbortHandler)
		}, "tools/call: the stream broke off before the response: unexpected EOF"},
		{"empty stream", body(200, sse, ""), "tools/call: the stream ended before the response"},
		{"half an event", body(200, sse, "data: {}"), "tools/call: the stream ended before the response"},
		{"reset", func(v *visit) { panic(http.ErrAbortHandler) }, `tools/call: Post "http://site.test/mcp": connection reset`},
		{"silence", func(v *visit) { v.wait() }, "tools/call: no response within 1m0s"},
		{"a stream of nothing", func(v *visit) {
			for v.stream(); v.req.Context().Err() == nil; v.sleep(time.Second) {
				io.WriteString(v, ":\n\n")
			}
		}, "tools/call: no response within 1m0s"},
		{"a refusal that never ends", endless, "tools/call: the server answered POST with HTTP status 500: " + dots(8)},
	}
	for _, test := range tests {
		for _, rev := range []string{"2025-06-18", "2026-07-28"} {
			t.Run(rev+" "+test.name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := &site{on: map[string]func(*visit){"initialize": func(v *visit) { v.answer(initialized(rev)) }}}
					c := dial(t, s, revision(t, rev), &httpclient.Options{MaxMessage: 1000}, nil)
					s.does("tools/call", test.do)
					got, err := callTool(t, c, `{}`)
					if err != nil {
						got = err.Error()
					}
					if got != test.want {
						t.Errorf("got\n%s\nwant\n%s", got, test.want)
					}
					s.does("tools/call", func(v *visit) { v.answer(textResult) })
					if got, err := callTool(t, c, `{}`); got != "hi" || err != nil {
						t.Errorf("the next call: %q, %v", got, err)
					}
					time.Sleep(40 * time.Second) // less than a call may take
					if n := s.atWork(); n != 0 {
						t.Errorf("%d requests are left at the server", n)
					}
				})
			})
		}
	}
}

// Since 2026-07-28 a stream that breaks off is not resumed, even if its events have ids: the call has
// failed, and another is another request.
//
// REQ H26-13
func TestClientDoesNotResume(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		c := dial(t, s, mcp.V2026_07_28, nil, nil)
		var ids []string
		s.does("tools/call", func(v *visit) {
			ids = append(ids, v.msg.ID.String())
			v.stream("id: 7\ndata:\n\n")
			panic(http.ErrAbortHandler)
		})
		for range 2 {
			if _, err := callTool(t, c, ""); errorText(err) != "tools/call: the stream broke off before the response: unexpected EOF" {
				t.Error(err)
			}
		}
		time.Sleep(40 * time.Second)
		if got, want := s.took(), strings.Repeat("POST tools/call 2026-07-28 tools/call tool\n", 2); got+"\n" != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if ids[0] == ids[1] {
			t.Errorf("both requests have the id %s", ids[0])
		}
	})
}

// The error for a status keeps what a program needs to get access.
func TestClientStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		c := dial(t, s, mcp.V2025_11_25, nil, nil)
		for _, text := range []string{"no", `{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no"}}`, `{"jsonrpc":"2.0","error":{"code":5,"message":"no"}}`} {
			s.does("tools/call", func(v *visit) {
				v.Header().Add("WWW-Authenticate", `Bearer realm="a"`)
				v.Header().Add("WWW-Authenticate", "Basic")
				v.WriteHeader(401)
				io.WriteString(v, text)
			})
			_, err := callTool(t, c, `{}`)
			status, ok := errors.AsType[*transport.StatusError](err)
			if !ok || status.Status != 401 || !status.Denied() || len(status.Challenges) != 2 || status.Challenges[0] != `Bearer realm="a"` || status.Text != text {
				t.Errorf("got %#v", err)
			}
			if errors.As(err, new(*jsonrpc.Error)) != strings.Contains(text, `"jsonrpc":"2.0","error"`) {
				t.Errorf("%s: the error in it: %v", text, status.Err)
			}
			if !errors.As(err, new(*transport.RequestError)) || !errors.As(err, new(*jsonrpc.CallError)) {
				t.Errorf("got %#v", err)
			}
		}
	})
}

// A caller that gives up tells the server, in the way of the revision, and leaves nothing behind.
//
// REQ CANC-03, CANC-01, HTTP-19, H26-12, SUB-07, TIME-02, AMB-22
func TestClientCancels(t *testing.T) {
	for rev, want := range map[string]string{
		"2025-06-18": "POST tools/call 2025-06-18\nPOST notifications/cancelled 2025-06-18",
		"2026-07-28": "POST tools/call 2026-07-28 tools/call tool",
	} {
		for _, streams := range []bool{false, true} {
			t.Run(rev, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					s := &site{on: map[string]func(*visit){
						"initialize": func(v *visit) { v.answer(initialized(rev)) },
						"tools/call": func(v *visit) {
							if streams {
								v.stream("id: 7\ndata:\n\n")
							}
							v.wait()
						},
					}}
					c := dial(t, s, revision(t, rev), nil, nil)
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
					defer cancel()
					_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					time.Sleep(time.Second)
					if got := s.took(); got != want {
						t.Errorf("got\n%s\nwant\n%s", got, want)
					}
					if n := s.atWork(); n != 0 {
						t.Errorf("%d requests are left at the server", n)
					}
				})
			})
		}
	}
}

// A notification that the server refuses, or does not answer, is an error for the one who sends it.
func TestClientNotificationFaults(t *testing.T) {
	for want, do := range map[string]func(v *visit){
		"": func(v *visit) { v.WriteHeader(204) },
		"notifications/roots/list_changed: the server answered POST with HTTP status 400: no": func(v *visit) { v.WriteHeader(400); io.WriteString(v, "no") },
		"notifications/roots/list_changed: bad (1)": func(v *visit) {
			v.WriteHeader(400)
			io.WriteString(v, `{"jsonrpc":"2.0","error":{"code":1,"message":"bad"}}`)
		},
		"notifications/roots/list_changed: httpclient: the server does not respond":                   func(v *visit) { v.wait() },
		`notifications/roots/list_changed: Post "http://site.test/mcp": connection reset`:             func(v *visit) { panic(http.ErrAbortHandler) },
		"notifications/roots/list_changed: the server answered POST with HTTP status 500: " + dots(8): endless,
	} {
		t.Run(want, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &site{}
				c := dial(t, s, mcp.V2025_11_25, nil, &client.Options{Roots: []mcp.Root{}})
				s.does("notifications/roots/list_changed", do)
				if err := c.SetRoots(t.Context(), nil); errorText(err) != want {
					t.Errorf("got %v", err)
				}
				s.does("notifications/roots/list_changed", nil)
				if err := c.SetRoots(t.Context(), nil); err != nil {
					t.Errorf("the next: %v", err)
				}
			})
		})
	}
}

// A response to what the server asks is sent again if it has not arrived: the server waits for it, and would wait for
// ever.
func TestClientRespondsAgain(t *testing.T) {
	status := func(status int, body string) func(*visit) {
		return func(v *visit) { v.WriteHeader(status); io.WriteString(v, body) }
	}
	tests := []struct {
		name  string
		does  func(*visit)
		times int // how often it is sent, if the second attempt is accepted
	}{
		{"not available", status(503, notNow), 2},
		{"bad gateway", status(502, ""), 2},
		{"too often", status(429, notNow), 2},
		{"connection reset", func(*visit) { panic(http.ErrAbortHandler) }, 2},
		{"accepted", status(202, ""), 1},
		{"refused", status(400, notNow), 1},
		{"forbidden", status(403, ""), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &site{}
				c := dial(t, s, mcp.V2025_11_25, nil, &client.Options{
					Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
						return elicit.Decline(), nil
					}},
				})
				var times atomic.Int32
				end := make(chan struct{})
				s.does(`answer {"action":"decline"}`, func(v *visit) {
					if times.Add(1) == 1 {
						test.does(v)
						return
					}
					v.WriteHeader(http.StatusAccepted)
				})
				s.does("tools/call", func(v *visit) {
					v.stream(event(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`))
					<-end
					io.WriteString(v, event(answerTo(v.msg.ID, textResult)))
				})
				done := make(chan error, 1)
				go func() { _, err := callTool(t, c, ""); done <- err }()
				time.Sleep(40 * time.Second) // less than a call may take
				if n := int(times.Load()); n != test.times {
					t.Errorf("it was sent %d times, want %d", n, test.times)
				}
				close(end)
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// notNow is how a server refuses, in the terms of the protocol, what is not a request.
const notNow = `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"try again later"}}`

// A response that the server never accepts is given up before the connection would be.
func TestClientRespondsInVain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		c := dial(t, s, mcp.V2025_11_25, nil, &client.Options{
			Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				return elicit.Decline(), nil
			}},
		})
		var times atomic.Int32
		end := make(chan struct{})
		s.does(`answer {"action":"decline"}`, func(v *visit) { times.Add(1); v.WriteHeader(http.StatusServiceUnavailable) })
		s.does("tools/call", func(v *visit) {
			v.stream(event(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`))
			<-end
			io.WriteString(v, event(answerTo(v.msg.ID, textResult)))
		})
		done := make(chan error, 1)
		go func() { _, err := callTool(t, c, ""); done <- err }()
		time.Sleep(40 * time.Second)
		if n := times.Load(); n < 3 || n > 7 {
			t.Errorf("it was sent %d times, want more than once, but not for ever", n)
		}
		close(end)
		if err := <-done; err != nil {
			t.Errorf("the connection does not survive: %v", err)
		}
	})
}

func dots(n int) string { return strings.Repeat(".", n) }

// endless refuses without an end.
func endless(v *visit) {
	for v.WriteHeader(500); v.req.Context().Err() == nil; v.sleep(2 * time.Second) {
		io.WriteString(v, ".")
	}
}

// An endpoint that is none, and one that nobody answers at.
func TestClientEndpoint(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                     `initialize: endpoint "": want http:// or https:// and a host`,
		"ftp://host/":          `initialize: endpoint "ftp://host/": want http:// or https:// and a host`,
		"http:///mcp":          `initialize: endpoint "http:///mcp": want http:// or https:// and a host`,
		"https://u:p@":         `initialize: endpoint "https://u:xxxxx@": want http:// or https:// and a host`,
		":":                    `initialize: parse ":": missing protocol scheme`,
		"http://127.0.0.1:1/x": `initialize: Post "http://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused`,
	} {
		c, err := client.Connect(t.Context(), httpclient.New(endpoint, &httpclient.Options{Logger: silent}), nil)
		if got, _, _ := strings.Cut(errorText(err), " (server/discover before it"); c != nil || got != want {
			t.Errorf("%q: got %v", endpoint, err)
		}
	}
}

// Messages of which nobody takes any wait up to a number, and then the stream is not read.
func TestClientDoesNotReadAhead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const all = 200
		var sent atomic.Int32
		s := &site{on: map[string]func(*visit){"tools/call": func(v *visit) {
			v.stream()
			for range all {
				io.WriteString(v, event(`{"jsonrpc":"2.0","method":"n","params":{"x":"`+strings.Repeat("x", 8<<10)+`"}}`))
				sent.Add(1)
			}
		}}}
		c := transportTo(s, nil)
		defer c.Close()
		call := transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`), Kind: jsonrpc.Request, ID: wire.IntID(1)}
		if err := c.Send(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		// One more is in the hands of the goroutine that reads, and one on its way.
		if n := sent.Load(); n < 64 || n > 66 {
			t.Errorf("%d messages were read, want 64 to 66", n)
		}
		for n := range all {
			if m, err := c.Receive(t.Context()); err != nil || !strings.Contains(string(m.Data), `"method":"n"`) {
				t.Fatalf("message %d: %.100s, %v", n, m.Data, err)
			}
		}
	})
}

// The largest limit there is is none, for single responses and for streams.
func TestLargestMessageLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{on: map[string]func(*visit){"initialize": func(v *visit) { v.answer(initialized("2025-11-25")) }}}
		c := dial(t, s, mcp.V2025_11_25, &httpclient.Options{MaxMessage: math.MaxInt}, nil)
		for _, do := range []func(*visit){
			func(v *visit) { v.answer(textResult) },
			func(v *visit) { v.stream("data: " + answerTo(v.msg.ID, textResult) + "\n\n") },
		} {
			s.does("tools/call", do)
			if got, err := callTool(t, c, `{}`); got != "hi" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		}
	})
}
