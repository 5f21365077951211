package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
)

// Discover handles server/discover.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/discover
func (b builtin) Discover(context.Context, *mcp.RequestParams) (*mcp.DiscoverResult, error) {
	s := b.call.server
	ttl, scope := s.opts.Cache.Discover.members()
	// REQ STATE-06
	return &mcp.DiscoverResult{
		Meta:              s.meta,
		TTLMs:             *ttl,
		CacheScope:        scope,
		SupportedVersions: s.modernNames(),
		Capabilities:      s.capabilities(b.call, true),
		Instructions:      s.opts.Instructions,
	}, nil
}

// named returns the server's name and version for the metadata of a result, or nil if [Options.Anonymous] is set.
func (s *Server) named() *mcp.Implementation {
	if s.meta == nil {
		return nil
	}
	return s.meta.ServerInfo
}
