// Typedfixture uses a generated client of the conformance fixture, which the test generates and puts beside it. Its argument
// is the command of the fixture, or its URL.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/interop/testdata/typedfixture/fixture"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server string) error {
	var t transport.Transport = httpclient.New(server, nil)
	if !strings.HasPrefix(server, "http://") {
		p, err := (&stdio.Command{Path: server}).Start(ctx)
		if err != nil {
			return err
		}
		t = p
	}
	c, err := client.Connect(ctx, t, &client.Options{Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
		return elicit.Accept(map[string]string{"username": "Ada", "email": "ada@example.com"})
	}}})
	if err != nil {
		return err
	}
	defer c.Close()
	f := fixture.New(c)
	weather, err := f.TestStructuredOutput(ctx, fixture.TestStructuredOutputArgs{City: "Oslo"})
	if err != nil {
		return err
	}
	fmt.Println(weather.Temperature, weather.Conditions)
	steps := 0
	if _, err := f.TestToolWithProgress(client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { steps++ }), fixture.TestToolWithProgressArgs{}); err != nil {
		return err
	}
	fmt.Println(steps, "steps")
	_, err = f.TestErrorHandling(ctx, fixture.TestErrorHandlingArgs{})
	failed, ok := errors.AsType[*client.ToolError](err)
	fmt.Println(ok, failed)
	asked, err := f.TestElicitation(ctx, fixture.TestElicitationArgs{Message: "Who are you?"})
	if err != nil {
		return err
	}
	fmt.Println(client.Text(asked.Content))
	prompt, err := f.TestPromptWithArgumentsPrompt(ctx, fixture.TestPromptWithArgumentsPromptArgs{Arg1: "a", Arg2: "b"})
	if err != nil {
		return err
	}
	fmt.Println(prompt.Messages[0].Content.(*mcp.TextContent).Text)
	return nil
}
