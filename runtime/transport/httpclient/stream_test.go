package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A clock notes when something happens.
type clock struct {
	mu    sync.Mutex
	last  time.Time
	waits []time.Duration
}

// start is the beginning of the next wait, which ends with note.
func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
}

func (c *clock) note() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, time.Since(c.last))
	c.last = time.Now()
}

// keep forgets all waits but those from the given ones on.
func (c *clock) keep(from, to int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = c.waits[min(from, len(c.waits)):min(to, len(c.waits))]
}

// check compares the waits with what they should be at least; they may be a quarter longer.
func (c *clock) check(t *testing.T, want ...time.Duration) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	ok := len(c.waits) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = c.waits[i] >= want[i] && c.waits[i] <= want[i]+want[i]/4
	}
	if !ok {
		t.Errorf("waited %v, want %v, or up to a quarter longer", c.waits, want)
	}
	c.waits = nil
}

// A call whose stream ends before the answer goes on where the stream broke off, after the time that
// the server says, as often as it takes.
//
// REQ HTTP-16, HTTP-20, HTTP-21, HTTP-22, HTTP-23, HTTP-33
func TestClientResumes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var id wire.ID
		var clock clock
		var progress []float64
		gets := 0
		s := &site{on: map[string]func(*visit){
			"tools/call": func(v *visit) {
				id = v.msg.ID
				v.stream("id: a-0\nretry: 500\ndata:\n\n", "id: a-1\n"+event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+id.String()+`,"progress":1}}`))
				clock.start()
			},
		}}
		c := dial(t, s, mcp.V2025_11_25, nil, nil)
		s.does("GET", func(v *visit) {
			if got := v.req.Header.Get("Accept"); got != "text/event-stream" {
				t.Errorf("Accept: %s", got)
			}
			clock.note()
			switch gets++; {
			case gets == 1:
				v.stream("id: a-2\n" + event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+id.String()+`,"progress":2}}`))
				panic(http.ErrAbortHandler)
			case gets < 20:
				v.stream()
			default:
				v.stream("id: a-3\n" + event(answerTo(id, textResult)))
			}
			clock.start()
		})
		ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { progress = append(progress, p.Progress) })
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
		if err != nil || len(r.Content) != 1 {
			t.Fatal(r, err)
		}
		// What brings something is asked for again as soon as the server says, what does not is so once a second.
		clock.check(t, append([]time.Duration{500 * time.Millisecond, 500 * time.Millisecond}, slices.Repeat([]time.Duration{time.Second}, 18)...)...)
		want := "POST tools/call 2025-11-25 s1\nGET 2025-11-25 s1 a-1"
		for range 19 {
			want += "\nGET 2025-11-25 s1 a-2"
		}
		if got := s.took(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if !slices.Equal(progress, []float64{1, 2}) {
			t.Errorf("progress %v", progress)
		}
	})
}

// With a negative RetryTime no stream is opened again, also not one whose events have ids.
func TestClientNeverRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		s.does("GET", func(v *visit) { v.stream("id: 1\n" + event(`{"jsonrpc":"2.0","method":"notifications/x"}`)) })
		gets := 0
		c := opened(t, s, &httpclient.Options{RetryTime: -1})
		time.Sleep(time.Minute)
		for line := range strings.Lines(s.took()) {
			if strings.HasPrefix(line, "GET") {
				gets++
			}
		}
		if gets != 1 {
			t.Errorf("%d streams, want 1", gets)
		}
		s.does("answer {}", func(v *visit) { v.WriteHeader(503) })
		err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)})
		if _, ok := errors.AsType[*transport.StatusError](err); !ok {
			t.Errorf("a response: %v", err)
		}
		if got := s.took(); strings.Count(got, "answer") != 1 {
			t.Errorf("sent\n%s", got)
		}
	})
}

