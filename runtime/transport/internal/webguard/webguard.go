// Package webguard protects servers from web pages that are open in a browser on the same machine or network, and
// that try to use a server that their user can reach. The check of Host stops a page whose name was made to resolve
// to this machine, those of Origin and Sec-Fetch-Site stop requests to a server of another origin, and that of
// Content-Type stops forms.
package webguard

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A Guard holds the options of a handler about hosts and pages.
type Guard struct {
	// Hosts lists the names of the server, with or without a port, in addition to localhost, loopback addresses,
	// and the address at which the connection arrived. "*" means any.
	Hosts []string

	// Origins lists the origins whose pages may use the server, in addition to its own. "*" means any.
	Origins []string

	// Methods lists the methods that pages may use: "GET, POST".
	Methods string
}

// Check checks the headers that say where a request goes and where it comes from. If it comes from a page of another
// origin that may use the server, Check sets the headers by which the page may read the response.
//
// REQ SEC-17, HTTP-02, SSE-05
func (g *Guard) Check(response http.Header, r *http.Request) error {
	if !g.knows(r) {
		return fmt.Errorf("the host %q is not known here; Options.Hosts lists the names of this server", r.Host)
	}
	sent := r.Header["Origin"]
	switch {
	case len(sent) > 1:
		return errors.New("the header Origin is duplicated")
	case len(sent) == 1:
		if sameOrigin(sent[0], r) {
			return nil
		}
		if !g.allows(sent[0]) {
			return fmt.Errorf("the origin %q may not use this server; Options.Origins lists those that may", sent[0])
		}
		g.allow(response, sent[0])
	default:
		for _, site := range r.Header["Sec-Fetch-Site"] {
			if site != "" && site != "none" && site != "same-origin" {
				return fmt.Errorf("the request comes from a page of another site: Sec-Fetch-Site is %q", site)
			}
		}
	}
	return nil
}

func (g *Guard) knows(r *http.Request) bool {
	name, _ := splitHost(r.Host)
	if containsFold(g.Hosts, name) || containsFold(g.Hosts, r.Host) || slices.Contains(g.Hosts, "*") || strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if addr = addr.Unmap(); addr.IsLoopback() {
		return true
	}
	// DNS cannot make an address mean another machine.
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return local.AddrPort().Addr().Unmap() == addr
}

// sameOrigin reports whether an origin is that of the server, as the request names it. Only the origin says whether
// the client used TLS, since there may be a proxy.
func sameOrigin(origin string, r *http.Request) bool {
	scheme, host, _ := strings.Cut(origin, "://")
	port := "80"
	switch {
	case strings.EqualFold(scheme, "https"):
		port = "443"
	case !strings.EqualFold(scheme, "http") || r.TLS != nil:
		return false
	}
	name, own := splitHost(host)
	wantName, want := splitHost(r.Host)
	if own == "" {
		own = port
	}
	if want == "" {
		want = port
	}
	return name != "" && strings.EqualFold(name, wantName) && own == want
}

// splitHost splits a Host header into name and port, and removes the brackets of an IPv6 address.
func splitHost(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host[i:], ']') < 0 {
		host, port = host[:i], host[i+1:]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return host, port
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return strings.EqualFold(e, s) })
}

// IsJSON reports whether a request declares its body to be JSON. Pages cannot send such a request to another server
// unless it allows them to.
func IsJSON(r *http.Request) bool {
	types := r.Header["Content-Type"]
	if len(types) != 1 {
		return false
	}
	if types[0] == "application/json" {
		return true
	}
	kind, params, err := mime.ParseMediaType(types[0])
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// IsPlain reports whether the body of a request is not compressed.
func IsPlain(r *http.Request) bool {
	for _, value := range r.Header["Content-Encoding"] {
		if value != "" && !strings.EqualFold(value, "identity") {
			return false
		}
	}
	return true
}
