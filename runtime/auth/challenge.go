package auth

import (
	"maps"
	"slices"
	"strings"
)

// A Challenge says how to get access: RFC 9110 section 11.3. The scheme Bearer is in RFC 6750 section 3, DPoP in
// RFC 9449 section 7.1.
type Challenge struct {
	Scheme string // "Bearer"; upper and lower case are equal

	// Token68 is what some schemes have in place of parameters, such as Negotiate.
	Token68 string

	// Params are the parameters by their names, which are in lower case: "error", "scope",
	// "resource_metadata".
	Params map[string]string
}

// Is reports whether the challenge is of a scheme.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Scopes returns the parameter scope as a list: RFC 6750 section 3.
func (c Challenge) Scopes() []string { return scopesOf(c.Params["scope"]) }

// String returns the challenge as in WWW-Authenticate, with the parameters in the order of their names. No value
// can end the header or a parameter: a control character becomes a space. What cannot be written is left out: a
// challenge whose scheme is no token is empty.
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

// tokenEnd returns where the token ends that begins at i.
func tokenEnd(s string, i int) int {
	for i < len(s) && classes[s[i]]&inToken != 0 {
		i++
	}
	return i
}

// isToken68 reports whether s is a token68: RFC 9110 section 11.2. Access tokens have this form: RFC 6750
// section 2.1.
func isToken68(s string) bool { return s != "" && token68End(s, 0) == len(s) }

// token68End returns where the token68 ends that begins at i, and i if there is none.
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

// classes says in what each byte may be. Every request with a token looks at all of its bytes.
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