// What belongs to a request arrives as it is: each message on one line, with the request that it belongs to, and nothing that
// is no message; and nothing after the response.
func TestMessagesOfRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const note = `{"jsonrpc":"2.0","method":"notifications/x"}`
		for version, stream := range map[string]string{
			"2025-11-25": event("nonsense") + event("["+note+"]") + "event: other\n" + event(note) +
				event(`{"jsonrpc":"2.0",`+"\ndata: "+`"method":"notifications/x"}`) + event(`{"jsonrpc":"2.0","id":7,"method":"ping"}`),
			"2025-03-26": event(note) + event(`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`),
		} {
			s := &site{}
			s.does("initialize", func(v *visit) { v.answer(initialized(version)) })
			s.does("example/ask", func(v *visit) { v.stream(stream, event(answerTo(v.msg.ID, "{}"))) })
			c := opened(t, s, nil)
			if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"method":"example/ask"}`)}); err != nil {
				t.Fatal(err)
			}
			note, ask, response := receive(t, c), receive(t, c), receive(t, c)
			if text := string(note.Data); strings.Contains(text, "\n") || !strings.HasSuffix(text, `"method":"notifications/x"}`) || note.Stream == nil {
				t.Errorf("%s: got %q with stream %v", version, text, note.Stream)
			}
			if !strings.Contains(string(ask.Data), `"ping"`) || ask.Stream != note.Stream {
				t.Errorf("%s: got %s with stream %v", version, ask.Data, ask.Stream)
			}
			if string(response.Data) != `{"jsonrpc":"2.0","id":7,"result":{}}` || response.Stream != nil {
				t.Errorf("%s: got %s with stream %v", version, response.Data, response.Stream)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if m, err := c.Receive(ctx); err != context.DeadlineExceeded {
				t.Errorf("%s: after the response: %s, %v", version, m.Data, err)
			}
		}
	})
}

// One stream belongs to a session, however often notifications/initialized is sent, and what it brings is a message or
// ignored. A stream without ids that is refused as garbled is not asked for again.
func TestStreamOfSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log strings.Builder
		s := &site{}
		opts := &httpclient.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		s.does("GET", func(v *visit) {
			v.stream(event("nonsense"), event(`{"jsonrpc":"2.0","method":"notifications/x"}`))
			v.sleep(time.Minute)
			fails := 0
			s.does("GET", func(v *visit) {
				if fails++; fails < 4 {
					v.WriteHeader(503)
				} else {
					v.WriteHeader(400)
				}
			})
		})
		c := opened(t, s, opts)
		initializedTo(t, c)
		if m := receive(t, c); m.Stream != nil || !strings.Contains(string(m.Data), "notifications/x") {
			t.Errorf("got %s with stream %v", m.Data, m.Stream)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := s.took(); strings.Count(got, "GET") != 5 {
			t.Errorf("sent\n%s", got)
		}
		for _, want := range []string{"an invalid message was ignored", "the connection is lost, and tried again", "the stream of the session is given up"} {
			if strings.Count(log.String(), want) != 1 {
				t.Errorf("logged\n%s, want %s once", log.String(), want)
			}
		}

		log.Reset()
		opened(t, new(site), opts) // which has none
		synctest.Wait()
		s.does("GET", func(v *visit) {
			v.stream()
			v.wait()
		})
		opened(t, s, opts).Close()
		if log.Len() > 0 {
			t.Errorf("a server without a stream, and a client that is closed: logged\n%s", log.String())
		}
	})
}

// A session whose end is noticed by a stream of a request that cannot be resumed has expired; one whose stream cannot be
// resumed for another reason goes on.
func TestExpiredWhileResuming(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for status, expired := range map[int]bool{404: true, 405: false} {
			s := &site{}
			s.does("example/ask", func(v *visit) { v.stream("id: 1\ndata:\n\n") })
			c := opened(t, s, nil)
			s.does("GET", func(v *visit) { v.WriteHeader(status) })
			if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"method":"example/ask"}`)}); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for range 2 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				_, err := c.Receive(ctx)
				cancel()
				if e, ok := errors.AsType[*transport.RequestError](err); ok {
					ids = append(ids, fmt.Sprintf("%q %v", e.ID.String(), errors.Is(e.Err, transport.ErrSessionExpired)))
				}
			}
			want := []string{`"7" false`}
			if expired {
				want = []string{`"" true`, `"7" false`}
			}
			if !slices.Equal(ids, want) {
				t.Errorf("status %d: failed are %q, want %q", status, ids, want)
			}
		}
	})
}

