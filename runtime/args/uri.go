package args

import (
	"net/url"
	"strings"
)

// MatchURI matches a URI against a template that has only simple expressions, such as note://{id}/pages/{page}. Parts
// are its literals and the names of its variables in turn: "note://", "id", "/pages/", "page". A literal after a
// variable must begin with a character that values cannot contain. MatchURI returns the unescaped values of the
// variables that are not empty.
//
// See RFC 6570.
func MatchURI(uri string, parts ...string) (vars map[string]string, ok bool) {
	vars = make(map[string]string, len(parts)/2)
	for i, part := range parts {
		if i%2 == 0 {
			if uri, ok = strings.CutPrefix(uri, part); !ok {
				return nil, false
			}
			continue
		}
		n := valueLen(uri)
		if n > 0 {
			value, err := url.PathUnescape(uri[:n])
			if err != nil {
				return nil, false
			}
			vars[part] = value
		}
		uri = uri[n:]
	}
	return vars, uri == ""
}

// valueLen returns how many bytes at the beginning of s are unreserved characters, escapes, or the commas of a list.
func valueLen(s string) int {
	i := 0
	for i < len(s) {
		switch c := s[i]; {
		case isAlnum(rune(c)) || strings.IndexByte("-._~,", c) >= 0:
			i++
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 3
		default:
			return i
		}
	}
	return i
}

func isHex(c byte) bool { return c-'0' <= 9 || (c|0x20)-'a' <= 5 }
