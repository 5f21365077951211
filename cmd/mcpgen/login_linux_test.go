package main

import (
	"bytes"
	"context"
	"errors"
	"html"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// browserName is what the command calls to show a URL. Under this name, the test is a browser, and its user logs in.
const browserName = "xdg-open"

const loginPassword = "correct horse"

var (
	loginForm  = regexp.MustCompile(`(?s)<form[^>]*\saction="([^"]*)".*?</form>`)
	loginInput = regexp.MustCompile(`<input[^>]*>`)
	loginAttr  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

func init() {
	if filepath.Base(os.Args[0]) != browserName {
		return
	}
	if err := browse(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}

// browse shows a URL, and submits the forms of its pages until one has none: that of the command, to which the user is
// sent back.
func browse(at string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	c := &http.Client{Jar: jar}
	resp, err := c.Get(at)
	for range 10 { // pages
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		form := loginForm.FindStringSubmatch(string(text))
		if form == nil {
			return nil
		}
		fields := url.Values{}
		if strings.Contains(form[0], `name="decision"`) { // buttons
			fields.Set("decision", "allow")
		}
		for _, tag := range loginInput.FindAllString(form[0], -1) {
			attr := map[string]string{}
			for _, a := range loginAttr.FindAllStringSubmatch(tag, -1) {
				attr[a[1]] = html.UnescapeString(a[2])
			}
			switch {
			case attr["type"] == "hidden":
				fields.Set(attr["name"], attr["value"])
			case attr["name"] == "name":
				fields.Set("name", "ada")
			case attr["name"] == "password":
				fields.Set("password", loginPassword)
			}
		}
		to, err := resp.Request.URL.Parse(html.UnescapeString(form[1]))
		if err != nil {
			return err
		}
		resp, err = c.PostForm(to.String(), fields)
		if err != nil {
			return err
		}
	}
	return errors.New("there are more pages than a login has")
}

// startSecured starts a server that wants a login, and its authorization server, and counts the logins.
func startSecured(t *testing.T) (endpoint string, logins *atomic.Int32) {
	t.Helper()
	logins = new(atomic.Int32)
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	authorization, err := as.New(&as.Options{
		Issuer: s.URL, Resources: []string{s.URL + "/mcp"}, Scopes: []as.Scope{{Name: "shop", Description: "Use the shop"}}, Logger: slog.New(slog.DiscardHandler),
		Password: func(_ context.Context, name, password string) (*as.User, error) {
			if name != "ada" || password != loginPassword {
				return nil, nil
			}
			logins.Add(1)
			return &as.User{Subject: "ada"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	resource, err := auth.NewResourceServer(&auth.Options{
		Resource: s.URL + "/mcp", AuthorizationServers: []string{s.URL}, Verifier: authorization, RequiredScopes: []string{"shop"}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := streamable.NewHandler(newConsoleServer(), &streamable.Options{Auth: resource, Logger: slog.New(slog.DiscardHandler)})
	mux.Handle("/mcp", h)
	resource.Register(mux)
	mux.Handle("/", authorization)
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s.URL + "/mcp", logins
}

// TestConsoleLogin calls a tool of a server that wants a login: a browser shows it, and the tokens are kept for the
// commands that follow.
func TestConsoleLogin(t *testing.T) {
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
	endpoint, logins := startSecured(t)
	var stdout, stderr bytes.Buffer
	code := run([]string{"call", "echo", "text=hi", "-json", "-url", endpoint}, &stdout, &stderr)
	if code != 0 || !strings.Contains(stdout.String(), `"structuredContent":{"text":"hi"}`) || !strings.HasPrefix(stderr.String(), "The server wants a login. If no browser shows this page, open it within 5 minutes:\nhttp://127.0.0.1:") {
		t.Errorf("exit code %d, %s, %s", code, stdout.String(), stderr.String())
	}
	if got := mcpgen(t, "client", "-url", endpoint, "-out", "shop"); !strings.HasPrefix(got, "package shop: 8 tools, 1 prompt: ") {
		t.Errorf("client printed %s", got)
	}
	mcpgen(t, "client", "-check", "-url", endpoint, "-out", "shop")
	if n := logins.Load(); n != 1 {
		t.Errorf("the user logged in %d times, want 1", n)
	}
	stderr.Reset()
	if code := run([]string{"call", "echo", "text=hi", "-no-login", "-url", endpoint}, &stdout, &stderr); code != 3 || !strings.Contains(stderr.String(), "401") {
		t.Errorf("-no-login: exit code %d, %s", code, stderr.String())
	}
}
