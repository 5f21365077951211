// Package csp makes the Content-Security-Policy under which a host shows the page of an app, of what the page's server
// declares. A server's origins are a stranger's text: what is no origin does not get into the policy.
//
// See https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#4-content-security-policy-enforcement
package csp

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/ui"
)

// maxOrigins is how many origins one list may have.
const maxOrigins = 64

var hostname = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// Check returns what is wrong with an origin that a page needs: want https or wss, a host, which may begin with *., and
// perhaps a port. On the loopback interface, http and ws will do.
func Check(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme+"://"+u.Host != origin {
		return fmt.Errorf("want an origin, such as https://api.example.com or https://*.example.com, got %q", origin)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	switch u.Scheme {
	case "https", "wss":
	case "http", "ws":
		if host != "localhost" && !ip.IsLoopback() {
			return fmt.Errorf("want https or wss in place of %s, got %q", u.Scheme, origin)
		}
	default:
		return fmt.Errorf("want https or wss in place of %s, got %q", u.Scheme, origin)
	}
	if len(host) > 253 || ip == nil && !hostname.MatchString(host) || strings.HasSuffix(u.Host, ":") {
		return fmt.Errorf("want a host after %s://, got %q", u.Scheme, origin)
	}
	return nil
}

// Header returns the policy, and the origins that it leaves out, with the reasons. C may be nil, for a page that needs nothing
// from elsewhere.
//
// REQ APP-12, APP-13
func Header(c *ui.ResourceCsp) (policy string, left []error) {
	if c == nil {
		c = new(ui.ResourceCsp)
	}
	allowed := func(list string, origins []string) (text string) { // with a space before each
		for i, origin := range origins {
			if i == maxOrigins {
				left = append(left, fmt.Errorf("%s: want at most %d origins, got %d", list, maxOrigins, len(origins)))
				break
			}
			if err := Check(origin); err != nil {
				left = append(left, fmt.Errorf("%s[%d]: %w", list, i, err))
				continue
			}
			text += " " + origin
		}
		return text
	}
	connect, resource := allowed("connectDomains", c.ConnectDomains), allowed("resourceDomains", c.ResourceDomains)
	frame, base := allowed("frameDomains", c.FrameDomains), allowed("baseUriDomains", c.BaseURIDomains)
	return "default-src 'none'" +
		"; script-src 'self' 'unsafe-inline'" + resource +
		"; style-src 'self' 'unsafe-inline'" + resource +
		"; img-src 'self' data:" + resource +
		"; font-src 'self'" + resource +
		"; media-src 'self' data:" + resource +
		"; connect-src" + cmp.Or(connect, " 'none'") +
		"; frame-src" + cmp.Or(frame, " 'none'") +
		"; object-src 'none'" +
		"; form-action 'none'" +
		"; base-uri" + cmp.Or(base, " 'self'"), left
}
