package authclient

// The mix-up attack: a malicious authorization server names endpoints of an honest one in its metadata, so that the
// user logs in there and the code comes to it. Before a login the endpoints are compared with what their own origins
// say.
//
// See RFC 9700 section 4.4.

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// checkEndpoints returns an error if the metadata of a server names an endpoint that another issuer declares in metadata
// of its own, unless codes go to that issuer. Otherwise a malicious server could have the user log in at an honest one,
// and receive the code: RFC 9700 section 4.4. It does not help where the login page of the malicious server redirects
// to the honest one: against that there is only iss (RFC 9207).
//
// Endpoints at the origin of the issuer are its own. Where another origin has no metadata, nothing contradicts. Where it
// cannot say now whether it has some, that is an error, too.
func (t *Transport) checkEndpoints(ctx context.Context, s *authServer) error {
	issuer, err := url.Parse(s.issuer)
	if err != nil {
		return err
	}
	asked := map[string]bool{}
	for _, endpoint := range []string{s.meta.AuthorizationEndpoint, s.meta.TokenEndpoint, s.meta.RegistrationEndpoint} {
		u, err := url.Parse(endpoint)
		if err != nil || web.SameOrigin(u, issuer) {
			continue // what is no URL is refused when it is used
		}
		for _, at := range metadataAbove(u) {
			if asked[at] {
				continue
			}
			asked[at] = true
			m := new(auth.AuthorizationServerMetadata)
			if _, err := fetch.Try(ctx, t.fetch, at, nil, m); err != nil { // m is empty if there is none
				return fmt.Errorf("authclient: the endpoints of %s cannot be checked now: %s: %w", s.issuer, at, err)
			}
			if mixes(s, m) {
				return fmt.Errorf("authclient: the metadata of %s names an endpoint of %s as its own, but that is an endpoint of %q",
					s.issuer, u.Scheme+"://"+u.Host, excerpt.Of(m.Issuer))
			}
		}
	}
	return nil
}

// maxIssuerPath is how many segments the path of an issuer may have for its metadata to be found.
const maxIssuerPath = 3

// metadataAbove returns the URLs of the metadata of all issuers whose URL is a beginning of that of an endpoint.
func metadataAbove(endpoint *url.URL) (urls []string) {
	issuer := url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host}
	segments := strings.Split(path.Clean("/"+endpoint.Path), "/")[1:]
	for _, segment := range segments[:min(len(segments), maxIssuerPath+1)] {
		if more, err := auth.ServerMetadataURLs(issuer.String()); err == nil {
			urls = append(urls, more...)
		}
		issuer.Path += "/" + segment
	}
	return urls
}

// mixes reports whether a server has endpoints of another, but not both of those that a login needs.
func mixes(s *authServer, other *auth.AuthorizationServerMetadata) bool {
	own := s.meta
	page := sameEndpoint(own.AuthorizationEndpoint, other.AuthorizationEndpoint)
	token := sameEndpoint(own.TokenEndpoint, other.TokenEndpoint)
	some := page || token || sameEndpoint(own.RegistrationEndpoint, other.RegistrationEndpoint)
	return other.Issuer != s.issuer && some && !(page && token)
}

// sameEndpoint reports whether two URLs may lead to the same endpoint: servers differ in which spellings they accept.
func sameEndpoint(a, b string) bool { return a != "" && placeOf(a) == placeOf(b) }

// placeOf returns the part of a URL by which a server finds an endpoint, in one of its spellings.
func placeOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return web.Origin(u) + strings.ToLower(path.Clean("/"+u.Path))
}
