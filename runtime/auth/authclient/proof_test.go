package authclient

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A prover is the option Proofs of the tests: its keys are texts, and its proofs are what a proof has, in the clear. Package
// dpop has real ones.
type prover struct {
	mu     sync.Mutex
	nonces map[string]string // by host
}

func (*prover) NewKey(algorithms []string) ([]byte, error) {
	if len(algorithms) > 0 && !slices.Contains(algorithms, "ES256") {
		return nil, fmt.Errorf("the server supports %q, want ES256", algorithms)
	}
	return []byte("key-" + rand.Text()), nil
}

func (*prover) Thumbprint(key []byte) (string, error) {
	if !bytes.HasPrefix(key, []byte("key-")) {
		return "", errors.New("the key cannot be read")
	}
	return fmt.Sprintf("%x", sha256.Sum256(key)), nil
}

func (p *prover) Transport(key []byte, base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		for again := false; ; again = true {
			thumbprint, err := p.Thumbprint(key)
			if err != nil {
				return nil, err
			}
			p.mu.Lock()
			nonce := p.nonces[r.URL.Host]
			p.mu.Unlock()
			_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			sent := r.Clone(r.Context())
			sent.Header.Set("DPoP", strings.Join([]string{thumbprint, r.Method, r.URL.String(), nonce, token}, " "))
			if again && r.GetBody != nil {
				sent.Body, _ = r.GetBody()
			}
			resp, err := base.RoundTrip(sent)
			if err != nil {
				return nil, err
			}
			next := resp.Header.Get("DPoP-Nonce")
			p.mu.Lock()
			if p.nonces == nil {
				p.nonces = map[string]string{}
			}
			if next != "" {
				p.nonces[r.URL.Host] = next
			}
			p.mu.Unlock()
			if again || next == "" || !strings.Contains(resp.Header.Get("WWW-Authenticate"), errorUseNonce) {
				return resp, nil
			}
			resp.Body.Close()
		}
	})
}

// bind makes a resource and its authorization server want proofs of possession. With nonces, both want one of theirs, too,
// which is good for ten minutes.
func bind(t *testing.T, rs *resource, as *issuer, nonces bool) (proofs *int) {
	t.Helper()
	proofs = new(int)
	keys := map[string]string{} // of tokens
	// verify returns the key of a proof, or refuses it for its nonce.
	verify := func(w http.ResponseWriter, r *http.Request, url, token string, status int) (key string, ok bool) {
		*proofs++
		got := append(strings.Split(r.Header.Get("DPoP"), " "), "", "", "", "", "")
		if want := []string{r.Method, url, token}; !slices.Equal([]string{got[1], got[2], got[4]}, want) {
			t.Errorf("a proof of %q, want %q", got, want)
		}
		nonce := ""
		if nonces {
			nonce = fmt.Sprint("nonce-", time.Now().Unix()/600)
		}
		if got[3] == nonce {
			return got[0], true
		}
		w.Header().Set("DPoP-Nonce", nonce)
		if status == 401 {
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			w.WriteHeader(401)
		} else {
			object(w, status, map[string]any{"error": errorUseNonce})
		}
		return "", false
	}
	as.tokenKind = typeDPoP
	as.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	last := ""
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		key, ok := verify(w, r, issuerURL+"/token", "", 400)
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
		scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if keys[text] == "" {
			keys[text] = last
		}
		key, ok := verify(w, r, endpointURL, text, 401)
		if ok && (scheme != typeDPoP || key != keys[text]) {
			t.Errorf("the scheme is %s, and the token is bound to another key", scheme)
		}
		return !ok
	}
	return proofs
}

// proving returns the options of a client that can prove to have keys.
func proving() *Options { return &Options{Proofs: new(prover)} }

func TestDPoP(t *testing.T) {
	for _, nonces := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			w, rs, as := newWorld(t)
			as.lifetime = time.Hour
			proofs := bind(t, rs, as, nonces)
			tr := newTransport(t, w, as, proving())
			welcome(t, tr)
			if as.clients[0]["dpop_bound_access_tokens"] != true {
				t.Errorf("registered %v", as.clients[0])
			}
			want := 2
			if nonces {
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
		bind(t, rs, as, false)
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
		bind(t, rs, as, true)
		t.Log(name)
		welcome(t, newTransport(t, w, as, &Options{Grant: g, Clients: clients, Proofs: new(prover)}))
	}
}

// A server that never takes the nonce it gives is not asked forever.
func TestNonceNeverTaken(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, false)
	n := 0
	rs.handle = func(w http.ResponseWriter, r *http.Request, g *grant) bool {
		if g == nil {
			return false
		}
		n++
		w.Header().Set("DPoP-Nonce", strings.Repeat("x", n))
		w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
		w.WriteHeader(401)
		return true
	}
	if got, err := ask(t, newTransport(t, w, as, proving())); got != "401 Unauthorized" || err != nil || n != 2 {
		t.Errorf("got %q, %v after %d requests", got, err, n)
	}
	w, rs, as = newWorld(t)
	bind(t, rs, as, false)
	n = 0
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		n++
		w.Header().Set("DPoP-Nonce", strings.Repeat("x", n))
		object(w, 400, map[string]any{"error": errorUseNonce})
		return true
	}
	refused(t, newTransport(t, w, as, proving()), "use_dpop_nonce")
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
	refused(t, newTransport(t, other, asOfOther, &Options{RequireProofs: true, Proofs: new(prover)}), `the server supports ["RS256" "none"], want ES256`)
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
	bind(t, rs, as, false)
	welcome(t, tr)
	if tr.token.Type != typeDPoP || as.tokens[len(as.tokens)-1].Get("grant_type") != "authorization_code" {
		t.Errorf("a token of type %s by %v", tr.token.Type, as.tokens)
	}
}

// A client that cannot prove to have a key says so, and does not use tokens that are bound to one.
func TestWithoutProofs(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, false)
	store := new(MemoryStore)
	welcome(t, newTransport(t, w, as, &Options{Store: store, Proofs: new(prover)}))
	refused(t, newTransport(t, w, as, &Options{Store: store}), endpointURL+" wants tokens that are bound to a key (DPoP): want Options.Proofs")
	if len(as.logins) != 1 {
		t.Errorf("%d logins", len(as.logins))
	}
}

// No response to a proof is an error like any other.
func TestNoResponseToProof(t *testing.T) {
	w, rs, as := newWorld(t)
	bind(t, rs, as, false)
	as.meta["token_endpoint"] = "https://nowhere.example/token"
	refused(t, newTransport(t, w, as, proving()), "there is no host nowhere.example")
}
