package auth

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// boundRequest returns a request with a token that is bound to a prover's key.
func boundRequest(t *testing.T, k *testKey, p *dpop.Prover, nonce string, changes ...change) *http.Request {
	t.Helper()
	token := k.sign(t, append(changes, change{"cnf": map[string]any{"jkt": p.Thumbprint()}})...)
	proof, err := p.Proof("POST", testResource, nonce, token)
	if err != nil {
		t.Fatal(err)
	}
	r := post("DPoP " + token)
	r.Header["Dpop"] = []string{proof}
	return r
}

func TestBoundToken(t *testing.T) {
	rs, k := newSecured(t, requires("read"))
	p, thief := newTestProver(t), newTestProver(t)
	replayed := boundRequest(t, k, p, "")
	if resp := ask(rs, replayed); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %s", resp.StatusCode, resp.Header)
	}
	stolen := boundRequest(t, k, p, "")
	text := strings.TrimPrefix(stolen.Header.Get("Authorization"), "DPoP ")
	proof, _ := thief.Proof("POST", testResource, "", text)
	stolen.Header["Dpop"] = []string{proof}
	get := boundRequest(t, k, p, "")
	get.Method = "GET"
	elsewhere := boundRequest(t, k, p, "")
	proof, _ = p.Proof("POST", "https://mcp.example.com/other", "", strings.TrimPrefix(elsewhere.Header.Get("Authorization"), "DPoP "))
	elsewhere.Header["Dpop"] = []string{proof}
	none, two := boundRequest(t, k, p, ""), boundRequest(t, k, p, "")
	none.Header.Del("DPoP")
	two.Header["Dpop"] = append(two.Header["Dpop"], two.Header["Dpop"][0])
	bearer := boundRequest(t, k, p, "")
	bearer.Header["Authorization"][0] = strings.Replace(bearer.Header["Authorization"][0], "DPoP", "Bearer", 1)
	unbound := boundRequest(t, k, p, "")
	unbound.Header["Authorization"][0] = "DPoP " + k.sign(t)
	another := boundRequest(t, k, p, "")
	another.Header["Authorization"] = boundRequest(t, k, p, "").Header["Authorization"]
	expired := post("DPoP " + k.sign(t, change{"exp": 1, "cnf": map[string]any{"jkt": p.Thumbprint()}}))
	for name, test := range map[string]struct {
		r           *http.Request
		code, about string
	}{
		"of another token":    {another, "invalid_dpop_proof", "ath"},
		"an expired token":    {expired, "invalid_token", "expired"},
		"a replay":            {replayed, "invalid_dpop_proof", "used before"},
		"another key":         {stolen, "invalid_dpop_proof", "not bound"},
		"another method":      {get, "invalid_dpop_proof", "htm"},
		"another URL":         {elsewhere, "invalid_dpop_proof", "htu"},
		"no proof":            {none, "invalid_dpop_proof", "one header DPoP"},
		"two proofs":          {two, "invalid_dpop_proof", "one header DPoP"},
		"as a bearer token":   {bearer, "invalid_token", "want the scheme DPoP"},
		"a token without key": {unbound, "invalid_token", "not bound to a key"},
	} {
		resp := ask(rs, test.r)
		c := challengeOf(t, resp)
		if resp.StatusCode != http.StatusUnauthorized || c.Scheme != "DPoP" || c.Params["error"] != test.code || !strings.Contains(c.Params["error_description"], test.about) {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, c)
		}
		if c.Params["scope"] != "read" || c.Params["resource_metadata"] != testMetadataURL || !strings.Contains(c.Params["algs"], "ES256") {
			t.Errorf("%s: %s", name, c)
		}
	}
	// The challenge for more scopes has the scheme of the request.
	resp := ask(rs, boundRequest(t, k, p, ""), "admin")
	if c := challengeOf(t, resp); resp.StatusCode != http.StatusForbidden || c.Scheme != "DPoP" || c.Params["scope"] != "admin" {
		t.Errorf("status %d, %s", resp.StatusCode, c)
	}
}

// A proof names the URL that the client knows, which a proxy may change, or that at which the request came in: the
// transport HTTP+SSE has two.
func TestProofOfTheURL(t *testing.T) {
	rs, k := newSecured(t)
	p := newTestProver(t)
	for url, status := range map[string]int{
		testResource: 200, testResource + "?a=b": 200, "https://mcp.example.com/messages": 200,
		"https://internal:8080/messages": 401, "http://mcp.example.com/messages": 401, "https://mcp.example.com/": 401,
	} {
		token := k.sign(t, change{"cnf": map[string]any{"jkt": p.Thumbprint()}})
		proof, err := p.Proof("POST", url, "", token)
		if err != nil {
			t.Fatal(err)
		}
		r := post("DPoP " + token)
		r.URL.Path, r.Host = "/messages", "internal:8080"
		r.Header.Set("DPoP", proof)
		if resp := ask(rs, r); resp.StatusCode != status {
			t.Errorf("%s: status %d, want %d", url, resp.StatusCode, status)
		}
	}
}

