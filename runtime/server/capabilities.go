package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// What the server declares follows from what the program has registered, so that there is nothing to keep in step. A capability
// stays declared when the last item has gone: a client that has seen it may go on requesting the list, which is empty then.

// The functions offersX report whether a feature is declared: because something of the feature is or was
// registered, or because the options say so.

func (s *Server) offersTools() bool {
	return s.opts.Capabilities.Tools != nil || s.tools.offered()
}

func (s *Server) offersPrompts() bool {
	return s.opts.Capabilities.Prompts != nil || s.prompts.offered()
}

func (s *Server) offersResources() bool {
	return s.opts.Capabilities.Resources != nil || s.opts.OnSubscribe != nil ||
		s.resources.offered() || s.templates.offered()
}

func (s *Server) offersSubscriptions() bool {
	return s.opts.OnSubscribe != nil || s.opts.Capabilities.Resources.GetSubscribe()
}

func (s *Server) offersCompletions() bool {
	return s.opts.Capabilities.Completions != nil || s.completes.Load()
}

func (s *Server) offersLogging() bool {
	return s.opts.Logging || s.opts.Capabilities.Logging != nil
}

// offers reports whether the server itself implements a method, and declares the capability that covers it. What the
// protocol has beside these capabilities is free for extensions.
//
// REQ JRPC-19
func (s *Server) offers(method string) bool {
	m := mcp.ServerMethod(method)
	if m == nil { // the dispatcher will not know it
		return true
	}
	switch m.ServerCapability {
	case mcp.ServerCapabilityTools:
		return s.offersTools()
	case mcp.ServerCapabilityPrompts:
		return s.offersPrompts()
	case mcp.ServerCapabilityResources:
		return s.offersResources()
	case mcp.ServerCapabilityResourcesSubscribe:
		return s.offersSubscriptions()
	case mcp.ServerCapabilityCompletions:
		return s.offersCompletions()
	case mcp.ServerCapabilityLogging:
		return s.offersLogging()
	}
	return m.ServerCapability == ""
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
	if s.offersTools() {
		tools := option.Of(caps.Tools)
		tools.ListChanged = trueOrNil(notifies)
		caps.Tools = &tools
	}
	if s.offersPrompts() {
		prompts := option.Of(caps.Prompts)
		prompts.ListChanged = trueOrNil(notifies)
		caps.Prompts = &prompts
	}
	if s.offersResources() {
		resources := option.Of(caps.Resources)
		resources.ListChanged = trueOrNil(notifies)
		resources.Subscribe = trueOrNil(notifies && s.offersSubscriptions())
		caps.Resources = &resources
	}
	if s.offersCompletions() && caps.Completions == nil {
		caps.Completions = mcp.JSONObject{}
	}
	if s.offersLogging() && caps.Logging == nil {
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
