package authclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// A token is an access token, with what is needed to replace it. It is never changed.
type token struct {
	Issuer    string    `json:"issuer"`
	ClientID  string    `json:"client_id,omitempty"`
	Resource  string    `json:"resource"`
	Metadata  string    `json:"resource_metadata,omitempty"` // where the server said that of the resource is
	Type      string    `json:"token_type"`                  // Bearer or DPoP
	Access    string    `json:"access_token"`
	Refresh   string    `json:"refresh_token,omitempty"`
	Expiry    time.Time `json:"expiry,omitzero"`
	Requested []string  `json:"requested,omitempty"` // scopes, in all requests that led to it
	Key       []byte    `json:"key,omitempty"`       // to which it is bound

	fresh bool // obtained by a grant in this process
}

// Format hides the token.
func (k token) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "token of %s for %s", k.Issuer, k.Resource)
}

// LogValue hides the token.
func (k token) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(k)) }

// leeway is how long before its end a token is replaced, or a tenth of its lifetime if that is shorter.
const leeway = 30 * time.Second

// expired reports whether a token must be replaced before it is sent.
func (k *token) expired(now time.Time) bool {
	return !k.Expiry.IsZero() && !now.Before(k.Expiry)
}

// decode returns a stored token, nil if there is none.
func (t *Transport) decode(data []byte) (*token, error) {
	if data == nil {
		return nil, nil
	}
	k := new(token)
	if json.Unmarshal(data, k) != nil || k.Type != typeBearer && k.Type != typeDPoP || !oauth.IsToken68(k.Access) {
		return nil, errors.New("authclient: the stored token cannot be read") // without its text
	}
	if k.Type == typeDPoP {
		if t.opts.Proofs == nil {
			return nil, errors.New("authclient: the stored token is bound to a key: this client has no Options.Proofs")
		}
		if _, err := t.opts.Proofs.Thumbprint(k.Key); err != nil {
			return nil, errors.New("authclient: the key of the stored token cannot be read")
		}
	}
	return k, nil
}
