package auth

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// CanonicalURI returns the URI of a resource in the form that clients and tokens use: scheme and host in lower case,
// no default port, and no path that is only a slash. It must be https, or http on this machine, without a query, a
// fragment and user information: RFC 8707 section 2, RFC 9728 section 1.2.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
func CanonicalURI(uri string) (string, error) {
	u, err := parseURI(uri)
	if err != nil {
		return "", fmt.Errorf("auth: %w", err)
	}
	return u.String(), nil
}

// parseURI parses the URI of a resource or of an authorization server into its canonical form.
func parseURI(uri string) (*url.URL, error) {
	u, err := fetch.ParseURL(uri, true)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery || strings.Contains(uri, "#") {
		return nil, fmt.Errorf("%q: the URI must not have a query or a fragment", uri)
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, port), ":")
	}
	if u.Path == "/" {
		u.Path = ""
	}
	return u, nil
}

// sameURI reports whether a URI has the canonical form canonical. Most are equal as they are. Names that are no URIs, as some
// providers have for resources, are only equal to themselves.
func sameURI(uri, canonical string) bool {
	if uri == canonical {
		return true
	}
	c, err := CanonicalURI(uri)
	return err == nil && c == canonical
}

// The well-known paths of metadata: RFC 9728 section 3, RFC 8414 section 3, OpenID Connect Discovery 1.0
// section 4.
const (
	wellKnownResource = "/.well-known/oauth-protected-resource"
	wellKnownServer   = "/.well-known/oauth-authorization-server"
	wellKnownOpenID   = "/.well-known/openid-configuration"
)

// ResourceMetadataURLs returns the URLs at which the metadata of a resource may be, in the order to try them: with the
// path of the resource, then at the root. See RFC 9728 section 3.1.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
func ResourceMetadataURLs(resource string) ([]string, error) {
	u, err := parseURI(resource)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	root := u.Scheme + "://" + u.Host + wellKnownResource
	if u.Path == "" {
		return []string{root}, nil
	}
	return []string{root + u.EscapedPath(), root}, nil
}

// ServerMetadataURLs returns the URLs at which the metadata of an authorization server may be, in the order to try
// them. See RFC 8414 section 3.1, OpenID Connect Discovery 1.0 section 4.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
func ServerMetadataURLs(issuer string) ([]string, error) {
	u, err := parseURI(issuer)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	if path == "" {
		return []string{origin + wellKnownServer, origin + wellKnownOpenID}, nil
	}
	return []string{origin + wellKnownServer + path, origin + wellKnownOpenID + path, origin + path + wellKnownOpenID}, nil
}
