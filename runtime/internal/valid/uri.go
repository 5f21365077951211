package valid

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// URI checks that a URI has a scheme, and only characters that RFC 3986 allows. It accepts characters
// beyond ASCII, too, since many clients do not escape them.
//
// REQ RES-16, RES-17, RES-18
func URI(uri string) error {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || !isScheme(scheme) {
		return fmt.Errorf("%q is not a URI: it has no scheme", excerpt.Of(uri))
	}
	for i := range len(rest) {
		if c := rest[i]; c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return fmt.Errorf("%q is not a URI: %q must be escaped", excerpt.Of(uri), c)
		}
	}
	if _, err := url.PathUnescape(rest); err != nil {
		return fmt.Errorf("%q is not a URI: two hexadecimal digits must follow each %%", excerpt.Of(uri))
	}
	if strings.EqualFold(scheme, "file") {
		return checkPath(uri, rest)
	}
	return nil
}

// checkPath checks that the path of a file: URI never leads upwards, however its dots and slashes are
// written. Handlers may join it to a directory.
//
// REQ RES-18
func checkPath(uri, rest string) error {
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	path, _ := url.PathUnescape(rest) // URI has looked at the escapes
	if strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q is not the URI of a file: its path has a zero byte", excerpt.Of(uri))
	}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return fmt.Errorf("%q is not the URI of a file: its path must not have \"..\"", excerpt.Of(uri))
		}
	}
	return nil
}

// isScheme reports whether s is a scheme: see RFC 3986, section 3.1.
//
// REQ RES-16
func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && (i == 0 || !isAlnum(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}
