package mcptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newServer returns a server with one tool, which serves these revisions, or all.
func newServer(t testing.TB, run server.ToolHandler, revisions ...wire.Revision) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "tested", Version: "1"}, &server.Options{
		Logger:    slog.New(slog.DiscardHandler),
		Limits:    transport.Limits{DrainTime: 50 * time.Millisecond},
		Revisions: revisions,
	})
	if err := s.AddTool(mcp.Tool{Name: "tool", InputSchema: wire.Raw(`{"type":"object"}`)}, run); err != nil {
		t.Fatal(err)
	}
	return s
}

// echo returns its arguments.
func echo(_ context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	return server.TextResult(fmt.Sprintf("%s %s", c.Revision(), args)), nil
}

func TestConnect(t *testing.T) {
	EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := Connect(t, newServer(t, echo), &Options{Revision: revision})
		if got, want := c.CallText("tool", map[string]int{"n": 1}), revision.String()+` {"n":1}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := c.CallText("tool", nil), revision.String()+" {}"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestSeveralClients connects two clients to one server; without a revision they speak the newest.
func TestSeveralClients(t *testing.T) {
	s := newServer(t, echo)
	one, other := Connect(t, s, nil), Connect(t, s, &Options{Revision: mcp.V2024_11_05})
	all := server.Revisions()
	for c, want := range map[*Client]string{one: all[len(all)-1].String() + " {}", other: "2024-11-05 {}"} {
		if got := c.CallText("tool", nil); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestText(t *testing.T) {
	r := &mcp.CallToolResult{Content: []mcp.ContentBlock{
		&mcp.TextContent{Text: "one"},
		&mcp.ImageContent{MIMEType: "image/png"},
		&mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{Blob: wire.Base64{Text: "AA=="}}},
		&mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{Text: "two"}},
	}}
	if got := Text(r); got != "one\ntwo" {
		t.Errorf("got %q", got)
	}
}

// A judged is a test that may fail without failing the one in which it runs.
type judged struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	verdict  strings.Builder
	cleanups []func()
}

// judge runs a test to its end, with its cleanup, and returns what it was failed for.
func judge(t *testing.T, test func(t testing.TB)) string {
	ctx, cancel := context.WithCancel(t.Context())
	j := &judged{TB: t, ctx: ctx}
	run := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-done
	}
	run(func() { test(j) })
	cancel()
	for i := len(j.cleanups) - 1; i >= 0; i-- {
		run(j.cleanups[i])
	}
	return j.verdict.String()
}

func (j *judged) Errorf(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(&j.verdict, format+"\n", args...)
}

func (j *judged) Fatalf(format string, args ...any) {
	j.Errorf(format, args...)
	runtime.Goexit()
}

func (j *judged) Cleanup(f func())         { j.cleanups = append(j.cleanups, f) }
func (j *judged) Context() context.Context { return j.ctx }
func (j *judged) Output() io.Writer        { return io.Discard }

func TestVerdicts(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for _, test := range []struct {
		name string
		test func(t testing.TB)
		want []string // parts of the verdict; none if the test passes
	}{
		{
			"nothing wrong",
			func(t testing.TB) { Connect(t, newServer(t, echo), nil).CallText("tool", nil) },
			nil,
		},
		{
			"no common revision",
			func(t testing.TB) {
				s := server.New(mcp.Implementation{Name: "old"}, &server.Options{Revisions: []wire.Revision{mcp.V2024_11_05}})
				Connect(t, s, &Options{Revision: mcp.V2026_07_28})
				t.Errorf("the test goes on")
			},
			[]string{"mcptest: no common revision of the protocol: the client speaks 2026-07-28"},
		},
		{
			"tool fails",
			func(t testing.TB) {
				Connect(t, newServer(t, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
					return nil, errors.New("out of order")
				}), nil).CallText("tool", nil)
				t.Errorf("the test goes on")
			},
			[]string{`mcptest: tool "tool" failed: out of order`},
		},
		{
			"no such tool",
			func(t testing.TB) { Connect(t, newServer(t, echo), nil).CallText("hammer", nil) },
			[]string{`mcptest: tool "hammer": unknown tool "hammer" (-32602)`},
		},
		{
			"no arguments",
			func(t testing.TB) { Connect(t, newServer(t, echo), nil).CallText("tool", make(chan int)) },
			[]string{`mcptest: arguments of tool "tool": json: unsupported type`},
		},
		{
			"call without an answer",
			func(t testing.TB) {
				began := make(chan bool)
				c := Connect(t, newServer(t, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					began <- true
					<-ctx.Done()
					return nil, ctx.Err()
				}), nil)
				go c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "tool"})
				<-began
			},
			[]string{"mcptest: at the end of the test, tools/call of the client, with the id "},
		},
		{
			"call that is cancelled",
			func(t testing.TB) {
				began := make(chan bool)
				c := Connect(t, newServer(t, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					began <- true
					<-ctx.Done()
					return nil, ctx.Err()
				}), nil)
				ctx, cancel := context.WithCancel(t.Context())
				go func() { <-began; cancel() }()
				if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"}); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			},
			nil,
		},
		{
			"goroutine of a call behind one that takes long",
			func(t testing.TB) {
				long, next, done := make(chan bool), make(chan bool), make(chan bool)
				c := Connect(t, newServer(t, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
					if len(args) > len("{}") {
						close(long)
						<-next
						return nil, nil
					}
					go func() { <-release }()
					close(next)
					return nil, nil
				}), nil)
				go func() {
					defer close(done)
					c.CallText("tool", map[string]bool{"long": true})
				}()
				<-long
				c.CallText("tool", nil)
				<-done
			},
			[]string{"mcptest: goroutines are left after the end of the connection:", "TestVerdicts"},
		},
		{
			"subscription that is open",
			func(t testing.TB) {
				c := Connect(t, newServer(t, echo), nil)
				if _, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true)}); err != nil {
					t.Errorf("error %v", err)
				}
			},
			nil,
		},
		{
			"goroutine that is left",
			func(t testing.TB) { Connect(t, newServer(t, startUntil(release)), nil).CallText("tool", nil) },
			[]string{"mcptest: goroutines are left after the end of the connection:", ".startUntil."},
		},
		{
			"goroutine that may be left",
			func(t testing.TB) {
				Connect(t, newServer(t, startUntil(release)), &Options{AllowGoroutines: true}).CallText("tool", nil)
			},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			verdict := judge(t, test.test)
			if (verdict == "") != (test.want == nil) {
				t.Errorf("verdict %q, want %q", verdict, test.want)
			}
			for _, part := range append(test.want, "") {
				if !strings.Contains(verdict, part) || strings.Contains(verdict, "goes on") {
					t.Errorf("verdict %q, want %q", verdict, test.want)
				}
			}
		})
	}
}

// startUntil is a tool that starts a goroutine and does not end it.
func startUntil(release <-chan struct{}) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		go func() { <-release }()
		return server.TextResult("started"), nil
	}
}

// TestFakeClock waits for hours, and meets a limit of time exactly.
func TestFakeClock(t *testing.T) {
	EachRevision(t, func(t *testing.T, revision wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, func(ctx context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				d, err := time.ParseDuration(args.StringAt("wait"))
				if err != nil {
					return nil, err
				}
				select {
				case <-time.After(d):
					return server.TextResult("done"), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			c := Connect(t, s, &Options{Revision: revision, Client: client.Options{
				Limits: transport.Limits{Timeout: 3 * time.Hour, MaxTimeout: -1},
			}})
			begin := time.Now()
			c.CallText("tool", map[string]string{"wait": "2h"})
			if took := time.Since(begin); took != 2*time.Hour {
				t.Errorf("the call took %v", took)
			}
			begin = time.Now()
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "tool", Arguments: wire.Raw(`{"wait":"4h"}`)})
			if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took != 3*time.Hour {
				t.Errorf("the call took %v and ended with %v", took, err)
			}
		})
	})
}

// Connections of net/http that wait for their next request are idle, in both versions of HTTP; those at work are not.
func TestIsIdle(t *testing.T) {
	for stack, want := range map[string]bool{
		"#\t0x1\tnet/http.(*persistConn).readLoop+0x2\n#\t0x3\tbufio.(*Reader).Peek+0x4": true,
		"#\t0x1\tnet/http.(*persistConn).readLoop+0x2":                                   false,
		"#\t0x3\tbufio.(*Reader).Peek+0x4":                                               false,
		"#\t0x1\tnet/http.(*persistConn).writeLoop+0x2":                                  true,
		"#\t0x1\tnet/http.(*http2clientConnReadLoop).run+0x2":                            true,
		"#\t0x1\tnet/http/internal/http2.(*clientConnReadLoop).run+0x2":                  true,
		"#\t0x1\texample.com/server.(*Server).run+0x2":                                   false,
	} {
		if got := isIdle(stack); got != want {
			t.Errorf("%q: %v", stack, got)
		}
	}
}
