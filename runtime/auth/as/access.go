package as

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

const (
	accessTokenType = "at+jwt"
	maxToken        = 16 << 10
)

// accessClaims holds the claims of an access token; see RFC 9068, section 2.2.
type accessClaims struct {
	Issuer   string        `json:"iss"`
	Subject  string        `json:"sub"`
	Audience string        `json:"aud"`
	Expiry   int64         `json:"exp"`
	IssuedAt int64         `json:"iat"`
	ID       string        `json:"jti"` // the id of the grant, if there is one, a dot, and a name
	Client   string        `json:"client_id"`
	Scope    string        `json:"scope,omitempty"`
	AuthTime int64         `json:"auth_time,omitempty"`
	Confirm  *confirmation `json:"cnf,omitempty"` // nil if it is bound to none
}

// A confirmation names the key to which a token is bound, if it is bound to one: RFC 9449 section 6.1.
type confirmation struct {
	Thumbprint string `json:"jkt"`
}

func (c *accessClaims) expires() time.Time { return time.Unix(c.Expiry, 0) }

// sign returns an access token with the claims. It is valid for AccessLifetime, but not beyond end.
func (s *Server) sign(ctx context.Context, c *accessClaims, grant string, end time.Time) (string, error) {
	now := time.Now()
	expires := now.Add(s.opts.AccessLifetime)
	if !end.IsZero() && end.Before(expires) {
		expires = end
	}
	c.Issuer, c.IssuedAt, c.Expiry = s.opts.Issuer, now.Unix(), expires.Unix()
	c.ID = grant + "." + newID()
	key, err := s.keys.current(ctx)
	if err != nil {
		return "", err
	}
	return jwt.Signed(key.signer).Claims(c).Serialize()
}

// errInvalidToken is the error of a token that this server did not issue, or that is no longer valid.
var errInvalidToken = errors.New("as: the token is invalid, has expired, or was revoked")

// verify returns the claims of an access token, and its grant if it has one. It does not check whether the upstream
// provider still honours the grant.
func (s *Server) verify(ctx context.Context, token string) (*accessClaims, *grant, error) {
	c, err := s.parse(ctx, token)
	if err != nil {
		return nil, nil, err
	}
	if !time.Now().Before(c.expires()) {
		return nil, nil, errInvalidToken
	}
	id := grantID(c.ID)
	if id == "" {
		return c, nil, nil
	}
	g, err := s.grant(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, errInvalidToken
	}
	return c, g, err
}

// parse returns the claims of a token that one of our keys has signed.
func (s *Server) parse(ctx context.Context, token string) (*accessClaims, error) {
	if len(token) > maxToken {
		return nil, errInvalidToken
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return nil, errInvalidToken
	}
	header := signed.Signatures[0].Protected
	if typ, _ := header.ExtraHeaders[jose.HeaderType].(string); typ != accessTokenType {
		return nil, errInvalidToken
	}
	var key *ecdsa.PublicKey
	if key, err = s.keys.byID(ctx, header.KeyID); err != nil {
		return nil, err
	}
	if key == nil {
		return nil, errInvalidToken
	}
	payload, err := signed.Verify(key)
	if err != nil {
		return nil, errInvalidToken
	}
	c := &accessClaims{}
	if err := fetch.Decode(payload, c); err != nil || c.Issuer != s.opts.Issuer {
		return nil, errInvalidToken
	}
	return c, nil
}
