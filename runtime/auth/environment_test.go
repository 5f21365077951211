package auth

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// REQ AUTH-03
func TestFromEnvironment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newTestServer(), newTestKey(t, "1")
		s.keys = []jose.JSONWebKey{k.public()}
		v := newTestVerifier(t, s, func(o *JWTOptions) { o.Leeway = -1 })
		text := k.sign(t)
		t.Setenv("MCP_TEST_TOKEN", " "+text+"\n")
		identify, err := FromEnvironment(t.Context(), "MCP_TEST_TOKEN", v, func(granted, wanted string) bool { return wanted == granted+":x" })
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("MCP_TEST_TOKEN") != "" {
			t.Error("programs that the server starts inherit the token")
		}
		identity := identify(t.Context())
		wanted := []string{"read", "read:x", "admin"}
		if diff := cmp.Diff([]string{"admin"}, identity.Missing(wanted)); diff != "" || identity.Principal() != testIssuer+"#alice" {
			t.Errorf("%s: %s", identity.Principal(), diff)
		}
		if got := FromContext(transport.WithIdentity(t.Context(), identity)); got == nil || got.ClientID != "cli" || *got.raw != text {
			t.Errorf("handlers find %v", got)
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff(wanted, identity.Missing(wanted)); diff != "" {
			t.Errorf("after the end: %s", diff)
		}
	})
}

// A verifier that has neither a token nor an error lets nobody in.
func TestNoTokenOfEnvironment(t *testing.T) {
	t.Setenv("MCP_TEST_TOKEN", "opaque")
	identify, err := FromEnvironment(t.Context(), "MCP_TEST_TOKEN", VerifierFunc(func(context.Context, string) (*Token, error) { return nil, nil }), nil)
	if identify != nil || err == nil || !strings.Contains(err.Error(), "neither a token nor an error") {
		t.Errorf("got %v", err)
	}
}

// An Exchanger needs the text of the token, also of a verifier of one's own.
func TestTokenOfEnvironmentIsExchanged(t *testing.T) {
	t.Setenv("MCP_TEST_TOKEN", "opaque")
	identify, err := FromEnvironment(t.Context(), "MCP_TEST_TOKEN", VerifierFunc(func(context.Context, string) (*Token, error) {
		return &Token{Subject: "alice"}, nil
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newTestServer()
	var forms []url.Values
	exchanges(s, &forms, nil)
	ctx := transport.WithIdentity(t.Context(), identify(t.Context()))
	if _, err := newTestExchanger(t, s).Token(ctx); err != nil || forms[0].Get("subject_token") != "opaque" {
		t.Errorf("%v: %v", err, forms)
	}
	if lacking := identify(t.Context()).Missing([]string{"a"}); len(lacking) != 1 {
		t.Errorf("lacks %q", lacking)
	}
}

func TestFromEnvironmentFails(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	v := newTestVerifier(t, s)
	for name, text := range map[string]string{
		"nothing": "", "garbage": "abc", "another resource": k.sign(t, change{"aud": "https://other.example.com"}), "nobody": k.sign(t, change{"sub": nil, "client_id": nil}),
	} {
		t.Setenv("MCP_TEST_TOKEN", text)
		if _, err := FromEnvironment(t.Context(), "MCP_TEST_TOKEN", v, nil); err == nil || !strings.Contains(err.Error(), "MCP_TEST_TOKEN") || text != "" && strings.Contains(err.Error(), text) ||
			(text == "") != strings.Contains(err.Error(), "empty") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
