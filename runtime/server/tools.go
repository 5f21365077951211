package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool is checked when it is added, as far as the protocol goes, so that no client can receive a definition that it would have
// to refuse: a name, an object schema, headers that can be sent. Whether the arguments of a call fit the schema is the
// handler's business; generated handlers decode by it, and package validate does so for others.
//
// Two kinds of wrappers are around a handler. Those of the options are inside those of extensions: an extension that lets a call
// outlive its request must see the whole of it.

// A ToolHandler handles a call of a tool. Args holds the arguments as they were received: a JSON object, {} if
// there are none, that has not been validated against the schema of the tool. They may be kept, but not changed.
//
// An error is for the model: its text becomes that of a result. A *[jsonrpc.Error] is for the client: it
// becomes an error response. Structured content is repeated as text if there is no other content. A nil
// result is an empty one.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools
type ToolHandler func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error)

// A tool is a tool of the server. It is immutable.
type tool struct {
	item
	def     *mcp.Tool
	run     ToolHandler
	headers []mcpheader.Param // the arguments that HTTP requests repeat
}

// noArguments is the input schema of a tool without one. It is what the specification recommends for a tool without parameters.
const noArguments = `{"type":"object","additionalProperties":false}`

// AddTool offers a tool to everyone. A tool without an input schema takes no arguments. It is an error if there is a tool
// with that name already, or if something is wrong with the definition.
func (s *Server) AddTool(t mcp.Tool, h ToolHandler) error {
	return s.setItems("AddTool", nil, Item{Definition: &t, Handler: h})
}

// newTool returns a tool with its definition as [Options].Define changes it, and its handler inside the wrappers.
//
// REQ TOOL-05, XHDR-03, XHDR-04, XHDR-05
func (s *Server) newTool(given *offer) (kind, error) {
	t := *given.Definition.(*mcp.Tool)
	h, ok := given.Handler.(ToolHandler)
	if !ok { // a function that nobody has converted has another type; so in newPrompt and the others
		h, _ = given.Handler.(func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error))
	}
	err := s.define(&t, &t.Name)
	// Only now, since the schema may come from Define.
	if len(t.InputSchema) == 0 {
		t.InputSchema = wire.Raw(noArguments)
	}
	if err := cmp.Or(err, checkTool(&t)); err != nil {
		return nil, err
	}
	if h == nil {
		return nil, fmt.Errorf("tool %q %s", t.Name, given.noHandler(h))
	}
	headers, err := mcpheader.Params(t.InputSchema)
	if err != nil { // clients would ignore the tool
		return nil, fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	run, err := wrapped(&t, h, s.opts.WrapTools)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	i, err := s.newItem(given, t.Name, &t, nil)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	i.Handler = run                  // as Items returns it, without the wrappers of extensions
	others := wrappers(i.extensions) // the same as in newItem: one that was added since makes the item stale, see registry.isStale
	if support := t.Execution.GetTaskSupport(); support != mcp.ToolExecutionTaskSupportForbidden && len(others) == 0 {
		return nil, fmt.Errorf("tool %q: execution.taskSupport is %q, but no extension of the server runs tools so", t.Name, support)
	}
	if run, err = wrapped(&t, run, others); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	return &tool{item: i, def: &t, run: run, headers: headers}, nil
}

// define lets [Options.Define] change the definition of an item, whose name or URI must stay.
func (s *Server) define(item any, name *string) error {
	if s.opts.Define == nil {
		return nil
	}
	before := *name
	if s.opts.Define(item); *name != before {
		return fmt.Errorf("Options.Define has changed the name or URI %q to %q; it must stay", before, *name)
	}
	return nil
}

