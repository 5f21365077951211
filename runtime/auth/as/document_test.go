package as_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

const documentURL = "https://client.example/mcp/client.json"

// A web is what the server fetches: responses by URL, and how often each was asked for.
type web struct {
	pages map[string]func(r *http.Request) *http.Response
	count atomic.Int64
}

// never lets nothing come back from a URL.
func (w *web) never(url string) {
	w.pages[url] = func(r *http.Request) *http.Response {
		<-r.Context().Done()
		return page(503, "")(r)
	}
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	w.count.Add(1)
	page := w.pages[r.URL.Scheme+"://"+r.URL.Host+r.URL.Path]
	if page == nil {
		return nil, fmt.Errorf("there is no %s", r.URL)
	}
	resp := page(r)
	resp.Request = r
	return resp, nil
}

func page(status int, body string, header ...string) func(*http.Request) *http.Response {
	return func(*http.Request) *http.Response {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
	}
}

const document = `{"client_id":"` + documentURL + `","client_name":"Doc","redirect_uris":["http://localhost:3000/cb","https://client.example/cb"],
	"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none","logo_uri":"x"}`

func documentFixture(t *testing.T, page func(*http.Request) *http.Response) (*fixture, *web) {
	w := &web{pages: map[string]func(*http.Request) *http.Response{documentURL: page}}
	return start(t, func(o *as.Options) { o.HTTPClient = &http.Client{Transport: w} }), w
}

// TestDocument lets a client in whose id is the URL of its metadata document.
//
// REQ AUTH11-09
func TestDocument(t *testing.T) {
	f, w := documentFixture(t, page(200, document))
	change := map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:4567/cb"}
	body := f.browser().consentPage(change).body
	for _, want := range []string{"Doc", "Published by", "client.example", "localhost:4567", "A program on this computer"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q: %s", want, body)
		}
	}
	status, m := f.post("/token", "", codeForm(f.code(change), change))
	if status != http.StatusOK || m["refresh_token"] == nil {
		t.Errorf("status %d, %v", status, m)
	}
	for _, uri := range []string{"https://client.example/other", "https://evil.example/cb", "http://localhost:3000/other"} {
		change["redirect_uri"] = uri
		if resp := f.browser().get(authorizationURL(change)); resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q", uri, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if n := w.count.Load(); n != 1 {
		t.Errorf("the document was fetched %d times", n)
	}
}

// TestDocumentErrors refuses documents that are not those of their clients.
//
// REQ AUTH11-09
func TestDocumentErrors(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(document, old, new, 1) }
	for what, p := range map[string]func(*http.Request) *http.Response{
		"another client_id":       page(200, change("client.json", "other.json")),
		"no client_id":            page(200, change("client_id", "x_id")),
		"client_id in upper case": page(200, change(`"client_id"`, `"CLIENT_ID"`)),
		"no name":                 page(200, change("client_name", "x_name")),
		"no redirect URIs":        page(200, change("redirect_uris", "x_uris")),
		"an http redirect URI":    page(200, change("https://client.example/cb", "http://client.example/cb")),
		"a secret":                page(200, change(`"logo_uri"`, `"client_secret"`)),
		"a method with a secret":  page(200, change(`"none"`, `"client_secret_basic"`)),
		"a member twice":          page(200, change(`"logo_uri"`, `"client_name"`)),
		"no JSON":                 page(200, "<html>"),
		"an array":                page(200, "["+document+"]"),
		"another content type":    page(200, document, "Content-Type", "text/html"),
		"not found":               page(404, document),
		"a redirect":              page(302, document, "Location", "https://client.example/moved"),
		"a server error":          page(500, document),
		"client credentials":      page(200, change("refresh_token", "client_credentials")),
	} {
		f, w := documentFixture(t, p)
		w.pages["https://client.example/moved"] = page(200, document)
		resp := f.browser().get(authorizationURL(map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:3000/cb"}))
		if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q", what, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
}

// TestDocumentMethods takes the ways in which clients authenticate without a secret; none is the default.
func TestDocumentMethods(t *testing.T) {
	key := newKey(t)
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public()}}})
	if err != nil {
		t.Fatal(err)
	}
	client := map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:3000/cb"}
	f, _ := documentFixture(t, page(200, strings.Replace(document, "token_endpoint_auth_method", "x", 1)))
	if status, m := f.post("/token", "", codeForm(f.code(client), client)); status != http.StatusOK {
		t.Errorf("by default: status %d, %v", status, m)
	}
	f, _ = documentFixture(t, page(200, strings.Replace(document, `"none"`, `"private_key_jwt","jwks":`+string(keys), 1)))
	form := codeForm(f.code(client), client)
	status, m := f.post("/token", "", form)
	f.wantError("without its key", status, m, 401, "invalid_client")
	claims := map[string]any{"iss": documentURL, "sub": documentURL, "aud": issuer, "exp": time.Now().Add(time.Minute).Unix(), "jti": jti()}
	form.Set("client_assertion", sign(t, key, jose.ES256, "JWT", claims, nil))
	form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	if status, m := f.post("/token", "", form); status != http.StatusOK {
		t.Errorf("with its key: status %d, %v", status, m)
	}
}

