package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/skills/skillclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A scenario is what the client does once it is connected. Told is what the suite says beside the
// name of the scenario: a JSON object, or nothing.
type scenario func(ctx context.Context, c *client.Client, told wire.Raw) error

// scenarios are those of the suite, by name.
var scenarios = map[string]scenario{
	"initialize":                          listTools,
	"json-schema-ref-no-deref":            listTools,
	"request-metadata":                    listTools,
	"tools_call":                          callEach(`{"a":5,"b":3}`),
	"sse-retry":                           callEach(`{}`),
	"elicitation-sep1034-client-defaults": callEach(`{}`),
	"sep-2322-client-request-state":       callEach(`{}`),
	"http-invalid-tool-headers":           callEach(`{"region":"us-west1"}`),
	"http-standard-headers":               useFirst,
	"http-custom-headers":                 callAsTold,
	"json-schema-2020-12-preservation":    echoSchema,
	"sep-2640-client-no-prefetch":         listSkills,
	"sep-2640-client-verify-digest":       useSkills,
	"sep-2640-client-verify-size":         useSkills,
	"sep-2640-client-verify-frontmatter":  useSkills,
}

func listTools(ctx context.Context, c *client.Client, _ wire.Raw) error {
	_, err := all(c.Tools(ctx))
	return err
}

func listSkills(ctx context.Context, c *client.Client, _ wire.Raw) error {
	_, err := all(skillclient.Of(c, nil).List(ctx))
	return err
}

// useSkills loads every skill and, if it is what its entry says, reads its other files.
func useSkills(ctx context.Context, c *client.Client, _ wire.Raw) error {
	found, err := all(skillclient.Of(c, nil).List(ctx))
	if err != nil {
		return err
	}
	for _, s := range found {
		if _, err := s.Load(ctx); err != nil {
			return err
		}
		for _, f := range s.Files { // that of Load again, as a host may
			if _, err := s.Read(ctx, f.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// callEach calls every tool that there is, with the same arguments.
func callEach(args string) scenario {
	return func(ctx context.Context, c *client.Client, _ wire.Raw) error {
		tools, err := all(c.Tools(ctx))
		if err != nil {
			return err
		}
		for _, t := range tools {
			if err := call(ctx, c, t.Name, wire.Raw(args)); err != nil {
				return err
			}
		}
		return nil
	}
}

// useFirst lists tools, resources and prompts, and uses the first of each.
func useFirst(ctx context.Context, c *client.Client, _ wire.Raw) error {
	tools, err := all(c.Tools(ctx))
	if err != nil {
		return err
	}
	for _, t := range tools[:min(1, len(tools))] {
		if err := call(ctx, c, t.Name, wire.Raw(`{}`)); err != nil {
			return err
		}
	}
	resources, err := all(c.Resources(ctx))
	if err != nil {
		return err
	}
	for _, r := range resources[:min(1, len(resources))] {
		if _, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: r.URI}); err != nil {
			return fmt.Errorf("reading %s: %w", r.URI, err)
		}
	}
	prompts, err := all(c.Prompts(ctx))
	if err != nil {
		return err
	}
	for _, p := range prompts[:min(1, len(prompts))] {
		if _, err := c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: p.Name}); err != nil {
			return fmt.Errorf("getting the prompt %s: %w", p.Name, err)
		}
	}
	return nil
}

// callAsTold makes the calls that the suite wants.
func callAsTold(ctx context.Context, c *client.Client, told wire.Raw) error {
	var wanted struct {
		ToolCalls []struct {
			Name      string
			Arguments wire.Raw
		}
	}
	if err := json.Unmarshal(told, &wanted); err != nil {
		return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	if _, err := all(c.Tools(ctx)); err != nil {
		return err
	}
	for _, t := range wanted.ToolCalls {
		if err := call(ctx, c, t.Name, t.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema returns the input schema of one tool as the argument of another.
func echoSchema(ctx context.Context, c *client.Client, _ wire.Raw) error {
	for t, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		if t.Name == "json_schema_2020_12_tool" {
			return call(ctx, c, "json_schema_echo", wire.Raw(`{"schema":`+string(t.InputSchema)+`}`))
		}
	}
	return errors.New("the server lists no tool json_schema_2020_12_tool")
}

// call calls a tool. What it returns is the scenario's business.
func call(ctx context.Context, c *client.Client, name string, args wire.Raw) error {
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: name, Arguments: args}); err != nil {
		return fmt.Errorf("calling %s: %w", name, err)
	}
	return nil
}

// all returns a whole list.
func all[T any](list iter.Seq2[*T, error]) ([]*T, error) {
	var items []*T
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}
