package authclient

// The metadata of the resource names its authorization servers, and the metadata of one of those its endpoints. Each
// must say that it is about what it was asked for. Where a resource has none, it is of 2025-03-26, and the origin of
// the endpoint is the authorization server. The Transport keeps what was found last.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery, RFC
// 9728, RFC 8414, and https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization.

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// An authServer is an authorization server, and the resource that it protects.
type authServer struct {
	issuer   string
	meta     *auth.AuthorizationServerMetadata
	guessed  bool     // there is no metadata; the endpoints are the default ones of 2025-03-26
	resource string   // what tokens are for
	metadata string   // where the server said that the metadata of the resource is, if it did
	scopes   []string // of the resource's metadata
	dpop     bool     // tokens have to be bound to a key
}

// firstRevision is the revision with authorization servers at the origin of the endpoint, without metadata of the
// resource.
const firstRevision = mcp.V2025_03_26

// serverFor returns the authorization server for the endpoint. A silent renewal uses the one found last; otherwise
// it is discovered again, since it may have changed.
func (t *Transport) serverFor(ctx context.Context, d demand) (*authServer, error) {
	t.mu.Lock()
	s := t.server
	t.mu.Unlock()
	if d.silent && s != nil {
		return s, nil
	}
	s, err := t.discover(ctx, d)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.server = s
	t.mu.Unlock()
	return s, nil
}

// discover finds the authorization server that the resource names, or without metadata of the resource that of 2025-03-26.
//
// REQ AUTH06-05
func (t *Transport) discover(ctx context.Context, d demand) (*authServer, error) {
	m, err := t.resourceMetadata(ctx, d.metadata)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return t.originServer(ctx, d)
	}
	resource, err := t.resourceOf(m)
	if err != nil {
		return nil, err
	}
	issuer, err := t.choose(m.AuthorizationServers)
	if err != nil {
		return nil, err
	}
	meta, err := auth.FetchServerMetadata(ctx, t.fetch, issuer)
	if err != nil {
		return nil, fmt.Errorf("authclient: %s: %w", t.endpoint, err)
	}
	return &authServer{
		issuer: issuer, meta: meta, metadata: d.metadata, scopes: m.ScopesSupported,
		resource: resource,
		dpop:     d.dpop || m.DPoPBoundAccessTokensRequired,
	}, nil
}

// resourceMetadata returns the metadata of the endpoint: from the URL that the challenge names, or else from the
// well-known URLs of the endpoint's path and of its origin. It returns nil if there is none.
//
// REQ AUTH11-02
func (t *Transport) resourceMetadata(ctx context.Context, named string) (*auth.ProtectedResourceMetadata, error) {
	if named != "" {
		m := new(auth.ProtectedResourceMetadata)
		if _, err := fetch.Get(ctx, t.fetch, named, nil, m); err != nil {
			return nil, fmt.Errorf("authclient: the metadata that the challenge of %s names: %w", t.endpoint, err)
		}
		return m, nil
	}
	urls, err := auth.ResourceMetadataURLs(t.endpoint.String())
	if err != nil {
		return nil, err
	}
	for _, at := range urls {
		m := new(auth.ProtectedResourceMetadata)
		found, err := fetch.Try(ctx, t.fetch, at, nil, m)
		if err != nil {
			return nil, fmt.Errorf("authclient: the metadata of %s: %w", t.endpoint, err)
		}
		if found {
			return m, nil
		}
	}
	return nil, nil
}

// resourceOf returns the resource that the metadata is about, which must be the endpoint or what it is part of.
//
// REQ AUTH06-05
func (t *Transport) resourceOf(m *auth.ProtectedResourceMetadata) (string, error) {
	r, err := url.Parse(m.Resource)
	if err == nil && m.Resource != "" && r.Fragment == "" && r.User == nil && web.SameOrigin(r, t.endpoint) &&
		within(t.endpoint.EscapedPath(), r.EscapedPath()) {
		// The authorization server knows the resource by this very string.
		return m.Resource, nil
	}
	return "", fmt.Errorf("authclient: the metadata of %s is about the resource %q", t.endpoint, excerpt.Of(m.Resource))
}

// within reports whether a path is another, or below it.
func within(path, parent string) bool {
	parent = strings.TrimSuffix(parent, "/")
	rest, ok := strings.CutPrefix(path, parent)
	return ok && (rest == "" || rest[0] == '/')
}

// choose returns one of the authorization servers that a resource names: one that the client has credentials for, or else the
// one that it has a token of, or else the first.
func (t *Transport) choose(issuers []string) (string, error) {
	switch {
	case len(issuers) == 0:
		return "", fmt.Errorf("authclient: the metadata of %s names no authorization server", t.endpoint)
	case len(issuers) == 1:
		return issuers[0], nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.opts.Clients {
		if slices.Contains(issuers, c.Issuer) {
			return c.Issuer, nil
		}
	}
	if t.token != nil && slices.Contains(issuers, t.token.Issuer) {
		return t.token.Issuer, nil // the order may change
	}
	return issuers[0], nil
}

// originServer returns the authorization server of revision 2025-03-26: the origin of the endpoint itself, with the
// default endpoints if it has no metadata.
func (t *Transport) originServer(ctx context.Context, d demand) (*authServer, error) {
	base := t.endpoint.Scheme + "://" + t.endpoint.Host
	s := &authServer{issuer: base, resource: t.endpoint.String(), dpop: d.dpop}
	m := new(auth.AuthorizationServerMetadata)
	found, err := fetch.Try(ctx, t.fetch, base+"/.well-known/oauth-authorization-server", http.Header{mcpheader.ProtocolVersion: {firstRevision.String()}}, m)
	switch {
	case err != nil:
		return nil, fmt.Errorf("authclient: the metadata of the authorization server at %s: %w", base, err)
	case found && strings.TrimSuffix(m.Issuer, "/") != base:
		return nil, fmt.Errorf("authclient: the metadata of the authorization server at %s is that of the issuer %q",
			base, excerpt.Of(m.Issuer))
	case found:
		s.meta, s.issuer = m, m.Issuer
	default:
		s.guessed = true
		s.meta = &auth.AuthorizationServerMetadata{
			Issuer: base, AuthorizationEndpoint: base + "/authorize", TokenEndpoint: base + "/token",
			RegistrationEndpoint: base + "/register",
		}
	}
	return s, nil
}
