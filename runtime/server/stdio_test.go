package server_test

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
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
