package typed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A model that writes JSON, or does at the second time, or never.
//
// REQ SAMP-02
func TestSample(t *testing.T) {
	for _, test := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"valid", []string{`{"city":"Oslo","days":3}`}, "Oslo 3"},
		{"fenced", []string{"```json\n{\"city\":\"Oslo\"}\n```"}, "Oslo 0"},
		{"corrected", []string{`Sure! It is {"city":"Oslo"}`, `{"city":"Oslo"}`}, "Oslo 0"},
		{"other members", []string{`{"town":"Oslo"}`, `{"city":"Oslo"}`}, "Oslo 0"},
		{"never", []string{`{"city":1}`, `{"City":"Oslo"}`}, `the model's JSON: additional properties 'City' not allowed; missing property 'city'; it wrote "{\"City\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
				s := server.New(mcp.Implementation{Name: "t", Version: "1"}, nil)
				s.AddTool(mcp.Tool{Name: "guess"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					q, err := typed.Sample[query](ctx, c, &mcp.CreateMessageRequestParams{MaxTokens: 99, Messages: []mcp.SamplingMessage{{
						Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Where to?"}}}}})
					if e := (*typed.SampleError)(nil); errors.As(err, &e) {
						return server.TextResult(err.Error()), nil
					}
					return server.TextResult(q.City + " " + string(rune('0'+q.Days))), err
				})
				var asked []string
				c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision, Client: client.Options{
					Sample: func(_ context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
						last := p.Messages[len(p.Messages)-1].Content[0].(*mcp.TextContent).Text
						asked = append(asked, last)
						text := &mcp.TextContent{Text: test.writes[len(asked)-1]}
						return &mcp.CreateMessageResult{Model: "m", Role: mcp.RoleAssistant, Content: []mcp.SamplingMessageContentBlock{text}}, nil
					},
				}})
				if got := c.CallText("guess", nil); !strings.HasPrefix(got, test.want) {
					t.Errorf("got %s, want %s", got, test.want)
				}
				if len(asked) != len(test.writes) {
					t.Fatalf("asked %d times, want %d: %q", len(asked), len(test.writes), asked)
				}
				if !strings.Contains(asked[0], `"city":{"type":"string","description":"the city's name"}`) {
					t.Errorf("the model got no schema: %s", asked[0])
				}
				if len(asked) > 1 && !strings.HasPrefix(asked[1], "That is not valid: ") {
					t.Errorf("the model is not told what was wrong: %s", asked[1])
				}
			})
		})
	}
}
