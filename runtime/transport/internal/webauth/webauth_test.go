package webauth_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
)

// Who sends a request, as the Authorizer says, or middleware before the handler.
//
// REQ SEC-10
func TestSender(t *testing.T) {
	why := errors.New("why")
	ada := &identity{name: "ada", scopes: []string{"a"}, ends: time.Unix(1, 0)}
	is := func(id transport.Identity, err error) webauth.Authorizer {
		return authorizer(func(r *http.Request) (transport.Identity, error) {
			if share.From(r.Context()) != share.Of("", "192.0.2.1", nil) {
				t.Errorf("the request counts for %v", share.From(r.Context()))
			}
			return id, err
		})
	}
	for name, test := range map[string]struct {
		auth      webauth.Authorizer
		before    transport.Identity // set by middleware
		principal string
		err       error
		logs      string
	}{
		"nobody":                   {},
		"middleware":               {before: ada, principal: "ada"},
		"middleware without name":  {before: &identity{}, err: webauth.ErrFailed},
		"an authorizer":            {auth: is(ada, nil), principal: "ada"},
		"only the authorizer":      {auth: is(nil, nil), before: ada},
		"anonymous":                {auth: is(nil, nil)},
		"refused":                  {auth: is(nil, why), err: why},
		"refused, with somebody":   {auth: is(ada, why), err: why},
		"a sender without a name":  {auth: is(&identity{}, nil), err: webauth.ErrFailed, logs: "without a principal"},
		"an authorizer that fails": {auth: authorizer(func(*http.Request) (transport.Identity, error) { panic("at night") }), err: webauth.ErrFailed, logs: "at night"},
		"a name":                   {auth: webauth.Named(func(*http.Request) (string, error) { return "ada", nil }), principal: "ada"},
		"no name":                  {auth: webauth.Named(func(*http.Request) (string, error) { return "", nil })},
		"a name that is refused":   {auth: webauth.Named(func(*http.Request) (string, error) { return "ada", why }), err: why},
	} {
		t.Run(name, func(t *testing.T) {
			var logs strings.Builder
			g := webauth.Guard{Auth: test.auth, Logger: slog.New(slog.NewTextHandler(&logs, nil)), Address: func(*http.Request) string { return "192.0.2.1" }}
			r := httptest.NewRequest("POST", "/", nil)
			if test.before != nil {
				r = r.WithContext(transport.WithIdentity(r.Context(), test.before))
			}
			s, err := g.Sender(r)
			if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) || s.Principal != test.principal || (s.Identity != nil) != (test.principal != "") {
				t.Errorf("got %+v and %v", s, err)
			}
			if id, ok := s.Identity.(*identity); ok && !s.Expires.Equal(id.ends) {
				t.Errorf("it ends at %v", s.Expires)
			}
			if (logs.Len() > 0) != (test.logs != "") || !strings.Contains(logs.String(), test.logs) {
				t.Errorf("logged %s, want ... %s", logs.String(), test.logs)
			}
		})
	}
	g := webauth.Guard{Auth: authorizer(func(r *http.Request) (transport.Identity, error) {
		if share.From(r.Context()) != (share.Owner{}) {
			t.Error("without an address the request counts for somebody")
		}
		return nil, nil
	})}
	if _, err := g.Sender(httptest.NewRequest("POST", "/", nil)); err != nil {
		t.Error(err)
	}
}

func TestLacks(t *testing.T) {
	named, err := webauth.Named(func(*http.Request) (string, error) { return "ada", nil }).Authorize(nil)
	if err != nil || !named.Expires().IsZero() {
		t.Fatal(named, err)
	}
	for _, test := range []struct {
		id             transport.Identity
		requires, want []string
	}{
		{nil, nil, nil},
		{nil, []string{"a"}, []string{"a"}},
		{&identity{scopes: []string{"a"}}, []string{"a", "b"}, []string{"b"}},
		{&identity{}, nil, nil},
		{named, []string{"a"}, []string{"a"}},
		{named, []string{}, nil},
	} {
		if got := (&webauth.Sender{Identity: test.id}).Lacks(test.requires); !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%v requires %q: got %q", test.id, test.requires, got)
		}
	}
}

// A refuser writes the response to a refused request.
type refuser func(w http.ResponseWriter)

func (refuser) Authorize(*http.Request) (transport.Identity, error) { return nil, nil }
func (f refuser) Refuse(w http.ResponseWriter, _ *http.Request, _ error, _ []byte) {
	f(w)
}

