package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool with a schema by hand. Its arguments come as the client sent them.
func ExampleServer_AddTool() {
	s := server.New(mcp.Implementation{Name: "calculator", Version: "1.0.0"}, nil)
	divide := mcp.Tool{
		Name:        "divide",
		Description: "Divides a by b.",
		InputSchema: wire.Raw(`{
			"type": "object",
			"properties": {"a": {"type": "number"}, "b": {"type": "number"}},
			"required": ["a", "b"]
		}`),
	}
	err := s.AddTool(divide, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		var in struct{ A, B float64 }
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		if in.B == 0 {
			return nil, errors.New("b must not be 0") // the model can read this, and try again
		}
		return server.TextResult(fmt.Sprint(in.A / in.B)), nil
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
	for _, args := range []string{`{"a": 1, "b": 8}`, `{"a": 1, "b": 0}`} {
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "divide", Arguments: wire.Raw(args)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Content[0].(*mcp.TextContent).Text, r.GetIsError())
	}
	// Output:
	// 0.125 false
	// b must not be 0 true
}

func ExampleServer_AddPrompt() {
	s := server.New(mcp.Implementation{Name: "reviewer", Version: "1.0.0"}, nil)
	review := mcp.Prompt{
		Name:      "review",
		Arguments: []mcp.PromptArgument{{Name: "language", Required: new(true)}},
	}
	err := s.AddPrompt(review, func(ctx context.Context, c *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{
			Role:    mcp.RoleUser,
			Content: &mcp.TextContent{Text: "Review this " + args["language"] + " code."},
		}}}, nil
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
	r, err := c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: "review", Arguments: map[string]string{"language": "Go"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Messages[0].Content.(*mcp.TextContent).Text)
	// Output: Review this Go code.
}

// A server handles requests of its own methods, too.
func ExampleServer_AddMethod() {
	s := server.New(mcp.Implementation{Name: "shouter", Version: "1.0.0"}, nil)
	err := s.AddMethod("example/shout", func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		text, err := json.Marshal(strings.ToUpper(c.Params().StringAt("text")))
		if err != nil {
			return nil, err
		}
		return wire.Raw(`{"text":` + string(text) + `}`), nil
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
	shout := &wire.Method{Name: "example/shout", ToServer: []wire.Span{{From: mcp.V2024_11_05}}}
	var result wire.Raw
	if err := c.Call(ctx, shout, wire.Raw(`{"text": "hello"}`), &result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StringAt("text"))
	// Output: HELLO
}

// The middleware of what is sent logs the requests to clients.
func ExampleOptions_send() {
	trace := func(next transport.MessageFunc) transport.MessageFunc {
		return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
			result, err := next(ctx, m)
			if !m.Notification {
				slog.InfoContext(ctx, "request to the client", "method", m.Method, "error", err)
			}
			return result, err
		}
	}
	server.New(mcp.Implementation{Name: "traced", Version: "1.0.0"}, &server.Options{Send: []transport.Middleware{trace}})
}

// Middleware sees every request. This one measures how long tools take.
func ExampleMiddleware() {
	measure := func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			begin := time.Now()
			result, err := next(ctx, c)
			if c.Method() == mcp.MethodCallTool.Name {
				fmt.Println("a tool returned within a minute:", time.Since(begin) < time.Minute)
			}
			return result, err
		}
	}
	s := server.New(mcp.Implementation{Name: "measured", Version: "1.0.0"}, &server.Options{
		Middleware: []server.Middleware{measure},
	})
	err := s.AddTool(mcp.Tool{Name: "hello"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Hello!"), nil
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
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "hello"}); err != nil {
		log.Fatal(err)
	}
	// Output: a tool returned within a minute: true
}

// A handler asks the user for input in straight-line code, whatever the revision.
func ExampleCall_Elicit() {
	s := server.New(mcp.Implementation{Name: "cleaner", Version: "1.0.0"}, nil)
	err := s.AddTool(mcp.Tool{Name: "clean"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		answer, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Delete 12 files?"})
		if err != nil {
			return nil, err
		}
		if answer.Action != mcp.ElicitResultActionAccept {
			return server.TextResult("Nothing was deleted."), nil
		}
		return server.TextResult("12 files were deleted."), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	opts := &client.Options{
		Elicit: elicit.Handler{Form: func(_ context.Context, form *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			fmt.Println(form.Message)
			return elicit.Decline(), nil
		}},
	}
	ctx := context.Background()
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		near, far := inmem.Pair(0)
		go s.Serve(ctx, far)
		opts.Revisions = []wire.Revision{revision}
		c, err := client.Connect(ctx, near, opts)
		if err != nil {
			log.Fatal(err)
		}
		r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "clean"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(revision, r.Content[0].(*mcp.TextContent).Text)
		c.Close()
	}
	// Output:
	// Delete 12 files?
	// 2025-11-25 Nothing was deleted.
	// Delete 12 files?
	// 2026-07-28 Nothing was deleted.
}
