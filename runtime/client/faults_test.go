package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A crude server writes lines as they are. It opens connections as a server of the given revision
// does, and answers what else comes by lines in which ID stands for the request's id. The line
// "close" ends the connection.
type crude struct {
	end   *inmem.End
	rev   wire.Revision
	lines func(*jsonrpc.Message) []string

	mu  sync.Mutex
	log []string
}

func connectCrude(t *testing.T, rev wire.Revision, opts Options, lines func(*jsonrpc.Message) []string) (*Client, *crude) {
	t.Helper()
	near, far := inmem.Pair(0)
	s := &crude{end: far, rev: rev, lines: lines}
	go s.run()
	opts.Info, opts.Revisions, opts.Logger = testInfo, []wire.Revision{rev}, quiet
	c, err := Connect(t.Context(), near, &opts)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	s.mu.Lock()
	s.log = nil
	s.mu.Unlock()
	t.Cleanup(func() { c.Close() })
	return c, s
}

func (s *crude) run() {
	for {
		in, err := s.end.Receive(context.Background())
		if err != nil {
			return
		}
		s.mu.Lock()
		s.log = append(s.log, string(in.Data))
		s.mu.Unlock()
		m, _ := jsonrpc.Parse(in.Data)
		lines := []string(nil)
		switch m.Method {
		case "server/discover":
			lines = []string{`{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":["` + s.rev.String() + `"],"capabilities":` + allCapabilities + `}}`}
		case "initialize":
			lines = []string{`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"` + s.rev.String() +
				`","capabilities":` + allCapabilities + `,"serverInfo":{"name":"s","version":"1"}}}`}
		case "notifications/initialized", "notifications/cancelled", "": // the last of these is an answer
		default:
			lines = s.lines(&m)
		}
		for _, line := range lines {
			if line == "close" {
				s.end.Close()
				return
			}
			line = strings.ReplaceAll(line, "ID", m.ID.String())
			s.end.Send(context.Background(), transport.Message{Data: []byte(line)})
		}
	}
}

func (s *crude) sent() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Whatever a server does, a call returns in time.
//
// REQ CANC-01 CANC-02 TIME-01 TIME-02 JRPC-06 JRPC-08 JRPC-15 JRPC-27 STDIO-17 CANC-03 CANC-07 CANC-08 STDIO-14 LIFE-14
func TestFaults(t *testing.T) {
	t.Parallel()
	const good = `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`
	cancelled := []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"no response within 1m0s"}}`}
	flood := slices.Repeat([]string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`}, 5000)
	for name, test := range map[string]struct {
		lines    []string
		err      string
		sent     []string // after the call
		sentMore []string // beside that, by clients up to 2025-11-25
	}{
		"good":            {lines: []string{good}},
		"twice":           {lines: []string{good, good}},
		"dead":            {lines: []string{"close"}, err: "tools/call: the other side is gone: EOF"},
		"silent":          {err: "tools/call: no response within 1m0s", sent: cancelled},
		"another id":      {lines: []string{`{"jsonrpc":"2.0","id":99,"result":{}}`, good}},
		"a string for id": {lines: []string{`{"jsonrpc":"2.0","id":"ID","result":{}}`}, err: "tools/call: no response within 1m0s", sent: cancelled},
		"an error without id": {
			lines: []string{`{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`, good}},
		"an error": {lines: []string{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}`},
			err: "no such tool (-32602)"},
		"result and error": {lines: []string{`{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"x"}}`},
			err: "tools/call: the response is invalid: …"},
		"no object": {lines: []string{`{"jsonrpc":"2.0","id":ID,"result":[]}`}, err: "tools/call: the response is invalid: …"},
		"nonsense": {lines: []string{`{{{`, `"x"`, `{"jsonrpc":"1.0"}`, good}, sentMore: []string{
			"parse error", "invalid request", "invalid request"}},
		"a batch": {lines: []string{`[` + good + `]`}, err: "tools/call: no response within 1m0s", sent: cancelled, sentMore: []string{"invalid request"}},
		"a request": {lines: []string{`{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, good},
			sentMore: []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32601`}},
		"a flood": {lines: append(flood, good)},
	} {
		for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
			t.Run(name+" "+rev.String(), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					c, s := connectCrude(t, rev, Options{}, func(*jsonrpc.Message) []string { return test.lines })
					_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
					want, begins := strings.CutSuffix(test.err, "…")
					if got := errorText(err); got != want && !(begins && strings.HasPrefix(got, want)) {
						t.Errorf("error %q, want %q", got, test.err)
					}
					if local := errors.As(err, new(*jsonrpc.CallError)); err != nil && local == (name == "an error") {
						t.Errorf("the error is the server's: %v", !local)
					}
					var cancellations, answers []string
					for _, line := range s.sent()[1:] {
						if strings.Contains(line, "notifications/cancelled") {
							cancellations = append(cancellations, line)
						} else {
							answers = append(answers, line)
						}
					}
					if diff := cmp.Diff(test.sent, cancellations); diff != "" {
						t.Error(diff)
					}
					if c.modern() {
						if answers != nil {
							t.Errorf("answered %q", answers)
						}
					} else if len(answers) != len(test.sentMore) {
						t.Errorf("answered %q, want %q", answers, test.sentMore)
					} else {
						for i, want := range test.sentMore {
							if !strings.Contains(answers[i], want) {
								t.Errorf("answered %s, want %s", answers[i], want)
							}
						}
					}
				})
			})
		}
	}
}

// Every call has an id of its own, the retry with what the server asked for, too.
//
// REQ MRTR-07 JRPC-02 JRPC-03 JRPC-04
func TestIDs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := false
		c, s := connectCrude(t, mcp.V2026_07_28, Options{}, func(*jsonrpc.Message) []string {
			if asked = !asked; asked {
				return []string{`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","requestState":"s"}}`}
			}
			return []string{`{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`}
		})
		for range 2 {
			if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
				t.Fatal(err)
			}
		}
		var ids []string
		for _, line := range s.sent() {
			m, err := jsonrpc.Parse([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, m.ID.String())
		}
		if want := []string{"2", "3", "4", "5"}; !slices.Equal(ids, want) {
			t.Errorf("ids %q, want %q", ids, want)
		}
	})
}

