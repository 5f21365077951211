package stdio_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

// A program that serves the client which started it, until that closes standard input or somebody
// interrupts the program.
func ExampleServe() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	s := server.New(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	// Tools, prompts and resources are added here.

	if err := stdio.Serve(ctx, s, nil); err != nil {
		log.Fatal(err)
	}
}

// A client that starts its server as a child process.
func ExampleCommand_Start() {
	ctx := context.Background()
	command := &stdio.Command{
		Path:   "weather-server",
		Args:   []string{"-units", "metric"},
		Stderr: os.Stderr,
	}
	process, err := command.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, process, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close() // which ends the process
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name)
	}
}
