package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A letter is a Background that writes down what happens, and whose questions get one answer.
type letter struct {
	lines  []string
	answer string
	done   chan struct{}
}

func (l *letter) Ask(ctx context.Context, q *InputRequest) (wire.Raw, error) {
	l.write("asked %s %s", q.Key, q.Method)
	if input, ok := q.Input.(*mcp.ElicitRequest); !ok || input.Params.(*mcp.ElicitRequestFormParams).Message != q.Params.StringAt("message") {
		l.write("input %T", q.Input)
	}
	if l.answer == "" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return wire.Raw(l.answer), CheckInput(q.Input, wire.Raw(l.answer))
}

func (l *letter) Report(done, total float64, message string) {
	l.write("%g of %g: %s", done, total, message)
}

func (l *letter) Done(result wire.Raw, toolFailed bool, err *jsonrpc.Error) {
	switch {
	case err != nil:
		l.write("error %d: %s", err.Code, err.Message)
		if toolFailed || result != nil {
			l.write("and a result: %s", result)
		}
	default:
		l.write("result, failed %t: %s", toolFailed, result.StringAt("content"))
		if result.Kind() != wire.KindObject {
			l.write("it is no object")
		}
	}
	close(l.done)
}

func (l *letter) write(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// letters returns a wrapper of tools that makes all of them respond at once, and go on in the background.
func letters(l *letter) ToolWrapper {
	return func(_ *mcp.Tool, next ToolHandler) (ToolHandler, error) {
		return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
			err := c.Continue(context.WithoutCancel(ctx), l, wire.Raw(`{"example.com/letter":1}`), func(ctx context.Context, c *Call) (*mcp.CallToolResult, error) {
				return next(ctx, c, args)
			})
			if err != nil {
				return nil, err
			}
			return TextResult("you will get mail"), nil
		}, nil
	}
}

// REQ JRPC-21, LOG-07, PROG-09, CAP-10, MRTR-04: what a call that outlives its request does, and how it ends.
func TestContinue(t *testing.T) {
	text := func(r *mcp.CallToolResult, err error) (*mcp.CallToolResult, error) { return r, err }
	for name, test := range map[string]struct {
		run    ToolHandler
		answer string
		want   string
		legacy string // if it differs through 2025-11-25
	}{
		"nothing": {run: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return text(nil, nil) }, want: "result, failed false: "},
		"error":   {run: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, errors.New("no disk") }, want: "result, failed true: "},
		"protocol": {run: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: 42, Message: "no"}
		}, want: "error 42: no"},
		"panic": {run: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { panic("secret") }, want: "error -32603: internal error"},
		"exit":  {run: func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { runtime.Goexit(); return nil, nil }, want: "error -32603: internal error"},
		"no ability": {run: func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.ListRoots(ctx)
			return nil, err
		},
			want: "error -32021: the client does not declare a capability that is required: roots", legacy: "result, failed true: "},
		"input": {run: func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			r, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			if err == nil && string(r.Content["name"]) != `"Ada"` {
				err = fmt.Errorf("got %s", r.Content["name"])
			}
			return nil, err
		}, answer: `{"action":"accept","content":{"name":"Ada"}}`, want: "asked who elicitation/create\nresult, failed false: "},
		"wrong input": {run: func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			return nil, err
		}, answer: `{"action":"maybe"}`, want: "asked who elicitation/create\nresult, failed true: "},
		"progress": {run: func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, math.Inf(1), "begun")
			time.Sleep(time.Second)
			c.Progress().Report(2, 4, "half")
			c.Progress().Report(1, 4, "less")
			time.Sleep(time.Second)
			c.Progress().Report(3, -1, "more")
			return nil, nil
		}, want: "1 of 0: begun\n2 of 4: half\n3 of 0: more\nresult, failed false: "},
		"identity": {run: func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if c.Header() != nil || c.Background() == nil || ctx.Err() != nil || c.Name() != "w" {
				return nil, errors.New("it is another call")
			}
			return nil, nil
		}, want: "result, failed false: "},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, rev wire.Revision) {
				l := &letter{answer: test.answer, done: make(chan struct{})}
				var log bytes.Buffer
				s := newServer(&Options{WrapTools: []ToolWrapper{letters(l)}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				add(t, s.AddTool(mcp.Tool{Name: "w"}, test.run))
				c := newClient(t, s, rev, `{"elicitation":{}}`)
				ctx, cancel := context.WithCancel(t.Context())
				result, err := c.CallContext(ctx, "tools/call", `{"name":"w"}`)
				if err != nil {
					t.Fatal(err)
				}
				contains(t, "at once", result, "you will get mail")
				cancel()
				<-l.done
				want := test.want
				if rev < mcp.Modern && test.legacy != "" {
					want = test.legacy
				}
				equal(t, "happened", strings.Join(l.lines, "\n"), want)
				if strings.Contains(log.String(), "panic in a handler") != (name == "panic") {
					t.Errorf("the log is %s", &log)
				}
			})
		})
	}
}

