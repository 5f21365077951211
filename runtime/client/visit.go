package client

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
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
	if addr, err := netip.ParseAddr(host); err == nil {
		if isNoPlace(addr) {
			return errors.New("leads to an address at which there is no page for people")
		}
		return nil
	}
	if !isHostName(host) {
		return errors.New("has a host that is neither a name in ASCII nor an address in its usual form")
	}
	return nil
}

// isNoPlace reports whether no page for people is at an address.
func isNoPlace(addr netip.Addr) bool {
	if addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr == broadcast || addr.Zone() != "" {
		return true
	}
	return addr != netip.IPv6Loopback() && slices.ContainsFunc(disguised, func(p netip.Prefix) bool { return p.Contains(addr) })
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// disguised are the addresses of version 6 that stand for some of version 4, to which gateways lead.
var disguised = []netip.Prefix{
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("::ffff:0:0/96"),
	netip.MustParsePrefix("::ffff:0:0:0/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
}

// isInvisible reports whether a character does not show, or changes how others are shown, as those do
// that write from right to left.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isHostName reports whether browsers take a host for the name that people see. They map characters
// beyond ASCII to others first, digits among them, and what Punycode spells in ASCII alone to that.
func isHostName(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if strings.HasSuffix(label, "-") {
			return false
		}
	}
	beyond := func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return !strings.ContainsFunc(host, beyond) && !endsInNumber(host)
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
