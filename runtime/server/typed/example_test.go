package typed_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The schemas of what a tool takes and returns are inferred from its types.
func ExampleAddTool() {
	type query struct {
		City string `json:"city" jsonschema:"the city's English name"`
	}
	type weather struct {
		Celsius float64 `json:"celsius"`
	}
	s := server.New(mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	err := typed.AddTool(s, mcp.Tool{Name: "weather"}, func(_ context.Context, _ *server.Call, q query) (weather, error) {
		if q.City != "Oslo" {
			return weather{}, errors.New("only Oslo has weather")
		}
		return weather{Celsius: 4.5}, nil
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "weather", Arguments: wire.Raw(`{"city": "Oslo"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(r.StructuredContent))
	// Output: {"celsius":4.5}
}

// Custom requests are typed on both sides: here by structs, as encoding/json has them.
func ExampleAddMethod() {
	type shout struct {
		Text string `json:"text"`
	}
	ctx := context.Background()
	s := server.New(mcp.Implementation{Name: "shouter", Version: "1.0.0"}, nil)
	err := typed.AddMethod(s, "example/shout", func(_ context.Context, _ *server.Call, in shout) (shout, error) {
		return shout{Text: strings.ToUpper(in.Text)}, nil
	})
	if err != nil {
		log.Fatal(err)
	}

	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := methods.Call[shout](ctx, c, "example/shout", shout{Text: "hello"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text)
	// Output: HELLO
}
