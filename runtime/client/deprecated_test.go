package client_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What the newest revision deprecates works as before, and both logs say once for each method who deprecates it: that of
// the server unless it serves older revisions alone, that of the client in a connection of that revision.
//
// REQ DEPR-01
func TestDeprecated(t *testing.T) {
	t.Parallel()
	const says = " is deprecated: "
	methods := []string{"notifications/message", "roots/list", "sampling/createMessage"}
	for _, rev := range taught.Revisions() {
		for _, served := range [][]wire.Revision{{rev}, taught.Revisions()} {
			t.Run(fmt.Sprintf("%v of %d", rev, len(served)), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var near, far bytes.Buffer
					logTo := func(b *bytes.Buffer) *slog.Logger {
						return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn}))
					}
					s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Revisions: served, Logger: logTo(&far), Logging: true})
					err := s.AddTool(mcp.Tool{Name: "ask", InputSchema: wire.Raw(`{"type":"object"}`)}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
						if _, err := c.ListRoots(ctx); err != nil {
							return nil, err
						}
						_, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 1, Messages: []mcp.SamplingMessage{{
							Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "?"}},
						}}})
						c.Logger().Error("done")
						return &mcp.CallToolResult{}, err
					})
					if err != nil {
						t.Fatal(err)
					}
					c := connect(t, s, &client.Options{
						Revisions: []wire.Revision{rev}, Logger: logTo(&near), Roots: []mcp.Root{},
						Sample: func(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
							return &mcp.CreateMessageResult{Role: mcp.RoleAssistant, Model: "m", Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "!"}}}, nil
						},
					})
					for range 2 {
						if err := c.SetLevel(t.Context(), mcp.LoggingLevelError); err != nil {
							t.Fatal(err)
						}
						if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ask"}); err != nil {
							t.Fatal(err)
						}
					}
					modern := rev >= mcp.Modern
					for _, m := range methods {
						for _, side := range []struct {
							log   string
							warns bool
						}{{near.String(), modern}, {far.String(), modern || len(served) > 1}} {
							want := 0
							if side.warns {
								want = 1
							}
							if got := strings.Count(side.log, m+says); got != want {
								t.Errorf("%s: said %d times, want %d\n%s", m, got, want, side.log)
							}
							if side.warns && !strings.Contains(side.log, "SEP-2577") {
								t.Errorf("%s: without the proposal\n%s", m, side.log)
							}
						}
					}
				})
			})
		}
	}
}
