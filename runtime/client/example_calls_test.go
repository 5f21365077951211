package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// connectTo connects to a server of this process.
func connectTo(s *server.Server) *client.Client {
	near, far := inmem.Pair(0)
	go s.Serve(context.Background(), far)
	c, err := client.Connect(context.Background(), near, nil)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// newForecaster returns a server with a tool.
func newForecaster() *server.Server {
	s := server.New(mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	forecast := mcp.Tool{Name: "forecast", InputSchema: wire.Raw(`{"type":"object"}`)}
	s.AddTool(forecast, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if args.StringAt("city") == "Atlantis" {
			return nil, errors.New("there is no such city")
		}
		return &mcp.CallToolResult{
			StructuredContent: wire.Raw(`{"summary":"sunny","degrees":21}`),
			Content: []mcp.ContentBlock{
				&mcp.TextContent{Text: "Sunny, 21 degrees"},
				&mcp.ImageContent{MIMEType: "image/png", Data: wire.EncodeBase64([]byte("PNG"))},
			},
		}, nil
	})
	return s
}

// Over HTTP to a server elsewhere, over standard input and output to one that is a program.
func ExampleConnect_transports() {
	ctx := context.Background()
	remote, err := client.Connect(ctx, httpclient.New("https://mcp.example.com/mcp", nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer remote.Close()

	command := &stdio.Command{Path: "weather-server", Args: []string{"-units", "metric"}}
	process, err := command.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	local, err := client.Connect(ctx, process, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer local.Close() // which ends the process
}

// A tool's result in a Go value, and its failure as an error.
func ExampleCallTool() {
	type Forecast struct {
		Summary string `json:"summary"`
		Degrees int    `json:"degrees"`
	}
	ctx := context.Background()
	c := connectTo(newForecaster())
	defer c.Close()

	f, err := client.CallTool[Forecast](ctx, c, "forecast", map[string]any{"city": "Oslo"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Summary, f.Degrees)

	_, err = client.CallTool[Forecast](ctx, c, "forecast", map[string]any{"city": "Atlantis"})
	var failed *client.ToolError
	if errors.As(err, &failed) { // the tool says why: show it to the model
		fmt.Println(failed)
	}
	// Output:
	// sunny 21
	// tool "forecast" failed: there is no such city
}

// A Length is a time.Duration that is text in JSON, such as "1h30m0s".
type Length struct{ time.Duration }

func (l *Length) UnmarshalText(text []byte) (err error) {
	l.Duration, err = time.ParseDuration(string(text))
	return err
}

// A date and a duration, which are texts in the results of generated tools.
func ExampleCallTool_dates() {
	s := server.New(mcp.Implementation{Name: "trips", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "trip"}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: args}, nil
	})
	ctx := context.Background()
	c := connectTo(s)
	defer c.Close()
	day, length := time.Date(2026, time.January, 31, 0, 0, 0, 0, time.UTC), 90*time.Minute

	type Trip struct {
		Day    string `json:"day"` // "2026-01-31"
		Length Length `json:"length"`
	}
	trip, err := client.CallTool[Trip](ctx, c, "trip", map[string]any{"day": day.Format(time.DateOnly), "length": length.String()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trip.Day, trip.Length.Minutes(), "minutes")
	// Output: 2026-01-31 90 minutes
}

// The content of a result beside its value.
func ExampleBlobs() {
	ctx := context.Background()
	c := connectTo(newForecaster())
	defer c.Close()

	r, err := client.CallTool[*mcp.CallToolResult](ctx, c, "forecast", map[string]any{"city": "Oslo"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Text(r.Content))
	images, err := client.Blobs(r.Content)
	if err != nil {
		log.Fatal(err)
	}
	for _, image := range images {
		fmt.Println(image.MIMEType, len(image.Data), "bytes")
	}
	// Output:
	// Sunny, 21 degrees
	// image/png 3 bytes
}
