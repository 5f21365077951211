package as

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
)

const (
	codeTime = time.Minute      // how long a code can be used
	codeKeep = 10 * time.Minute // how long a second use of it is recognized, if the grant is not kept for longer
	maxSpent = 32               // refresh tokens that were used, and are recognized
)

// A grant is what a user has granted a client: one code, and the tokens that are issued for it. All of it is in one
// record, so that one change revokes everything.
type grant struct {
	Client    string    `json:"client"`
	Subject   string    `json:"subject"`
	Scopes    []string  `json:"scopes,omitempty"`
	Resource  string    `json:"resource"`
	Redirect  string    `json:"redirect"`
	Challenge string    `json:"challenge"`
	Key       string    `json:"jkt,omitempty"` // the thumbprint of the key to which it is bound
	Time      time.Time `json:"time"`          // when the user granted it
	Expires   time.Time `json:"expires"`       // when the record expires

	Code     digest   `json:"code"`
	Redeemed bool     `json:"redeemed,omitempty"` // the code was used
	Refresh  digest   `json:"refresh,omitempty"`  // the refresh token
	Spent    []digest `json:"spent,omitempty"`    // those before it, oldest first

	Upstream []byte    `json:"upstream,omitempty"` // the token of the upstream provider, encrypted
	Checked  time.Time `json:"checked,omitzero"`   // when its status was last checked
	Claimed  time.Time `json:"claimed,omitzero"`   // until when one request has claimed the check
}

// A code or a refresh token is the id of its grant, a dot, and a secret.
func newGrantSecret(id string) string { return id + "." + newSecret() }

func grantID(secret string) string {
	id, _, _ := strings.Cut(secret, ".")
	return id
}

// createGrant stores a grant and returns its code.
func (s *Server) createGrant(ctx context.Context, g *grant, id string) (code string, err error) {
	code = newGrantSecret(id)
	g.Code = digestOf(code)
	g.Time = time.Now()
	g.Expires = g.Time.Add(codeKeep)
	return code, s.put(ctx, of(g.Subject), kindGrant, id, g, 0, g.Expires)
}

func (s *Server) grant(ctx context.Context, id string) (*grant, error) {
	g := &grant{}
	_, err := s.load(ctx, kindGrant, id, g)
	return g, err
}

// errMisused is the error of a change that would use a code or a refresh token again, or a code by a client that
// did not receive it: it has been stolen.
var errMisused = errors.New("as: a code or a refresh token was stolen")

// errNoGrant is the refusal of a code or token whose grant does not exist, or no longer exists.
var errNoGrant = refuse("invalid_grant", "the code or the token is invalid, has expired, or was revoked")

// changeGrant changes a grant. The function change returns until when the grant is kept afterwards. If it returns
// errMisused, the whole grant is revoked.
func (s *Server) changeGrant(ctx context.Context, id string, change func(*grant) (time.Time, error)) (*grant, error) {
	for range maxAttempts {
		g := &grant{}
		revision, err := s.load(ctx, kindGrant, id, g)
		if errors.Is(err, store.ErrNotFound) {
			return nil, errNoGrant
		}
		if err != nil {
			return nil, err
		}
		expires, err := change(g)
		if errors.Is(err, errMisused) {
			s.logger.WarnContext(ctx, "a code or a refresh token was used again, or by another; its grant is revoked", "client", g.Client)
			if err := s.revokeGrant(ctx, id); err != nil {
				return nil, err
			}
			return nil, errNoGrant
		}
		if err != nil {
			return nil, err
		}
		if !expires.IsZero() {
			g.Expires = expires
		}
		err = s.put(ctx, of(g.Subject), kindGrant, id, g, revision, g.Expires)
		if err == nil {
			return g, nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("as: a grant: %w", store.ErrConflict)
}

// revokeGrant revokes a grant with all its tokens.
func (s *Server) revokeGrant(ctx context.Context, id string) error {
	return s.delete(ctx, kindGrant, id, 0)
}

// renew makes the next refresh token of a grant.
func (g *grant) renew(id string) (token string) {
	if g.Refresh != nil {
		g.Spent = append(g.Spent, g.Refresh)
		g.Spent = g.Spent[max(0, len(g.Spent)-maxSpent):]
	}
	token = newGrantSecret(id)
	g.Refresh = digestOf(token)
	return token
}

// spent reports whether a refresh token was used before.
func (g *grant) spent(token string) bool {
	d := digestOf(token)
	return slices.ContainsFunc(g.Spent, d.equal)
}