// An id can be used again when its request has its response, and not before. The response is the one with that id.
func TestRequestIDs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		s.does("example/ask", func(v *visit) {
			v.stream(event(`{"jsonrpc":"2.0","id":99,"result":{}}`))
			v.sleep(time.Minute)
			v.stream(event(answerTo(v.msg.ID, "{}")))
		})
		c := opened(t, s, nil)
		ask := transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"method":"example/ask"}`)}
		for range 2 {
			if err := c.Send(t.Context(), ask); err != nil {
				t.Fatal(err)
			}
			if err := c.Send(t.Context(), ask); err == nil || err.Error() != "httpclient: request 7 has no response yet" {
				t.Errorf("the same id again: %v", err)
			}
			for _, id := range []string{"99", "7"} {
				if m := receive(t, c); string(m.Data) != `{"jsonrpc":"2.0","id":`+id+`,"result":{}}` {
					t.Errorf("got %s, want the response to %s", m.Data, id)
				}
			}
		}
	})
}

// A refusal that does not come from a server of HTTP+SSE is final.
func TestOnlyOldServersAreTried(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, version := range []string{`{}`, `{"protocolVersion":"new"}`, `{"protocolVersion":"2025-11-25"}`} {
			s := &site{}
			s.does("initialize", func(v *visit) { v.WriteHeader(403) })
			c := transportTo(s, nil)
			if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + version + `}`)}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Receive(t.Context()); !errors.As(err, new(*transport.RequestError)) {
				t.Errorf("%s: %v", version, err)
			}
			c.Close()
			if got := s.took(); strings.Contains(got, "GET") {
				t.Errorf("%s: sent\n%s", version, got)
			}
		}
	})
}

// What cannot be sent because the client is closed meanwhile says so; a response that the server has refused in time says why.
func TestSendInVain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		s.does("notifications/x", func(v *visit) { v.wait() })
		s.does("answer {}", func(v *visit) { v.WriteHeader(503) })
		c := opened(t, s, nil)
		began := time.Now()
		err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":7,"result":{}}`)})
		if _, ok := errors.AsType[*transport.StatusError](err); !ok || time.Since(began) != 15*time.Second {
			t.Errorf("a response: %v after %v", err, time.Since(began))
		}
		sent := make(chan error)
		go func() {
			sent <- c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/x"}`)})
		}()
		synctest.Wait()
		c.Close()
		if err := <-sent; err != transport.ErrClosed {
			t.Errorf("a notification: %v", err)
		}
	})
}

// opened returns a client that has opened a session at a site.
func opened(t *testing.T, s *site, opts *httpclient.Options) *httpclient.Client {
	t.Helper()
	c := transportTo(s, opts)
	t.Cleanup(func() { c.Close() })
	if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)}); err != nil {
		t.Fatal(err)
	}
	receive(t, c)
	initializedTo(t, c)
	return c
}

func initializedTo(t *testing.T, c *httpclient.Client) {
	t.Helper()
	if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)}); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c *httpclient.Client) transport.Message {
	t.Helper()
	m, err := c.Receive(t.Context())
	if err != nil {
		t.Error(err)
	}
	return m
}

