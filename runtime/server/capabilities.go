package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// What the server declares follows from what the program has registered, so that there is nothing to keep in step. A capability
// stays declared when the last item has gone: a client that has seen it may go on requesting the list, which is empty then.

// declares reports whether the server declares a capability: because something of the feature is or was registered, or because the
// options say so. Own reports whether it is one whose methods the server itself handles. The empty one is that of methods that
// need none, such as ping; what the protocol has beside these is free for extensions.
func (s *Server) declares(capability string) (declared, own bool) {
	o := &s.opts
	switch capability {
	case "":
		return true, true
	case mcp.ServerCapabilityTools:
		return o.Capabilities.Tools != nil || s.tools.offered(), true
	case mcp.ServerCapabilityPrompts:
		return o.Capabilities.Prompts != nil || s.prompts.offered(), true
	case mcp.ServerCapabilityResources:
		return o.Capabilities.Resources != nil || o.OnSubscribe != nil || s.resources.offered() || s.templates.offered(), true
	case mcp.ServerCapabilityResourcesSubscribe:
		return o.OnSubscribe != nil || o.Capabilities.Resources.GetSubscribe(), true
	case mcp.ServerCapabilityCompletions:
		return o.Capabilities.Completions != nil || s.completes.Load(), true
	case mcp.ServerCapabilityLogging:
		return o.Logging || o.Capabilities.Logging != nil, true
	}
	return false, false
}

// offers reports whether the server declares a capability.
func (s *Server) offers(capability string) bool {
	declared, _ := s.declares(capability)
	return declared
}

// capabilities returns what the server declares to the caller of c. Without a session nothing can be sent to the
// client on its own, so no notifications are declared. What the revision does not have is left out by the
// encoder.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle.
//
// REQ CAP-06, TOOL-01, PRM-01, RES-01, COMP-01, LOG-01, EXT-01
func (s *Server) capabilities(c *Call, notifies bool) mcp.ServerCapabilities {
	caps := s.opts.Capabilities
	// What the options point to is copied before it is changed.
	if s.offers(mcp.ServerCapabilityTools) {
		tools := option.Of(caps.Tools)
		tools.ListChanged = trueOrNil(notifies)
		caps.Tools = &tools
	}
	if s.offers(mcp.ServerCapabilityPrompts) {
		prompts := option.Of(caps.Prompts)
		prompts.ListChanged = trueOrNil(notifies)
		caps.Prompts = &prompts
	}
	if s.offers(mcp.ServerCapabilityResources) {
		resources := option.Of(caps.Resources)
		resources.ListChanged = trueOrNil(notifies)
		resources.Subscribe = trueOrNil(notifies && s.offers(mcp.ServerCapabilityResourcesSubscribe))
		caps.Resources = &resources
	}
	if s.offers(mcp.ServerCapabilityCompletions) && caps.Completions == nil {
		caps.Completions = mcp.JSONObject{}
	}
	if s.offers(mcp.ServerCapabilityLogging) && caps.Logging == nil {
		caps.Logging = mcp.JSONObject{}
	}
	s.methods.declare(c, &caps)
	return caps
}

// Discover handles server/discover.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/discover
//
// REQ STATE-06
func (b builtin) Discover(context.Context, *mcp.RequestParams) (*mcp.DiscoverResult, error) {
	s := b.call.server
	ttl, scope := s.opts.Cache.Discover.members()
	return &mcp.DiscoverResult{
		Meta:              s.meta,
		TTLMs:             *ttl,
		CacheScope:        scope,
		SupportedVersions: s.modernNames(),
		Capabilities:      s.capabilities(b.call, true), // subscriptions/listen needs no session
		Instructions:      s.opts.Instructions,
	}, nil
}

// trueOrNil returns true, or nil for false.
func trueOrNil(v bool) *bool {
	if v {
		return &v
	}
	return nil
}
