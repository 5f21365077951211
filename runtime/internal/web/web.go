// Package web has what clients and servers of HTTP know about hosts, origins and connections.
package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Origin returns the origin of an http or https URL, always with a port: "https://example.com:443".
func Origin(u *url.URL) string {
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port(u)))
}

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	}
	return "80"
}

// IsLoopback reports whether a host, without its port, is this machine.
func IsLoopback(host string) bool {
	a, _ := netip.ParseAddr(host) // the zero Addr is no loopback address
	return strings.EqualFold(host, "localhost") || a.Unmap().IsLoopback()
}

// The bounds of a transport's connections.
const (
	handshakeTime      = 10 * time.Second // for TCP, and again for TLS
	idleTime           = 90 * time.Second
	maxIdle            = 64 // for each host
	maxResponseHeaders = 256 << 10
)

// NewTransport returns the default transport of a client. It has no time limit for the response to a request, which
// has that of the call.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: handshakeTime}).DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    handshakeTime,
		IdleConnTimeout:        idleTime,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxResponseHeaders,
		MaxIdleConnsPerHost:    maxIdle,
	}
}
