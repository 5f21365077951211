package dpop

import (
	"bytes"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

const issuer = "https://as.example"

// An issued is an authorization server that knows its tokens, each by its text.
type issued map[string]*auth.Token

func (i issued) verify(_ context.Context, text string) (*auth.Token, error) {
	t := i[text]
	if t == nil {
		return nil, &auth.InvalidTokenError{Reason: "the token is expired"}
	}
	return t, nil
}

// token issues a token to somebody, bound to a key if it has a thumbprint.
func (i issued) token(subject, thumbprint string) string {
	text := rand.Text()
	i[text] = &auth.Token{Issuer: issuer, Subject: subject, Audience: []string{target}, Scopes: []string{"read"}, KeyThumbprint: thumbprint}
	return text
}

// newSecured returns a resource server with proofs.
func newSecured(t *testing.T, opts *VerifierOptions, changes ...func(*auth.Options)) (*auth.ResourceServer, issued) {
	t.Helper()
	v, err := NewVerifier(opts)
	if err != nil {
		t.Fatal(err)
	}
	tokens := issued{}
	o := &auth.Options{
		Resource: target, AuthorizationServers: []string{issuer}, Verifier: auth.VerifierFunc(tokens.verify),
		RequiredScopes: []string{"read"}, Proofs: v, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(o)
	}
	rs, err := auth.NewResourceServer(o)
	if err != nil {
		t.Fatal(err)
	}
	return rs, tokens
}

// mine returns what makes proofs by a new key.
func mine(t *testing.T) *testSigner {
	t.Helper()
	return signerAt(t, newKey(t), time.Now)
}

// post returns a request to the resource.
func post(authorization ...string) *http.Request {
	r := httptest.NewRequest("POST", target, nil)
	if len(authorization) > 0 {
		r.Header["Authorization"] = authorization
	}
	return r
}

// boundRequest returns a request with a token that is bound to the key of a signer.
func boundRequest(t *testing.T, tokens issued, p *testSigner, nonce string) *http.Request {
	t.Helper()
	token := tokens.token("alice", p.thumbprint)
	r := post("DPoP " + token)
	r.Header.Set("DPoP", proofOf(t, p, "POST", target, nonce, token))
	return r
}

// ask lets a resource server decide about a request, as the HTTP handlers do.
func ask(s *auth.ResourceServer, r *http.Request, scopes ...string) *http.Response {
	w := httptest.NewRecorder()
	_, err := s.Authorize(r)
	if err == nil && len(scopes) > 0 {
		err = &transport.ScopeError{Scopes: scopes, Missing: scopes}
	}
	if err != nil {
		s.Refuse(w, r, err, []byte(`{"jsonrpc":"2.0"}`))
	}
	return w.Result()
}

// challengeOf returns the only challenge of a response.
func challengeOf(t *testing.T, resp *http.Response) auth.Challenge {
	t.Helper()
	list, err := auth.ParseChallenges(resp.Header)
	if err != nil || len(list) != 1 {
		t.Fatalf("status %d: want one challenge, got %q and %v", resp.StatusCode, resp.Header, err)
	}
	return list[0]
}

func TestBoundToken(t *testing.T) {
	rs, k := newSecured(t, nil)
	p, thief := mine(t), mine(t)
	replayed := boundRequest(t, k, p, "")
	if resp := ask(rs, replayed); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %s", resp.StatusCode, resp.Header)
	}
	stolen := boundRequest(t, k, p, "")
	text := strings.TrimPrefix(stolen.Header.Get("Authorization"), "DPoP ")
	proof := proofOf(t, thief, "POST", target, "", text)
	stolen.Header["Dpop"] = []string{proof}
	get := boundRequest(t, k, p, "")
	get.Method = "GET"
	elsewhere := boundRequest(t, k, p, "")
	proof = proofOf(t, p, "POST", "https://mcp.example.com/other", "", strings.TrimPrefix(elsewhere.Header.Get("Authorization"), "DPoP "))
	elsewhere.Header["Dpop"] = []string{proof}
	none, two := boundRequest(t, k, p, ""), boundRequest(t, k, p, "")
	none.Header.Del("DPoP")
	two.Header["Dpop"] = append(two.Header["Dpop"], two.Header["Dpop"][0])
	bearer := boundRequest(t, k, p, "")
	bearer.Header["Authorization"][0] = strings.Replace(bearer.Header["Authorization"][0], "DPoP", "Bearer", 1)
	unbound := boundRequest(t, k, p, "")
	unbound.Header["Authorization"][0] = "DPoP " + k.token("alice", "")
	another := boundRequest(t, k, p, "")
	another.Header["Authorization"] = boundRequest(t, k, p, "").Header["Authorization"]
	expired := post("DPoP unknown")
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
		if c.Params["scope"] != "read" || c.Params["resource_metadata"] != "https://mcp.example.com/.well-known/oauth-protected-resource/mcp" || !strings.Contains(c.Params["algs"], "ES256") {
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
	rs, k := newSecured(t, nil)
	p := mine(t)
	for url, status := range map[string]int{
		target: 200, target + "?a=b": 200, "https://mcp.example.com/messages": 200,
		"https://internal:8080/messages": 401, "http://mcp.example.com/messages": 401, "https://mcp.example.com/": 401,
	} {
		token := k.token("alice", p.thumbprint)
		r := post("DPoP " + token)
		r.URL.Path, r.Host = "/messages", "internal:8080"
		r.Header.Set("DPoP", proofOf(t, p, "POST", url, "", token))
		if resp := ask(rs, r); resp.StatusCode != status {
			t.Errorf("%s: status %d, want %d", url, resp.StatusCode, status)
		}
	}
}

func TestProofIsRequired(t *testing.T) {
	free, tokens := newSecured(t, nil)
	if resp := ask(free, post("Bearer "+tokens.token("alice", ""))); resp.StatusCode != http.StatusOK {
		t.Errorf("a bearer token where none is required: status %d, %s", resp.StatusCode, resp.Header)
	}
	rs, k := newSecured(t, &VerifierOptions{Required: true}, func(o *auth.Options) { o.AllowAnonymous = true })
	if m := rs.Metadata(); !m.DPoPBoundAccessTokensRequired || !slices.Equal(m.DPoPSigningAlgValuesSupported, Algorithms()) {
		t.Errorf("the metadata are %+v", m)
	}
	for name, r := range map[string]*http.Request{"a bearer token": post("Bearer " + k.token("alice", "")), "nothing": post()} {
		resp := ask(rs, r, "write")
		if c := challengeOf(t, resp); resp.StatusCode != http.StatusUnauthorized || c.Scheme != "DPoP" {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, c)
		}
	}
	if resp := ask(rs, boundRequest(t, k, mine(t), "")); resp.StatusCode != http.StatusOK {
		t.Errorf("a bound token: status %d", resp.StatusCode)
	}
}

func TestNonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := []byte(strings.Repeat("k", 32))
		nonces := &VerifierOptions{Nonces: true, NonceKey: key}
		rs, k := newSecured(t, nonces)
		p := mine(t)
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
		other, _ := newSecured(t, nonces, func(o *auth.Options) { o.Verifier = auth.VerifierFunc(k.verify) })
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
	rs, k := newSecured(t, &VerifierOptions{MaxProofs: 8}, func(o *auth.Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) })
	limits.Shared(t, 2, func(who string) bool { // with a new key each time
		p := mine(t)
		token := k.token(who, p.thumbprint)
		r := post("DPoP " + token)
		r.Header.Set("DPoP", proofOf(t, p, "POST", target, "", token))
		resp := ask(rs, r)
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
	rs, k := newSecured(t, nil)
	r := boundRequest(t, k, mine(t), "")
	if _, err := rs.Authorize(r); err != nil {
		t.Fatal(err)
	}
	if _, err := rs.Authorize(r.WithContext(again.With(t.Context()))); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := rs.Authorize(r); err == nil {
		t.Error("the proof is accepted twice")
	}
}

// An authorization server binds a token to the key of the only proof of a request, and remembers the proof as its sender's.
func TestKeyOfRequest(t *testing.T) {
	v, err := NewVerifier(&VerifierOptions{MaxProofs: 8})
	if err != nil {
		t.Fatal(err)
	}
	p := mine(t)
	key := func(owner string, proofs ...string) (string, error) {
		r := post()
		r.Header["Dpop"] = proofs
		return v.Key(r.WithContext(share.With(t.Context(), share.Of(owner, "", nil))), target)
	}
	proof := func() string { return proofOf(t, p, "POST", target, "", "") }
	if got, err := key("alice"); got != "" || err != nil {
		t.Errorf("no proof: %q, %v", got, err)
	}
	if got, err := key("alice", proof(), proof()); got != "" || codeOf(err) != invalidProof {
		t.Errorf("two proofs: %q, %v", got, err)
	}
	for range 2 {
		if got, err := key("mallory", proof()); got != p.thumbprint || err != nil {
			t.Errorf("a proof: %q, %v; want %q", got, err, p.thumbprint)
		}
	}
	if _, err := key("mallory", proof()); err != ErrBusy {
		t.Errorf("one too many: %v", err)
	}
	if _, err := key("alice", proof()); err != nil {
		t.Errorf("by somebody else with that key: %v", err)
	}
}
