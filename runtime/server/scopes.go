package server

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tools, prompts, resources and templates may require scopes, which a request must have before anything else sees it: before
// middleware, and over HTTP before the response begins, since only then can its status be 403 and say which scopes to ask for.
// So the scopes of a request are determined from its params alone, and a second time when the item is looked up for use.
//
// Over a network, a sender whom nobody has verified has no scopes. A program at the other end of a pipe is trusted, as the
// one who started it is, unless [Options].Identity knows better.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization

// checkScopes checks the scopes of an item. Variables are the names that a scope may contain in braces. A variable that the
// template does not have would never get a value, and the scope could never be had.
func checkScopes(scopes, variables []string) error {
	for _, scope := range scopes {
		if scope == "" {
			return errors.New("a scope must not be empty")
		}
		for i := range len(scope) {
			// As in RFC 6749, section 3.3.
			if c := scope[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
				return fmt.Errorf("scope %q: want visible ASCII without quotes and backslashes, got %q", scope, c)
			}
		}
		for rest := scope; strings.ContainsAny(rest, "{}"); {
			before, name, after, ok := cutVariable(rest) // a } in before closes nothing
			if !ok || strings.Contains(before, "}") || !slices.Contains(variables, name) {
				return fmt.Errorf("scope %q: what is in braces must be a variable of the URI template", scope)
			}
			rest = after
		}
	}
	return nil
}

// cutVariable cuts s around the first name in braces.
func cutVariable(s string) (before, name, after string, ok bool) {
	before, rest, ok := strings.Cut(s, "{")
	if !ok {
		return s, "", "", false
	}
	name, after, ok = strings.Cut(rest, "}")
	return before, name, after, ok
}

// templateVariables returns the names of the variables of a URI template, which are in expressions of RFC 6570, section 2.2, without
// their operators and modifiers.
func templateVariables(template string) (names []string) {
	for {
		_, expression, rest, ok := cutVariable(template)
		if !ok {
			return names
		}
		for name := range strings.SplitSeq(strings.TrimLeft(expression, "+#./;?&"), ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			names = append(names, name)
		}
		template = rest
	}
}

