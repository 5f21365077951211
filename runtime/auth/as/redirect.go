package as

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

const maxRedirect = 2 << 10

// checkRedirect reports what is wrong with a redirect URI that a client registers. It must be https, or http on
// loopback, and have nothing that different programs could read differently.
func checkRedirect(text string) error {
	if len(text) > maxRedirect {
		return fmt.Errorf("want at most %d bytes", maxRedirect)
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>\\^`{|}#*;,", c) >= 0 {
			return errors.New("want a URI without spaces, fragments and reserved punctuation")
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return errors.New("want a URI")
	}
	if err := fetch.CheckURL(u, true); err != nil {
		return errors.New("want https, or http on localhost, 127.0.0.1 or [::1], without user information")
	}
	if !isHost(u.Host) || strings.HasSuffix(u.Host, ":") {
		return errors.New("want a host of letters, digits, hyphens and dots, and no empty port")
	}
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if p, err := url.PathUnescape(part); err != nil || p == "." || p == ".." {
			return errors.New("want a path without segments of dots alone")
		}
	}
	for name := range u.Query() {
		if slices.Contains([]string{"code", "state", "iss", "error", "error_description", "error_uri"}, name) {
			return errors.New("want a query without parameters of an authorization response")
		}
	}
	return nil
}

// isHost reports whether a host with its port is plain, so that it can be shown, and be part of a header.
func isHost(host string) bool {
	return host != "" && strings.Trim(host, oauth.Alphanumeric+".-:[]_") == ""
}

// isLoopbackRedirect reports whether a redirect URI leads to the browser's own machine.
func isLoopbackRedirect(text string) bool {
	u, err := url.Parse(text)
	return err == nil && web.IsLoopback(u.Hostname())
}

// matchRedirect reports whether a redirect URI is one of a client's: the same string, except that on loopback the
// port of a native client, which the system may choose, may differ. See RFC 8252, section 7.3, and OAuth 2.1,
// section 4.1.1.
func (c *client) matchRedirect(text string) bool {
	for _, registered := range c.RedirectURIs {
		if registered == text || c.Native && isLoopbackRedirect(registered) && withoutPort(registered) == withoutPort(text) && checkRedirect(text) == nil {
			return true
		}
	}
	return false
}

// withoutPort returns a URI without its port, or "" if the text is not a URI.
func withoutPort(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	scheme, rest, _ := strings.Cut(text, "://")
	return scheme + "://" + strings.Replace(rest, u.Host, strings.TrimSuffix(u.Host, ":"+u.Port()), 1)
}

// withParams returns a redirect URI with additional parameters.
func withParams(redirect string, added url.Values) string {
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
	}
	return redirect + separator + added.Encode()
}
