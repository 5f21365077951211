package dpop

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// VerifierOptions configures a [Verifier]. Of the limits, 0 is the default, and a negative value is no limit.
type VerifierOptions struct {
	// Required refuses tokens that are not bound to a key.
	Required bool

	// Nonces demands a nonce from this server in proofs, so that they cannot be made in advance: RFC 9449 section
	// 9. Servers behind one address must share NonceKey, 32 random bytes.
	Nonces   bool
	NonceKey []byte

	// MaxProofs is how many proofs are remembered so that none is accepted twice, each for at most 10 minutes:
	// 1,048,576 if 0. Each takes about 40 bytes. One principal may have a quarter of them; requests beyond that are
	// refused with status 503. Processes do not share what they remember.
	MaxProofs int
}

// A Verifier verifies proofs: RFC 9449 section 4.3. It is the option Proofs of a resource server. An authorization server
// has the keys to which it binds tokens from [Verifier.Key].
type Verifier struct {
	opts   VerifierOptions
	nonces *nonces // nil if proofs need none
	seen   *share.Seen
	now    func() time.Time
}

var _ auth.Proofs = (*Verifier)(nil)

// NewVerifier returns a verifier. Opts may be nil.
func NewVerifier(opts *VerifierOptions) (*Verifier, error) {
	v := &Verifier{opts: option.Of(opts), now: time.Now}
	if n := len(v.opts.NonceKey); v.opts.NonceKey != nil && n != nonceKeySize {
		return nil, fmt.Errorf("dpop: VerifierOptions.NonceKey: want %d random bytes, got %d", nonceKeySize, n)
	}
	if v.opts.Nonces {
		v.nonces = newNonces(v.opts.NonceKey)
	}
	v.seen = share.NewSeen(option.Limit(v.opts.MaxProofs, 1<<20))
	return v, nil
}

// ErrBusy is the error of a proof that cannot be remembered, since there are too many.
var ErrBusy = errors.New("dpop: too many proofs")

// Verify implements [auth.Proofs]: RFC 9449 section 7.
func (v *Verifier) Verify(r *http.Request, urls []string, t *auth.Token) error {
	scheme, token := authorization(r)
	bound := strings.EqualFold(scheme, Scheme)
	switch {
	case t.KeyThumbprint == "" && bound:
		return wrong("", "the token is not bound to a key: want the scheme Bearer")
	case t.KeyThumbprint == "" && v.opts.Required:
		return wrong("", "the token is not bound to a key")
	case t.KeyThumbprint == "":
		return nil
	case !bound:
		return wrong("", "the token is bound to a key: want the scheme DPoP")
	}
	proofs := r.Header.Values(proofHeader)
	if len(proofs) != 1 {
		return invalid("want one header DPoP")
	}
	if again.Is(r.Context()) { // its proof has been verified, and is accepted once
		return nil
	}
	_, err := v.verify(proofs[0], expectation{
		method: r.Method, urls: urls, token: token, thumbprint: t.KeyThumbprint, owner: share.Of(t.Principal(), "", nil),
	})
	return err
}

// authorization returns the scheme and the credentials of a request, each empty if there is none.
func authorization(r *http.Request) (scheme, credentials string) {
	fields := append(strings.Fields(r.Header.Get("Authorization")), "", "")
	return fields[0], fields[1]
}

// Challenge implements [auth.Proofs].
func (v *Verifier) Challenge(r *http.Request, c *auth.Challenge, h http.Header) {
	if scheme, _ := authorization(r); !v.opts.Required && !c.Is(Scheme) && !strings.EqualFold(scheme, Scheme) {
		return
	}
	c.Scheme = Scheme
	c.Params["algs"] = strings.Join(Algorithms(), " ")
	if v.nonces != nil {
		h.Set(nonceHeader, v.nonces.current(v.now()))
		h.Add("Access-Control-Expose-Headers", nonceHeader)
	}
}

// Describe implements [auth.Proofs]: RFC 9728 section 2.
func (v *Verifier) Describe(m *auth.ProtectedResourceMetadata) {
	m.DPoPSigningAlgValuesSupported = Algorithms()
	m.DPoPBoundAccessTokensRequired = v.opts.Required
}

// Key returns the thumbprint of the key of which a request to an endpoint of an authorization server has a proof, to which
// tokens are to be bound; "" if it has none: RFC 9449 section 5. The error is [ErrBusy] or an *[auth.InvalidTokenError].
func (v *Verifier) Key(r *http.Request, endpoint string) (thumbprint string, err error) {
	proofs := r.Header.Values(proofHeader)
	switch len(proofs) {
	case 0:
		return "", nil
	case 1:
		return v.verify(proofs[0], expectation{method: r.Method, urls: []string{endpoint}, owner: share.From(r.Context())})
	}
	return "", invalid("want one header DPoP")
}