// REQ PROG-01 PROG-02 PROG-04 PROG-05 PROG-06 META-08 TIME-03 TIME-04 TIME-05
func TestProgress(t *testing.T) {
	t.Parallel()
	both(t, nil, func(t *testing.T, _ script, opts Options) {
		rev := opts.Revisions[0]
		c, s := connectCrude(t, rev, Options{}, func(m *jsonrpc.Message) []string {
			report := func(progress string) string {
				return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":` + progress + `}}`
			}
			return []string{report(`0.5,"total":2,"message":"half"`), report(`0.25`), report(`2`), `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`, report(`3`)}
		})
		var got []string
		ctx := WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) {
			got = append(got, fmt.Sprintf("%v/%v %s", p.Progress, p.GetTotal(), p.Message))
		})
		if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t"}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"0.5/2 half", "2/0 "}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if line := s.sent()[0]; !strings.Contains(line, `"progressToken":2`) {
			t.Errorf("sent %s", line)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
			t.Fatal(err)
		}
		if line := s.sent()[1]; strings.Contains(line, `progressToken`) {
			t.Errorf("nobody asked for progress, but sent %s", line)
		}
	})
}

// Progress gives a call more time, where that is wanted, but not without end.
//
// REQ TIME-04 TIME-05
func TestResetOnProgress(t *testing.T) {
	t.Parallel()
	for resets, want := range map[bool]time.Duration{false: 10 * time.Second, true: 25 * time.Second} {
		t.Run(fmt.Sprint(resets), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				server := modernServer(script{"tools/call": func(r *received) (string, error) {
					for i := 0; ; i++ {
						select {
						case <-time.After(8 * time.Second):
						case <-r.ctx.Done():
							return "", r.ctx.Err()
						}
						r.server.tell("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, r.id, i))
					}
				}})
				c, _ := dial(t, server, &Options{
					Limits: transport.Limits{Timeout: 10 * time.Second, MaxTimeout: 25 * time.Second},
				})
				ctx := t.Context()
				if resets {
					ctx = WithProgress(ctx, func(*mcp.ProgressNotificationParams) {})
				}
				start := time.Now()
				_, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "t"})
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != want {
					t.Errorf("%v after %v, want %v", err, took, want)
				}
				c.Close()
			})
		})
	}
}

// Close ends everything that is under way.
//
// REQ LIFE-13
func TestClose(t *testing.T) {
	t.Parallel()
	both(t, script{"tools/call": silence, "subscriptions/listen": listening(`{}`)}, func(t *testing.T, server script, opts Options) {
		c, f := dial(t, server, &opts)
		s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "t"})
			ended <- err
		}()
		synctest.Wait()
		if c.Err() != nil {
			t.Error(c.Err())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("the call ended with %v", err)
		}
		<-c.Done()
		<-f.closed
		<-s.Done()
		if c.Err() != nil || !errors.Is(s.Err(), jsonrpc.ErrClosed) {
			t.Errorf("closed gracefully, but %v, %v", c.Err(), s.Err())
		}
		s.Close()
		if _, err := c.ListTools(t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a call afterwards: %v", err)
		}
		if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}}); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a subscription afterwards: %v", err)
		}
		c.Close()
	})
}

// A server that ends the connection is noticed.
func TestServerCloses(t *testing.T) {
	t.Parallel()
	both(t, script{"subscriptions/listen": listening(`{}`)}, func(t *testing.T, server script, opts Options) {
		c, f := dial(t, server, &opts)
		s, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		f.conn.Close()
		<-c.Done()
		<-s.Done()
		if c.Err() != nil || !errors.As(s.Err(), new(*jsonrpc.DisconnectedError)) {
			t.Errorf("%v, %v", c.Err(), s.Err())
		}
		// REQ SUB-11
		again, f := dial(t, modernServer(script{"subscriptions/listen": listening(`{}`)}), nil)
		if _, err := again.Subscribe(t.Context(), s.Filter()); err != nil || f.count("subscriptions/listen") != 1 {
			t.Errorf("%v, sent %q", err, f.sent())
		}
	})
}

// A transport that cannot be used is closed.
func TestConnectError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		near, far := inmem.Pair(0)
		if _, err := Connect(t.Context(), near, &Options{Roots: []mcp.Root{{URI: "x"}}}); err == nil {
			t.Error("roots that are none are no error")
		}
		if _, err := far.Receive(t.Context()); err == nil {
			t.Error("the transport is still open")
		}
	})
}
