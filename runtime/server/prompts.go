package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A prompt is chosen by a person, who fills in its arguments; so what is wrong is an error of the protocol, which the client
// shows, and not a result that a model reads.

// A PromptHandler returns the messages of a prompt. Args has every argument that the prompt requires. An
// error becomes an error response.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/prompts
type PromptHandler func(ctx context.Context, c *Call, args map[string]string) (*mcp.GetPromptResult, error)

// A prompt is a prompt of the server. It is immutable.
type prompt struct {
	item
	def *mcp.Prompt
	run PromptHandler
}

// AddPrompt offers a prompt to everyone. It is an error if there is a prompt with that name already.
func (s *Server) AddPrompt(p mcp.Prompt, h PromptHandler) error {
	return s.setItems("AddPrompt", nil, Item{Definition: &p, Handler: h})
}

// newPrompt returns a prompt with its definition as [Options].Define changes it.
func (s *Server) newPrompt(given *offer) (kind, error) {
	p := *given.Definition.(*mcp.Prompt)
	h, ok := given.Handler.(PromptHandler)
	if !ok {
		h, _ = given.Handler.(func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error))
	}
	err := s.define(&p, &p.Name)
	switch {
	case p.Name == "":
		return nil, errors.New("the prompt has no name")
	case h == nil:
		return nil, fmt.Errorf("prompt %q %s", p.Name, given.noHandler(h))
	}
	i, invalid := s.newItem(given, p.Name, &p, nil)
	if err := cmp.Or(err, valid.Icons(p.Icons), invalid); err != nil {
		return nil, fmt.Errorf("prompt %q: %w", p.Name, err)
	}
	return &prompt{item: i, def: &p, run: h}, nil
}

// RemovePrompts removes prompts. It ignores unknown names.
func (s *Server) RemovePrompts(names ...string) { s.remove(&s.prompts, names) }

// listPrompts handles prompts/list.
func (s *Server) listPrompts(ctx context.Context, c *Call) (wire.Encodable, error) {
	return list(ctx, c, &mcp.MethodListPrompts, &s.prompts, s.opts.Cache.Prompts, func(l listed[*prompt]) wire.Encodable {
		r := &mcp.ListPromptsResult{Meta: c.resultMeta(), NextCursor: l.next, TTLMs: l.ttl, CacheScope: l.scope, Prompts: make([]mcp.Prompt, len(l.items))}
		for i, p := range l.items {
			r.Prompts[i] = *p.def
		}
		return r
	})
}

// GetPrompt handles prompts/get. The order of what can refuse the request is that of tools/call; but a prompt is for a person,
// so all that is wrong is an error of the protocol.
func (b builtin) GetPrompt(ctx context.Context, p *mcp.GetPromptRequestParams) (mcp.GetPromptResponse, error) {
	c := b.call
	s := c.server
	prompt, _, refused := find[*prompt](ctx, c, &s.prompts, p.Name)
	if prompt == nil {
		return nil, unknown("prompt", p.Name)
	}
	if err := cmp.Or(c.Require(prompt.Access.Scopes), refused, prompt.gate.refusal(c, "prompt", p.Name)); err != nil {
		return nil, err
	}
	for _, a := range prompt.def.Arguments {
		if _, ok := p.Arguments[a.Name]; a.Required != nil && *a.Required && !ok {
			return nil, jsonrpcError(codeInvalidParams, fmt.Sprintf("prompt %q requires the argument %q", p.Name, a.Name), nil)
		}
	}
	// What the retry has to repeat, without what it adds.
	salient, err := wire.Marshal(wire.Any, &mcp.GetPromptRequestParams{Name: p.Name, Arguments: p.Arguments})
	if err != nil {
		return nil, err
	}
	if err := c.beginInput(ctx, p.InputResponses, p.RequestState, p.Name, salient); err != nil {
		return nil, err
	}
	r, err := prompt.run(ctx, c, p.Arguments)
	switch required, askErr := c.endInput(ctx, err); {
	case askErr != nil:
		return nil, askErr
	case required != nil:
		return required, nil
	case err != nil:
		return nil, err
	}
	return s.degradePrompt(ctx, c.rev, cmp.Or(r, &mcp.GetPromptResult{})), nil
}
