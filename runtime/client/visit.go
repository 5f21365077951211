package client

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkVisit checks a URL that a server wants a person to visit: it must be one of the web, show where
// it leads, and not lead to where no web page for people is. Whether the person should go there is for
// [Options.ElicitURL].
func checkVisit(text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isInvisible) {
		return errors.New("has characters that nobody sees")
	}
	u, err := url.Parse(text)
	switch {
	// REQ SEC-16
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("is no URL of https or http")
	case u.User != nil:
		return errors.New("has a name or a password before its host, which hides where it leads")
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	addr, err := netip.ParseAddr(host)
	if err != nil {
		if host == "" || endsInNumber(host) {
			return errors.New("has a host that is neither a name nor an address in its usual form")
		}
		return nil
	}
	if addr = addr.Unmap(); addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr == broadcast {
		return errors.New("leads to an address at which there is no page for people")
	}
	return nil
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// isInvisible reports whether a character does not show, or changes how others are shown, as those do
// that write from right to left.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp)
}

// endsInNumber reports whether the last label of a host is a number. Browsers take such a host for an
// address of version 4, written in one of the many ways that there are.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last == "" || strings.Trim(last, "0123456789") == ""
}