// checkTool checks a definition. Schemas are checked as far as the protocol goes, not for what they mean: clients may know
// dialects that the server does not.
//
// REQ TOOL-05
func checkTool(t *mcp.Tool) error {
	if t.Name == "" {
		return errors.New("the tool has no name")
	}
	if err := valid.Icons(t.Icons); err != nil {
		return fmt.Errorf("tool %q: %w", t.Name, err)
	}
	if err := checkSchema(t.InputSchema); err != nil {
		return fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	if root := t.InputSchema.StringAt("type"); root != "object" {
		return fmt.Errorf("tool %q: input schema: want type \"object\", got %q", t.Name, root)
	}
	if len(t.OutputSchema) > 0 {
		if err := checkSchema(t.OutputSchema); err != nil {
			return fmt.Errorf("tool %q: output schema: %w", t.Name, err)
		}
	}
	return nil
}

// checkSchema checks that a schema is a JSON object, not what it means.
//
// REQ TOOL-05
func checkSchema(schema wire.Raw) error {
	if err := schema.Check(); err != nil {
		return err
	}
	if k := schema.Kind(); k != wire.KindObject {
		return fmt.Errorf("want object, got %s", k)
	}
	return nil
}

// RemoveTools removes tools. It ignores unknown names.
func (s *Server) RemoveTools(names ...string) { s.remove(&s.tools, names) }

// Tool returns the tool of that name as [Server.Items] has it, nil if there is none that lists show to the caller of c.
func (c *Call) Tool(ctx context.Context, name string) *Item {
	t, show, _ := find[*tool](ctx, c, &c.server.tools, name)
	if t == nil || !show || !t.gate.admitsCaller(c) {
		return nil
	}
	return t.shown()
}

// listTools handles tools/list.
func (s *Server) listTools(ctx context.Context, c *Call) (wire.Encodable, error) {
	return list(ctx, c, &mcp.MethodListTools, &s.tools, s.opts.Cache.Tools, func(l listed[*tool]) wire.Encodable {
		r := &mcp.ListToolsResult{Meta: c.resultMeta(), NextCursor: l.next, TTLMs: l.ttl, CacheScope: l.scope, Tools: make([]mcp.Tool, len(l.items))}
		for i, t := range l.items {
			r.Tools[i] = s.degradeTool(ctx, c.rev, *t.def)
		}
		return r
	})
}

// CallTool handles tools/call. What can refuse the call comes before its handler, in this order: a tool that the caller may not
// know of does not exist; then its scopes; then what the filters say, and what the client or its revision lacks, which the
// model may read; then the headers that repeat arguments; then the state of an earlier run.
//
// What the handler returns is a result in any case, unless the error is the protocol's: only so can a model read what went
// wrong, and do better.
//
// REQ TOOL-16
func (b builtin) CallTool(ctx context.Context, p *mcp.CallToolRequestParams) (mcp.CallToolResponse, error) {
	c := b.call
	s := c.server
	t, _, refused := find[*tool](ctx, c, &s.tools, p.Name)
	if t == nil {
		return nil, unknown("tool", p.Name)
	}
	if err := c.Require(t.Access.Scopes); err != nil {
		return nil, err
	}
	if err := cmp.Or(refused, t.gate.refusal(c, "tool", p.Name)); err != nil {
		r, err := s.toolError(c, err)
		if err != nil {
			return nil, err // no response, which a nil *mcp.CallToolResult would be
		}
		return r, nil
	}
	arguments := p.Arguments
	if len(arguments) == 0 {
		arguments = wire.Raw("{}")
	}
	if err := c.checkParamHeaders(t, arguments); err != nil {
		return nil, err
	}
	if err := c.beginInput(ctx, p.InputResponses, p.RequestState, p.Name, arguments); err != nil {
		return nil, err
	}
	r, err := t.run(ctx, c, arguments)
	if response := c.Responded(); response != nil { // whatever the handler returned
		return response, nil
	}
	switch required, askErr := c.endInput(ctx, err); {
	case askErr != nil:
		return nil, askErr
	case required != nil:
		return required, nil
	}
	if err != nil {
		if r, err = s.toolError(c, err); err != nil {
			return nil, err
		}
	}
	return s.degradeToolResult(ctx, c.rev, cmp.Or(r, &mcp.CallToolResult{})), nil
}

// toolError turns an error of a tool into a result, which is for the model, or an error, which is for the client.
func (s *Server) toolError(c *Call, err error) (*mcp.CallToolResult, error) {
	var (
		rpc     *jsonrpc.Error
		missing *MissingCapabilityError
		input   *InputError
		result  *args.ResultError
	)
	switch {
	case errors.As(err, &input) && !c.modern():
		return ErrorResult(err), nil // an error that a client sent is not the server's own
	case errors.As(err, &rpc),
		errors.As(err, &missing) && c.modern(), // with its own code; in earlier revisions the model reads it
		c.ctx.Err() != nil:                     // nobody waits for the result
		return nil, err
	case errors.As(err, &result), errors.Is(err, args.ErrNoResult):
		s.Log().Error("mcp: a tool returned what its output schema does not allow", "tool", c.Params().StringAt("name"), "error", err)
	}
	return ErrorResult(err), nil
}

// ErrorResult returns the result of a tool that failed: the text of the error, for the model.
func ErrorResult(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content: []mcp.ContentBlock{&mcp.TextContent{Text: cmp.Or(err.Error(), "the tool failed")}},
		IsError: new(true),
	}
}

// TextResult returns a result of a tool that holds only text.
func TextResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: text}}}
}
