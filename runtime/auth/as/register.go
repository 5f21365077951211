package as

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// maxMetadata is how many bytes the metadata of a client may have, whether it is sent or fetched.
const maxMetadata = 16 << 10

// registration is the response to a client that has registered; see RFC 7591, section 3.2.1.
type registration struct {
	clientMetadata
	IssuedAt        int64  `json:"client_id_issued_at"`
	Secret          string `json:"client_secret,omitempty"` // chosen by us, not by the metadata
	SecretExpiresAt *int64 `json:"client_secret_expires_at,omitempty"`
}

// register registers a client; see RFC 7591.
func (s *Server) register(w http.ResponseWriter, r *http.Request) (*registration, error) {
	if !hasType(r, "application/json") {
		return nil, refuse("invalid_client_metadata", "want the content type application/json")
	}
	body, err := readBody(w, r, maxMetadata)
	if err != nil {
		return nil, refuse("invalid_client_metadata", err.Error())
	}
	m := &clientMetadata{}
	if err := fetch.Decode(body, m); err != nil {
		return nil, refuse("invalid_client_metadata", "want a JSON object with client metadata, each member once and of its type")
	}
	c, err := m.client()
	if err != nil {
		return nil, err
	}
	secret := ""
	switch m.Method {
	case "":
		c.Method, secret = methodBasic, newSecret() // the default of RFC 7591, section 2
	case methodBasic, methodPost:
		secret = newSecret()
	case methodNone, methodKey:
	default:
		return nil, refuse("invalid_client_metadata", "token_endpoint_auth_method: want none, client_secret_basic, client_secret_post or private_key_jwt")
	}
	if secret != "" {
		c.Secret = digestOf(secret)
	}
	c.ID = newID()
	now := time.Now()
	c.Expires = now.Add(unusedClient)
	if err := s.put(r.Context(), share.From(r.Context()), kindNewClient, c.ID, c, 0, c.Expires); err != nil {
		return nil, err
	}
	s.logger.InfoContext(r.Context(), "a client has registered", "client", c.ID)
	return m.registration(c, secret, now), nil
}

func (m *clientMetadata) registration(c *client, secret string, now time.Time) *registration {
	response := &registration{clientMetadata: *m, IssuedAt: now.Unix(), Secret: secret}
	response.ID, response.GrantTypes, response.ResponseTypes = c.ID, c.Grants, []string{"code"}
	response.Method = c.Method
	if secret != "" {
		response.SecretExpiresAt = new(int64) // 0: it does not expire
	}
	if response.ApplicationType == "" {
		response.ApplicationType = "web"
		if c.Native {
			response.ApplicationType = "native"
		}
	}
	return response
}
