package auth

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// A Challenge says how to get access: RFC 9110 section 11.3. RFC 6750 section 3 defines the scheme Bearer, and
// RFC 9449 section 7.1 the scheme DPoP.
type Challenge struct {
	Scheme string // such as "Bearer"; case does not matter

	// Params maps the names of parameters, in lower case, to their values: "error", "scope",
	// "resource_metadata". There are none where a scheme, such as Negotiate, has a token68 in their place.
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
	var params []string
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if isToken(name) {
			params = append(params, name+"="+quote(c.Params[name]))
		}
	}
	return strings.TrimSuffix(c.Scheme+" "+strings.Join(params, ", "), " ")
}

// quote returns s as a quoted string: RFC 9110 section 5.6.4.
func quote(s string) string {
	text := []byte(s) // which need not be UTF-8
	for i, c := range text {
		if c < ' ' || c == 0x7f {
			text[i] = ' '
		}
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(string(text)) + `"`
}

// tokenChars are the characters of tokens: RFC 9110 section 5.6.2.
const tokenChars = oauth.Alphanumeric + "!#$%&'*+-.^_`|~"

// isToken reports whether s is a token.
func isToken(s string) bool { return s != "" && strings.Trim(s, tokenChars) == "" }