// In the revision that has batches, an answer may stand in one; the call is over with it, and whatever
// comes after.
//
// REQ BATCH-01, BATCH-06
func TestClientTakesBatches(t *testing.T) {
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`
	for name, does := range map[string]func(v *visit){
		"stream": func(v *visit) {
			v.stream(event(fmt.Sprintf(`[`+progress+`]`, v.msg.ID)))
			v.stream(event(`[{"jsonrpc":"2.0","id":99,"result":{}},` + answerTo(v.msg.ID, textResult) + `]`))
			v.wait() // for the client, which has all that it wants
		},
		"stream that ends": func(v *visit) {
			v.stream(event(fmt.Sprintf(`[`+progress+`,`, v.msg.ID) + answerTo(v.msg.ID, textResult) + `]`))
		},
		"object": func(v *visit) {
			v.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(v, `[`+progress+`,%s]`, v.msg.ID, answerTo(v.msg.ID, textResult))
		},
	} {
		bubbleOf(t, name, func(t *testing.T) {
			s := &site{}
			s.does("initialize", func(v *visit) { v.answer(initialized("2025-03-26")) })
			s.does("tools/call", does)
			c := dial(t, s, mcp.V2025_03_26, nil, nil)
			var told []*mcp.ProgressNotificationParams
			ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { told = append(told, p) })
			begin := time.Now()
			r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
			if err != nil || len(r.Content) != 1 || len(told) != 1 {
				t.Errorf("%v, %v, progress %v", r, err, told)
			}
			if took := time.Since(begin); took > time.Second {
				t.Errorf("it took %v", took)
			}
			time.Sleep(5 * time.Second)
			if n := s.atWork(); n != 0 {
				t.Errorf("%d requests are at work", n)
			}
		})
	}
}

// A stream that cannot be resumed fails the call, at once if that will not change, else after the
// attempts of the options, which become rarer.
//
// REQ HTTP-22, HTTP-33, HTTP-34
func TestClientResumesInVain(t *testing.T) {
	const broke = "tools/call: the stream ended before the response"
	seconds := func(list ...time.Duration) []time.Duration {
		for i := range list {
			list[i] *= time.Second
		}
		return list
	}
	tests := []struct {
		name  string
		retry string
		get   func(*visit)
		opts  httpclient.Options
		waits []time.Duration // the first ones, if it depends on chance how many there are
		want  string
	}{
		{name: "refused", get: func(v *visit) { v.WriteHeader(405) }, waits: seconds(1),
			want: broke + "; it could not be resumed: the server answered GET with HTTP status 405"},
		{name: "another type", get: func(v *visit) { v.Header().Set("Content-Type", "text/html") }, waits: seconds(1),
			want: broke + `; it could not be resumed: the server answered GET with HTTP status 200: content type "text/html", want text/event-stream`},
		{name: "an error of the protocol", get: func(v *visit) { v.fail(-32600, 400) }, waits: seconds(1),
			want: broke + "; it could not be resumed: error"},
		{name: "garbled on the way, again and again", get: func(v *visit) { http.Error(v, "400 Bad Request", 400) }, waits: seconds(1, 2, 4, 8, 16, 30, 30),
			want: broke + "; it could not be resumed: the server answered GET with HTTP status 400: 400 Bad Request"},
		{name: "the session is over", get: func(v *visit) { v.WriteHeader(404) }, waits: seconds(1),
			want: broke + "; it could not be resumed: transport: the server has ended the session"},
		{name: "unavailable", get: func(v *visit) { v.WriteHeader(503) }, waits: seconds(1, 2, 4, 8, 16, 30, 30),
			want: broke + "; it could not be resumed: the server answered GET with HTTP status 503"},
		{name: "unavailable, in the terms of the protocol", get: func(v *visit) { v.WriteHeader(503); io.WriteString(v, notNow) }, waits: seconds(1, 2, 4, 8, 16, 30, 30),
			want: broke + "; it could not be resumed: try again later"},
		{name: "reset", get: func(v *visit) { panic(http.ErrAbortHandler) }, waits: seconds(1, 2, 4, 8, 16, 30, 30),
			want: broke + `; it could not be resumed: Get "http://site.test/mcp": connection reset`},
		{name: "longer times", get: func(v *visit) { v.WriteHeader(503) }, opts: httpclient.Options{RetryTime: 2 * time.Second},
			waits: seconds(2, 4, 8, 16, 32, 60, 60), want: broke + "; it could not be resumed: the server answered GET with HTTP status 503"},
		{name: "no attempt", get: nil, opts: httpclient.Options{RetryTime: -1},
			want: broke + "; it could not be resumed: httpclient: Options.RetryTime says that streams are never opened again"},
		{name: "no less than the server says", retry: "retry: 40000\n", get: func(v *visit) { v.WriteHeader(503) },
			waits: seconds(40, 40, 40, 40, 40, 40, 40), want: broke + "; it could not be resumed: the server answered GET with HTTP status 503"},
		{name: "no haste", retry: "retry: 0\n", get: func(v *visit) { v.WriteHeader(503) },
			waits: []time.Duration{
				50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
				1600 * time.Millisecond, 3200 * time.Millisecond,
			},
			want: broke + "; it could not be resumed: the server answered GET with HTTP status 503"},
		{name: "a retry beyond all time", retry: "retry: 99999999999999999999999\n", get: nil, want: "tools/call: no response within 10m0s"},
		{name: "empty streams until the time is up", get: func(v *visit) { v.stream() },
			waits: seconds(1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30), want: "tools/call: no response within 10m0s"},
		{name: "empty streams of a server in haste", retry: "retry: 0\n", get: func(v *visit) { v.stream("retry: 10\n\n") },
			waits: []time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, time.Second, time.Second},
			want:  "tools/call: no response within 10m0s"},
		{name: "empty streams of a server that has time", retry: "retry: 2000\n", get: func(v *visit) { v.stream() },
			waits: seconds(2, 2, 2, 2), want: "tools/call: no response within 10m0s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var clock clock
				s := &site{on: map[string]func(*visit){"tools/call": func(v *visit) {
					v.stream("id: 1\n" + test.retry + "data:\n\n")
					clock.start()
				}}}
				opts := test.opts
				copts := &client.Options{}
				copts.Limits.Timeout, copts.Logger = 10*time.Minute, silent
				c := dial(t, s, mcp.V2025_11_25, &opts, copts)
				s.does("GET", func(v *visit) {
					clock.note()
					test.get(v)
				})
				if _, err := callTool(t, c, ""); errorText(err) != test.want {
					t.Errorf("got\n%v\nwant\n%s", err, test.want)
				}
				if strings.HasPrefix(test.name, "empty streams") {
					clock.keep(0, len(test.waits))
				}
				clock.check(t, test.waits...)
			})
		})
	}
}

// What belongs to no request comes on a stream of its own, which is there before the first request,
// and is opened again when it breaks off.
//
// REQ HTTP-24, HTTP-26, HTTP-28, HTTP-29, HTTP-33
func TestClientListens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var clock clock
		opened, elicited := 0, make(chan string, 1)
		s := &site{}
		s.does("GET", func(v *visit) {
			clock.note()
			switch opened++; opened {
			case 1:
				v.stream("id: 1\nretry: 3000\n" + event(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","default":3}}}}}`))
				select {
				case <-elicited:
				case <-v.req.Context().Done():
				}
				clock.start()
			default:
				v.stream()
				v.wait()
			}
		})
		const answer = `answer {"action":"accept","content":{"n":3}}`
		s.does(answer, func(v *visit) {
			v.WriteHeader(202)
			elicited <- v.msg.ID.String()
		})
		c, err := connectTo(t, s, mcp.V2025_11_25, nil, &client.Options{
			Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				return elicit.Accept(struct{}{})
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		want := "POST initialize\nPOST notifications/initialized 2025-11-25 s1\nGET 2025-11-25 s1\nPOST " + answer +
			" 2025-11-25 s1\nGET 2025-11-25 s1 1"
		if got := s.took(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		clock.keep(1, 9)
		clock.check(t, 3*time.Second)
		c.Close()
		synctest.Wait()
		if n := s.atWork(); n != 0 {
			t.Errorf("%d requests are left at the server", n)
		}
	})
}

