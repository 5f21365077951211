// Package fetch fetches from URLs that others supply: metadata, keys, documents of clients, and tokens. Such a URL could
// make this program reach what only it can reach, so addresses are checked when a connection is made, also after a
// redirect.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// Options configures a client.
type Options struct {
	// Loopback allows loopback addresses, by the names localhost, 127.0.0.1 (or another of 127.0.0.0/8)
	// and [::1] alone, and http for these. It is for programs that run there themselves.
	Loopback bool

	// Base sends the requests, and decides which addresses may be reached. The default allows public
	// addresses, and asks no proxy, since a proxy would make the connections.
	Base http.RoundTripper

	// Timeout is how long a request may take, with its redirects and the body of the response: 15 s if 0.
	Timeout time.Duration

	// MaxBody is how many bytes a response may have: 1 MiB if 0.
	MaxBody int64
}

// The bounds of a connection and of what it brings.
const (
	maxRedirects  = 5
	maxHeader     = 64 << 10
	maxIdle       = 2 // for each host
	idleTime      = 30 * time.Second
	handshakeTime = 10 * time.Second // for TCP, and again for TLS
)

// New returns a client that follows redirects of GET requests only, and bounds what it reads. Unless opts say otherwise,
// it reaches public addresses only, over https.
func New(opts Options) *http.Client {
	if opts.Timeout == 0 {
		opts.Timeout = 15 * time.Second
	}
	if opts.MaxBody == 0 {
		opts.MaxBody = 1 << 20
	}
	if opts.Base == nil {
		d := dialer{loopback: opts.Loopback}
		opts.Base = &http.Transport{
			DialContext:            d.dial,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    handshakeTime,
			MaxIdleConnsPerHost:    maxIdle,
			IdleConnTimeout:        idleTime,
			MaxResponseHeaderBytes: maxHeader,
		}
	}
	return &http.Client{
		Transport:     &guard{base: opts.Base, loopback: opts.Loopback, maxBody: opts.MaxBody},
		CheckRedirect: checkRedirect,
		Timeout:       opts.Timeout,
	}
}

// checkRedirect follows redirects of GET. That of a POST could take its secrets elsewhere. The guard checks
// where each leads.
func checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if m := via[0].Method; m != http.MethodGet {
		return fmt.Errorf("a %s may not be redirected", m)
	}
	return nil
}

// A guard checks the URL of each request and bounds the body of each response.
type guard struct {
	base     http.RoundTripper
	loopback bool
	maxBody  int64
}

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := CheckURL(r.URL, g.loopback); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := g.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, g.maxBody)
	return resp, nil
}

// ParseURL parses a URL that may be fetched, or shown to a user; see [CheckURL].
func ParseURL(text string, loopback bool) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("want a URL") // without the text, which may have secrets
	}
	return u, CheckURL(u, loopback)
}

// CheckURL returns an error if a URL may not be fetched, or shown to a user: it must be https, or http on loopback if
// that is allowed, without user information and without a fragment.
func CheckURL(u *url.URL, loopback bool) error {
	switch host := u.Hostname(); {
	case u.Opaque != "" || host == "":
		return fmt.Errorf("%q: want an absolute URL", u.Redacted())
	case u.User != nil:
		return fmt.Errorf("%q: the URL must not have user information", u.Redacted())
	case u.Fragment != "":
		return fmt.Errorf("%q: the URL must not have a fragment", u.Redacted())
	case u.Port() != "" && !isPort(u.Port()):
		return fmt.Errorf("%q: want a port from 1 to 65535", u.Redacted())
	case web.IsLoopback(host) && !loopback:
		return fmt.Errorf("%q: the URL must not lead to this machine", u.Redacted())
	case u.Scheme == "https", u.Scheme == "http" && web.IsLoopback(host):
		return nil
	}
	return fmt.Errorf("%q: want the scheme https", u.Redacted())
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// A dialer connects to addresses that may be reached.
type dialer struct{ loopback bool }

// dial connects to public addresses alone; to this machine only if the name says that it is this machine, and that is allowed.
func (d dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	local := web.IsLoopback(host)
	if local && !d.loopback {
		return nil, fmt.Errorf("%s: this machine must not be reached", host)
	}
	// The address is checked after the name was resolved and before the connection is made, so there is
	// nothing between check and use that a name could change.
	nd := net.Dialer{Timeout: handshakeTime, Control: func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if a := ap.Addr().WithZone("").Unmap(); local != a.IsLoopback() || !local && !public(a) {
			return fmt.Errorf("%s: the address %s must not be reached", host, a)
		}
		return nil
	}}
	return nd.DialContext(ctx, network, addr)
}

