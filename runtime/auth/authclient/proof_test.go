package authclient

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// A prover is Proofs without signatures: its proofs are the thumbprints of keys, and the last nonce that it was given.
type prover struct{ nonce string }

func (p *prover) NewKey(algorithms []string) ([]byte, error) {
	if len(algorithms) > 0 && !slices.Contains(algorithms, "ES256") {
		return nil, fmt.Errorf("it supports the algorithms %q, want ES256", algorithms)
	}
	return []byte("secretkey" + rand.Text()), nil
}

func (p *prover) Thumbprint(key []byte) (string, error) {
	text, ok := strings.CutPrefix(string(key), "secretkey")
	if !ok {
		return "", errors.New("want a key")
	}
	return text, nil
}

func (p *prover) Transport(key []byte, base http.RoundTripper) http.RoundTripper {
	return provingTransport{p, key, base}
}

type provingTransport struct {
	prover *prover
	key    []byte
	base   http.RoundTripper
}

func (t provingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	thumbprint, err := t.prover.Thumbprint(t.key)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("DPoP", strings.TrimSpace(thumbprint+" "+t.prover.nonce))
	resp, err := t.base.RoundTrip(r)
	if err == nil && resp.Header.Get("DPoP-Nonce") != "" {
		t.prover.nonce = resp.Header.Get("DPoP-Nonce")
	}
	return resp, err
}

// bind makes a resource and its authorization server want proofs of a prover. With a nonce, the token endpoint wants it, too.
func bind(t *testing.T, rs *resource, as *issuer, nonce string) (proofs *int) {
	t.Helper()
	proofs = new(int)
	keys := map[string]string{} // of tokens
	as.tokenKind = typeDPoP
	as.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	last := ""
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		*proofs++
		key, said, _ := strings.Cut(r.Header.Get("DPoP"), " ")
		if said != nonce {
			w.Header().Set("DPoP-Nonce", nonce)
			object(w, 400, map[string]any{"error": errorUseNonce})
			return true
		}
		if grant := r.PostForm.Get("grant_type"); key == "" {
			t.Error("there is no proof")
		} else if grant == "refresh_token" && key != last {
			t.Error("the token is refreshed by another key")
		} else if jkt := as.logins; grant == "authorization_code" && jkt[len(jkt)-1].Get("dpop_jkt") != key {
			t.Error("the code is bound to another key")
		}
		last = key
		return false
	}
	rs.challenge = `DPoP resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", algs="ES256"`
	rs.handle = func(w http.ResponseWriter, r *http.Request, g *grant) bool {
		if g == nil {
			return false
		}
		*proofs++
		scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if keys[text] == "" {
			keys[text] = last
		}
		if key, _, _ := strings.Cut(r.Header.Get("DPoP"), " "); scheme != typeDPoP || key != keys[text] {
			t.Errorf("a token of %s with the scheme %s and the proof of %s", keys[text], scheme, key)
		}
		return false
	}
	return proofs
}

// proving returns the options of a client that can prove to have keys.
func proving() *Options { return &Options{Proofs: new(prover)} }

func TestDPoP(t *testing.T) {
	for _, nonce := range []string{"", "nonce"} {
		bubble(t, func(t *testing.T) {
			w, rs, as := newWorld(t)
			as.lifetime = time.Hour
			proofs := bind(t, rs, as, nonce)
			tr := newTransport(t, w, as, proving())
			welcome(t, tr)
			if as.clients[0]["dpop_bound_access_tokens"] != true {
				t.Errorf("registered %v", as.clients[0])
			}
			want := 2
			if nonce != "" {
				want = 3 // the first one again, with the nonce
			}
			if *proofs != want {
				t.Errorf("%d proofs, want %d", *proofs, want)
			}
			*proofs = 0
			welcome(t, tr)
			if *proofs != 1 {
				t.Errorf("%d proofs with a token", *proofs)
			}
			sleep(2 * time.Hour) // the token is over
			welcome(t, tr)
			if len(as.logins) != 1 || as.tokens[len(as.tokens)-1].Get("grant_type") != "refresh_token" {
				t.Errorf("%d logins, %v", len(as.logins), as.tokens)
			}
		})
	}
}

// The key goes on with the token, in another process.
func TestDPoPIsStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Hour
		bind(t, rs, as, "")
		store := new(MemoryStore)
		welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)}))
		welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)}))
		sleep(time.Hour)
		welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)}))
		if len(as.logins) != 1 {
			t.Errorf("%d logins", len(as.logins))
		}
	})
}

func TestDPoPInMachineGrants(t *testing.T) {
	text := func(context.Context) (string, error) { return "secretidentity", nil }
	clients := []Credentials{{Issuer: issuerURL, ID: "me", Secret: "secret"}}
	for name, g := range map[string]Grant{
		"client credentials": ClientCredentials{},
		"workload":           &WorkloadIdentity{Assertion: func(context.Context, string, string) (string, error) { return "secretjwt", nil }},
		"enterprise":         &EnterpriseManaged{Provider: "https://idp.example", Identity: text},
	} {
		w, rs, as := newWorld(t)
		newProvider(t, w, rs, map[string]any{"access_token": "secretjag", "issued_token_type": typeIDJAG, "token_type": "N_A"})
		bind(t, rs, as, "nonce")
		t.Log(name)
		welcome(t, newTransport(t, w, as, &Options{Grant: g, Clients: clients, Proofs: new(prover)}))
	}
}

