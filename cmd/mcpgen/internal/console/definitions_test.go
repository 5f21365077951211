package console

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestTool shows what a tool takes and returns: maps, lists of objects, and schemas within themselves, too.
func TestTool(t *testing.T) {
	var b strings.Builder
	err := NewPrinter(&b, func(string) string { return "" }).Tool(&mcp.Tool{
		Name: "order",
		InputSchema: wire.Raw(`{"type":"object","properties":{
			"meta":{"type":"object","additionalProperties":{"type":"string","maxLength":9}},
			"lines":{"type":"array","uniqueItems":true,"items":{"$ref":"#/$defs/line"}},
			"tree":{"$ref":"#/$defs/tree"}
		},"$defs":{
			"line":{"type":"object","properties":{"sku":{"type":"string"},"n":{"type":"integer"}},"required":["sku"],"additionalProperties":false},
			"tree":{"type":"array","items":{"$ref":"#/$defs/tree"}}
		}}`),
		OutputSchema: wire.Raw(`{"type":"array","items":{"properties":{"id":{"type":"integer"}},"required":["id"]}}`),
		Execution:    &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional},
	})
	const want = `order

Arguments
  lines        list of object                 optional  (no item twice)
  lines[].n    integer                        optional
  lines[].sku  string                         required
  meta         object                         optional
  meta.*       string                         optional  (at most 9 characters)
  tree         list of list of list of array  optional

Result
  [].id  integer  required

Tasks
  optional
`
	if err != nil || b.String() != want {
		t.Errorf("%v, got\n%s", err, b.String())
	}
}

// TestToolOfManyMembers shows no more of a tool than a person can read.
func TestToolOfManyMembers(t *testing.T) {
	var members []string
	for i := range 500 {
		members = append(members, fmt.Sprintf(`"m%d":{"$ref":"#"}`, i))
	}
	var b strings.Builder
	err := NewPrinter(&b, func(string) string { return "" }).Tool(&mcp.Tool{Name: "x", InputSchema: wire.Raw(`{"properties":{` + strings.Join(members, ",") + `}}`)})
	if n := strings.Count(b.String(), "\n"); err != nil || n != 3+maxRows+1 || !strings.HasSuffix(b.String(), "\n  …\n") {
		t.Errorf("%v, %d lines", err, n)
	}
}

// TestListsThatAreMissing lists what a server offers that lacks the list of something it declares.
func TestListsThatAreMissing(t *testing.T) {
	for method, want := range map[string]string{
		mcp.MethodListResourceTemplates.Name: "",
		mcp.MethodListPrompts.Name:           "",
		mcp.MethodListTools.Name:             "method not found",
	} {
		s := server.New(mcp.Implementation{Name: "s"}, &server.Options{
			Capabilities: mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}, Prompts: &mcp.ServerCapabilitiesPrompts{}, Resources: &mcp.ServerCapabilitiesResources{}},
			Middleware: []server.Middleware{func(next server.Handler) server.Handler {
				return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
					if c.Method() == method {
						return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
					}
					return next(ctx, c)
				}
			}},
		})
		c := mcptest.Connect(t, s, nil)
		_, err := (&Server{Client: c.Client}).Definitions(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", method, err, want)
		}
	}
}
