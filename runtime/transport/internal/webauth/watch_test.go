package webauth_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
)

// An identity is a name with scopes.
type identity struct {
	name   string
	scopes []string
	ends   time.Time
}

func (i *identity) Principal() string  { return i.name }
func (i *identity) Expires() time.Time { return i.ends }
func (i *identity) Missing(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return slices.Contains(i.scopes, s) })
}

// An authorizer has an answer for all requests.
type authorizer func(r *http.Request) (transport.Identity, error)

func (a authorizer) Authorize(r *http.Request) (transport.Identity, error)  { return a(r) }
func (authorizer) Refuse(http.ResponseWriter, *http.Request, error, []byte) {}

var silent = slog.New(slog.DiscardHandler)

type key struct{}

type temporary struct{ error }

func (temporary) Temporary() bool { return true }

type final struct{ error }

func (final) Temporary() bool { return false }

// REQ SEC-10: a stream lasts until the identity ends by which it was opened, or one that lasts longer and came with a message.
func TestWatchExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			opened   time.Duration
			messages []time.Duration // 0: the identity does not end
			want     time.Duration
		}{
			"without messages": {opened: time.Minute, want: time.Minute},
			"longer":           {opened: time.Minute, messages: []time.Duration{3 * time.Minute, 2 * time.Minute}, want: 3 * time.Minute},
			"shorter":          {opened: time.Minute, messages: []time.Duration{time.Second}, want: time.Minute},
			"never":            {opened: 0, messages: []time.Duration{time.Second}},
			"never again":      {opened: time.Minute, messages: []time.Duration{0, time.Second}},
		} {
			began := time.Now()
			sender := func(d time.Duration) *webauth.Sender {
				if d == 0 {
					return &webauth.Sender{Principal: "ada"}
				}
				return &webauth.Sender{Principal: "ada", Expires: began.Add(d)}
			}
			ended := make(chan time.Duration, 1)
			r := httptest.NewRequest("GET", "/", nil)
			w := new(webauth.Guard).Watch(r, sender(test.opened), func() { ended <- time.Since(began) })
			for _, d := range test.messages {
				w.Extend(r, sender(d))
			}
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			select {
			case took := <-ended:
				if took != test.want {
					t.Errorf("%s: it ended after %s, want %s", name, took, test.want)
				}
			default:
				if test.want != 0 {
					t.Errorf("%s: it goes on", name)
				}
			}
			w.Stop()
			w.Extend(r, sender(time.Hour)) // does nothing
		}
	})
}

// The Authorizer is asked again every minute. The stream ends when it refuses, but not when it does not know.
func TestWatchAsks(t *testing.T) {
	ada := func(*http.Request) (transport.Identity, error) {
		return &identity{name: "ada", scopes: []string{"a"}}, nil
	}
	for name, test := range map[string]struct {
		later func(r *http.Request) (transport.Identity, error)
		want  time.Duration // 0: it goes on
	}{
		"as before": {ada, 0},
		"not known": {func(*http.Request) (transport.Identity, error) { return nil, temporary{errors.New("down")} }, 0},
		"refused":   {func(*http.Request) (transport.Identity, error) { return nil, errors.New("revoked") }, 3 * time.Minute},
		"for good":  {func(*http.Request) (transport.Identity, error) { return nil, final{errors.New("revoked")} }, 3 * time.Minute},
		"panics":    {func(*http.Request) (transport.Identity, error) { panic("why") }, 3 * time.Minute},
		"nobody":    {func(*http.Request) (transport.Identity, error) { return nil, nil }, 3 * time.Minute},
		"somebody else": {func(*http.Request) (transport.Identity, error) {
			return &identity{name: "bob", scopes: []string{"a"}}, nil
		}, 3 * time.Minute},
		"without the scope": {func(*http.Request) (transport.Identity, error) { return &identity{name: "ada"}, nil }, 3 * time.Minute},
		"ends": {func(r *http.Request) (transport.Identity, error) {
			return &identity{name: "ada", scopes: []string{"a"}, ends: r.Context().Value(key{}).(time.Time).Add(200 * time.Second)}, nil
		}, 200 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				asked := 0
				g := &webauth.Guard{Logger: silent, Address: func(*http.Request) string { return "192.0.2.1" }, Auth: authorizer(func(r *http.Request) (transport.Identity, error) {
					if asked++; !again.Is(r.Context()) || share.From(r.Context()) != share.Of("ada", "", nil) || r.Header.Get("Authorization") != "token" || r.Body != http.NoBody {
						t.Errorf("asked about %v", r)
					}
					if time.Since(began) < 150*time.Second {
						return ada(r)
					}
					return test.later(r)
				})}
				r := httptest.NewRequest("POST", "/", strings.NewReader("a body"))
				r = r.WithContext(context.WithValue(r.Context(), key{}, began))
				r.Header.Set("Authorization", "token")
				id, _ := ada(r)
				ended := make(chan time.Duration, 2)
				w := g.NewWatch(r, &webauth.Sender{Identity: id, Principal: "ada"}, []string{"a"})
				w.Start(func() { ended <- time.Since(began) })
				time.Sleep(time.Hour + time.Second)
				w.Stop()
				n := asked
				time.Sleep(time.Hour)
				if asked != n {
					t.Error("asked after its end")
				}
				switch {
				case test.want == 0 && (n != 60 || len(ended) > 0):
					t.Errorf("asked %d times in an hour, ended %d times", n, len(ended))
				case test.want > 0:
					if took := <-ended; took != test.want || len(ended) > 0 {
						t.Errorf("it ended after %s, want %s", took, test.want)
					}
				}
			})
		})
	}
}

// An identity that ends is not asked about when it has ended, and one without an end, which can be asked about, outlasts
// all others.
func TestWatchLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		g := &webauth.Guard{Logger: silent, Auth: authorizer(func(*http.Request) (transport.Identity, error) { return &identity{name: "ada"}, nil })}
		endless := &webauth.Sender{Principal: "ada"}
		ends := &webauth.Sender{Principal: "ada", Expires: began.Add(30 * time.Second)}
		for name, test := range map[string]struct {
			opened, message *webauth.Sender
			want            time.Duration // 0: it goes on
		}{
			"it ends":          {ends, nil, 30 * time.Second},
			"an endless one":   {ends, endless, 0},
			"one that ends":    {endless, ends, 0},
			"the same":         {ends, ends, 30 * time.Second},
			"twice an endless": {endless, endless, 0},
		} {
			var took time.Duration
			r := httptest.NewRequest("GET", "/", nil)
			w := g.Watch(r, test.opened, func() { took = time.Since(began) })
			defer w.Stop()
			if test.message != nil {
				w.Extend(r, test.message)
			}
			defer func() {
				if took != test.want {
					t.Errorf("%s: got %s, want %s", name, took, test.want)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}

// Whom middleware has verified, and who is nobody, is not asked about.
func TestWatchNobody(t *testing.T) {
	auth := authorizer(func(*http.Request) (transport.Identity, error) { return nil, nil })
	for _, test := range []struct {
		g webauth.Guard
		s webauth.Sender
	}{{webauth.Guard{}, webauth.Sender{Principal: "ada"}}, {webauth.Guard{Auth: auth}, webauth.Sender{}}} {
		if w := test.g.Watch(httptest.NewRequest("GET", "/", nil), &test.s, nil); w != nil {
			t.Errorf("%v is watched", test.s)
		}
	}
	var none *webauth.Watch
	none.Extend(nil, nil)
	none.Stop()
}
