package annotated

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Readme is text.
//
//mcp:resource golden://readme mime=text/markdown
//mcp:title Read me
func Readme() string { return "# Golden" }

// Logo is binary.
//
//mcp:resource golden://logo mime=image/png
func Logo(ctx context.Context) ([]byte, error) { return []byte("png"), ctx.Err() }

// Settings are JSON.
//
//mcp:resource golden://settings
func Settings() Point { return Point{3, 4} }

// Parts are several contents.
//
//mcp:resource golden://parts
func Parts() []mcp.ResourceContents {
	return []mcp.ResourceContents{
		&mcp.TextResourceContents{URI: "golden://parts/1", Text: "1"},
		&mcp.BlobResourceContents{URI: "golden://parts/2", Blob: wire.EncodeBase64([]byte("2"))},
	}
}

// Complete is a whole result.
//
//mcp:resource golden://whole
func Complete() *mcp.ReadResourceResult {
	return server.TextResource("text/plain", "whole")
}

// Place is one of many.
//
//mcp:resource golden://places/{x}/{y}
func Place(x, y int8) (*Point, error) {
	if x < 0 {
		return nil, nil
	}
	return &Point{float64(x), float64(y)}, nil
}

// Find has variables in its query.
//
//mcp:resource golden://find{?q,limit}
//mcp:param limit min=1
func Find(q string, limit *int) []string {
	if limit == nil {
		return []string{q}
	}
	return make([]string, *limit)
}

// City reads a city, as a tool and as a resource.
//
//   - name: its English name
//
//mcp:tool readonly name=get_city
//mcp:resource golden://cities/{name} "name=Cities (by name)"
func City(name string) (*Point, error) {
	if name == "Atlantis" {
		return nil, nil
	}
	return &Point{X: float64(len(name))}, nil
}

// Greeting greets, as all that a function can be.
//
//mcp:tool readonly
//mcp:prompt "name=Greet someone"
//mcp:resource golden://greetings/{name}
func Greeting(name string) (string, error) { return "Hello, " + name + "!", nil }

// Names suggests whom to greet.
//
//mcp:complete Greeting name
func Names(text string) []string { return []string{text + "a", text + "b"} }