// expandScope replaces the variables of a scope with their values, and reports whether all have one. Bytes other than
// letters, digits and "-._~" are escaped as in URIs, so that different values never give the same scope, and no value
// changes the meaning of the text around it.
func expandScope(scope string, vars map[string]string) (expanded string, complete bool) {
	var b strings.Builder
	complete = true
	for {
		before, name, after, ok := cutVariable(scope)
		b.WriteString(before)
		if !ok {
			return b.String(), complete
		}
		value, known := vars[name]
		complete = complete && known
		// QueryEscape leaves exactly those characters as they are, but writes a blank as +.
		b.WriteString(strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
		scope = after
	}
}

// requires returns the scopes that the resource with these variables requires. For completing, when some variables have no values
// yet, only those are settled whose variables all have one.
func (t *template) requires(vars map[string]string, settled bool) (scopes []string) {
	for _, scope := range t.Access.Scopes {
		if expanded, complete := expandScope(scope, vars); complete || !settled {
			scopes = append(scopes, expanded)
		}
	}
	return scopes
}

// missing returns the scopes that the sender lacks. An identity that has ended lacks all, and so does a sender over a network whom
// nobody has verified.
func (c *Call) missing(scopes []string) []string {
	switch id := c.req.Identity; {
	case len(scopes) == 0:
		return nil
	case id == nil && (c.req.Address != "" || c.req.Header != nil):
		return scopes
	case id == nil:
		return nil
	case hasEnded(id):
		return scopes
	default:
		return id.Missing(scopes)
	}
}

// Require returns a *[transport.ScopeError] if the sender lacks some of the scopes. Those of an item were checked before
// middleware ran, and are checked again when it is looked up for use, since it may be another item by then.
func (c *Call) Require(scopes []string) error {
	if missing := c.missing(scopes); len(missing) > 0 {
		return &transport.ScopeError{Scopes: scopes, Missing: missing}
	}
	return nil
}

// hasEnded reports whether an identity is no longer valid.
func hasEnded(id transport.Identity) bool {
	at := id.Expires()
	return !at.IsZero() && !time.Now().Before(at)
}

// authorize returns the scopes that a request requires, and an error if its sender lacks some of them.
//
// REQ AUTH11-14, AUTH26-09
func (s *Server) authorize(ctx context.Context, c *Call) ([]string, error) {
	scopes, refused := s.required(ctx, c)
	if refused == nil {
		return scopes, c.Require(scopes)
	}
	// One error for both, so that the client can ask for all of them at once.
	e := &transport.ScopeError{Scopes: slices.Concat(scopes, refused.Scopes), Missing: slices.Concat(c.missing(scopes), refused.Missing)}
	return e.Scopes, e
}

// required returns the scopes that a request requires, and the error of a filter that requires others, nil if there is none. It is
// nothing for a request that needs nothing, or that will fail for another reason: as if the item that it names did not exist, if the
// sender cannot see that.
func (s *Server) required(ctx context.Context, c *Call) (scopes []string, refused *transport.ScopeError) {
	params := c.req.Params
	switch c.req.Method {
	case mcp.MethodCallTool.Name:
		if t, _, err := find[*tool](ctx, c, &s.tools, params.StringAt("name")); t != nil && t.gate.admitsCaller(c) {
			return t.Access.Scopes, scopeError(err)
		}
	case mcp.MethodGetPrompt.Name:
		if p, _, err := find[*prompt](ctx, c, &s.prompts, params.StringAt("name")); p != nil && p.gate.admitsCaller(c) {
			return p.Access.Scopes, scopeError(err)
		}
	case mcp.MethodReadResource.Name, mcp.MethodSubscribe.Name:
		read, err := s.reader(ctx, c, params.StringAt("uri"))
		return read.scopes, scopeError(err)
	case mcp.MethodComplete.Name:
		var p mcp.CompleteRequestParams
		if wire.DecodeAlias(params, &p) != nil { // the dispatcher will refuse it
			return nil, nil
		}
		_, scopes, err := s.completerFor(ctx, c, &p)
		return scopes, scopeError(err)
	case mcp.MethodSubscriptionsListen.Name:
		return s.requiredToListen(ctx, c), nil
	}
	if m := s.methods.request(c.req.Method, c.rev); m != nil && m.extension.Scopes != nil {
		return m.extension.Scopes(ctx, c), nil
	}
	return nil, nil
}

// mayRequire reports whether requests of a method may require scopes. It costs less than to find out which, and most servers have
// none.
func (s *Server) mayRequire(method string) bool { return s.scoped.Load() || s.methods.requires(method) }

// maxListenScopes is how many scopes a subscription may be refused for, since the response names them all. What
// requires further scopes is left out of the subscription if the sender lacks them.
const maxListenScopes = 100

// requiredToListen returns what a subscription requires: the scopes of all resources that it names, and of what it asks extensions for. What a
// filter refuses is left out of the subscription.
func (s *Server) requiredToListen(ctx context.Context, c *Call) (scopes []string) {
	var p mcp.SubscriptionsListenRequestParams
	if wire.DecodeAlias(c.req.Params, &p) != nil { // the dispatcher will refuse it
		return scopes
	}
	add := func(more []string) {
		for _, scope := range more {
			if len(scopes) < maxListenScopes && !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	if s.offers(mcp.ServerCapabilityResourcesSubscribe) {
		for _, uri := range p.Notifications.ResourceSubscriptions {
			if len(scopes) == maxListenScopes {
				break
			}
			read, _ := s.reader(ctx, c, uri)
			add(read.scopes)
		}
	}
	if p.Notifications.Extra != nil {
		for e := range s.methods.in(c.rev) {
			if e.Listen != nil && e.Scopes != nil {
				add(e.Scopes(ctx, c))
			}
		}
	}
	return scopes
}
