package authclient

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever a program prints or logs of this package, there is no secret in it.
//
// REQ AUTH-09
func TestNothingPrintsSecrets(t *testing.T) {
	w, _, as := newWorld(t)
	as.lifetime = time.Hour
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	store := new(MemoryStore)
	c := Credentials{Issuer: issuerURL, ID: "me", Secret: "secretofclient"}
	withKey := Credentials{Issuer: issuerURL, ID: "me", Key: key}
	opts := &Options{Clients: []Credentials{c, withKey}, Store: store, Grant: &AuthorizationCode{
		ClientKey: key, RedirectURI: redirectURL, Authorize: as.authorize,
	}}
	tr := newTransport(t, w, as, opts)
	welcome(t, tr)
	clear(as.resource.valid)
	welcome(t, tr) // by a refresh
	if !strings.HasPrefix(tr.token.Access, "secret") || !strings.HasPrefix(tr.token.Refresh, "secret") {
		t.Fatal("the test's tokens cannot be told")
	}
	provider := &EnterpriseManaged{Client: c, Identity: func(context.Context) (string, error) { return "secret", nil }}
	values := []any{
		tr, &http.Client{Transport: tr}, opts, *opts, c, &c, withKey, &withKey, []Credentials{c}, store, tr.token, *tr.token,
		provider, *provider, opts.Grant, struct{ T *Transport }{tr}, map[string]any{"a": c}, &flow{Transport: tr, server: tr.server},
	}
	var out bytes.Buffer
	text, jsonLog := slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))
	for _, v := range values {
		fmt.Fprintf(&out, "%v %+v %#v %s %q\n", v, v, v, v, v)
		text.Info("a", "v", v)
		jsonLog.Info("a", "v", v)
		if data, err := json.Marshal(v); err == nil && fmt.Sprintf("%T", v) != "*authclient.token" && fmt.Sprintf("%T", v) != "authclient.token" {
			out.Write(data)
		}
	}
	for _, shown := range []string{`credentials of client "me" for https://as.example`, "authclient.AuthorizationCode()", "authclient.MemoryStore", "token of https://as.example for https://mcp.example/mcp"} {
		if !strings.Contains(out.String(), shown) {
			t.Errorf("%s is not shown", shown)
		}
	}
	for _, private := range []string{"secret", key.D.String(), fmt.Sprintf("%x", key.D.Bytes())} {
		if i := strings.Index(out.String(), private); i >= 0 {
			t.Errorf("a secret is shown: %s", out.String()[max(0, i-200):min(i+100, out.Len())])
		}
	}
}

// REQ SEC-07
func FuzzMetadata(f *testing.F) {
	f.Add(`{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"]}`, `{"issuer":"https://as.example"}`, `Bearer scope="a"`)
	f.Add(`{"resource":"https://mcp.example","authorization_servers":["https://as.example"],"scopes_supported":["a"]}`,
		`{"issuer":"https://as.example","authorization_endpoint":"https://as.example/a","token_endpoint":"https://as.example/t","code_challenge_methods_supported":["S256"]}`, "")
	f.Add(`{"resource":1}`, `[]`, `Bearer resource_metadata="https://mcp.example/x", DPoP`)
	f.Fuzz(func(t *testing.T, resourceDoc, serverDoc, challenge string) {
		w := &world{hosts: map[string]http.Handler{}}
		serve := func(doc string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, doc)
			}
		}
		w.hosts["mcp.example"] = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mcp" {
				rw.Header().Set("WWW-Authenticate", challenge)
				rw.WriteHeader(401)
				return
			}
			serve(resourceDoc)(rw, r)
		})
		w.hosts["as.example"] = serve(serverDoc)
		shown := ""
		tr := newTransport(t, w, nil, &Options{Clients: []Credentials{{Issuer: issuerURL, ID: "me"}}, Logger: slog.New(slog.DiscardHandler),
			Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(_ context.Context, at string) (string, error) {
				shown = at
				return "", http.ErrAbortHandler
			}}})
		got, err := ask(t, tr)
		if err == nil && got == "welcome" {
			t.Error("a token out of nothing")
		}
		if shown != "" && !strings.HasPrefix(strings.ToLower(shown), "https://") {
			t.Errorf("the user was sent to %q", shown)
		}
	})
}
