package sse_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A token is an identity.
type token struct {
	name   string
	scopes []string
	ends   time.Time
}

func (t token) Principal() string  { return t.name }
func (t token) Expires() time.Time { return t.ends }
func (t token) Missing(scopes []string) (missing []string) {
	for _, scope := range scopes {
		if !slices.Contains(t.scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// An authorizer takes tokens as their text is: "name scope,scope milliseconds".
type authorizer struct{}

func (authorizer) Authorize(r *http.Request) (transport.Identity, error) {
	fields := strings.Fields(r.Header.Get("Authorization"))
	if len(fields) == 0 {
		return nil, errors.New("no token")
	}
	t := token{name: fields[0]}
	if len(fields) > 1 {
		t.scopes = strings.Split(fields[1], ",")
	}
	if len(fields) > 2 {
		d, err := time.ParseDuration(fields[2])
		if err != nil {
			return nil, err
		}
		t.ends = time.Now().Add(d)
	}
	return t, nil
}

func (authorizer) Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte) {
	if scope, ok := errors.AsType[*transport.ScopeError](err); ok {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(scope.Scopes, " ")+`"`)
		w.WriteHeader(http.StatusForbidden)
	} else {
		w.WriteHeader(http.StatusUnauthorized)
	}
	w.Write(body)
}

func serveScoped(t *testing.T) (url string) {
	t.Helper()
	s := newServer(t)
	err := s.Add(server.Item{Definition: &mcp.Tool{Name: "scoped"}, Handler: server.ToolHandler(func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(c.Identity().(token).name + c.Header().Values("Authorization")[0]), nil
	}), Access: server.Access{Scopes: []string{"a", "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(sse.NewHandler(s, &streamable.Options{Logger: silent, Auth: authorizer{}}))
	t.Cleanup(hs.Close)
	return hs.URL
}

// Each message is verified by itself, and refused if its sender lacks scopes, before it is taken.
//
// REQ HTTP-05, AUTH-06, AUTH11-14, AUTH26-09, SEC-10, SEC-11
func TestAuth(t *testing.T) {
	url := serveScoped(t)
	refused := open(t, url)
	if body, err := io.ReadAll(refused.Body); refused.StatusCode != 401 || err != nil || string(body) != `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the request is not authorized"}}` {
		t.Errorf("without a token: %d %s %v", refused.StatusCode, body, err)
	}
	s := open(t, url, "Authorization", "ada a,b")
	endpoint, _ := strings.CutPrefix(s.event(t), "endpoint ")
	const missing = `{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"insufficient scope: the request requires a, b; the sender lacks `
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"scoped"}}`
	for _, test := range []struct {
		token, body string
		status      int
		text        string
	}{
		{"ada", initialize, 202, ""},
		{"", call, 401, "…"},
		{"eve a,b", call, 404, "…"},
		{"ada", call, 403, missing + `a, b"}}`},
		{"ada b", call, 403, missing + `a"}}`},
		{"ada a", "[" + call + `,{"jsonrpc":"2.0","id":3,"method":"ping"}]`, 403, `{"jsonrpc":"2.0","error":…`},
		{"ada a,b", call, 202, ""},
	} {
		status, text := post(t, url+endpoint, test.body, "Authorization", test.token)
		same := text == test.text
		if start, ok := strings.CutSuffix(test.text, "…"); ok {
			same = strings.HasPrefix(text, start)
		}
		if status != test.status || !same {
			t.Errorf("%s by %q: %d %s, want %d %s", test.body, test.token, status, text, test.status, test.text)
		}
		if test.body == initialize {
			s.event(t) // before the other result, which could overtake it
		}
	}
	if got := s.event(t); !strings.Contains(got, `"id":2,"result":{"content":[{"type":"text","text":"adaada a,b"}]}`) {
		t.Error(got)
	}
}

// A session ends when the tokens do by which its stream was opened and its messages were sent.
//
// REQ HTTP-05, SEC-10
func TestSessionEndsWithToken(t *testing.T) {
	url := serveScoped(t)
	for _, last := range []string{"", "ada x 20ms", "ada x 1ms"} {
		s := open(t, url, "Authorization", "ada x 10ms")
		endpoint, _ := strings.CutPrefix(s.event(t), "endpoint ")
		if last != "" {
			post(t, url+endpoint, initialize, "Authorization", last)
		}
		if _, err := io.Copy(io.Discard, s.Body); err != nil { // until the session ends
			t.Error(err)
		}
	}
	s := open(t, url, "Authorization", "ada x 1h")
	endpoint, _ := strings.CutPrefix(s.event(t), "endpoint ")
	if status, text := post(t, url+endpoint, initialize, "Authorization", "ada x 1ms"); status != 202 {
		t.Errorf("%d %s", status, text)
	}
	if got := s.event(t); !strings.Contains(got, `"protocolVersion"`) { // the longer one counts
		t.Error(got)
	}
}

// send sends a request to a handler without a network, so that it works in the bubbles of testing/synctest.
func send(t *testing.T, h http.Handler, method, path, body, token string) *stream {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	set(r, []string{"Content-Type", "application/json", "Authorization", token})
	resp, err := (&http.Client{Transport: testenv.Wireless{Handler: h}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &stream{resp, bufio.NewScanner(resp.Body)}
}

// A session lasts as long as the token of a message that outlives that of its stream.
//
// REQ HTTP-05
func TestSessionLastsWithToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := sse.NewHandler(newServer(t), &streamable.Options{Logger: silent, Auth: authorizer{}, KeepAlive: -1})
		began := time.Now()
		s := send(t, h, "GET", "/", "", "ada x 10s")
		endpoint, _ := strings.CutPrefix(s.event(t), "endpoint ")
		send(t, h, "POST", endpoint, initialize, "ada x 20s")
		s.event(t)
		if got := s.event(t); !strings.HasPrefix(got, "end") || time.Since(began) != 20*time.Second {
			t.Errorf("%s after %v, want the end after 20s", got, time.Since(began))
		}
	})
}

