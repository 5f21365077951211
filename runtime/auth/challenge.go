package auth

import (
	"maps"
	"slices"
	"strings"
)

// A Challenge says how to get access: RFC 9110 section 11.3. RFC 6750 section 3 defines the scheme Bearer, and
// RFC 9449 section 7.1 the scheme DPoP.
type Challenge struct {
	Scheme string // such as "Bearer"; case does not matter

	// Token68 is what some schemes, such as Negotiate, have in place of parameters.
	Token68 string

	// Params maps the names of parameters, in lower case, to their values: "error", "scope",
	// "resource_metadata".
	Params map[string]string
}

// Is reports whether the challenge has the given scheme.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Scopes returns the parameter scope as a list: RFC 6750 section 3.
func (c Challenge) Scopes() []string { return scopesOf(c.Params["scope"]) }

// String returns the challenge as in WWW-Authenticate, with the parameters sorted by name. No value can end the
// header or a parameter: a control character becomes a space. A parameter whose name is not a token is left out;
// a challenge whose scheme is not a token is empty.
func (c Challenge) String() string {
	if !isToken(c.Scheme) {
		return ""
	}
	var b strings.Builder
	b.WriteString(c.Scheme)
	if isToken68(c.Token68) {
		return b.String() + " " + c.Token68
	}
	separator := " "
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if isToken(name) {
			b.WriteString(separator)
			b.WriteString(name)
			b.WriteByte('=')
			quote(&b, c.Params[name])
			separator = ", "
		}
	}
	return b.String()
}

// quote writes a quoted string: RFC 9110 section 5.6.4.
func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// isToken reports whether s is a token: RFC 9110 section 5.6.2.
func isToken(s string) bool { return s != "" && tokenEnd(s, 0) == len(s) }

// tokenEnd returns the end of the token that begins at i.
func tokenEnd(s string, i int) int {
	for i < len(s) && classes[s[i]]&inToken != 0 {
		i++
	}
	return i
}

// isToken68 reports whether s is a token68: RFC 9110 section 11.2. Access tokens have this form: RFC 6750
// section 2.1.
func isToken68(s string) bool { return s != "" && token68End(s, 0) == len(s) }

// token68End returns the end of the token68 that begins at i, or i if there is none.
func token68End(s string, i int) int {
	start := i
	for i < len(s) && classes[s[i]]&inToken68 != 0 {
		i++
	}
	if i == start {
		return i
	}
	for i < len(s) && s[i] == '=' {
		i++
	}
	return i
}

// classes says what each byte may be part of. It is a table since every byte of every access token is looked up.
var classes = func() (c [256]uint8) {
	for b := range c {
		if '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' {
			c[b] = inToken | inToken68
		}
	}
	for _, b := range []byte("!#$%&'*+-.^_`|~") {
		c[b] |= inToken
	}
	for _, b := range []byte("-._~+/") {
		c[b] |= inToken68
	}
	return c
}()

const (
	inToken uint8 = 1 << iota
	inToken68
)
