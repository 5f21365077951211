package httpclient_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Whatever a server answers to whatever request, everything returns, and nothing is left.
func FuzzClient(f *testing.F) {
	for _, body := range []string{
		answerTo(wire.IntID(1), discovered), answerTo(wire.IntID(1), initialized("2025-11-25")), answerTo(wire.IntID(2), initialized("2025-03-26")),
		`[` + answerTo(wire.IntID(2), textResult) + `]`, `{"jsonrpc":"2.0","error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}}`,
		"id: 1\nretry: 10\ndata:\n\n" + event(answerTo(wire.IntID(2), textResult)),
		"event: endpoint\ndata: /x\n\n" + event(answerTo(wire.IntID(2), initialized("2024-11-05"))),
		event(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), event("{}"), "data", "",
		answerTo(wire.IntID(2), toolList(deepSchema)),
		event(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`),
	} {
		f.Add(uint16(200), byte(0), "s", body)
		f.Add(uint16(200), byte(1), "", body)
		f.Add(uint16(404), byte(0), "s", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, kind byte, session, body string) {
		if status < 200 || status > 599 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			answers := func(v *visit) {
				v.Header().Set("Content-Type", []string{"application/json", "text/event-stream", ""}[kind%3])
				if session != "" {
					v.Header()["Mcp-Session-Id"] = []string{session}
				}
				v.WriteHeader(int(status))
				io.WriteString(v, body)
			}
			for _, rev := range []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_11_25, mcp.V2026_07_28, wire.Any} {
				s := &site{}
				if kind < 128 { // else, connecting is answered likewise
					s.does("server/discover", func(v *visit) { v.answer(discovered) })
					s.does("initialize", func(v *visit) { v.answer(initialized(rev.String())) })
				} else {
					s.does("server/discover", answers)
					s.does("initialize", answers)
				}
				for _, key := range []string{"GET", "DELETE", "tools/call", "tools/list", "subscriptions/listen", "notifications/initialized"} {
					s.does(key, answers)
				}
				opts := &client.Options{AllowUndeclared: true, Logger: silent}
				if rev != wire.Any {
					opts.Revisions = []wire.Revision{rev}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				c, err := client.Connect(ctx, transportTo(s, &httpclient.Options{MaxMessage: 1 << 16}), opts)
				if err == nil {
					callTool(t, c, "{}")
					c.ListTools(t.Context(), nil)
					if sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{}); err == nil {
						time.Sleep(time.Minute)
						sub.Close()
					}
					c.Close()
				}
				if ctx.Err() != nil {
					t.Error("the client hangs")
				}
				cancel()
			}
		})
	})
}
