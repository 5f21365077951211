// Package as provides an OAuth 2.1 authorization server for development and small deployments. An MCP server of revision
// 2025-03-26 has to be one itself; servers of later revisions name one in their metadata.
//
// A [Server] is an http.Handler with all endpoints:
//
//	/.well-known/oauth-authorization-server   metadata (RFC 8414)
//	/authorize                                login, consent, authorization codes with PKCE
//	/token                                    tokens (codes, refresh tokens, client credentials)
//	/register                                 dynamic client registration (RFC 7591)
//	/revoke                                   the end of what a user has granted (RFC 7009)
//	/jwks                                     the keys that verify access tokens (RFC 9068)
//
// It issues access tokens for the resources that it knows, and no ID tokens. A resource server in the same program uses
// it as its verifier, so that revoked tokens are refused at once. Others verify tokens with the keys.
//
// See https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
package as

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/rate"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

//go:generate go run -C ../../.. ./internal/api -module runtime/auth/as runtime/auth/as/api.txt

// A Server is an authorization server. It is an http.Handler for all paths of its issuer; it responds to requests for
// others with status 404.
type Server struct {
	opts     Options
	base     string // the issuer without a slash at its end
	path     string // that of the issuer
	loopback bool   // everything may be on loopback
	secure   bool   // the issuer is https
	store    store.Store
	sealer   *sealer
	keys     *keyring
	clients  map[string]*client
	proofs   *dpop.Verifier
	logger   *slog.Logger
	mux      http.ServeMux
	origins  *http.CrossOriginProtection

	documents *documents // nil if they are not supported

	upstreamHTTP *http.Client

	authorizations, tokens, registrations, passwords *rate.Rate

	kept map[string]*kept // whose records there are, of the kinds that give way
	used *share.Seen      // assertions of kindUsed
}