// TestDocumentTexts says what is wrong with a document, and nothing about where it is.
func TestDocumentTexts(t *testing.T) {
	f, _ := documentFixture(t, page(404, document))
	client := map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:3000/cb"}
	f.browser().get(authorizationURL(client)).says(t, "This link does not work", "could not be fetched, or is not a valid JSON object")
	client["state"] = strings.Repeat("x", 9000)
	f.browser().get(authorizationURL(client)).says(t, "want a query of at most 8192 bytes")
}

// TestDocumentURLs fetches nothing for ids that cannot be those of documents.
//
// REQ AUTH11-09
func TestDocumentURLs(t *testing.T) {
	f, w := documentFixture(t, page(200, document))
	for _, id := range []string{"http://client.example/mcp/client.json", "https://client.example", "https://client.example/", "https://client.example/a/../b", "https://client.example/./b", "https://client.example/%zz",
		"https://client.example/%2e%2e/b", "https://a:b@client.example/c", "https://client.example/c#d", "https://localhost/c", "https://127.0.0.1/c", "https://[::1]/c",
		"https://client.example;x/c", "https://client.example/" + strings.Repeat("a", 3000), "https://"} {
		if resp := f.browser().get(authorizationURL(map[string]string{"client_id": id})); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", id, resp.StatusCode)
		}
	}
	if n := w.count.Load(); n != 0 {
		t.Errorf("%d were fetched", n)
	}
	off := start(t, func(o *as.Options) { o.NoDocuments = true })
	if resp := off.browser().get(authorizationURL(map[string]string{"client_id": documentURL})); resp.StatusCode != http.StatusBadRequest || off.server.Metadata().ClientIDMetadataDocumentSupported {
		t.Errorf("where they are not supported: status %d", resp.StatusCode)
	}
}

// TestDocumentCache keeps a document for as long as its response says, and at most a day.
//
// REQ AUTH11-09
func TestDocumentCache(t *testing.T) {
	for _, c := range []struct {
		header []string
		fresh  time.Duration // it is kept so long, and no longer
	}{
		{nil, 5 * time.Minute},
		{[]string{"Cache-Control", "max-age=60"}, time.Minute},
		{[]string{"Cache-Control", "public, Max-Age=60, s-maxage=90"}, time.Minute},
		{[]string{"Cache-Control", "max-age=60", "Age", "20"}, 40 * time.Second},
		{[]string{"Cache-Control", "max-age=999999999"}, 24 * time.Hour},
		{[]string{"Cache-Control", "no-store"}, 0},
		{[]string{"Cache-Control", "no-cache, max-age=60"}, 0},
		{[]string{"Cache-Control", "max-age=x"}, 0},
		{[]string{"Expires", "0"}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, w := documentFixture(t, page(200, document, c.header...))
			change := map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:3000/cb"}
			b := f.browser()
			fetched := func(want int64) {
				t.Helper()
				if resp := b.get(authorizationURL(change)); resp.StatusCode != http.StatusOK {
					t.Fatalf("%v: status %d", c.header, resp.StatusCode)
				}
				if n := w.count.Load(); n != want {
					t.Errorf("%v: fetched %d times, want %d", c.header, n, want)
				}
			}
			fetched(1)
			if c.fresh > 0 {
				time.Sleep(c.fresh - time.Second)
				fetched(1)
				time.Sleep(time.Second)
			}
			fetched(2)
		})
	}
}

// TestDocumentFailuresAreNotKept asks again after an error.
func TestDocumentFailuresAreNotKept(t *testing.T) {
	f, w := documentFixture(t, page(500, ""))
	change := map[string]string{"client_id": documentURL, "redirect_uri": "http://localhost:3000/cb"}
	f.browser().get(authorizationURL(change))
	w.pages[documentURL] = page(200, document)
	if resp := f.browser().get(authorizationURL(change)); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// TestDocumentSSRF reaches nothing but public addresses, by names, by addresses, and by any way to write them.
//
// REQ SEC-09
// REQ AUTH11-09
func TestDocumentSSRF(t *testing.T) {
	var reached atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				reached.Add(1)
			}
		}}
	go s.Serve(l)
	defer s.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	f := start(t, nil)
	for _, host := range []string{"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"localhost", "LOCALHOST", "0.0.0.0", "[::]", "169.254.169.254", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]"} {
		id := "https://" + host + ":" + port + "/client.json"
		if resp := f.browser().get(authorizationURL(map[string]string{"client_id": id})); resp.StatusCode != http.StatusBadRequest || strings.Contains(resp.body, "dial") {
			t.Errorf("%s: status %d: %s", id, resp.StatusCode, resp.body)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("the server on loopback was reached %d times", n)
	}
}

// TestDocumentOnLoopback fetches documents on loopback where the server is on loopback, too: in development.
func TestDocumentOnLoopback(t *testing.T) {
	var id string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strings.Replace(document, documentURL, id, 1))
	}))
	defer s.Close()
	id = s.URL + "/client.json"
	f := start(t, func(o *as.Options) { o.Issuer = "http://127.0.0.1:8080" })
	if resp := f.browser().get(authorizationURL(map[string]string{"client_id": id, "redirect_uri": "http://localhost:3000/cb"})); resp.StatusCode != http.StatusOK {
		t.Errorf("status %d: %s", resp.StatusCode, resp.body)
	}
}
