package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// Completers belong to the item whose argument they complete, and go with it. What a client may complete is what it may see:
// otherwise the suggestions would say what the lists hide. The scopes of a template depend on its variables; of those that
// have no value yet, nobody can say which scope they will need, so only the others are required.

// A Completer suggests values for an argument of a prompt or a variable of a template, the best first. Value is
// what has been typed so far. Settled holds the arguments that already have values; it is never nil. A Completer
// returns all that it has: the server sends the first 100 and says how many there are. Its suggestions are for all
// clients that can see the prompt or the template.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
type Completer func(ctx context.Context, c *Call, value string, settled map[string]string) ([]string, error)

// maxCompletions is how many values a result has at most.
const maxCompletions = mcp.MaxCompleteResultCompletionValues

// addCompleter adds a completer to the item with that key. What names the function in errors.
func (s *Server) addCompleter(what string, to *registry, key, argument string, f Completer) error {
	err := errors.New("a completer must have an argument and a function")
	if argument != "" && f != nil {
		err = to.complete(key, argument, f)
	}
	if err != nil {
		return fmt.Errorf("server: %s: %s %q: %w", what, to.name, key, err)
	}
	s.completes.Store(true)
	s.tell(Change{}) // clients need not know; see Endpoint.OnChange for who does
	return nil
}

// CompletePrompt makes the server suggest values for an argument of a prompt that it offers. It is an error if
// there is a completer for it already.
func (s *Server) CompletePrompt(prompt, argument string, f Completer) error {
	return s.addCompleter("CompletePrompt", &s.prompts, prompt, argument, f)
}

// CompleteTemplate makes the server suggest values for a variable of a resource template that it offers. It is an
// error if there is a completer for it already.
func (s *Server) CompleteTemplate(uriTemplate, variable string, f Completer) error {
	return s.addCompleter("CompleteTemplate", &s.templates, uriTemplate, variable, f)
}

// Complete handles completion/complete.
//
// REQ COMP-03
func (b builtin) Complete(ctx context.Context, p *mcp.CompleteRequestParams) (*mcp.CompleteResult, error) {
	c := b.call
	complete, scopes, err := c.server.completerFor(ctx, c, p)
	// Scopes first: who lacks them does not learn which arguments there are.
	if err := cmp.Or(c.Require(scopes), err); err != nil {
		return nil, err
	}
	var values []string
	if complete != nil {
		settled := option.Of(p.Context).Arguments
		if settled == nil {
			settled = map[string]string{}
		}
		if values, err = complete(ctx, c, p.Argument.Value, settled); err != nil {
			return nil, err
		}
	}
	r := &mcp.CompleteResult{}
	r.Completion.Total = new(int64(len(values)))
	r.Completion.HasMore = new(len(values) > maxCompletions)
	r.Completion.Values = values[:min(len(values), maxCompletions)]
	return r, nil
}

// completerFor returns the completer for a reference and an argument, nil if there is none, and the scopes that completing it
// requires: those of the prompt, or of the template with the values that its variables already have.
func (s *Server) completerFor(ctx context.Context, c *Call, p *mcp.CompleteRequestParams) (_ Completer, scopes []string, err error) {
	argument := p.Argument.Name
	switch ref := p.Ref.(type) {
	case *mcp.PromptReference:
		prompt, show, _ := find[*prompt](ctx, c, &s.prompts, ref.Name)
		if prompt == nil || !show || !prompt.gate.admitsCaller(c) {
			return nil, nil, unknown("prompt", ref.Name)
		}
		if !slices.ContainsFunc(prompt.def.Arguments, func(a mcp.PromptArgument) bool { return a.Name == argument }) {
			return nil, prompt.Access.Scopes, unknown("argument of prompt "+excerpt.Of(ref.Name), argument)
		}
		return prompt.given.completer(argument), prompt.Access.Scopes, nil
	case *mcp.ResourceTemplateReference:
		if t, show, _ := find[*template](ctx, c, &s.templates, ref.URI); t != nil && show && t.gate.admitsCaller(c) {
			return t.given.completer(argument), t.requires(option.Of(p.Context).Arguments, true), nil
		}
		if r, show, _ := find[*resource](ctx, c, &s.resources, ref.URI); r != nil && show && r.gate.admitsCaller(c) {
			return nil, r.Access.Scopes, nil // has nothing to complete
		}
		return nil, nil, unknown("resource template", ref.URI)
	}
	return nil, nil, jsonrpcError(codeInvalidParams, "ref: want type ref/prompt or ref/resource", nil)
}
