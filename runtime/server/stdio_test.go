package server_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ STDIO-12: a server whose answers cannot be written any more ends, though its input is open.
func TestServeEndsWithBrokenOutput(t *testing.T) {
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	silent := slog.New(slog.DiscardHandler)
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), stdio.New(stdin, stdout, &stdio.Options{Logger: silent})) }()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	io.WriteString(in, ping)
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	out.Close()
	for {
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "pipe") {
				t.Errorf("Serve ended with %v", err)
			}
			return
		default:
			io.WriteString(in, ping)
		}
	}
}

// Requests that arrive together are responded to together, but the response to the first does not wait for a second
// that takes long.
func TestResponseBeforeSlowRequest(t *testing.T) {
	stdin, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	release := make(chan struct{})
	schema := wire.Raw(`{"type":"object"}`)
	for _, name := range []string{"fast", "slow"} {
		err := s.AddTool(mcp.Tool{Name: name, InputSchema: schema}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			if name == "slow" {
				<-release
			}
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: name}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), stdio.New(stdin, stdout, nil)) }()
	lines := bufio.NewScanner(out)
	for range 20 {
		var both string
		for _, name := range []string{"fast", "slow"} {
			both += `{"jsonrpc":"2.0","id":"` + name + `","method":"tools/call","params":{"name":"` + name +
				`","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
		}
		io.WriteString(in, both)
		for _, name := range []string{"fast", "slow"} {
			if name == "slow" {
				release <- struct{}{}
			}
			if !lines.Scan() || !strings.Contains(lines.Text(), `"id":"`+name+`"`) {
				t.Fatalf("got %s, want the response to %s", lines.Text(), name)
			}
		}
	}
	in.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