// special lists the networks that package netip calls global unicast, but that have no public hosts: those in the
// special-purpose registries of RFC 6890, addresses that embed an IPv4 address, and one that clouds use for
// metadata.
var special = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "168.63.129.16/32",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		list[i] = netip.MustParsePrefix(t)
	}
	return list
}

// public reports whether an address is that of a public host. The address must not be IPv4 embedded in IPv6.
func public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// A StatusError is the error of a response whose status is not 2xx.
type StatusError struct {
	Status int
	Header http.Header
	Body   []byte // of at most maxErrorBody bytes; it may be anything, so it is not in the text
}

const maxErrorBody = 16 << 10

func (e *StatusError) Error() string {
	return fmt.Sprintf("status %d %s", e.Status, http.StatusText(e.Status))
}

// JSON sends a request and decodes the JSON object of its response into v, see [Decode]. A status that is not
// 2xx is a *[StatusError].
func JSON(c *http.Client, r *http.Request, v any) (http.Header, error) {
	if r.Header.Get("Accept") == "" {
		r.Header.Set("Accept", "application/json")
	}
	resp, err := c.Do(r)
	if err != nil {
		return nil, withoutQuery(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		return resp.Header, &StatusError{resp.StatusCode, resp.Header, body}
	}
	body, err := io.ReadAll(resp.Body)
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return resp.Header, fmt.Errorf("the response has more than %d bytes", long.Limit)
	}
	if err != nil {
		return resp.Header, err
	}
	if !isJSON(resp.Header.Get("Content-Type")) {
		return resp.Header, fmt.Errorf("content type %q: want application/json", resp.Header.Get("Content-Type"))
	}
	return resp.Header, Decode(body, v)
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json"))
}

// withoutQuery removes the query, which may have secrets, from the URL in an error of an http.Client.
func withoutQuery(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		if before, _, found := strings.Cut(ue.URL, "?"); found {
			ue.URL = before
		}
	}
	return err
}

// Get fetches a JSON object; see [JSON]. Header is sent with the request, and may be nil.
func Get(ctx context.Context, c *http.Client, url string, header http.Header, v any) (http.Header, error) {
	return send(ctx, c, http.MethodGet, url, header, nil, v)
}

// send sends a request with a header, which may be nil.
func send(ctx context.Context, c *http.Client, method, url string, header http.Header, body io.Reader, v any) (http.Header, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, header)
	return JSON(c, r, v)
}

// Try fetches a JSON object that need not be there: a response that refuses it, or something other than JSON, means that it
// is not. No response, or a server that fails or has too many requests, is an error. Header may be nil.
func Try(ctx context.Context, c *http.Client, url string, header http.Header, v any) (found bool, err error) {
	h, err := Get(ctx, c, url, header, v)
	status, refused := errors.AsType[*StatusError](err)
	switch {
	case err == nil:
		return true, nil
	case refused && status.Status < 500 && status.Status != http.StatusTooManyRequests:
		return false, nil
	case !refused && h != nil && !strings.Contains(h.Get("Content-Type"), "json"): // a web page
		return false, nil
	}
	return false, err
}

// PostForm posts a form and decodes the JSON object of the response; see [JSON]. Header is sent with it, and
// may be nil.
func PostForm(ctx context.Context, c *http.Client, url string, header http.Header, form url.Values, v any) (http.Header, error) {
	all := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	maps.Copy(all, header)
	return send(ctx, c, http.MethodPost, url, all, strings.NewReader(form.Encode()), v)
}
