package httpclient_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Each message is a POST with the headers of its revision; through 2025-11-25 the session has an id, a
// stream, and an end.
//
// REQ HTTP-06, HTTP-07, HTTP-13, HTTP-24, SESS-05, SESS-09, SESS-12, HDR-01, HDR-02, HDR-03, VER-01
func TestClientMessages(t *testing.T) {
	tests := []struct {
		name    string
		rev     wire.Revision
		connect string
		call    string
		close   string
	}{
		{"session", mcp.V2025_11_25,
			"POST initialize\nPOST notifications/initialized 2025-11-25 s1\nGET 2025-11-25 s1",
			"POST tools/call 2025-11-25 s1", "DELETE 2025-11-25 s1"},
		{"no session", mcp.V2026_07_28,
			"POST server/discover 2026-07-28 server/discover",
			"POST tools/call 2026-07-28 tools/call tool", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				for _, kind := range []string{"JSON", "stream"} {
					s := &site{on: map[string]func(*visit){
						"server/discover": func(v *visit) { v.answer(discovered) },
						"tools/call": func(v *visit) {
							if got := v.req.Header.Get("Accept"); got != "application/json, text/event-stream" {
								t.Errorf("Accept: %s", got)
							}
							if kind == "JSON" {
								v.answer(textResult)
							} else {
								v.stream(event(answerTo(v.msg.ID, textResult)))
							}
						},
					}}
					c, err := connectTo(t, s, test.rev, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					if got := s.took(); got != test.connect {
						t.Errorf("connect:\n%s\nwant\n%s", got, test.connect)
					}
					if text, err := callTool(t, c, `{}`); text != "hi" || err != nil {
						t.Errorf("%s: %q, %v", kind, text, err)
					}
					if got := s.took(); got != test.call {
						t.Errorf("call:\n%s\nwant\n%s", got, test.call)
					}
					if err := c.Close(); err != nil {
						t.Error(err)
					}
					if got := s.took(); got != test.close {
						t.Errorf("close:\n%s\nwant\n%s", got, test.close)
					}
				}
			})
		})
	}
}

// An answer may come in a batch, in the one revision that has them.
//
// REQ BATCH-01, BATCH-05, BATCH-06, BATCH-07
func TestClientBatches(t *testing.T) {
	for rev, want := range map[string]string{
		"2025-03-26": "",
		"2025-06-18": "tools/call: the response is invalid: invalid request: an array: batches of messages exist only in revision 2025-03-26",
	} {
		for _, kind := range []string{"JSON", "stream"} {
			bubbleOf(t, rev+" "+kind, func(t *testing.T) {
				s := &site{on: map[string]func(*visit){
					"initialize": func(v *visit) { v.answer(initialized(rev)) },
					"tools/call": func(v *visit) {
						batch := `[{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"},` + answerTo(v.msg.ID, textResult) + `]`
						if kind == "stream" {
							v.stream(event(batch))
							return
						}
						v.Header().Set("Content-Type", "application/json")
						io.WriteString(v, batch)
					},
				}}
				var l told
				c := dial(t, s, revision(t, rev), nil, l.options())
				text, err := callTool(t, c, "")
				want := want
				if want != "" && kind == "stream" {
					want = "tools/call: the stream ended before the response"
				}
				if errorText(err) != want || err == nil && text != "hi" {
					t.Errorf("got %q, %v", text, err)
				}
				if got := len(l.take()); got != map[bool]int{true: 1}[want == ""] {
					t.Errorf("told %d times", got)
				}
			})
		}
	}
}

// What is no message, or more than one, is not sent.
//
// REQ HTTP-09
func TestClientSendsMessagesAlone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		c := transportTo(s, nil)
		defer c.Close()
		const note = `{"jsonrpc":"2.0","method":"notifications/x"}`
		for _, text := range []string{`{"jsonrpc":"2.0"}`, `{"a":1}`, `7`, ``, note + note, note + "\n" + note} {
			if err := c.Send(t.Context(), transport.Message{Data: []byte(text)}); err == nil {
				t.Errorf("%q was sent", text)
			}
		}
		for _, text := range []string{note, `[` + note + `,` + note + `]`} { // batches are of 2025-03-26
			if err := c.Send(t.Context(), transport.Message{Data: []byte(text)}); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
		if got, want := s.took(), "POST notifications/x\nPOST "; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// A request of the server's that comes before the answer is answered by a POST of its own, from
// 2026-07-28 on not at all.
//
// REQ HTTP-09, HTTP-17, H26-04, H26-08, JRPC-13, JRPC-15
func TestClientAnswers(t *testing.T) {
	for rev, want := range map[string]string{
		"2025-11-25": "POST tools/call 2025-11-25\nPOST answer {\"roots\":[]} 2025-11-25",
		"2026-07-28": "POST tools/call 2026-07-28 tools/call tool",
	} {
		bubbleOf(t, rev, func(t *testing.T) {
			s := &site{on: map[string]func(*visit){
				"initialize": func(v *visit) { v.answer(initialized(rev)) },
				"tools/call": func(v *visit) {
					v.stream(event(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`))
					v.sleep(time.Second)
					v.stream(event(answerTo(v.msg.ID, textResult)))
				},
			}}
			c := dial(t, s, revision(t, rev), nil, &client.Options{Roots: []mcp.Root{}})
			if text, err := callTool(t, c, ""); text != "hi" {
				t.Error(err)
			}
			if got := s.took(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A server that never answers initialize does not keep a connection busy for ever.
//
// REQ LIFE-12, TIME-01
func TestClientInitializeInVain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{on: map[string]func(*visit){"initialize": func(v *visit) { v.wait() }}}
		c := transportTo(s, nil)
		defer c.Close()
		err := c.Send(t.Context(), transport.Message{Kind: jsonrpc.Request, ID: wire.IntID(1),
			Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_, err = c.Receive(t.Context())
		lost, ok := errors.AsType[*transport.RequestError](err)
		if !ok || lost.ID != wire.IntID(1) || err.Error() != "httpclient: the server does not respond" || time.Since(begin) != 5*time.Minute {
			t.Errorf("got %v after %v", err, time.Since(begin))
		}
	})
}