// A refused request gets the response of the Authorizer, or else a status, a challenge and the error response.
func TestRefuse(t *testing.T) {
	why := errors.New("why")
	scopes := &transport.ScopeError{Scopes: []string{"a", "b"}, Missing: []string{"b"}}
	const body = `{"error":1}`
	plain := func(challenge string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "X-Content-Type-Options": {"nosniff"}, "Content-Length": {"11"}}
		if challenge != "" {
			h.Set("WWW-Authenticate", challenge)
		}
		return h
	}
	for name, test := range map[string]struct {
		auth   webauth.Authorizer
		err    error
		status int
		header http.Header
		body   string
		logs   []string // parts of it
	}{
		"without an authorizer":     {nil, why, 401, plain("Bearer"), body, []string{"level=INFO", "reason=why"}},
		"scopes":                    {nil, scopes, 403, plain(`Bearer error="insufficient_scope", scope="a b"`), body, nil},
		"failed":                    {refuser(func(http.ResponseWriter) { t.Error("asked") }), webauth.ErrFailed, 500, plain(""), body, nil},
		"an authorizer":             {refuser(func(w http.ResponseWriter) { w.WriteHeader(402) }), why, 402, http.Header{}, "", []string{"reason=why"}},
		"an authorizer with a body": {refuser(func(w http.ResponseWriter) { io.WriteString(w, "no") }), scopes, 200, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, "no", nil},
		"an authorizer that leaves": {webauth.Named(nil), why, 401, plain("Bearer"), body, []string{"reason=why"}},
		"an authorizer that panics": {refuser(func(http.ResponseWriter) { panic("early") }), why, 401, plain("Bearer"), body, []string{"reason=why", "panic=early"}},
		"an authorizer that panics later": {refuser(func(w http.ResponseWriter) {
			w.WriteHeader(402)
			panic("late")
		}), why, 402, http.Header{}, "", []string{"reason=why", "panic=late"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, timeout := range []time.Duration{0, time.Minute} {
				var logs strings.Builder
				logger := slog.New(slog.NewTextHandler(&logs, nil))
				g := webauth.Guard{Auth: test.auth, Timeout: timeout, Logger: logger, Refusals: &webguard.Refusals{Logger: logger}}
				w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
				g.Refuse(w, httptest.NewRequest("POST", "/", nil), test.err, []byte(body))
				got := w.Result()
				if text, _ := io.ReadAll(got.Body); got.StatusCode != test.status || string(text) != test.body || !w.Flushed {
					t.Errorf("got %d %s, flushed %t", got.StatusCode, text, w.Flushed)
				}
				if diff := cmp.Diff(test.header, got.Header); diff != "" {
					t.Error(diff)
				}
				if want := map[time.Duration]int{0: 0, time.Minute: 2}[timeout]; len(w.set) != want || want > 0 && (w.set[0].IsZero() || !w.set[1].IsZero()) {
					t.Errorf("with the timeout %s the deadlines are %v", timeout, w.set)
				}
				if (logs.Len() > 0) != (test.logs != nil) || slices.ContainsFunc(test.logs, func(s string) bool { return !strings.Contains(logs.String(), s) }) {
					t.Errorf("logged %s, want %q", logs.String(), test.logs)
				}
			}
		})
	}
}

// deadlines records the deadlines of writing.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// An error says why only where the program wrote it for the sender.
func TestUnauthorized(t *testing.T) {
	_, named := webauth.Named(func(*http.Request) (string, error) { return "", errors.New("log in first") }).Authorize(nil)
	for want, err := range map[string]error{
		`{"code":-32600,"message":"the request is not authorized"}`:    errors.New("the token has a secret"),
		`{"code":-32603,"message":"the sender could not be verified"}`: webauth.ErrFailed,
		`{"code":-32600,"message":"log in first"}`:                     named,
	} {
		if got := string(webauth.Unauthorized(err)); !strings.Contains(got, want) {
			t.Errorf("%v: got %s", err, got)
		}
	}
}

// A checker requires scopes by the name of the method. The sender has the scope a.
type checker struct{ t *testing.T }

func (c checker) Scopes(_ context.Context, r *transport.Request) ([]string, error) {
	if r.ID.IsZero() || string(r.Params) == "" {
		c.t.Errorf("asked about %+v", r)
	}
	if r.Method == "" {
		c.t.Error("asked about no method")
	}
	scopes := strings.Split(r.Method, "+")
	if missing := slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == "a" }); len(missing) > 0 {
		return scopes, &transport.ScopeError{Scopes: scopes, Missing: missing}
	}
	return scopes, nil
}

// The scopes of a batch are those of all its requests, each once.
func TestCheck(t *testing.T) {
	call := func(method string) string { return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}` }
	for body, want := range map[string]struct{ scopes, missing string }{
		call("a"):                              {"a", ""},
		call("a+b"):                            {"a b", "b"},
		`{"jsonrpc":"2.0","method":"b"}`:       {},
		`{"jsonrpc":"2.0","id":1,"result":{}}`: {},
		`[` + call("a") + `]`:                  {"a", ""},
		`[` + call("a") + `,` + call("c+a") + `,` + call("b+c") + `]`:               {"a c b", "c b"},
		`[{"jsonrpc":"2.0","method":"c"},` + call("b") + `,{"jsonrpc":"1.0"}]`:      {"b", "b"},
		`[` + call("b") + `,` + call("b") + `,` + call("b") + `,` + call("b") + `]`: {}, // too many
	} {
		m := jsonrpc.Message{Kind: jsonrpc.Batch}
		if body[0] != '[' {
			var err error
			if m, err = jsonrpc.Parse([]byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		as := &transport.Request{}
		scopes, err := webauth.Check(t.Context(), checker{t}, as, &m, []byte(body), 3)
		var lacks transport.ScopeError
		if e, ok := errors.AsType[*transport.ScopeError](err); ok {
			lacks = *e
			if !slices.Equal(e.Scopes, scopes) {
				t.Errorf("%s: the error says %q, want %q", body, e.Scopes, scopes)
			}
		}
		if got := strings.Join(scopes, " "); got != want.scopes || strings.Join(lacks.Missing, " ") != want.missing || (err != nil) != (want.missing != "") {
			t.Errorf("%s: got %s and %v, want %s without %s", body, got, err, want.scopes, want.missing)
		}
		if as.Method != "" {
			t.Error("the request of the transport became that of a message")
		}
	}
}
