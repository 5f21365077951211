package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// A Completer suggests values for an argument of a prompt or a variable of a template, the best first. Value is
// what has been typed so far. Settled holds the arguments that already have values; it is never nil. A Completer
// returns all that it has: the server sends the first 100 and says how many there are. Its suggestions are for all
// clients that can see the prompt or the template.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion
type Completer func(ctx context.Context, c *Call, value string, settled map[string]string) ([]string, error)

// maxCompletions is how many values a result has at most.
const maxCompletions = mcp.MaxCompleteResultCompletionValues

// Completers are kept beside prompts and templates and not in them, so that they can be added in any order. A request for
// completions is refused where one for the prompt or the template would be.

// A completerKey names the argument of a prompt, or the variable of a template.
type completerKey struct{ kind, name, argument string }

// A completer is a Completer, and the source of [Server.SetItems] that has brought it, nil if none has.
type completer struct {
	complete Completer
	source   any
}

// completers holds the completers of prompts and templates, which may be there before these are.
type completers struct {
	mu sync.RWMutex
	by map[completerKey]completer
}

// get returns a completer, nil if there is none.
func (s *completers) get(k completerKey) Completer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by[k].complete
}

// offered reports whether there is or was a completer.
func (s *completers) offered() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.by != nil
}

// add adds a completer. It is an error if there is one already.
func (s *completers) add(k completerKey, f Completer) error {
	if k.name == "" || k.argument == "" || f == nil {
		return fmt.Errorf("server: a completer must have a %s, an argument and a function", k.kind)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(k, completer{complete: f})
}

// put adds a completer for a caller that holds mu.
func (s *completers) put(k completerKey, c completer) error {
	if s.by == nil {
		s.by = make(map[completerKey]completer)
	}
	if s.by[k].complete != nil {
		return fmt.Errorf("server: the argument %q of %s %q has a completer already", k.argument, k.kind, k.name)
	}
	s.by[k] = c
	return nil
}

// of returns the completers of a prompt or a template, by the names of their arguments.
func (s *completers) of(kind, name string) (all map[string]Completer) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for k, c := range s.by {
		if k.kind == kind && k.name == name {
			if all == nil {
				all = make(map[string]Completer)
			}
			all[k.argument] = c.complete
		}
	}
	return all
}

// exchange replaces the completers of a source. The error is about those that there are already.
func (s *completers) exchange(source any, items []*Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.by, func(_ completerKey, c completer) bool { return c.source == source })
	var left []error
	for _, i := range items {
		kind, name := i.named()
		for argument, f := range i.Completers {
			left = append(left, s.put(completerKey{kind, name, argument}, completer{f, source}))
		}
	}
	return errors.Join(left...)
}

// CompletePrompt makes the server suggest values for an argument of a prompt. It is an error if
// there is a completer for it already.
func (s *Server) CompletePrompt(prompt, argument string, f Completer) error {
	defer s.tell(Change{})
	return s.completers.add(completerKey{"prompt", prompt, argument}, f)
}

// CompleteTemplate makes the server suggest values for a variable of a resource template. It is an
// error if there is a completer for it already.
func (s *Server) CompleteTemplate(uriTemplate, variable string, f Completer) error {
	defer s.tell(Change{})
	return s.completers.add(completerKey{"template", uriTemplate, variable}, f)
}

// Complete handles completion/complete.
//
// REQ COMP-03
func (b builtin) Complete(ctx context.Context, p *mcp.CompleteRequestParams) (*mcp.CompleteResult, error) {
	c := b.call
	k, scopes, err := c.server.completerFor(ctx, c, p)
	if err := cmp.Or(c.Require(scopes), err); err != nil {
		return nil, err
	}
	var values []string
	if complete := c.server.completers.get(k); complete != nil {
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

// completerFor returns the key of the completer for a reference and an argument, and the scopes that completing it
// requires: those of the prompt, or of the template with the values that its variables already have.
func (s *Server) completerFor(ctx context.Context, c *Call, p *mcp.CompleteRequestParams) (k completerKey, scopes []string, err error) {
	argument := p.Argument.Name
	switch ref := p.Ref.(type) {
	case *mcp.PromptReference:
		prompt := s.prompts.get(ref.Name)
		if prompt == nil || !prompt.canSee(ctx, c) {
			return k, nil, unknown("prompt", ref.Name)
		}
		if !slices.ContainsFunc(prompt.def.Arguments, func(a mcp.PromptArgument) bool { return a.Name == argument }) {
			return k, prompt.Access.Scopes, unknown("argument of prompt "+excerpt.Of(ref.Name), argument)
		}
		return completerKey{"prompt", ref.Name, argument}, prompt.Access.Scopes, nil
	case *mcp.ResourceTemplateReference:
		if t := s.templates.get(ref.URI); t != nil && t.canSee(ctx, c) {
			return completerKey{"template", ref.URI, argument}, t.settledScopes(option.Of(p.Context).Arguments), nil
		}
		if r := s.resources.get(ref.URI); r != nil && r.canSee(ctx, c) {
			return completerKey{"template", ref.URI, argument}, r.Access.Scopes, nil // has nothing to complete
		}
		return k, nil, unknown("resource template", ref.URI)
	}
	return k, nil, jsonrpcError(codeInvalidParams, "ref: want type ref/prompt or ref/resource", nil)
}