// An id that is too long is none: the client does not send it back again and again.
//
// REQ HTTP-33
func TestClientKeepsNoLongID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		n := 0
		s.does("GET", func(v *visit) {
			if n++; n == 1 {
				v.stream("id: 1\n" + event(`{}`) + "id: " + strings.Repeat("x", 900<<10) + "\nretry: 0\n" + event(`{}`))
				return
			}
			v.stream()
			v.wait()
		})
		dial(t, s, mcp.V2025_11_25, nil, nil)
		time.Sleep(time.Minute)
		if got, want := s.took(), "GET 2025-11-25 s1 1"; got != want {
			t.Errorf("got\n%.200s\nwant\n%s", got, want)
		}
	})
}

// A stream that the server cannot resume is opened anew.
//
// REQ HTTP-34
func TestClientListensAnew(t *testing.T) {
	for _, status := range []int{400, 204} {
		bubbleOf(t, fmt.Sprint(status), func(t *testing.T) {
			s := &site{}
			n := 0
			s.does("GET", func(v *visit) {
				if n++; v.req.Header.Get("Last-Event-ID") != "" {
					if status == 400 {
						v.fail(-32600, 400)
					} else {
						v.WriteHeader(status)
					}
					return
				}
				v.stream("id: 9\ndata:\n\n")
				if n == 1 {
					panic(http.ErrAbortHandler)
				}
				v.wait()
			})
			var l told
			dial(t, s, mcp.V2025_11_25, nil, l.options())
			time.Sleep(time.Minute)
			if got, want := s.took(), "GET 2025-11-25 s1 9\nGET 2025-11-25 s1"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if got := l.take(); !slices.Equal(got, []string{"tools ", "prompts", ""}) {
				t.Errorf("told %q", got)
			}
		})
	}
}

