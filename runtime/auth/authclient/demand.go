package authclient

// A response with status 401 or 403 says in its challenges what it lacks: a token, or scopes. Each request makes a few
// attempts, and a Transport asks a user a few times, whatever servers say.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling, RFC 6750
// and RFC 9728 section 5.1.

import (
	"net/http"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

// A demand is what a response asks the client to do before it sends the request again.
type demand struct {
	metadata string   // the URL of the metadata of the resource, if the response says it
	scopes   []string // that the response names
	dpop     bool     // tokens have to be bound to a key
	stepUp   bool     // the token is valid, but lacks scopes
	silent   bool     // no server has asked: the token is about to expire
}

// same reports whether two demands ask for the same token.
func (d demand) same(other demand) bool {
	return d.stepUp == other.stepUp && d.silent == other.silent && d.dpop == other.dpop && slices.Equal(d.scopes, other.scopes)
}

// The limits of the attempts for one request.
const (
	maxLogins  = 2
	maxStepUps = 3
	maxScopes  = 200 // in a request for a token, so that challenges cannot make it grow for ever
)

// The limit of logins for all requests of a Transport: a server could give each of them another reason.
const (
	maxLoginsInTime = 5
	loginWindow     = 10 * time.Minute
)

// An effort counts the attempts for one request: how often it was refused for want of a token, and for want of scopes.
type effort struct{ logins, stepUps int }

// judge returns what a response demands, and false if no further attempt would help. Tok is the token that the
// request was sent with.
//
// REQ AUTH11-15
func (e *effort) judge(resp *http.Response, tok *token) (demand, bool) {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		d, code := demandOf(resp)
		if resp.Request.Method == http.MethodDelete || code == errorUseNonce {
			return d, false // nobody logs in to end a session; and where no nonce was right, another token is of no use
		}
		e.logins++
		// A token that was obtained for this very request, and not by a refresh, is as good as the next.
		return d, e.logins <= maxLogins && !(e.logins > 1 && tok != nil && tok.fresh)
	case http.StatusForbidden:
		d, code := demandOf(resp)
		if code != "insufficient_scope" || len(d.scopes) == 0 {
			return d, false
		}
		d.stepUp = true
		e.stepUps++
		// Nothing new would be asked for if the token was requested with these scopes.
		return d, e.stepUps <= maxStepUps && !(tok != nil && includes(tok.Requested, d.scopes))
	}
	return demand{}, false
}

// demandOf reads the challenges of a response. The code is that of the first challenge with a code.
//
// REQ AUTH06-03
func demandOf(resp *http.Response) (d demand, code string) {
	challenges, err := auth.ParseChallenges(resp.Header)
	if err != nil {
		return d, "" // as without a challenge
	}
	// A response may have several challenges; those of other schemes are not for this client.
	bearer := false
	for _, c := range challenges {
		switch {
		case c.Is(typeBearer):
			bearer = true
		case c.Is(typeDPoP):
			d.dpop = true
		default:
			continue
		}
		if code == "" {
			code = c.Params["error"]
		}
		if d.metadata == "" {
			d.metadata = c.Params["resource_metadata"]
		}
		d.scopes = union(d.scopes, c.Scopes())
	}
	// A server that accepts both kinds of tokens leaves the choice to the client.
	d.dpop = d.dpop && !bearer
	return d, code
}

// union returns the scopes of both lists, each once, in their order.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// includes reports whether list has all that are wanted.
func includes(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(s string) bool { return !slices.Contains(list, s) })
}