// The scopes of a batch are those of its messages, unless it is so long that it is refused for that.
//
// REQ AUTH11-14
func TestScopesOfBatches(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent, Limits: transport.Limits{MaxBatch: 2}})
	err := s.AddExtension(server.Extension{
		ID:      "com.example/vault",
		Methods: map[string]server.Handler{"vault/open": func(context.Context, *server.Call) (wire.Encodable, error) { return nil, nil }},
		Scopes:  func(context.Context, *server.Call) []string { return []string{"vault"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(sse.NewHandler(s, &streamable.Options{Logger: silent, Auth: authorizer{}}))
	t.Cleanup(hs.Close)
	endpoint, _ := strings.CutPrefix(open(t, hs.URL, "Authorization", "ada").event(t), "endpoint ")
	const call = `{"jsonrpc":"2.0","id":1,"method":"vault/open"}`
	for n, want := range []int{1: 403, 2: 403, 3: 202} {
		batch := "[" + strings.TrimPrefix(strings.Repeat(","+call, n), ",") + "]"
		if status, text := post(t, hs.URL+endpoint, batch, "Authorization", "ada"); want != 0 && status != want {
			t.Errorf("%d messages: %d %s, want %d", n, status, text, want)
		}
	}
}

// A revocable takes tokens until they are revoked, and counts how often it is asked.
type revocable struct {
	authorizer
	revoked atomic.Bool
	asked   atomic.Int32
}

func (a *revocable) Authorize(r *http.Request) (transport.Identity, error) {
	a.asked.Add(1)
	if a.revoked.Load() {
		return nil, errors.New("revoked")
	}
	return a.authorizer.Authorize(r)
}

// A session ends when the Authorizer no longer takes the token by which its stream was opened, even one that does not
// end by itself. What is being handled then has the time of [transport.Limits].DrainTime, as at the end of any session.
//
// REQ HTTP-05, SEC-10
func TestSessionEndsWithRevocation(t *testing.T) {
	for call, want := range map[string]time.Duration{"": 3 * time.Minute, "wait": 3*time.Minute + 2*time.Second} {
		synctest.Test(t, func(t *testing.T) {
			auth := new(revocable)
			h := sse.NewHandler(newServer(t), &streamable.Options{Logger: silent, Auth: auth, SessionIdle: -1, KeepAlive: -1})
			send := func(method, path, body string) *stream { return send(t, h, method, path, body, "ada") }
			began := time.Now()
			opened := send("GET", "/", "")
			endpoint, _ := strings.CutPrefix(opened.event(t), "endpoint ")
			send("POST", endpoint, initialize)
			if got := opened.event(t); !strings.Contains(got, `"protocolVersion"`) {
				t.Fatal(got)
			}
			if call != "" {
				send("POST", endpoint, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+call+`"}}`)
			}
			time.Sleep(150 * time.Second)
			auth.revoked.Store(true)
			got := opened.event(t)
			if took := time.Since(began); !strings.HasPrefix(got, "end") || took != want {
				t.Errorf("call %q: after the revocation, %s after %s, want the end after %s", call, got, took, want)
			}
		})
	}
}

// The Authorizer is not asked about a session that has ended.
func TestNobodyAsksAboutEndedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		auth := new(revocable)
		h := sse.NewHandler(newServer(t), &streamable.Options{Logger: silent, Auth: auth})
		s := send(t, h, "GET", "/", "", "ada")
		s.event(t)
		s.Body.Close()
		synctest.Wait()
		before := auth.asked.Load()
		time.Sleep(time.Hour)
		if n := auth.asked.Load() - before; n != 0 {
			t.Errorf("asked %d times", n)
		}
	})
}