// An attempt to go on that is garbled on the way is answered with 400 by whatever reads HTTP. It is made
// again, and nothing is lost.
//
// REQ HTTP-33
func TestClientResumesGarbled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var id wire.ID
		var mu sync.Mutex
		gets := map[string]int{}
		s := &site{}
		s.does("tools/call", func(v *visit) {
			id = v.msg.ID
			v.stream("id: call\ndata:\n\n")
		})
		s.does("GET", func(v *visit) {
			last := v.req.Header.Get("Last-Event-ID")
			mu.Lock()
			gets[last]++
			n := gets[last]
			mu.Unlock()
			switch {
			case last == "":
				v.stream("id: get\ndata:\n\n")
			case n == 1:
				http.Error(v, "400 Bad Request", 400)
			case last == "get":
				v.stream("id: more\n" + event(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`))
				v.wait()
			default:
				v.stream("id: more\n" + event(answerTo(id, textResult)))
			}
		})
		var l told
		c := dial(t, s, mcp.V2025_11_25, nil, l.options())
		if text, err := callTool(t, c, ""); text != "hi" {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if got := l.take(); !slices.Equal(got, []string{"prompts"}) { // the one that was sent
			t.Errorf("told %q", got)
		}
		if want := map[string]int{"": 1, "get": 2, "call": 2}; !maps.Equal(gets, want) {
			t.Errorf("streams opened: %v, want %v", gets, want)
		}
	})
}

// A server without the stream, in whatever way it says so, is as good as any. One that is slow to
// open it holds nothing up for long.
//
// REQ HTTP-25, AMB-18
func TestClientWithoutStream(t *testing.T) {
	for name, get := range map[string]func(*visit){
		"204":      func(v *visit) { v.WriteHeader(204) },
		"400":      func(v *visit) { v.WriteHeader(400) },
		"404":      func(v *visit) { v.WriteHeader(404) },
		"405":      func(v *visit) { v.WriteHeader(405) },
		"web page": func(v *visit) { v.Header().Set("Content-Type", "text/html") },
		"silence":  func(v *visit) { v.wait() },
		"reset":    func(v *visit) { panic(http.ErrAbortHandler) },
		"down":     func(v *visit) { v.WriteHeader(500) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &site{on: map[string]func(*visit){"GET": get, "tools/call": func(v *visit) { v.answer(textResult) }}}
				begin := time.Now()
				c := dial(t, s, mcp.V2025_11_25, nil, nil)
				if took := time.Since(begin); took > time.Second {
					t.Errorf("connecting took %v", took)
				}
				if text, err := callTool(t, c, ""); text != "hi" {
					t.Error(err)
				}
			})
		})
	}
}

// However long the server is gone, when it is back, so is the stream. What the server sent in the meantime may be lost,
// and the program is told.
func TestClientListensAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		changes := map[string]int{}
		changed := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			changes[what]++
		}
		var clock clock
		s := &site{}
		up := func(v *visit) {
			v.stream()
			v.wait()
		}
		cut := make(chan bool)
		s.does("GET", func(v *visit) { v.stream(); <-cut; clock.start(); panic(http.ErrAbortHandler) })
		s.does("resources/subscribe", func(v *visit) { v.answer("{}") })
		s.does("tools/call", func(v *visit) { v.answer(textResult) })
		c := dial(t, s, mcp.V2025_11_25, nil, &client.Options{
			OnChange: func(_ context.Context, change client.Change) {
				switch {
				case change.Tools:
					changed("tools")
				case change.Prompts:
					changed("prompts")
				case change.URI != "":
					changed(change.URI)
				}
			},
		})
		if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"f:///a"}}); err != nil {
			t.Fatal(err)
		}
		expect := func(want map[string]int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(changes) != fmt.Sprint(want) {
				t.Errorf("changes %v, want %v", changes, want)
			}
		}
		// It breaks off once.
		s.does("GET", func(v *visit) { clock.note(); up(v) })
		cut <- true
		time.Sleep(5 * time.Second)
		clock.check(t, time.Second)
		expect(map[string]int{"tools": 1, "prompts": 1, "f:///a": 1})
		c.Close()

		// It breaks off, and the server is gone for a while.
		s.does("GET", func(v *visit) { v.stream(); <-cut; clock.start(); panic(http.ErrAbortHandler) })
		mu.Lock()
		clear(changes)
		mu.Unlock()
		c = dial(t, s, mcp.V2025_11_25, nil, &client.Options{
			OnChange: func(_ context.Context, change client.Change) {
				if change.Tools {
					changed("tools")
				}
			},
		})
		s.does("GET", func(v *visit) { clock.note(); v.WriteHeader(502) })
		cut <- true
		time.Sleep(time.Hour)
		clock.keep(0, 8)
		clock.check(t, time.Second, 2*time.Second, 4*time.Second, 8*time.Second, 16*time.Second, 30*time.Second, 30*time.Second, 30*time.Second)
		expect(map[string]int{})
		s.does("GET", up)
		time.Sleep(time.Minute)
		expect(map[string]int{"tools": 1})
		s.took()
		if _, err := callTool(t, c, ""); err != nil {
			t.Error(err)
		}
		if got, want := s.took(), "POST tools/call 2025-11-25 s1"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}