func TestProofIsRequired(t *testing.T) {
	rs, k := newSecured(t, func(o *Options) { o.DPoP.Required = true })
	if !rs.Metadata().DPoPBoundAccessTokensRequired {
		t.Error("the metadata does not say so")
	}
	for name, r := range map[string]*http.Request{"a bearer token": post("Bearer " + k.sign(t)), "nothing": post()} {
		resp := ask(rs, r)
		if c := challengeOf(t, resp); resp.StatusCode != http.StatusUnauthorized || c.Scheme != "DPoP" {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, c)
		}
	}
	if resp := ask(rs, boundRequest(t, k, newTestProver(t), "")); resp.StatusCode != http.StatusOK {
		t.Errorf("a bound token: status %d", resp.StatusCode)
	}
}

func TestNonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := []byte(strings.Repeat("k", 32))
		nonces := func(o *Options) { o.DPoP.Nonces, o.DPoP.NonceKey = true, key }
		rs, k := newSecured(t, nonces)
		p := newTestProver(t)
		resp := ask(rs, boundRequest(t, k, p, ""))
		nonce := resp.Header.Get("DPoP-Nonce")
		if c := challengeOf(t, resp); resp.StatusCode != http.StatusUnauthorized || c.Params["error"] != "use_dpop_nonce" || nonce == "" {
			t.Fatalf("status %d, %s, nonce %q", resp.StatusCode, c, nonce)
		}
		if exposed := strings.Join(resp.Header.Values("Access-Control-Expose-Headers"), ","); exposed != "WWW-Authenticate,DPoP-Nonce" {
			t.Errorf("pages may read %s", exposed)
		}
		if resp := ask(rs, boundRequest(t, k, p, nonce)); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d, %s", resp.StatusCode, resp.Header)
		}
		if resp := ask(rs, post()); resp.Header.Get("DPoP-Nonce") != "" {
			t.Error("a nonce where no proof is required")
		}
		// The server beside it, with the same key, accepts it, too.
		other := newTestResource(t, newTestServer(), nonces, func(o *Options) { o.Verifier = rs.opts.Verifier })
		if resp := ask(other, boundRequest(t, k, p, nonce)); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d, %s", resp.StatusCode, resp.Header)
		}
		time.Sleep(11 * time.Minute)
		if resp := ask(rs, boundRequest(t, k, p, nonce)); resp.Header.Get("DPoP-Nonce") == nonce || resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("an old nonce: status %d, %s", resp.StatusCode, resp.Header)
		}
	})
}

func TestTooManyProofs(t *testing.T) {
	var out bytes.Buffer
	rs, k := newSecured(t, func(o *Options) {
		o.DPoP.MaxProofs = 8
		o.Logger = slog.New(slog.NewTextHandler(&out, nil))
	})
	limits.Shared(t, 2, func(who string) bool { // with a new key each time
		resp := ask(rs, boundRequest(t, k, newTestProver(t), "", change{"sub": who}))
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d, want %d", who, resp.StatusCode, http.StatusServiceUnavailable)
		}
		return resp.StatusCode == http.StatusOK
	})
	if !strings.Contains(out.String(), "too many proofs") {
		t.Errorf("the log is %q", out.String())
	}
}

// A request with an open stream is verified again with the proof it came with, which nobody else may use.
func TestProofOfOpenStream(t *testing.T) {
	rs, k := newSecured(t)
	r := boundRequest(t, k, newTestProver(t), "")
	if _, err := rs.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if _, err := rs.Authorize(r.WithContext(web.WithAgain(t.Context()))); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := rs.Authorize(r); err == nil {
		t.Error("the proof is accepted twice")
	}
	s := newTestServer()
	s.down = true
	_, err := newTestResource(t, s).Authorize(post("Bearer " + k.sign(t)).WithContext(web.WithAgain(t.Context())))
	if temporary, ok := err.(interface{ Temporary() bool }); !ok || !temporary.Temporary() {
		t.Errorf("got %v, want a temporary error", err)
	}
	_, err = rs.Authorize(post("Bearer abc").WithContext(web.WithAgain(t.Context())))
	if temporary, ok := err.(interface{ Temporary() bool }); !ok || temporary.Temporary() {
		t.Errorf("got %v, want a refusal", err)
	}
}
