package page

import (
	"cmp"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// tokenHeader has the token in the page's own requests. No other page can set it.
const tokenHeader = "Mcpgen-Token"

// policy lets the page use only its own files, and data that it has received.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; frame-src "+cmp.Or(p.opts.Sandbox, "'none'"))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	// A browser can be tricked into resolving a foreign name to this machine.
	if !isLoopback(r.Host) {
		http.Error(w, "want localhost or another address of this machine as the host", http.StatusForbidden)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// guarded returns a handler that only the page can use, and that bounds the number of concurrent requests.
func (p *Page) guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
			http.Error(w, "pages of other origins cannot use this", http.StatusForbidden)
			return
		}
		if !p.knows(r.Header.Get(tokenHeader)) {
			http.Error(w, "the token is not that of this mcpgen dev", http.StatusForbidden)
			return
		}
		select {
		case p.places <- struct{}{}:
			defer func() { <-p.places }()
		default:
			http.Error(w, "too many requests at once", http.StatusServiceUnavailable)
			return
		}
		next(w, r)
	}
}

// knows reports whether a token is that of the page.
func (p *Page) knows(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 1
}

// isLoopback reports whether the host of a request, with or without a port, is a loopback name or address.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, _ := netip.ParseAddr(strings.Trim(host, "[]")) // the zero address is none
	return host == "localhost" || ip.IsLoopback()
}
