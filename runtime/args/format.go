package args

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// The functions here check the formats of JSON Schema that directives can name.

// IsDate reports whether s is a date of RFC 3339: 2006-01-02.
func IsDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// IsTime reports whether s is a time of day with an offset, of RFC 3339: 15:04:05.9Z, 15:04:05+01:00.
// The second may be 60, a leap second, only where the time in UTC is 23:59:60.
func IsTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := twoDigits(s, 23)
	minute, ok2 := twoDigits(s[3:], 59)
	second, ok3 := twoDigits(s[6:], 60)
	if !ok1 || !ok2 || !ok3 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		rest := strings.TrimLeft(s[1:], "0123456789")
		if len(rest) == len(s)-1 {
			return false
		}
		s = rest
	}
	offset := 0
	if s != "Z" && s != "z" {
		if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
			return false
		}
		h, ok1 := twoDigits(s[1:], 23)
		m, ok2 := twoDigits(s[4:], 59)
		if !ok1 || !ok2 {
			return false
		}
		if offset = h*60 + m; s[0] == '-' {
			offset = -offset
		}
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute-offset+day)%day == day-1
}

// twoDigits returns the number that the first two characters of s denote, and whether they are digits and it is at most
// max.
func twoDigits(s string, max int) (n int, ok bool) {
	tens, ones := s[0]-'0', s[1]-'0'
	n = int(tens)*10 + int(ones)
	return n, tens <= 9 && ones <= 9 && n <= max
}

// IsDateTime reports whether s is a date and a time of day with an offset, of RFC 3339.
func IsDateTime(s string) bool {
	return len(s) >= 20 && s[10]|0x20 == 't' && IsDate(s[:10]) && IsTime(s[11:])
}

// parseTime returns the time that a date-time denotes. A leap second becomes the second after it.
func parseTime(s string) (time.Time, bool) {
	if !IsDateTime(s) {
		return time.Time{}, false
	}
	b := []byte(strings.ToUpper(s))
	leap := string(b[17:19]) == "60"
	if leap {
		copy(b[17:], "59")
	}
	t, err := time.Parse(time.RFC3339, string(b))
	if leap {
		t = t.Add(time.Second)
	}
	return t, err == nil
}

// IsDuration reports whether s is a duration of RFC 3339, appendix A: P3DT4H, P2W.
func IsDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && strings.Trim(weeks, "0123456789") == ""
	}
	days, hours, timed := strings.Cut(s, "T")
	return hasUnits(days, "YMD") && (!timed || hours != "" && hasUnits(hours, "HMS"))
}

// hasUnits reports whether s consists of numbers, each with one of the units, in their order.
func hasUnits(s, units string) bool {
	for s != "" {
		rest := strings.TrimLeft(s, "0123456789")
		if len(rest) == len(s) || rest == "" {
			return false
		}
		i := strings.IndexByte(units, rest[0])
		if i < 0 {
			return false
		}
		s, units = rest[1:], units[i+1:]
	}
	return true
}

// IsEmail reports whether s is an address of RFC 5321.
func IsEmail(s string) bool {
	i := strings.LastIndexByte(s, '@')
	if i < 1 || len(s) > 254 || i > 64 {
		return false
	}
	local, domain := s[:i], s[i+1:]
	if len(local) > 1 && local[0] == '"' && local[i-1] == '"' {
		if strings.ContainsAny(local[1:i-1], `\"`) {
			return false
		}
	} else if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") ||
		strings.ContainsFunc(local, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune(".!#$%&'*+-/=?^_`{|}~", r) }) {
		return false
	}
	if address, ok := strings.CutPrefix(domain, "["); ok && strings.HasSuffix(address, "]") {
		address = strings.TrimSuffix(address, "]")
		if v6, ok := strings.CutPrefix(address, "IPv6:"); ok {
			return IsIPv6(v6)
		}
		return IsIPv4(address)
	}
	return IsHostname(domain)
}

func isAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// IsHostname reports whether s is the name of a host, of RFC 1123. It may end with a dot.
func IsHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return r != '-' && !isAlnum(r) }) {
			return false
		}
	}
	return true
}

// IsIPv4 reports whether s is an IPv4 address of four decimal numbers.
func IsIPv4(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is4()
}

// IsIPv6 reports whether s is an IPv6 address without a zone.
func IsIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

// IsUUID reports whether s is a UUID of RFC 9562.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c-'0' > 9 && (c|0x20)-'a' > 5:
			return false
		}
	}
	return true
}

// IsURI reports whether s is a URI with a scheme, of RFC 3986.
func IsURI(s string) bool {
	u := parseURL(s)
	return u != nil && u.IsAbs()
}

// IsURIReference reports whether s is a URI or a reference relative to one, of RFC 3986.
func IsURIReference(s string) bool { return !strings.Contains(s, `\`) && parseURL(s) != nil }

// parseURL returns the URL in s, or nil if s is not a URL.
func parseURL(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		return nil
	}
	if host := u.Hostname(); strings.Contains(host, ":") && (!strings.Contains(u.Host, "[") || !IsIPv6(host)) {
		return nil
	}
	return u
}
