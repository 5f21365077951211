package auth

import (
	"slices"
	"strings"
)

// offlineAccess asks for a refresh token. It is no scope of a resource, so no resource server names it.
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

// scopesOf returns the scopes of a list as RFC 6749 writes it. What follows no grammar is left out.
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
