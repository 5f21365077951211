package authclient

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// What a server names is fetched with care, also by default: an endpoint on loopback may name what is on loopback, and
// nothing that is private. What it names may not send the client elsewhere.
//
// REQ SEC-07, SEC-08
func TestDefaultClientIsCareful(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(l *local, evil string)
		want   string
	}{
		{"private server", func(l *local, _ string) { l.rs.document["authorization_servers"] = []string{"https://10.0.0.1"} }, "must not be reached"},
		{"metadata service", func(l *local, _ string) { l.rs.challenge = `Bearer resource_metadata="http://169.254.169.254/latest"` }, "want the scheme https"},
		{"link-local", func(l *local, _ string) { l.as.meta["token_endpoint"] = "https://[fe80::1]/token" }, "must not be reached"},
		{"mapped address", func(l *local, _ string) { l.as.meta["registration_endpoint"] = "https://[::ffff:192.168.0.1]/r" }, "must not be reached"},
		{"redirect to the metadata service", func(l *local, evil string) { l.rs.challenge = `Bearer resource_metadata="` + evil + `/to-cloud"` }, "want the scheme https"},
		{"redirect to a private server", func(l *local, evil string) { l.rs.challenge = `Bearer resource_metadata="` + evil + `/to-private"` }, "must not be reached"},
		{"redirect of a code", func(l *local, evil string) { l.as.meta["token_endpoint"] = evil + "/to-here" }, "a POST may not be redirected"},
		{"redirect of a registration", func(l *local, evil string) { l.as.meta["registration_endpoint"] = evil + "/to-here" }, "a POST may not be redirected"},
		{"endless metadata", func(l *local, evil string) { l.rs.challenge = `Bearer resource_metadata="` + evil + `/endless"` }, "more than 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLocal(t)
			var taken atomic.Int32
			evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/to-cloud":
					http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
				case "/to-private":
					http.Redirect(w, r, "https://192.168.0.1/", http.StatusFound)
				case "/to-here":
					http.Redirect(w, r, "/taken", http.StatusTemporaryRedirect)
				case "/endless":
					w.Header().Set("Content-Type", "application/json")
					for r.Context().Err() == nil {
						if _, err := w.Write([]byte(`{"a":"` + strings.Repeat("x", 1<<16))); err != nil {
							return
						}
					}
				case "/taken":
					taken.Add(1)
				}
			}))
			defer evil.Close()
			tt.change(l, evil.URL)
			got, err := l.ask(t.Context(), l.transport(t, &AuthorizationCode{Open: l.open}, nil))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			if taken.Load() > 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

// An endpoint that is not on loopback may name nothing that is.
//
// REQ SEC-08, SEC-16
func TestNoLoopbackForOthers(t *testing.T) {
	l := newLocal(t)
	w, rs, as := newWorld(t)
	rs.challenge = l.rs.challenge
	tr, err := New(endpointURL, &Options{Base: w, Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: as.authorize}})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	refused(t, tr, "must not lead to this machine")
}
