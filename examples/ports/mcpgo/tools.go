package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Echo echoes back the input.
//
//   - message: what to echo
//
//mcp:tool
//mcp:icon https://example.com/tool.png sizes=32x32
func Echo(message string) string { return "Echo: " + message }

// Add adds two numbers.
//
//   - a: the first number
//   - b: the second number
//
//mcp:tool
func Add(a, b float64) string { return fmt.Sprintf("The sum of %f and %f is %f.", a, b, a+b) }

// Notify reports that all is done.
//
//mcp:tool
func Notify(p *server.Progress) string {
	p.Report(10, 10, "")
	return "notification sent successfully"
}

// Run takes a while, and reports how far it is.
//
//   - duration: how long it takes, in seconds
//   - steps: in how many steps
//
//mcp:tool name=longRunningOperation
//mcp:param duration default=10 min=0
//mcp:param steps default=5 min=1
func Run(ctx context.Context, p *server.Progress, duration float64, steps int) (string, error) {
	step := time.Duration(duration / float64(steps) * float64(time.Second))
	for i := 1; i <= steps; i++ {
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		p.Report(float64(i), float64(steps), fmt.Sprintf("Server progress %d%%", 100*i/steps))
	}
	return fmt.Sprintf("Long running operation completed. Duration: %f seconds, Steps: %d.", duration, steps), nil
}

// GetTinyImage returns a tiny image.
//
//mcp:tool name=getTinyImage
func GetTinyImage() []mcp.ContentBlock {
	return []mcp.ContentBlock{
		server.Text("This is a tiny image:"),
		server.Image("image/png", tinyImage()),
		server.Text("The image above is the MCP tiny image."),
	}
}

// GetResourceLink returns a link to a resource.
//
//   - kind: the type of the resource
//
//mcp:tool
//mcp:param kind name=resource_type default=document
func GetResourceLink(kind string) []mcp.ContentBlock {
	link := server.Link("file:///example/"+kind+".pdf", "Sample "+kind)
	link.Description, link.MIMEType = "A sample "+kind+" for demonstration", "application/pdf"
	return []mcp.ContentBlock{
		server.Text("Here's a link to a " + kind + " resource:"),
		link,
		server.Text("You can access this resource using the provided URI."),
	}
}

// tinyImage returns a picture of one dot.
func tinyImage() []byte {
	dot := image.NewGray(image.Rect(0, 0, 1, 1))
	dot.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err) // memory takes everything
	}
	return b.Bytes()
}
