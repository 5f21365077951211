package as

import (
	"context"
	"crypto"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// idJAGType is the type of an assertion with which an enterprise gives a user access to an MCP server.
const idJAGType = "oauth-id-jag+jwt"

// A TrustedIssuer issues assertions that clients may exchange for tokens: the identity provider of an enterprise
// (see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization), or a platform that
// gives its workloads identities. See RFC 7523, section 2.1.
type TrustedIssuer struct {
	Issuer string

	// Keys are its public keys. KeysURL is a URL to fetch them from instead.
	Keys    []crypto.PublicKey
	KeysURL string

	// Subject returns the subject of tokens for a subject of the issuer, or "" for one that has no access. If nil,
	// the subject is the issuer, "#" and the issuer's subject.
	Subject func(subject string) string

	// Workload returns the scopes that a workload may have, and whether it has access at all; the workload is then
	// the client. If nil, the assertions are ID-JAGs, which are about users and are presented by the clients to
	// which they were issued.
	Workload func(subject string) (scopes []string, ok bool)

	keys *jose.JSONWebKeySet
}

func (t *TrustedIssuer) check() error {
	if t.Issuer == "" || (t.Keys == nil) == (t.KeysURL == "") {
		return errors.New("want an issuer, and either keys or a URL of keys")
	}
	t.keys = keySet(t.Keys)
	return nil
}

// subject returns the subject of tokens, empty if there is no access.
func (t *TrustedIssuer) subject(subject string) string {
	if t.Subject != nil {
		return t.Subject(subject)
	}
	return t.Issuer + "#" + subject
}

// assertionGrant exchanges an assertion of a trusted issuer.
func (s *Server) assertionGrant(r *http.Request, p params, key string) (*tokenResponse, error) {
	a, issuer, err := s.trustedAssertion(r.Context(), p.get("assertion"))
	if err != nil {
		return nil, err
	}
	if c := a.claims.Confirm; c != nil && (key == "" || c.Thumbprint != key) {
		return nil, wrongAssertion(errors.New("it is bound to a key: want a DPoP proof by that key, whose thumbprint is jkt in cnf"))
	}
	resource, err := s.assertedResource(a, p)
	if err != nil {
		return nil, err
	}
	claims := &accessClaims{Audience: resource}
	if issuer.Workload != nil {
		err = s.workload(a, issuer, p, claims)
	} else {
		err = s.enterprise(r, a, issuer, p, claims)
	}
	if err != nil {
		return nil, err
	}
	return s.respond(r.Context(), claims, "", time.Time{}, key, "")
}

func wrongAssertion(err error) error { return refuse("invalid_grant", "assertion: "+err.Error()) }

// trustedAssertion returns an assertion that a trusted issuer has made for this server.
func (s *Server) trustedAssertion(ctx context.Context, text string) (*assertion, *TrustedIssuer, error) {
	a, err := parseAssertion(text)
	if err != nil {
		return nil, nil, wrongAssertion(err)
	}
	issuer := s.issuers[a.claims.Issuer]
	if issuer == nil {
		return nil, nil, wrongAssertion(errors.New("its issuer is not trusted"))
	}
	if err := a.verify(ctx, issuer.keys, s.issuerKeys, issuer.KeysURL); err == errTooManyFetches {
		return nil, nil, err
	} else if err != nil {
		return nil, nil, wrongAssertion(err)
	}
	audiences := []string{s.opts.Issuer}
	if issuer.Workload != nil {
		audiences = append(audiences, s.url("/token"))
	}
	if err := a.check(time.Now(), audiences...); err != nil {
		return nil, nil, wrongAssertion(err)
	}
	if a.claims.Subject == "" {
		return nil, nil, wrongAssertion(errors.New("sub is missing"))
	}
	return a, issuer, nil
}

// assertedResource returns the resource of a request, which must be one of those that the assertion names, if it
// names any.
func (s *Server) assertedResource(a *assertion, p params) (string, error) {
	if len(p["resource"]) == 0 && len(a.claims.Resource) == 1 {
		p["resource"] = a.claims.Resource
	}
	resource, err := s.resource(p)
	if err == nil && len(a.claims.Resource) > 0 && !slices.ContainsFunc(a.claims.Resource, func(named string) bool { return sameResource(named, resource) }) {
		return "", errTarget
	}
	return resource, err
}

// enterprise fills in the claims of a user's token from an ID-JAG.
func (s *Server) enterprise(r *http.Request, a *assertion, issuer *TrustedIssuer, p params, claims *accessClaims) error {
	c, err := s.authenticate(r, p)
	if err != nil {
		return err
	}
	switch {
	case !c.may(grantAssertion):
		return refuse("unauthorized_client", "the client may not use this grant_type")
	case a.typ() != idJAGType:
		return wrongAssertion(errors.New("want the typ " + idJAGType))
	case a.claims.Client != c.ID:
		return wrongAssertion(errors.New("it was issued to another client"))
	}
	if claims.Subject = issuer.subject(a.claims.Subject); claims.Subject == "" {
		return wrongAssertion(errors.New("the subject has no access"))
	}
	if err := (&User{Subject: claims.Subject}).check(); err != nil {
		return err
	}
	allowed := strings.Fields(a.claims.Scope)
	text := p.get("scope")
	if text == "" {
		text = a.claims.Scope
	}
	scopes, err := s.scopes(c, text)
	if err != nil {
		return err
	}
	if a.claims.Scope != "" && slices.ContainsFunc(scopes, func(name string) bool { return !slices.Contains(allowed, name) }) {
		return refuse("invalid_scope", "want scopes that the assertion has")
	}
	if err := s.use(r.Context(), kindUsed, a, wrongAssertion); err != nil {
		return err
	}
	claims.Client, claims.Scope = c.ID, strings.Join(scopes, " ")
	return nil
}

// workload fills in the claims of a workload's token.
func (s *Server) workload(a *assertion, issuer *TrustedIssuer, p params, claims *accessClaims) error {
	allowed, ok := issuer.Workload(a.claims.Subject)
	subject := issuer.subject(a.claims.Subject)
	if !ok || subject == "" {
		return wrongAssertion(errors.New("the workload has no access"))
	}
	scopes, err := s.scopes(&client{scopes: append([]string{}, allowed...)}, p.get("scope"))
	if err != nil {
		return err
	}
	claims.Subject, claims.Client, claims.Scope = clientSubject+subject, subject, strings.Join(scopes, " ")
	return nil
}
