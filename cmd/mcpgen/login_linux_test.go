package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// browserName is what the command calls to show a URL. Under this name, the test is a browser, and its user logs in.
const browserName = "xdg-open"

const browserDelay = "MCPGEN_TEST_BROWSER_DELAY"

func init() {
	if filepath.Base(os.Args[0]) != browserName {
		return
	}
	if text := os.Getenv(browserDelay); text != "" { // its user takes that long
		delay, err := time.ParseDuration(text)
		if err != nil {
			log.Fatal(err)
		}
		time.Sleep(delay)
	}
	if err := browse(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}

// browse shows a URL, and follows its redirects: the authorization server lets in whoever asks, and sends the user back to
// the command.
func browse(at string) error {
	resp, err := http.Get(at)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// startSecured starts a server that wants a login, and its authorization server. It counts the logins, and the requests
// that open a session.
func startSecured(t *testing.T) (endpoint string, logins, sessions *atomic.Int32) {
	t.Helper()
	authorization := &authority{codes: map[string]url.Values{}, tokens: map[string]*auth.Token{}}
	sessions = new(atomic.Int32)
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	authorization.issuer = s.URL
	resource, err := auth.NewResourceServer(&auth.Options{
		Resource: s.URL + "/mcp", AuthorizationServers: []string{s.URL}, Verifier: auth.VerifierFunc(authorization.verify), RequiredScopes: []string{"shop"}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := newConsoleServer()
	err = srv.Add(server.Item{Definition: &mcp.Tool{Name: "buy"}, Handler: server.ToolHandler(func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("bought"), nil
	}), Access: server.Access{Scopes: []string{"shop:write"}}})
	if err != nil {
		t.Fatal(err)
	}
	h := streamable.NewHandler(srv, &streamable.Options{Auth: resource, Logger: slog.New(slog.DiscardHandler)})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "" && r.Method == http.MethodPost { // as through 2025-11-25
			sessions.Add(1)
		}
		h.ServeHTTP(w, r)
	})
	resource.Register(mux)
	authorization.register(mux)
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s.URL + "/mcp", &authorization.logins, sessions
}

// TestConsoleLogin calls a tool of a server that wants a login: a browser shows it, and the tokens are kept for the
// commands that follow.
func TestConsoleLogin(t *testing.T) {
	useBrowser(t)
	endpoint, logins, _ := startSecured(t)
	issuer := strings.TrimSuffix(endpoint, "/mcp")
	var stdout, stderr bytes.Buffer
	code := run([]string{"call", "echo", "text=hi", "-json", "-url", endpoint}, &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), `"structuredContent":{"text":"hi"}`) || !strings.HasPrefix(stderr.String(), endpoint+" wants a login with the scopes [\"shop\"].\n"+
		"Its authorization server is "+issuer+", the page is at "+strings.TrimPrefix(issuer, "http://")+".\nIf no browser shows it, open it within 5 minutes:\n"+issuer+"/") {
		t.Errorf("exit code %d, %s, %s", code, stdout.String(), stderr.String())
	}
	if got := mcpgen(t, "client", "-url", endpoint, "-out", "shop"); !strings.HasPrefix(got, "package shop: 9 tools, 1 prompt: ") {
		t.Errorf("client printed %s", got)
	}
	mcpgen(t, "client", "-check", "-url", endpoint, "-out", "shop")
	if n := logins.Load(); n != 1 {
		t.Errorf("the user logged in %d times, want 1", n)
	}
	mcpgen(t, "call", "echo", "text=hi", "-no-login", "-url", endpoint)
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"call", "buy", "-no-login"}, 1, "the request needs a token with the scopes [\"shop:write\"] (HTTP status 403); without -no-login, a login asks for them\n"},
		{[]string{"call", "none", "-no-login"}, 2, "the server has no tool \"none\", or shows it only to those who have its scope: without -no-login, -scope SCOPE logs in for one\nRun 'mcpgen inspect' for all that it has.\n"},
	} {
		stderr.Reset()
		if code := run(append(test.args, "-url", endpoint), &stdout, &stderr); code != test.code || stderr.String() != "mcpgen: "+test.want {
			t.Errorf("%s: exit code %d, %s, want %s", test.args, code, stderr.String(), test.want)
		}
	}
	stderr.Reset()
	if code := run([]string{"call", "none", "-url", endpoint}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "or shows it only to those who have its scope: -scope SCOPE logs in for one\n") {
		t.Errorf("no such tool: exit code %d, %s", code, stderr.String())
	}
	// A tool that needs more is listed, and a call of it logs in for that.
	if got := mcpgen(t, "inspect", "-url", endpoint); !strings.Contains(got, "\n  buy\n") {
		t.Errorf("inspect does not show what a login could reach:\n%s", got)
	}
	stdout.Reset()
	stderr.Reset()
	code = run([]string{"call", "buy", "-url", endpoint}, &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), "bought") || !strings.HasPrefix(stderr.String(), endpoint+" wants a login with the scopes [\"shop\" \"shop:write\"].\n") || logins.Load() > 2 {
		t.Errorf("exit code %d, %s, %s after %d logins", code, stdout.String(), stderr.String(), logins.Load())
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	stderr.Reset()
	if code := run([]string{"call", "echo", "text=hi", "-no-login", "-url", endpoint}, &stdout, &stderr); code != 3 || stderr.String() != "mcpgen: the server wants a login (HTTP status 401): without -no-login, a browser shows it; or send a token with -header 'Authorization: Bearer TOKEN'\n" {
		t.Errorf("-no-login without a token: exit code %d, %s", code, stderr.String())
	}
}

