package auth

import (
	"slices"
	"strings"
)

// offlineAccess is the scope that requests a refresh token. It is not a scope of a resource, so a resource server does
// not name it.
const offlineAccess = "offline_access"

// validScope reports whether a scope follows the grammar of RFC 6749 section 3.3.
func validScope(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return s != ""
}

// scopesOf returns the scopes of a list separated by spaces: RFC 6749 section 3.3. Invalid scopes are left out.
func scopesOf(list string) []string {
	if list == "" {
		return nil
	}
	scopes := make([]string, 0, strings.Count(list, " ")+1)
	for s := range strings.SplitSeq(list, " ") {
		if validScope(s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// resourceScopes returns the scopes that a resource server may name, each once.
func resourceScopes(scopes []string) []string {
	var list []string
	for _, s := range scopes {
		if s != offlineAccess && validScope(s) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
