package main

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
)

// authPrefix begins the names of the scenarios about authorization.
const authPrefix = "auth/"

func isAuth(scenario string) bool { return strings.HasPrefix(scenario, authPrefix) }

// documentURL is where the suite says that the metadata document of the client is.
const documentURL = "https://conformance-test.local/client-metadata.json"

// secrets are what the suite gives a client that it does not let register itself.
type secrets struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Issuer       string `json:"issuer"`
	PrivateKey   string `json:"private_key_pem"`

	Provider         string `json:"idp_issuer"`
	ProviderToken    string `json:"idp_token_endpoint"`
	ProviderClientID string `json:"idp_client_id"`
	IDToken          string `json:"idp_id_token"`

	WorkloadJWT string `json:"valid_jwt"`
}

// authorization returns how the client obtains tokens in the scenario.
func (r *run) authorization() (*authclient.Options, error) {
	var s secrets
	if len(r.told) > 0 {
		if err := json.Unmarshal(r.told, &s); err != nil {
			return nil, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	opts := &authclient.Options{Grant: s.grant(r.scenario), Proofs: new(prover)}
	if s.ClientID == "" {
		return opts, nil
	}
	c := authclient.Credentials{Issuer: s.Issuer, ID: s.ClientID, Secret: s.ClientSecret}
	if s.PrivateKey != "" {
		var err error
		if c.Key, err = parseKey(s.PrivateKey); err != nil {
			return nil, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: private_key_pem: %w", err)
		}
	}
	opts.Clients = []authclient.Credentials{c}
	return opts, nil
}

// grant returns the grant of a scenario.
func (s *secrets) grant(scenario string) authclient.Grant {
	switch name := strings.TrimPrefix(scenario, authPrefix); {
	case strings.HasPrefix(name, "client-credentials-"):
		return authclient.ClientCredentials{}
	case name == "enterprise-managed-authorization":
		return &authclient.EnterpriseManaged{
			Provider: s.Provider, TokenEndpoint: s.ProviderToken, Client: authclient.Credentials{ID: s.ProviderClientID},
			Identity: func(context.Context) (string, error) { return s.IDToken, nil },
		}
	case strings.HasPrefix(name, "wif-"):
		return &authclient.WorkloadIdentity{
			Assertion: func(context.Context, string, string) (string, error) { return s.WorkloadJWT, nil },
		}
	}
	return &authclient.AuthorizationCode{ClientName: "mcpgen-conformance", ClientIDURL: documentURL, Open: browse}
}

// browse is the browser of a user who approves everything: it follows the redirect back to the client.
func browse(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	return err
}

// parseKey reads a private key.
func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("want a PEM block")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("want a key that signs, got %T", key)
	}
	return signer, nil
}