// useBrowser makes this test the browser of commands, and gives them a folder for tokens.
func useBrowser(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, browserName)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
}

// TestConsoleLoginTimeout logs in for longer than the timeout: that is no reason to fail, unless the command line has a
// timeout.
func TestConsoleLoginTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits, which -short does without")
	}
	endpoint, _, _ := startSecured(t)
	const timeout = 2 * time.Second
	t.Setenv(browserDelay, (timeout + timeout/4).String())
	useBrowser(t)
	var stdout, stderr bytes.Buffer
	code := run([]string{"inspect", "-timeout", timeout.String(), "-url", endpoint}, &stdout, &stderr)
	if within := regexp.MustCompile(`open it within [012]s:`); code != 3 || !within.MatchString(stderr.String()) || !strings.Contains(stderr.String(), "mcpgen: not done within 2s, see -timeout") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	useBrowser(t)
	target := &console.Target{URL: endpoint, Timeout: timeout, Stderr: io.Discard}
	s, err := target.Connect(t.Context(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Revision().String(); got != "2026-07-28" {
		t.Errorf("after the login, they speak %s", got)
	}
}

// TestDevLogin logs in for longer than dev waits for the response to its first request. Then it connects as if there had
// been no login.
func TestDevLogin(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits, which -short does without")
	}
	useBrowser(t)
	endpoint, logins, sessions := startSecured(t)
	t.Setenv(browserDelay, "6s")
	log := startDev(t, &devCommand{target: &console.Target{URL: endpoint}})
	log.await(`wants a login`)
	log.await(`connected: \d+ tools`)
	if logins.Load() != 1 || sessions.Load() > 0 {
		t.Errorf("there were %d logins and %d requests for sessions, want 1 and 0", logins.Load(), sessions.Load())
	}
}

// TestConsoleLoginFlags logs in for what the flags say, at a provider where clients cannot register, whose metadata has
// no word of PKCE, and that does not know the server by its URL.
func TestConsoleLoginFlags(t *testing.T) {
	useBrowser(t)
	asked := make(chan url.Values, 1)
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	defer s.Close()
	object := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, strings.ReplaceAll(text, "HERE", s.URL))
		}
	}
	mux.Handle("/.well-known/oauth-protected-resource/mcp", object(`{"resource":"HERE/mcp","authorization_servers":["HERE"]}`))
	mux.Handle("/.well-known/openid-configuration", object(`{"issuer":"HERE","authorization_endpoint":"HERE/authorize","token_endpoint":"HERE/token"}`))
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked <- q
		http.Redirect(w, r, q.Get("redirect_uri")+"?error=access_denied&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	var stdout, stderr bytes.Buffer
	code := run([]string{"inspect", "-url", s.URL + "/mcp", "-client-id", "desktop", "-audience", "api://notes", "-scope", "api://notes/read", "-scope", "x", "-redirect", "http://localhost/back"}, &stdout, &stderr)
	if code != 3 || !strings.Contains(stderr.String(), "access_denied") {
		t.Fatalf("exit code %d, %s", code, stderr.String())
	}
	q := <-asked
	if q.Get("client_id") != "desktop" || q.Get("audience") != "api://notes" || q.Has("resource") || q.Get("scope") != "api://notes/read x" ||
		q.Get("code_challenge_method") != "S256" || !strings.HasPrefix(q.Get("redirect_uri"), "http://localhost:") || !strings.HasSuffix(q.Get("redirect_uri"), "/back") {
		t.Errorf("got %v", q)
	}
}
