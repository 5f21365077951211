package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// ProtectedResourceMetadata is what clients need of the metadata of a resource: RFC 9728 section 2.
type ProtectedResourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers,omitempty"` // issuers
	ScopesSupported      []string `json:"scopes_supported,omitempty"`
	ResourceName         string   `json:"resource_name,omitempty"`

	BearerMethodsSupported []string `json:"bearer_methods_supported,omitempty"` // RFC 6750

	// Proofs of possession: RFC 9449.
	DPoPSigningAlgValuesSupported []string `json:"dpop_signing_alg_values_supported,omitempty"`
	DPoPBoundAccessTokensRequired bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

// AuthorizationServerMetadata is what clients need of the metadata of an authorization server: RFC 8414 section 2, and
// OpenID Connect Discovery 1.0 section 3.
type AuthorizationServerMetadata struct {
	Issuer                string `json:"issuer"`
	AuthorizationEndpoint string `json:"authorization_endpoint,omitempty"`
	TokenEndpoint         string `json:"token_endpoint,omitempty"`
	RegistrationEndpoint  string `json:"registration_endpoint,omitempty"`
	RevocationEndpoint    string `json:"revocation_endpoint,omitempty"`
	IntrospectionEndpoint string `json:"introspection_endpoint,omitempty"`
	JWKSURI               string `json:"jwks_uri,omitempty"`

	ScopesSupported        []string `json:"scopes_supported,omitempty"`
	ResponseTypesSupported []string `json:"response_types_supported,omitempty"`
	ResponseModesSupported []string `json:"response_modes_supported,omitempty"`
	GrantTypesSupported    []string `json:"grant_types_supported,omitempty"`

	TokenEndpointAuthMethodsSupported          []string `json:"token_endpoint_auth_methods_supported,omitempty"`
	TokenEndpointAuthSigningAlgValuesSupported []string `json:"token_endpoint_auth_signing_alg_values_supported,omitempty"`
	RevocationEndpointAuthMethodsSupported     []string `json:"revocation_endpoint_auth_methods_supported,omitempty"`
	IntrospectionEndpointAuthMethodsSupported  []string `json:"introspection_endpoint_auth_methods_supported,omitempty"`

	// CodeChallengeMethodsSupported are the methods of PKCE: RFC 7636 section 4.3.
	CodeChallengeMethodsSupported []string `json:"code_challenge_methods_supported,omitempty"`

	// AuthorizationResponseISSParameterSupported reports whether authorization responses have the parameter iss:
	// RFC 9207 section 3.
	AuthorizationResponseISSParameterSupported bool `json:"authorization_response_iss_parameter_supported,omitempty"`

	// ClientIDMetadataDocumentSupported reports whether a client may use the URL of its metadata document as its
	// id: OAuth Client ID Metadata Document, section 5.
	ClientIDMetadataDocumentSupported bool `json:"client_id_metadata_document_supported,omitempty"`

	// AuthorizationGrantProfilesSupported are the profiles of the JWT bearer grant, such as that of
	// enterprise-managed authorization.
	AuthorizationGrantProfilesSupported []string `json:"authorization_grant_profiles_supported,omitempty"`

	DPoPSigningAlgValuesSupported []string `json:"dpop_signing_alg_values_supported,omitempty"` // RFC 9449 section 5.1
	ProtectedResources            []string `json:"protected_resources,omitempty"`               // RFC 9728 section 4
}

// FetchServerMetadata fetches the metadata of an authorization server from the first of [ServerMetadataURLs] that has it.
// Metadata of another issuer does not count: RFC 8414 section 3.3. The client decides which addresses may be reached.
//
// REQ AUTH11-03, AUTH11-04, AUTH26-01
func FetchServerMetadata(ctx context.Context, c *http.Client, issuer string) (*AuthorizationServerMetadata, error) {
	urls, err := ServerMetadataURLs(issuer)
	if err != nil {
		return nil, err
	}
	failed := errors.New("there is no metadata")
	for _, at := range urls {
		m := new(AuthorizationServerMetadata)
		found, err := fetch.Try(ctx, c, at, nil, m)
		switch {
		case err != nil:
			return nil, fmt.Errorf("auth: authorization server %s: %s: %w", issuer, at, err)
		case !found:
		case m.Issuer != issuer:
			failed = fmt.Errorf("%s: want the issuer %q, got %q", at, issuer, excerpt.Of(m.Issuer))
		default:
			return m, nil
		}
	}
	return nil, fmt.Errorf("auth: authorization server %s: %w", issuer, failed)
}