// New returns a server.
func New(options *Options) (*Server, error) {
	opts := option.Of(options)
	issuer, err := opts.check()
	if err != nil {
		return nil, err
	}
	opts.AccessLifetime = option.Limit(opts.AccessLifetime, 10*time.Minute)
	opts.RefreshLifetime = option.Limit(opts.RefreshLifetime, 30*24*time.Hour)
	opts.LoginLifetime = option.Limit(opts.LoginLifetime, 8*time.Hour)
	s := &Server{
		opts:           opts,
		base:           strings.TrimSuffix(opts.Issuer, "/"),
		path:           strings.TrimSuffix(issuer.EscapedPath(), "/"),
		loopback:       web.IsLoopback(issuer.Hostname()),
		secure:         issuer.Scheme == "https",
		origins:        http.NewCrossOriginProtection(),
		store:          opts.Store,
		logger:         excerpt.Logger(opts.Logger),
		authorizations: perMinute(option.Limit(opts.MaxAuthorizations, 60)),
		tokens:         perMinute(option.Limit(opts.MaxTokens, 300)),
		registrations:  perMinute(option.Limit(opts.MaxRegistrations, 10)),
		passwords:      perMinute(passwordsPerMinute),
		kept:           map[string]*kept{},
		used:           share.NewSeen(standardRecords),
	}
	for _, kind := range []string{kindClient, kindLogin, kindGrant} {
		s.kept[kind] = &kept{Max: maxKept}
	}
	for _, kind := range []string{kindNewClient, kindDecided, kindState, kindForeign} { // of anybody
		s.kept[kind] = &kept{Max: standardRecords, MaxSize: standardBytes}
	}
	if s.store == nil {
		s.store = &store.Memory{MaxRecords: standardRecords, MaxBytes: standardBytes}
	}
	if s.opts.Address == nil {
		s.opts.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if s.sealer, err = newSealer(opts.Secret); err != nil {
		return nil, err
	}
	if s.proofs, err = dpop.NewVerifier(nil); err != nil {
		return nil, err
	}
	s.keys = &keyring{store: s.store, sealer: s.sealer, lifetime: option.Limit(opts.KeyLifetime, 30*24*time.Hour), keep: opts.AccessLifetime + keySlack}
	if err := s.addClients(); err != nil {
		return nil, err
	}
	if err := s.origins.AddTrustedOrigin(issuer.Scheme + "://" + issuer.Host); err != nil {
		return nil, err
	}
	s.route()
	return s, nil
}

// addClients adds the clients of the options, and prepares to fetch the documents of others.
func (s *Server) addClients() error {
	c := s.opts.HTTPClient
	if c == nil {
		c = fetch.New(fetch.Options{Loopback: s.loopback, Timeout: documentTime, MaxBody: maxMetadata})
	}
	if s.upstreamHTTP = s.opts.HTTPClient; s.upstreamHTTP == nil {
		s.upstreamHTTP = fetch.New(fetch.Options{Loopback: s.loopback})
	}
	if !s.opts.NoDocuments {
		s.documents = newDocuments(c, s.loopback)
	}
	s.clients = map[string]*client{}
	for _, o := range s.opts.Clients {
		c, err := fromOptions(o)
		if err != nil {
			return fmt.Errorf("as: Options.Clients: the client %q: %w", o.ID, err)
		}
		if s.clients[c.ID] != nil {
			return fmt.Errorf("as: Options.Clients: the client %q is given twice", o.ID)
		}
		s.clients[c.ID] = c
	}
	return nil
}

// route registers the handlers of all paths.
func (s *Server) route() {
	page := func(pattern string, serve http.HandlerFunc) {
		s.mux.HandleFunc(s.pattern(pattern), s.limited(s.authorizations, s.limitedPage, serve))
	}
	api := func(l *rate.Rate, path string, serve http.HandlerFunc) {
		s.mux.HandleFunc(s.pattern("POST "+path), cors(s.limited(l, s.limitedJSON, serve)))
		s.mux.HandleFunc(s.pattern("OPTIONS "+path), servePreflight)
	}
	public := func(pattern string, serve http.HandlerFunc) {
		s.mux.HandleFunc("GET "+pattern, cors(serve))
		s.mux.HandleFunc("OPTIONS "+pattern, servePreflight)
	}
	public("/.well-known/oauth-authorization-server"+s.path, s.serveMetadata)
	public(s.path+"/jwks", s.serveKeys)
	if s.hasUsers() {
		page("GET /authorize", s.serveAuthorize)
		page("POST /authorize", s.serveLogin)
		page("POST /consent", s.serveConsent)
	}
	if s.opts.Upstream != nil {
		page("GET /callback", s.serveCallback)
	}
	api(s.tokens, "/token", respond(s, http.StatusOK, s.token))
	api(s.tokens, "/revoke", s.serveRevoke)
	if !s.opts.NoRegistration && s.hasUsers() {
		api(s.registrations, "/register", respond(s, http.StatusCreated, s.register))
	}
}

// pattern adds the path of the issuer to a pattern.
func (s *Server) pattern(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	return method + " " + s.path + path
}

// hasUsers reports whether users can log in.
func (s *Server) hasUsers() bool {
	return s.opts.Password != nil || s.opts.Login != nil || s.opts.Upstream != nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	s.mux.ServeHTTP(w, r)
}

// RotateKeys makes a new key at once and discards all others, so that what they signed is no longer valid. Use it
// if a key was compromised; keys are otherwise rotated automatically. Other servers with the same store stop
// accepting such tokens after at most a minute.
func (s *Server) RotateKeys(ctx context.Context) error { return s.keys.replace(ctx) }

func (s *Server) url(path string) string { return s.base + path }

// perMinute returns a rate of n requests of each sender in a minute.
func perMinute(n int) *rate.Rate { return rate.New(n, time.Minute, n) }

// limited returns a handler that refuses the requests of an address beyond a limit, and otherwise calls serve. The
// context of the request has its sender.
func (s *Server) limited(l *rate.Rate, refuse, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if who := share.Of("", s.opts.Address(r), nil); l.Allow(who) {
			serve(w, r.WithContext(share.With(r.Context(), who)))
			return
		}
		w.Header().Set("Retry-After", "60")
		refuse(w, r)
	}
}

func (s *Server) limitedPage(w http.ResponseWriter, _ *http.Request) {
	s.writeError(w, http.StatusTooManyRequests, "Too many requests", "Wait a minute, then try again.")
}

func (s *Server) limitedJSON(w http.ResponseWriter, r *http.Request) {
	s.writeRefusal(w, r, &refusal{status: http.StatusTooManyRequests, code: "temporarily_unavailable", description: "too many requests; wait a minute"})
}

// cors lets web pages of any origin read a response, which does not depend on cookies.
func cors(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "WWW-Authenticate, DPoP-Nonce, Retry-After")
		serve(w, r)
	}
}

func servePreflight(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
