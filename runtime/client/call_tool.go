package client

// Calls of tools with Go values as arguments and results. Structured content is what a result is decoded from; servers that
// have none send the same JSON as text.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content.

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A ToolCaller calls tools: a *[Client], for instance.
type ToolCaller interface {
	CallTool(ctx context.Context, params *mcp.CallToolRequestParams) (*mcp.CallToolResult, error)
}

// A ToolError says that a tool failed: its result says so, and why.
type ToolError struct {
	Tool   string // empty if only the result is known
	Result *mcp.CallToolResult
}

func (e *ToolError) Error() string {
	tool := "the tool"
	if e.Tool != "" {
		tool = fmt.Sprintf("tool %q", e.Tool)
	}
	return tool + " failed: " + excerpt.Cut(Text(e.Result.Content), 1000)
}

type resultKey struct{}

// WithResult returns a context with which [CallTool], and calls of generated clients, pass f the whole result of the tool
// before they return: with the content beside what they decode, such as an image, and with its metadata. They do so, too,
// if the tool failed or its result does not decode.
func WithResult(ctx context.Context, f func(*mcp.CallToolResult)) context.Context {
	return context.WithValue(ctx, resultKey{}, f)
}

// callTool calls a tool, passes its result on, and calls decode with the result if the tool has not failed.
func callTool(ctx context.Context, c ToolCaller, tool string, arguments wire.Raw, decode func(*mcp.CallToolResult) error) (*mcp.CallToolResult, error) {
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	if f, ok := ctx.Value(resultKey{}).(func(*mcp.CallToolResult)); ok {
		f(r)
	}
	if r.GetIsError() {
		return nil, &ToolError{tool, r}
	}
	if err := decode(r); err != nil {
		return nil, fmt.Errorf("client: tool %q: %w", tool, err)
	}
	return r, nil
}

// CallTool calls a tool with the arguments in and decodes its result:
//
//	weather, err := client.CallTool[Forecast](ctx, c, "forecast", map[string]any{"city": "Oslo"})
//
// The arguments are what encoding/json encodes as an object, or nil for none. The result is decoded by [Decode]. If
// the tool failed, the error is a *[ToolError]; other errors are those of the method [Client.CallTool].
func CallTool[Out any](ctx context.Context, c ToolCaller, tool string, in any) (Out, error) {
	var out Out
	var arguments wire.Raw
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return out, fmt.Errorf("client: tool %q: arguments: %w", tool, err)
		}
		arguments = raw
		if kind := arguments.Kind(); kind != wire.KindObject {
			return out, fmt.Errorf("client: tool %q: arguments: want a value that encodes as an object, got %s of type %T", tool, kind, in)
		}
	}
	_, err := callTool(ctx, c, tool, arguments, func(r *mcp.CallToolResult) (err error) {
		out, err = Decode[Out](r)
		return err
	})
	return out, err
}

// CallToolWire calls a tool for code that `mcpgen client` generates, without reflection: in encodes the arguments, and out
// decodes the structured content, or else the text of the content. If out is nil, the content is not decoded. The result
// is returned as well; it is nil after an error.
func CallToolWire(ctx context.Context, c ToolCaller, tool string, in wire.Encodable, out wire.Decodable) (*mcp.CallToolResult, error) {
	raw, err := wire.MarshalChecked(wire.Any, in)
	if err != nil {
		return nil, fmt.Errorf("client: tool %q: arguments: %w", tool, err)
	}
	return callTool(ctx, c, tool, raw, func(r *mcp.CallToolResult) error {
		if out == nil {
			return nil
		}
		return DecodeWire(r, out)
	})
}

// Decode returns the result of a tool as a Go value: the structured content, or else the text of the content, as
// encoding/json decodes it. If Out is a string, the text need not be JSON. If there are several texts, the last one
// alone may be the JSON: that is how servers add it to the results of tools in revisions without structured
// content. If Out is not a struct, map or interface, the value may also be the member "result" of an object without
// other members, in which many servers wrap such values. If Out is *[mcp.CallToolResult], Decode returns r.
// Otherwise the error is a *[ToolError] if the tool failed.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools.
func Decode[Out any](r *mcp.CallToolResult) (Out, error) {
	var out Out
	if whole, ok := any(&out).(**mcp.CallToolResult); ok {
		*whole = r
		return out, nil
	}
	if r.GetIsError() {
		return out, &ToolError{Result: r}
	}
	if s, ok := any(&out).(*string); ok && len(r.StructuredContent) == 0 {
		*s = Text(r.Content)
		return out, nil
	}
	raw, what := outputOf(r)
	if inner, ok := wrapped(raw); ok && isPlain(reflect.TypeFor[Out]()) {
		raw = inner
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		var none Out
		return none, fmt.Errorf("%s does not decode as %v: %w; it is %s", what, reflect.TypeFor[Out](), err, excerpt.Of(string(raw)))
	}
	return out, nil
}

// DecodeWire decodes the structured content of a tool's result, or else the text of its content, into out, which shares the
// memory of the result. The error is a *[ToolError] if the tool failed.
func DecodeWire(r *mcp.CallToolResult, out wire.Decodable) error {
	if r.GetIsError() {
		return &ToolError{Result: r}
	}
	raw, what := outputOf(r)
	if err := wire.DecodeAlias(raw, out); err != nil {
		return fmt.Errorf("%s does not decode: %w; it is %s", what, err, excerpt.Of(string(raw)))
	}
	return nil
}

// outputOf returns the JSON that the result of a tool is decoded from, and a name for it in errors.
func outputOf(r *mcp.CallToolResult) (raw wire.Raw, what string) {
	if len(r.StructuredContent) > 0 {
		return r.StructuredContent, "the structured content"
	}
	text := Text(r.Content)
	if raw = wire.Raw(text); raw.Check() != nil {
		if last := lastText(r.Content); last != text && json.Valid([]byte(last)) {
			raw = wire.Raw(last)
		}
	}
	return raw, "the text of the result"
}

// lastText returns the last block of text.
func lastText(content []mcp.ContentBlock) string {
	for _, block := range slices.Backward(content) {
		if text, ok := block.(*mcp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// wrapped returns the member "result" of an object without other members. Structured content is an object through
// 2025-11-25, so servers of functions that return something else wrap it, and that is the name that they use.
func wrapped(raw wire.Raw) (inner wire.Raw, ok bool) {
	if raw.Kind() != wire.KindObject {
		return nil, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || len(members) != 1 {
		return nil, false
	}
	value, ok := members["result"]
	return wire.Raw(value), ok
}

// isPlain reports whether values of a type are not objects in JSON.
func isPlain(t reflect.Type) bool {
	if t == reflect.TypeFor[wire.Raw]() || t == reflect.TypeFor[json.RawMessage]() {
		return false
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct:
		_, text := reflect.New(t).Interface().(interface{ UnmarshalText([]byte) error })
		return text // such as a time
	case reflect.Map, reflect.Interface: // these may be objects that have a member "result" of their own
		return false
	}
	return true
}