// REQ META-16: what such a call sends has the metadata that was given.
func TestContinueSends(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		l := &letter{done: make(chan struct{})}
		s := newServer(&Options{Logging: true, WrapTools: []ToolWrapper{letters(l)}})
		add(t, s.AddTool(mcp.Tool{Name: "w"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Logger().Warn("careful")
			c.Progress().Report(1, 2, "half")
			if _, err := c.Request(ctx, "x/ask", nil); (err == nil) != c.CanRequest() {
				t.Errorf("a request: %v", err)
			}
			return nil, nil
		}))
		c := newClient(t, s, rev, `{}`)
		c.Token, c.LogLevel = `"p"`, "info"
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{}`), nil }
		c.Must("tools/call", `{"name":"w"}`)
		<-l.done
		want := ""
		if rev < mcp.Modern {
			want = `notifications/message {"_meta":{"example.com/letter":1},"level":"warning","data":"careful"}` + "\n" +
				`notifications/progress {"_meta":{"example.com/letter":1},"progressToken":"p","progress":1,"total":2,"message":"half"}` + "\n" +
				`x/ask {"_meta":{"example.com/letter":1}}`
		}
		equal(t, "sent", strings.Join(append(c.Seen(), c.Asked...), "\n"), want)
	})
}

// Shutdown ends what outlives its request, and waits for it.
func TestContinueEnds(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		l := &letter{done: make(chan struct{})}
		s := newServer(&Options{WrapTools: []ToolWrapper{letters(l)}})
		began := 0
		s.OnShutdown(func() { began++ })
		add(t, s.AddTool(mcp.Tool{Name: "w"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.WithKey("k").Elicit(context.WithoutCancel(ctx), form("Name?", "name")) // which ends with the call all the same
			time.Sleep(time.Minute)
			return nil, err
		}))
		c := newClient(t, s, rev, `{"elicitation":{}}`)
		c.Must("tools/call", `{"name":"w"}`)
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a short shutdown: %v", err)
		}
		add(t, s.Shutdown(t.Context()))
		s.OnShutdown(func() { began++ })
		equal(t, "happened", strings.Join(l.lines, "\n"), "asked k elicitation/create\nerror -32603: the server is shutting down")
		if began != 2 {
			t.Errorf("OnShutdown has called %d functions, want 2", began)
		}
		c2 := &Call{server: s, req: c.Request("tools/call", ""), rev: rev}
		if err := c2.Continue(t.Context(), l, nil, nil); err == nil || err.Error() != errClosed.Error()+" (-32603)" {
			t.Errorf("after the end: %v", err)
		}
	})
}

// CheckInput knows every request for input.
func TestCheckInput(t *testing.T) {
	ask := &mcp.ElicitRequest{Params: form("Name?", "name")}
	for _, test := range []struct {
		asked    mcp.InputRequest
		response string
		want     string
	}{
		{ask, `{"action":"decline"}`, ""},
		{ask, `{"action":"accept","content":{"name":"Ada"}}`, ""},
		{ask, `{"action":"accept","content":{"name":7}}`, "the client's response to elicitation/create: "},
		{ask, `7`, "the client's response to elicitation/create: "},
		{&mcp.CreateMessageRequest{}, `{"role":"assistant","model":"m","content":{"type":"text","text":"x"}}`, ""},
		{&mcp.CreateMessageRequest{}, `{}`, "the client's response to sampling/createMessage: "},
		{&mcp.ListRootsRequest{}, `{"roots":[]}`, ""},
		{&mcp.ListRootsRequest{}, `{}`, "the client's response to roots/list: "},
	} {
		err := CheckInput(test.asked, wire.Raw(test.response))
		if _, ok := err.(*InputError); (err != nil) != (test.want != "") || err != nil && (!ok || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%T %s: %v, want %q", test.asked, test.response, err, test.want)
		}
	}
}
