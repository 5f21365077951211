package as

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// freshness is how long a response may be kept; see RFC 9111, section 4.2.
func freshness(h http.Header) time.Duration {
	fresh, said := standardFresh, false
	for directive := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age", "s-maxage":
			seconds, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 32)
			if err != nil || seconds < 0 {
				return 0
			}
			if d := time.Duration(seconds) * time.Second; !said || d < fresh {
				fresh, said = d, true
			}
		}
	}
	if !said && h.Get("Expires") != "" {
		expires, err := http.ParseTime(h.Get("Expires"))
		if err != nil {
			return 0
		}
		fresh = time.Until(expires)
	}
	if age, err := strconv.ParseInt(h.Get("Age"), 10, 32); err == nil && age > 0 {
		fresh -= time.Duration(age) * time.Second
	}
	return max(0, min(fresh, maxFresh))
}
