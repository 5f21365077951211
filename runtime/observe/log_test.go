package observe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestLogger is what is logged of operations.
func TestLogger(t *testing.T) {
	var out bytes.Buffer
	l := observe.Logger(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, c := range []struct {
		o    observe.Operation
		want string // but for the time and the duration
	}{
		{
			observe.Operation{
				Kind: observe.Request, ID: wire.IntID(7), Method: "tools/call", Name: "add", Revision: mcp.V2025_11_25,
				Session: "ABCDEFGHIJKLMNOP", Principal: "ada", Address: "192.0.2.1:7",
			},
			`{"address":"192.0.2.1:7","id":"7","level":"INFO","method":"tools/call","msg":"mcp: request","name":"add","outcome":"ok","principal":"ada","revision":"2025-11-25","session":"ABCDEFGH"}`,
		}, {
			observe.Operation{Kind: observe.Request, Method: "resources/read", URI: strings.Repeat("x", 300), Outgoing: true, Err: &jsonrpc.Error{Code: -32002, Message: "no"}},
			`{"error":"no (-32002)","level":"WARN","method":"resources/read","msg":"mcp: request","outcome":"-32002","outgoing":true,"uri":"` + strings.Repeat("x", 200) + `…"}`,
		}, {
			observe.Operation{Kind: observe.Notification, Method: "notifications/progress"},
			`{"level":"DEBUG","method":"notifications/progress","msg":"mcp: notification","outcome":"ok"}`,
		}, {
			observe.Operation{Kind: observe.Notification, Method: "notifications/progress", Err: errors.New("late")},
			`{"error":"late","level":"WARN","method":"notifications/progress","msg":"mcp: notification","outcome":"_OTHER"}`,
		}, {
			observe.Operation{Kind: observe.Task, Method: "tools/call", Name: "add", Task: "t-1", ToolError: true},
			`{"level":"WARN","method":"tools/call","msg":"mcp: task","name":"add","outcome":"tool_error","task":"t-1"}`,
		},
	} {
		out.Reset()
		o := c.o
		o.Begun = time.Now()
		_, end := l.Observe(context.Background(), &o)
		if out.Len() > 0 {
			t.Errorf("it logs the beginning: %s", &out)
		}
		end()
		var record map[string]any
		if err := json.Unmarshal(out.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		if _, ok := record["duration"].(float64); !ok {
			t.Errorf("there is no duration in %s", &out)
		}
		delete(record, "time")
		delete(record, "duration")
		if got, _ := json.Marshal(record); string(got) != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestNumbers counts the calls of a server.
func TestNumbers(t *testing.T) {
	var n observe.Numbers
	if got := n.String(); got != `{"now":{},"ended":{}}` {
		t.Errorf("nothing is %s", got)
	}
	s := newServer(t, &n)
	t.Run("calls", func(t *testing.T) {
		c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2025_11_25})
		for _, tool := range []string{"ok", "ok", "fails"} {
			c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
		}
		for _, method := range []string{"made/up", "made/too"} {
			c.Call(t.Context(), &wire.Method{Name: method}, nil, new(wire.Raw))
		}
		if got := n.Snapshot(); got.Now["session"] != 1 || got.Now["request"] != 0 {
			t.Errorf("now there are %v", got.Now)
		}
	})
	got := n.Snapshot()
	calls := got.Ended["tools/call"]
	if calls["ok"].Count != 2 || calls["tool_error"].Count != 1 || got.Ended["_OTHER"]["-32601"].Count != 2 || got.Ended["session"]["ok"].Count != 1 {
		t.Errorf("ended are %v", got.Ended)
	}
	if c := calls["ok"]; c.Seconds <= 0 || c.Max <= 0 || c.Max > c.Seconds {
		t.Errorf("the calls took %v", c)
	}
	for kind, count := range got.Now {
		if count != 0 {
			t.Errorf("of kind %q, %d have not ended", kind, count)
		}
	}
	var read observe.Snapshot
	if err := json.Unmarshal([]byte(n.String()), &read); err != nil || read.Ended["tools/call"]["ok"] != calls["ok"] {
		t.Errorf("read back: %+v, %v", read, err)
	}
}

// TestNumbersBound: what others make up does not grow without limit.
func TestNumbersBound(t *testing.T) {
	var n observe.Numbers
	for i := range 1000 {
		o := &observe.Operation{Kind: observe.Request, Method: strings.Repeat("m", i), Outgoing: true}
		_, end := n.Observe(context.Background(), o)
		end()
		o = &observe.Operation{Kind: observe.Request, Method: "m", Err: &jsonrpc.Error{Code: int64(i)}}
		_, end = n.Observe(context.Background(), o)
		end()
	}
	s := n.Snapshot()
	var methods, outcomes int64
	for _, of := range s.Ended {
		for _, c := range of {
			methods += c.Count
		}
	}
	for _, c := range s.Ended["m"] {
		outcomes += c.Count
	}
	if len(s.Ended) > 201 || len(s.Ended["m"]) > 201 || methods != 2000 || outcomes != 1000 {
		t.Errorf("there are %d methods with %d calls and %d outcomes of %d calls", len(s.Ended), methods, len(s.Ended["m"]), outcomes)
	}
}
