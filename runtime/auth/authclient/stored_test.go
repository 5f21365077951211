package authclient

import (
	"strings"
	"testing"
	"time"
)

// A program without a user uses the tokens that a login elsewhere has stored, and sees what the server says where they do
// not suffice. It asks no authorization server for more.
func TestStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.lifetime = time.Hour
		store := new(MemoryStore)
		stored := func() *Transport { return newTransport(t, w, as, &Options{Grant: Stored{}, Store: store}) }
		want := func(tr *Transport, want string) {
			t.Helper()
			if got, err := ask(t, tr); got != want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		}
		nothing := stored()
		want(nothing, "401 Unauthorized")
		if got := w.took(); got != "" {
			t.Errorf("without a token there were the requests\n%s", got)
		}

		welcome(t, newTransport(t, w, as, &Options{Store: store}))
		tr := stored()
		want(tr, "welcome")
		sleep(time.Hour)
		want(tr, "welcome") // after a refresh before the request
		clear(rs.valid)
		want(tr, "welcome") // after a refresh that the server demands
		rs.need = func() []string { return []string{"b"} }
		want(tr, "403 Forbidden")

		rs.challenge = strings.Replace(rs.challenge, "Bearer ", `Bearer scope="b", `, 1)
		sleep(time.Hour)
		welcome(t, newTransport(t, w, as, &Options{Store: store}))
		want(tr, "welcome") // with what another program has stored meanwhile
		for range maxLoginsInTime + 1 {
			clear(rs.valid)
			clear(as.refresh)
			want(tr, "401 Unauthorized")
			sleep(failureTime)
		}
		sleep(time.Hour)
		want(tr, "401 Unauthorized")
		if len(as.logins) != 2 || len(as.clients) != 1 {
			t.Errorf("%d logins, %d registrations", len(as.logins), len(as.clients))
		}
		refused(t, newTransport(t, w, as, &Options{Grant: Stored{}, Store: store, Scopes: []string{"c"}}), "does not suffice")
	})
}
