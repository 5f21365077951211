package elicit

// A server may ask a person to visit a URL, which can be made to look like another one. What is refused is what no
// honest server needs: other schemes, user names, invisible characters, hosts in other alphabets, and addresses at
// which there are no web pages.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling.

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkVisit checks a URL that a server wants a person to visit: it must be that of a web page, with a host that a
// person can read, at an address that can have web pages. Whether the person should go there is up to
// [Handler].URL.
func checkVisit(text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, isInvisible) {
		return errors.New("has invisible characters")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("is not a URL of https or http")
	case u.User != nil:
		return errors.New("has a user name or a password before its host, which hides where it leads")
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		if isSpecial(addr) {
			return errors.New("leads to an address at which there are no web pages")
		}
		return nil
	}
	if !isHostName(host) {
		return errors.New("has a host that is neither a name in ASCII nor an address in its canonical form")
	}
	return nil
}

// isSpecial reports whether an address has a special use, so that it has no web pages.
func isSpecial(addr netip.Addr) bool {
	if addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr == broadcast || addr.Zone() != "" {
		return true
	}
	// The loopback address is in ::/96.
	return addr != netip.IPv6Loopback() && slices.ContainsFunc(embedding, func(p netip.Prefix) bool { return p.Contains(addr) })
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// embedding lists the prefixes of IPv6 addresses that embed IPv4 addresses, to which gateways lead.
var embedding = []netip.Prefix{
	netip.MustParsePrefix("::/96"),           // IPv4-compatible, RFC 4291
	netip.MustParsePrefix("::ffff:0:0/96"),   // IPv4-mapped, RFC 4291
	netip.MustParsePrefix("::ffff:0:0:0/96"), // IPv4-translated, RFC 2765
	netip.MustParsePrefix("64:ff9b::/96"),    // NAT64, RFC 6052
	netip.MustParsePrefix("64:ff9b:1::/48"),  // NAT64 within a network, RFC 8215
	netip.MustParsePrefix("2001::/32"),       // Teredo, RFC 4380
	netip.MustParsePrefix("2002::/16"),       // 6to4, RFC 3056
}

// isInvisible reports whether a character is not displayed, or changes how others are displayed, such as one that
// sets the direction of writing.
func isInvisible(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isHostName reports whether browsers use a host as it is written. They map characters outside ASCII, some of them
// to digits, and decode Punycode that holds only ASCII.
func isHostName(host string) bool {
	// Such a label may be Punycode that holds only ASCII: xn--example-.
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

// endsInNumber reports whether the last label of a host is a number. To browsers, such a host is an IPv4
// address, which can be written in many ways.
//
// See https://url.spec.whatwg.org/#ends-in-a-number-checker.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last == "" || strings.Trim(last, "0123456789") == ""
}
