package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Whatever a server answers, the client returns.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"content":[],"structuredContent":{"a":1}}`,
		`{"resultType":"input_required","requestState":"s","inputRequests":{"e":` + askElicit + `}}`,
		`{"resultType":"input_required","inputRequests":{"s":` + askSample + `,"r":` + askRoots + `,"u":` + askURL + `}}`,
		`{"tools":[` + tool("a") + `],"nextCursor":"","ttlMs":5,"cacheScope":"private"}`,
		`{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":1e3}`,
		`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`,
		`{"contents":[{"uri":"a:b","text":"x"}]}`,
		`[]`, ``, `{"resultType":{}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		synctest.Test(t, func(t *testing.T) { tryAnswer(t, answer) })
	})
}

func tryAnswer(t *testing.T, answer string) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	connectTo(t, script{"server/discover": always(answer), "initialize": always(answer)}, nil)
	for _, server := range []script{legacyServer(nil), modernServer(nil)} {
		for _, method := range []string{"tools/call", "tools/list", "prompts/get", "resources/read", "resources/templates/list", "subscriptions/listen"} {
			server[method] = always(answer)
		}
		opts := inputOptions()
		opts.CheckOutput = func(context.Context, wire.Raw, wire.Raw) error { return nil }
		c, fake := dial(t, server, opts)
		for range c.Tools(ctx) {
		}
		for range c.ResourceTemplates(ctx) {
		}
		c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "a"})
		c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "a"})
		c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "a:b"})
		c.Subscribe(ctx, mcp.SubscriptionFilter{ToolsListChanged: new(true)})
		for _, m := range []string{"notifications/subscriptions/acknowledged", "notifications/resources/updated", "notifications/cancelled"} {
			fake.notice(m, answer)
		}
		for _, m := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
			fake.request(m, answer)
		}
		c.Close()
	}
	if ctx.Err() != nil {
		t.Fatal("the client hangs")
	}
}
