package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestAuthorization(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal(map[string]string{
		"client_id": "me", "client_secret": "s", "issuer": "https://as.example", "private_key_pem": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"idp_issuer": "https://idp.example", "idp_client_id": "me-there", "idp_id_token": "id", "valid_jwt": "jwt",
	})
	if err != nil {
		t.Fatal(err)
	}
	options := func(scenario string, told wire.Raw) *authclient.Options {
		t.Helper()
		opts, err := (&run{scenario: scenario, told: told}).authorization()
		if err != nil {
			t.Fatal(err)
		}
		return opts
	}
	if opts := options("auth/basic-cimd", nil); opts.Clients != nil || opts.Grant.(*authclient.AuthorizationCode).ClientIDURL != documentURL {
		t.Errorf("got %+v", opts)
	}
	opts := options("auth/client-credentials-jwt", told)
	c := opts.Clients[0]
	if _, ok := opts.Grant.(authclient.ClientCredentials); !ok || c.ID != "me" || c.Secret != "s" || c.Issuer != "https://as.example" || !key.Equal(c.Key) {
		t.Errorf("got %+v", opts)
	}
	enterprise := options("auth/enterprise-managed-authorization", told).Grant.(*authclient.EnterpriseManaged)
	if id, err := enterprise.Identity(t.Context()); id != "id" || err != nil || enterprise.Provider != "https://idp.example" || enterprise.Client.ID != "me-there" {
		t.Errorf("got %+v", enterprise)
	}
	workload := options("auth/wif-jwt-bearer", told).Grant.(*authclient.WorkloadIdentity)
	if jwt, err := workload.Assertion(t.Context(), "", ""); jwt != "jwt" || err != nil {
		t.Errorf("got %s, %v", jwt, err)
	}
	for _, bad := range []string{`[]`, `{"client_id":"me","private_key_pem":"x"}`} {
		if _, err := (&run{scenario: "auth/x", told: wire.Raw(bad)}).authorization(); err == nil || !strings.Contains(err.Error(), "MCP_CONFORMANCE_CONTEXT") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
