package toolsearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// A run runs a plan that has been checked. Each call is a request of its own, by [server.Call.Dispatch]: what holds for a call of a
// client holds for it. Since 2026-07-28 the run begins again whenever a call of it asks for input; what calls have returned is
// remembered by [server.OnceValue], so no call is made twice.
type run struct {
	opts  *Options
	call  *server.Call
	calls int
	bytes int
	known map[string]any // the results of steps, and the item of forEach
}

// run runs the steps one after the other. An error says at which step the plan has ended, and what has been done by then. It is
// for the model, and no error of the protocol any more.
func (p *plan) run(ctx context.Context, c *server.Call, opts *Options) (*mcp.CallToolResult, error) {
	r := &run{opts: opts, call: c, known: map[string]any{}}
	for i, s := range p.Steps {
		err := r.step(ctx, s)
		if errors.Is(err, server.ErrInputRequired) || ctx.Err() != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		if err != nil {
			return nil, fmt.Errorf("steps[%d]: %s: %v\nThe plan has ended here; calls that have succeeded: %d", i, s.Tool, err, r.calls)
		}
	}
	results := map[string]any{}
	for _, id := range p.Return {
		results[id] = r.known[id]
	}
	raw, err := json.Marshal(map[string]any{"results": results})
	return &mcp.CallToolResult{StructuredContent: raw}, err
}

// step makes the calls of a step.
func (r *run) step(ctx context.Context, s *step) error {
	items := []any{nil}
	if s.ForEach != nil {
		items = s.selected(r.take(s.ForEach))
	}
	if n := r.calls + len(items); n > r.opts.Calls {
		return fmt.Errorf("want at most %d calls in a plan, got %d; give a limit", r.opts.Calls, n)
	}
	results := []any{}
	for _, each := range items {
		r.known[item] = each
		result, err := r.callTool(ctx, s, r.fill(s.Args))
		if err != nil {
			return err
		}
		var value any = map[string]any{"content": result.Content}
		if len(result.StructuredContent) > 0 {
			if value, err = decode(result.StructuredContent); err != nil {
				return err
			}
		}
		results = append(results, value)
	}
	if r.known[s.ID] = results; s.ForEach == nil {
		r.known[s.ID] = results[0]
	}
	return nil
}

// decode decodes JSON, and keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// selected returns the items that the step is about.
func (s *step) selected(list any) (items []any) {
	for _, each := range list.([]any) {
		if s.Limit > 0 && len(items) == s.Limit {
			break
		}
		if s.Where == nil || reflect.DeepEqual(lookup(each, s.Where.Pointer), s.Where.Equals) {
			items = append(items, each)
		}
	}
	return items
}

// take returns what a binding takes. The check of the plan has proved that it is there.
func (r *run) take(b *binding) any { return lookup(r.known[b.From], b.Pointer) }

// lookup returns what is at a JSON pointer in a value.
func lookup(v any, pointer string) any {
	for _, step := range split(pointer) {
		v = v.(map[string]any)[step]
	}
	return v
}

// fill returns arguments with values in the places of bindings.
func (r *run) fill(args any) any {
	switch v := args.(type) {
	case map[string]any:
		if b, _ := bindingOf(v); b != nil {
			return r.take(b)
		}
		filled := make(map[string]any, len(v))
		for name, arg := range v {
			filled[name] = r.fill(arg)
		}
		return filled
	case []any:
		filled := make([]any, len(v))
		for i, arg := range v {
			filled[i] = r.fill(arg)
		}
		return filled
	}
	return args
}

// callTool makes a call, and repeats it with the input that it asks for.
func (r *run) callTool(ctx context.Context, s *step, args any) (*mcp.CallToolResult, error) {
	raw, err := json.Marshal(args)
	p := mcp.CallToolRequestParams{Name: s.Tool, Arguments: raw}
	for round := 0; err == nil; round++ {
		key := fmt.Sprintf("call %d round %d", r.calls, round)
		raw, err = server.OnceValue(r.call, key, func() (json.RawMessage, error) {
			params, err := json.Marshal(&p)
			if err != nil {
				return nil, err
			}
			raw, err := r.call.Dispatch(ctx, mcp.MethodCallTool.Name, params)
			return json.RawMessage(raw), err
		})
		if err != nil {
			break
		}
		if r.bytes += len(raw); r.bytes > r.opts.Bytes {
			return nil, fmt.Errorf("want results of at most %d bytes in a plan, got %d", r.opts.Bytes, r.bytes)
		}
		var response mcp.CallToolResponse
		if response, err = mcp.UnmarshalCallToolResponse(raw); err != nil {
			break
		}
		switch response := response.(type) {
		case *mcp.InputRequiredResult:
			p.RequestState = response.RequestState
			p.InputResponses, err = r.answer(ctx, key, response.InputRequests)
		case *mcp.CallToolResult:
			if err := s.accept(ctx, response); err != nil {
				return nil, err
			}
			r.calls++
			r.call.Progress().Report(float64(r.calls), 0, s.ID)
			return response, nil
		default:
			return nil, errors.New("it has no result: it runs as a task; call it by itself")
		}
	}
	return nil, err
}

// answer asks the client for the input that a call asks for.
func (r *run) answer(ctx context.Context, key string, asked mcp.InputRequests) (responses mcp.InputResponses, missing error) {
	responses = mcp.InputResponses{}
	for name, request := range asked {
		from := r.call.WithKey(key + " " + name)
		var err error
		switch q := request.(type) {
		case *mcp.ElicitRequest:
			responses[name], err = from.Elicit(ctx, q.Params)
		case *mcp.CreateMessageRequest:
			responses[name], err = from.CreateMessage(ctx, &q.Params)
		case *mcp.ListRootsRequest:
			responses[name], err = from.ListRoots(ctx)
		default:
			err = errors.New("it asks for input that is not known here")
		}
		if err != nil && (missing == nil || !errors.Is(err, server.ErrInputRequired)) {
			missing = err
		}
	}
	return responses, missing
}

// accept returns an error if a tool has failed, or has not returned what its output schema says.
func (s *step) accept(ctx context.Context, r *mcp.CallToolResult) error {
	switch {
	case r.GetIsError():
		for _, block := range r.Content {
			if t, ok := block.(*mcp.TextContent); ok {
				return errors.New(excerpt.Cut(t.Text, 2000))
			}
		}
		return errors.New("it failed")
	case s.accepts == nil:
		return nil
	case len(r.StructuredContent) == 0:
		return errors.New("it returned no structured content, but has an output schema")
	}
	return placed("its result", s.accepts.Check(ctx, r.StructuredContent, 0))
}
