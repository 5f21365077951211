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

type list struct {
	name    string // in JSON
	origins []string
}

// What the lists are about, by their order.
const (
	connect = iota
	resource
	frame
	base
)

func lists(c *ui.ResourceCsp) [4]list {
	return [4]list{
		connect:  {"connectDomains", c.ConnectDomains},
		resource: {"resourceDomains", c.ResourceDomains},
		frame:    {"frameDomains", c.FrameDomains},
		base:     {"baseUriDomains", c.BaseURIDomains},
	}
}

// Header returns the policy, and the origins that it leaves out, with the reasons. C may be nil, for a page that needs nothing
// from elsewhere.
//
// REQ APP-12, APP-13
func Header(c *ui.ResourceCsp) (policy string, left []error) {
	if c == nil {
		c = new(ui.ResourceCsp)
	}
	var allowed [4]string // the origins of each list, with a space before each
	for n, l := range lists(c) {
		for i, origin := range l.origins {
			if i == maxOrigins {
				left = append(left, fmt.Errorf("%s: want at most %d origins, got %d", l.name, maxOrigins, len(l.origins)))
				break
			}
			if err := Check(origin); err != nil {
				left = append(left, fmt.Errorf("%s[%d]: %w", l.name, i, err))
				continue
			}
			allowed[n] += " " + origin
		}
	}
	return "default-src 'none'" +
		"; script-src 'self' 'unsafe-inline'" + allowed[resource] +
		"; style-src 'self' 'unsafe-inline'" + allowed[resource] +
		"; img-src 'self' data:" + allowed[resource] +
		"; font-src 'self'" + allowed[resource] +
		"; media-src 'self' data:" + allowed[resource] +
		"; connect-src" + cmp.Or(allowed[connect], " 'none'") +
		"; frame-src" + cmp.Or(allowed[frame], " 'none'") +
		"; object-src 'none'" +
		"; form-action 'none'" +
		"; base-uri" + cmp.Or(allowed[base], " 'self'"), left
}
