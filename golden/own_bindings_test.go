package golden_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/golden/mcp20250618"
	"github.com/mcpgen/mcpgen/golden/mcp20260728"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The code of docs/own-bindings.md, in its order.

// A toolResult is written by hand.
type toolResult struct {
	Content []content `json:"content"`
	IsError bool      `json:"isError,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
}

func textsByHand(data []byte) ([]string, error) {
	var r toolResult
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			texts = append(texts, c.Text)
		}
	}
	return texts, nil
}

func texts20250618(data []byte) ([]string, error) {
	var r mcp20250618.CallToolResult
	if err := wire.Decode(data, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp20250618.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, nil
}

// texts20260728 is the same with the package of the other revision.
func texts20260728(data []byte) ([]string, error) {
	var r mcp20260728.CallToolResult
	if err := wire.Decode(data, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp20260728.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, nil
}

func textsOfAll(data []byte) ([]string, error) {
	var r mcp.CallToolResult
	if err := wire.Decode(data, &r); err != nil {
		return nil, err
	}
	var texts []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts, nil
}

// A counter counts the calls of each tool, and knows no other request.
type counter struct {
	mcp20250618.UnimplementedServerHandler
	calls map[string]int
}

func (c counter) CallTool(_ context.Context, p *mcp20250618.CallToolRequestParams) (*mcp20250618.CallToolResult, error) {
	c.calls[p.Name]++
	return &mcp20250618.CallToolResult{Content: []mcp20250618.ContentBlock{}}, nil
}

func Example_ownBindings() {
	old := []byte(`{"content":[{"type":"text","text":"4 degrees"},{"type":"smell","of":"rain"}],"unit":"C"}`)
	recent := []byte(`{"resultType":"complete","content":[{"type":"text","text":"4 degrees"}]}`)
	fmt.Println(textsByHand(old))
	fmt.Println(textsByHand([]byte(`{"contents":[]}`)))
	fmt.Println(texts20250618(old))
	fmt.Println(texts20250618([]byte(`{"contents":[]}`)))
	fmt.Println(texts20260728(recent))
	fmt.Println(texts20260728(old))
	fmt.Println(textsOfAll(old))
	fmt.Println(textsOfAll(recent))

	// What no type declares is still there when the result is passed on.
	var r mcp20250618.CallToolResult
	if err := wire.Decode(old, &r); err != nil {
		fmt.Println(err)
		return
	}
	passed, err := wire.Marshal(mcp20250618.V2025_06_18, &r)
	fmt.Println(string(passed), err)

	c := counter{calls: map[string]int{}}
	dispatcher := mcp20250618.ServerDispatcher{Handler: c}
	_, err = dispatcher.Request(context.Background(), mcp20250618.V2025_06_18, "tools/call", wire.Raw(`{"name":"forecast"}`))
	fmt.Println(c.calls, err)
	_, err = dispatcher.Request(context.Background(), mcp20250618.V2025_06_18, "ping", nil)
	fmt.Println(err)

	// Output:
	// [4 degrees] <nil>
	// [] <nil>
	// [4 degrees] <nil>
	// [] CallToolResult: missing required member: content
	// [4 degrees] <nil>
	// [] CallToolResult: missing required member: resultType
	// [4 degrees] <nil>
	// [4 degrees] <nil>
	// {"content":[{"type":"text","text":"4 degrees"},{"type":"smell","of":"rain"}],"unit":"C"} <nil>
	// map[forecast:1] <nil>
	// wire: unknown method
}
