package auth

import (
	"crypto"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
)

// Credentials authenticate this server as a client of an authorization server, with a secret or with a key:
// RFC 6749 section 2.3, RFC 7523 section 2.2. Packages fmt, log/slog and encoding/json never print them.
type Credentials struct {
	ClientID string

	// Secret is sent by the method client_secret_basic: RFC 6749 section 2.3.1.
	Secret string `json:"-"`

	// Key signs assertions for the method private_key_jwt: RFC 7523 section 2.2. It is an ECDSA, Ed25519 or RSA
	// key. KeyID identifies it among the keys of the client.
	Key   crypto.Signer `json:"-"`
	KeyID string
}

// String returns a description with the client id alone.
func (c Credentials) String() string { return fmt.Sprintf("credentials of %q", c.ClientID) }

// Format implements [fmt.Formatter]. Every verb prints what [Credentials.String] returns.
func (c Credentials) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue returns the client id.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.ClientID) }

func (c *Credentials) check() error {
	if c.ClientID == "" || (c.Secret == "") == (c.Key == nil) {
		return errors.New("auth: Credentials: want a client id, and a secret or a key")
	}
	if c.Key == nil {
		return nil
	}
	_, err := dpop.AlgorithmOf(c.Key.Public())
	return err
}

// assertionTime is how long an assertion is valid.
const assertionTime = time.Minute

// authenticate adds the credentials to a request to an authorization server.
func (c *Credentials) authenticate(audience string, h http.Header, form url.Values) error {
	if c.Key == nil {
		pair := url.QueryEscape(c.ClientID) + ":" + url.QueryEscape(c.Secret)
		h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
		return nil
	}
	assertion, err := c.assertion(audience, time.Now())
	if err != nil {
		return err
	}
	form.Set("client_id", c.ClientID)
	form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	form.Set("client_assertion", assertion)
	return nil
}

// assertion returns a JWT that authenticates this client: RFC 7523 section 3.
func (c *Credentials) assertion(audience string, now time.Time) (string, error) {
	alg, err := dpop.AlgorithmOf(c.Key.Public())
	if err != nil {
		return "", err
	}
	opts := (&jose.SignerOptions{}).WithType("JWT")
	if c.KeyID != "" {
		opts.WithHeader("kid", c.KeyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: cryptosigner.Opaque(c.Key)}, opts)
	if err != nil {
		return "", fmt.Errorf("auth: %w", err)
	}
	payload, err := json.Marshal(jwt.Claims{
		Issuer: c.ClientID, Subject: c.ClientID, Audience: jwt.Audience{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(assertionTime)),
	})
	if err != nil {
		return "", err
	}
	jws, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("auth: %w", err)
	}
	return jws.CompactSerialize()
}
