package auth

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// offlineAccess is the scope that requests a refresh token. It is not a scope of a resource, so a resource server does
// not name it.
const offlineAccess = "offline_access"

// scopesOf returns the scopes of a list separated by spaces: RFC 6749 section 3.3. Invalid scopes are left out.
func scopesOf(list string) []string {
	if list == "" {
		return nil
	}
	scopes := make([]string, 0, strings.Count(list, " ")+1)
	for s := range strings.SplitSeq(list, " ") {
		if oauth.IsScope(s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// resourceScopes returns the scopes that a resource server may name, each once.
func resourceScopes(scopes []string) []string {
	var list []string
	for _, s := range scopes {
		if s != offlineAccess && oauth.IsScope(s) && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
