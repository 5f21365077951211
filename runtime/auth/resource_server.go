package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Options configures a [ResourceServer].
type Options struct {
	// Resource is the URI of the MCP endpoint as clients know it: "https://example.com/mcp". It is the audience of
	// tokens: RFC 8707 section 2.
	Resource string

	// AuthorizationServers are the issuers whose tokens this server accepts: at least one. Each is a URI without
	// a query and a fragment.
	AuthorizationServers []string

	// Verifier verifies the tokens. The default is a [JWTVerifier] for tokens of AuthorizationServers with one of
	// Audiences.
	Verifier Verifier

	// Audiences are the names of this resource in tokens. The default is Resource. A token that is for none
	// of them is refused, whatever the Verifier says.
	Audiences []string

	// RequiredScopes are the scopes that every request needs. Tools, prompts and resources may require more. The
	// challenge to a request without a token names them.
	RequiredScopes []string

	// ScopesSupported are the scopes that a client should request at first: as few as are useful. The default is
	// RequiredScopes. See
	// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
	ScopesSupported []string

	// Covers reports whether a granted scope includes a wanted one: "files" may cover "files:read". A scope
	// always covers itself.
	Covers func(granted, wanted string) bool

	// AllowAnonymous accepts requests without a token. What requires scopes still needs a token.
	AllowAnonymous bool

	// Proofs verifies that the senders of tokens that are bound to keys have the keys: package dpop. If nil, such
	// tokens are refused.
	Proofs Proofs

	// Name is the name of the resource, for users: RFC 9728 section 2.
	Name string

	// Logger receives failures, and which requests lacked which scopes. The default is [slog.Default].
	Logger *slog.Logger
}

// A ResourceServer verifies the access tokens of requests, and refuses requests that lack a token or scopes. It is the
// option Auth of the HTTP handlers.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
type ResourceServer struct {
	opts        Options
	metadata    []byte   // JSON
	paths       []string // of the metadata, as patterns of a mux
	metadataURL string
	origin      string   // of the resource
	challenged  []string // the scopes in challenges to requests without a valid token
	log         *slog.Logger
	failures    share.Few // tokens that cannot be verified, in the log
}

// NewResourceServer returns a resource server. Nothing is fetched before the first token.
func NewResourceServer(opts *Options) (*ResourceServer, error) {
	s := &ResourceServer{opts: option.Of(opts)}
	o := &s.opts
	u, err := parseURI(o.Resource)
	if err != nil {
		return nil, fmt.Errorf("auth: Options.Resource: %w", err)
	}
	o.Resource, s.origin, s.log = u.String(), u.Scheme+"://"+u.Host, excerpt.Logger(o.Logger)
	if o.Audiences == nil {
		o.Audiences = []string{o.Resource}
	}
	if o.Audiences, err = audiences(o.Audiences); err != nil {
		return nil, fmt.Errorf("auth: Options.Audiences: %w", err)
	}
	if err := s.completeServers(); err != nil {
		return nil, err
	}
	if err := s.completeScopes(); err != nil {
		return nil, err
	}
	return s, s.completeMetadata()
}

// completeServers checks the authorization servers, and sets the default verifier. The issuers stay as they were written, since
// the claim iss must have the same characters: RFC 8414 section 3.3.
func (s *ResourceServer) completeServers() error {
	o := &s.opts
	if len(o.AuthorizationServers) == 0 {
		return errors.New("auth: Options.AuthorizationServers: want at least one")
	}
	for _, issuer := range o.AuthorizationServers {
		if _, err := parseURI(issuer); err != nil {
			return fmt.Errorf("auth: Options.AuthorizationServers: %w", err)
		}
	}
	if o.Verifier != nil {
		return nil
	}
	v, err := NewJWTVerifier(&JWTOptions{Issuers: o.AuthorizationServers, Audiences: o.Audiences})
	o.Verifier = v
	return err
}

// completeScopes checks the scopes, and decides which a client without a token is told to start with: those that every request
// needs, or else those in the metadata.
func (s *ResourceServer) completeScopes() error {
	o := &s.opts
	if o.ScopesSupported == nil {
		o.ScopesSupported = o.RequiredScopes
	}
	for _, scope := range slices.Concat(o.RequiredScopes, o.ScopesSupported) {
		if !oauth.IsScope(scope) {
			return fmt.Errorf("auth: Options: the scope %q: want visible ASCII characters without quotes and backslashes", scope)
		}
	}
	o.ScopesSupported = resourceScopes(o.ScopesSupported)
	s.challenged = o.RequiredScopes
	if len(s.challenged) == 0 {
		s.challenged = o.ScopesSupported
	}
	return nil
}

// completeMetadata encodes the metadata, and the paths at which a mux serves it: below the well-known path there is that of the
// resource, and for clients that do not know it the root.
func (s *ResourceServer) completeMetadata() error {
	urls, err := ResourceMetadataURLs(s.opts.Resource)
	if err != nil {
		return err
	}
	s.metadataURL = urls[0]
	for _, u := range urls {
		path := strings.TrimPrefix(u, s.origin)
		if strings.HasSuffix(path, "/") {
			path += "{$}" // not what is below it
		}
		s.paths = append(s.paths, path)
	}
	s.metadata, err = json.Marshal(s.Metadata())
	return err
}

// Metadata returns the metadata of the resource: RFC 9728 section 2.
func (s *ResourceServer) Metadata() *ProtectedResourceMetadata {
	o := &s.opts
	m := &ProtectedResourceMetadata{
		Resource:               o.Resource,
		AuthorizationServers:   slices.Clone(o.AuthorizationServers),
		ScopesSupported:        slices.Clone(o.ScopesSupported),
		BearerMethodsSupported: []string{"header"},
		ResourceName:           o.Name,
	}
	if o.Proofs != nil {
		o.Proofs.Describe(m)
	}
	return m
}

// Register adds the metadata to a mux, at the well-known path of the resource and at the well-known path of the root:
// RFC 9728 section 3. A second resource on the same host cannot have the root, too: register
// [ResourceServer.ServeMetadata] at its path alone.
func (s *ResourceServer) Register(mux *http.ServeMux) {
	for _, path := range s.paths {
		mux.HandleFunc(path, s.ServeMetadata)
	}
}

// ServeMetadata serves the metadata: RFC 9728 section 3. Web pages of any origin may read it, since a client may be
// one.
func (s *ResourceServer) ServeMetadata(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		w.Write(s.metadata)
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
	}
}

// verifyToken verifies what does not depend on the request. The audience is checked whatever the verifier has checked: a
// token for another resource must never be accepted.
func (s *ResourceServer) verifyToken(ctx context.Context, text string) (*Token, error) {
	t, err := verify(ctx, s.opts.Verifier, text)
	if err != nil {
		return nil, err
	}
	if !forAudience(t.Audience, s.opts.Audiences) {
		return nil, invalid("the token is for another resource")
	}
	return t, nil
}
