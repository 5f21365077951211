package authclient

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
)

// bind makes a resource and its authorization server want proofs of possession. With a nonce, both want that, too.
func bind(t *testing.T, rs *resource, as *issuer, nonces *dpop.Nonces) (proofs *int) {
	t.Helper()
	v, err := dpop.NewVerifier(dpop.Options{Nonces: nonces})
	if err != nil {
		t.Fatal(err)
	}
	proofs = new(int)
	keys := map[string]string{} // of tokens
	check := func(w http.ResponseWriter, r *http.Request, want dpop.Request) (string, bool) {
		*proofs++
		if nonces != nil {
			w.Header().Set(dpop.NonceHeader, nonces.Current(time.Now()))
		}
		key, err := v.Verify(r.Header.Get(dpop.Header), want)
		if err == nil {
			return key, true
		}
		code := dpop.ErrorInvalidProof
		if err == dpop.ErrNonce {
			code = dpop.ErrorUseNonce
		} else {
			t.Error(err)
		}
		if want.Token != "" {
			w.Header().Set("WWW-Authenticate", `DPoP error="`+code+`"`)
			w.WriteHeader(401)
		} else {
			object(w, 400, map[string]any{"error": code})
		}
		return "", false
	}
	as.tokenKind = dpop.Scheme
	as.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	last := ""
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		key, ok := check(w, r, dpop.Request{Method: "POST", URLs: []string{issuerURL + "/token"}})
		if !ok {
			return true
		}
		if grant := r.PostForm.Get("grant_type"); grant == "refresh_token" && key != last {
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
		_, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if keys[text] == "" {
			keys[text] = last
		}
		_, ok := check(w, r, dpop.Request{Method: r.Method, URLs: []string{endpointURL}, Token: text, Thumbprint: keys[text]})
		return !ok
	}
	return proofs
}

func TestDPoP(t *testing.T) {
	for _, nonces := range []*dpop.Nonces{nil, dpop.NewNonces(nil)} {
		bubble(t, func(t *testing.T) {
			w, rs, as := newWorld(t)
			as.lifetime = time.Hour
			proofs := bind(t, rs, as, nonces)
			tr := newTransport(t, w, as, nil)
			welcome(t, tr)
			if as.clients[0]["dpop_bound_access_tokens"] != true {
				t.Errorf("registered %v", as.clients[0])
			}
			want := 2
			if nonces != nil {
				want = 4 // each again with the nonce
			}
			if *proofs != want {
				t.Errorf("%d proofs, want %d", *proofs, want)
			}
			*proofs = 0
			welcome(t, tr)
			if *proofs != 1 {
				t.Errorf("%d proofs with a nonce that is known", *proofs)
			}
			sleep(2 * time.Hour) // the token and the nonces are over
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
		bind(t, rs, as, nil)
		store := new(MemoryStore)
		welcome(t, newTransport(t, w, as, &Options{Store: store}))
		welcome(t, newTransport(t, w, as, &Options{Store: store}))
		sleep(time.Hour)
		welcome(t, newTransport(t, w, as, &Options{Store: store}))
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
		bind(t, rs, as, dpop.NewNonces(nil))
		t.Log(name)
		welcome(t, newTransport(t, w, as, &Options{Grant: g, Clients: clients}))
	}
}

// A server that never takes the nonce it gives is not asked forever.
func TestNonceNeverTaken(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, nil)
	n := 0
	rs.handle = func(w http.ResponseWriter, r *http.Request, g *grant) bool {
		if g == nil {
			return false
		}
		n++
		w.Header().Set(dpop.NonceHeader, strings.Repeat("x", n))
		w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
		w.WriteHeader(401)
		return true
	}
	if got, err := ask(t, newTransport(t, w, as, nil)); got != "401 Unauthorized" || err != nil || n != 1+maxNonces {
		t.Errorf("got %q, %v after %d requests", got, err, n)
	}
	w, rs, as = newWorld(t)
	bind(t, rs, as, nil)
	n = 0
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		n++
		w.Header().Set(dpop.NonceHeader, strings.Repeat("x", n))
		object(w, 400, map[string]any{"error": dpop.ErrorUseNonce})
		return true
	}
	refused(t, newTransport(t, w, as, nil), "use_dpop_nonce")
	if n != 2 {
		t.Errorf("%d token requests", n)
	}
}

// A token that is not bound is not used where one that is was asked for.
func TestDPoPDowngrade(t *testing.T) {
	for name, set := range map[string]func(rs *resource, o *Options){
		"challenge": func(rs *resource, o *Options) { rs.challenge = strings.Replace(rs.challenge, "Bearer", "DPoP", 1) },
		"metadata":  func(rs *resource, o *Options) { rs.document["dpop_bound_access_tokens_required"] = true },
		"option":    func(rs *resource, o *Options) { o.RequireDPoP = true },
	} {
		w, rs, as := newWorld(t)
		o := new(Options)
		set(rs, o)
		t.Log(name)
		refused(t, newTransport(t, w, as, o), `issued a token of type "Bearer", want one that is bound to the key of the client`)
		if as.headers[0].Get(dpop.Header) == "" {
			t.Error("no proof")
		}
	}
	other, _, asOfOther := newWorld(t)
	asOfOther.meta["dpop_signing_alg_values_supported"] = []string{"RS256", "none"}
	refused(t, newTransport(t, other, asOfOther, &Options{RequireDPoP: true}), `supports the DPoP algorithms ["RS256" "none"], want ES256`)
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
	refused(t, newTransport(t, own, as1, nil), "want one that is bound to the key of the client")
	w, rs, as := newWorld(t) // a server that takes both
	rs.challenge += `, DPoP algs="ES256"`
	welcome(t, newTransport(t, w, as, nil))
	if as.headers[0].Get(dpop.Header) != "" {
		t.Error("a proof that nobody asked for")
	}
}

// A server that comes to want proofs gets a token that is bound, not the old one refreshed, nor one from the store.
func TestDPoPUpgrade(t *testing.T) {
	w, rs, as := newWorld(t)
	store := new(MemoryStore)
	tr := newTransport(t, w, as, &Options{Store: store})
	welcome(t, tr)
	clear(rs.valid)
	other := newTransport(t, w, as, &Options{Store: store})
	welcome(t, other) // the store has another token, a bearer
	clear(rs.valid)
	bind(t, rs, as, nil)
	welcome(t, tr)
	if tr.token.Type != dpop.Scheme || as.tokens[len(as.tokens)-1].Get("grant_type") != "authorization_code" {
		t.Errorf("a token of type %s by %v", tr.token.Type, as.tokens)
	}
}

// No response to a proof is an error like any other.
func TestNoResponseToProof(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, nil)
	as.meta["token_endpoint"] = "https://nowhere.example/token"
	refused(t, newTransport(t, w, as, nil), "there is no host nowhere.example")
}
