package repo

import (
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func Example() {
	// A client of any revision calls a tool.
	var call mcp.CallToolRequestParams
	err := wire.Decode([]byte(`{"name": "forecast", "arguments": {"city": "Oslo"}}`), &call)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("call", call.Name)

	// The result, written for two revisions.
	result := &mcp.CallToolResult{
		Content:           []mcp.ContentBlock{&mcp.TextContent{Text: "4 degrees, rain"}},
		StructuredContent: wire.Raw(`{"celsius":4}`),
	}
	for _, revision := range []wire.Revision{mcp.V2025_03_26, mcp.V2026_07_28} {
		data, err := wire.Marshal(revision, result)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\t%s\n", revision, data)
	}

	// Output:
	// call forecast
	// 2025-03-26	{"content":[{"type":"text","text":"4 degrees, rain"}]}
	// 2026-07-28	{"resultType":"complete","content":[{"type":"text","text":"4 degrees, rain"}],"structuredContent":{"celsius":4}}
}
