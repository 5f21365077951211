package as

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
)

// Metadata returns the metadata of the server; see RFC 8414 section 2.
func (s *Server) Metadata() *auth.AuthorizationServerMetadata {
	methods := []string{methodNone, methodBasic, methodPost, methodKey}
	m := &auth.AuthorizationServerMetadata{
		Issuer:                            s.opts.Issuer,
		TokenEndpoint:                     s.url("/token"),
		JWKSURI:                           s.url("/jwks"),
		RevocationEndpoint:                s.url("/revoke"),
		ResponseTypesSupported:            []string{"code"},
		GrantTypesSupported:               []string{grantCredentials},
		TokenEndpointAuthMethodsSupported: methods,
		TokenEndpointAuthSigningAlgValuesSupported: dpop.Algorithms(),
		RevocationEndpointAuthMethodsSupported:     methods,
		CodeChallengeMethodsSupported:              []string{"S256"},
		DPoPSigningAlgValuesSupported:              dpop.Algorithms(),
		ProtectedResources:                         s.opts.Resources,
	}
	for _, scope := range s.opts.Scopes {
		m.ScopesSupported = append(m.ScopesSupported, scope.Name)
	}
	if s.hasUsers() {
		m.AuthorizationEndpoint = s.url("/authorize")
		m.GrantTypesSupported = append(m.GrantTypesSupported, grantCode, grantRefresh)
		m.ResponseModesSupported = []string{"query"}
		m.AuthorizationResponseISSParameterSupported = true
		m.ClientIDMetadataDocumentSupported = s.documents != nil
		if !s.opts.NoRegistration {
			m.RegistrationEndpoint = s.url("/register")
		}
	}
	return m
}

func (s *Server) serveMetadata(w http.ResponseWriter, _ *http.Request) { writePublic(w, s.Metadata()) }

func (s *Server) serveKeys(w http.ResponseWriter, r *http.Request) {
	set, err := s.keys.public(r.Context())
	if err != nil {
		s.writeRefusal(w, r, err)
		return
	}
	writePublic(w, set)
}

// writePublic writes a response that others may keep, for less time than keys are published before they sign.
func writePublic(w http.ResponseWriter, v any) {
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, http.StatusOK, v)
}