// A server that never takes the nonce it gives is not asked forever.
func TestNonceNeverTaken(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, "")
	n := 0
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		n++
		w.Header().Set("DPoP-Nonce", strings.Repeat("x", n))
		object(w, 400, map[string]any{"error": errorUseNonce})
		return true
	}
	refused(t, newTransport(t, w, as, proving()), errorUseNonce)
	if n != 2 {
		t.Errorf("%d token requests", n)
	}
}

// A token that is not bound is not used where one that is was asked for.
func TestDPoPDowngrade(t *testing.T) {
	for name, set := range map[string]func(rs *resource, o *Options){
		"challenge": func(rs *resource, o *Options) { rs.challenge = strings.Replace(rs.challenge, "Bearer", "DPoP", 1) },
		"metadata":  func(rs *resource, o *Options) { rs.document["dpop_bound_access_tokens_required"] = true },
		"option":    func(rs *resource, o *Options) { o.RequireProofs = true },
	} {
		w, rs, as := newWorld(t)
		o := proving()
		set(rs, o)
		t.Log(name)
		refused(t, newTransport(t, w, as, o), `issued a token of type "Bearer", want one that is bound to the key of the client`)
		if as.headers[0].Get("DPoP") == "" {
			t.Error("no proof")
		}
	}
	other, _, asOfOther := newWorld(t)
	asOfOther.meta["dpop_signing_alg_values_supported"] = []string{"RS256", "none"}
	refused(t, newTransport(t, other, asOfOther, &Options{RequireProofs: true, Proofs: new(prover)}), `authorization server https://as.example: it supports the algorithms ["RS256" "none"]`)
	first := &resource{challenge: "DPoP", valid: map[string]*grant{}} // of the first revision
	own := &world{hosts: map[string]http.Handler{}}
	as1 := own.newIssuer(t, first, "https://mcp.example")
	own.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			first.ServeHTTP(w, r)
		} else {
			as1.ServeHTTP(w, r)
		}
	})
	refused(t, newTransport(t, own, as1, proving()), "want one that is bound to the key of the client")
	w, rs, as := newWorld(t) // a server that takes both
	rs.challenge += `, DPoP algs="ES256"`
	welcome(t, newTransport(t, w, as, proving()))
	if as.headers[0].Get("DPoP") != "" {
		t.Error("a proof that nobody asked for")
	}
}

// A server that comes to want proofs gets a token that is bound, not the old one refreshed, nor one from the store.
func TestDPoPUpgrade(t *testing.T) {
	w, rs, as := newWorld(t)
	store := new(MemoryStore)
	tr := newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)})
	welcome(t, tr)
	clear(rs.valid)
	other := newTransport(t, w, as, &Options{Store: store})
	welcome(t, other) // the store has another token, a bearer
	clear(rs.valid)
	bind(t, rs, as, "")
	welcome(t, tr)
	if tr.token.Type != typeDPoP || as.tokens[len(as.tokens)-1].Get("grant_type") != "authorization_code" {
		t.Errorf("a token of type %s by %v", tr.token.Type, as.tokens)
	}
}

// A client that cannot prove to have a key says so, and does not use tokens that are bound to one.
func TestWithoutProofs(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, "")
	store := new(MemoryStore)
	welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)}))
	refused(t, newTransport(t, w, as, &Options{Store: store}), endpointURL+" wants tokens that are bound to a key (DPoP): this client has no Options.Proofs")
	if len(as.logins) != 1 {
		t.Errorf("%d logins", len(as.logins))
	}
}

// No response to a proof is an error like any other.
func TestNoResponseToProof(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, "")
	as.meta["token_endpoint"] = "https://nowhere.example/token"
	refused(t, newTransport(t, w, as, proving()), "there is no host nowhere.example")
}

// The grant of an identity provider is bound to the client and not to a key, and an error other than for a nonce ends the
// attempt.
func TestProofsGoToTheirServer(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, "")
	idp := newProvider(t, w, rs, map[string]any{"access_token": "secretjag", "issued_token_type": typeIDJAG, "token_type": "N_A"})
	welcome(t, newTransport(t, w, as, &Options{Proofs: new(prover), Clients: []Credentials{{ID: "me"}}, Grant: &EnterpriseManaged{
		Provider: "https://idp.example", TokenEndpoint: "https://idp.example/token", Client: Credentials{ID: "me"}, Identity: func(context.Context) (string, error) { return "secretidentity", nil },
	}}))
	if idp.headers[0].Get("DPoP") != "" || as.headers[0].Get("DPoP") == "" {
		t.Errorf("the provider received %v, the server %v", idp.headers[0], as.headers[0])
	}
	w, rs, as = newWorld(t)
	bind(t, rs, as, "")
	as.onToken = func(w http.ResponseWriter, _ *http.Request) bool {
		object(w, 400, map[string]any{"error": "invalid_grant"})
		return true
	}
	refused(t, newTransport(t, w, as, proving()), "invalid_grant")
	if len(as.tokens) != 1 {
		t.Errorf("%d token requests", len(as.tokens))
	}
}
