package as

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimiterIsBounded tells so many addresses apart; all others share one limit.
func TestLimiterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(2)
		for i := range maxAddresses {
			if !l.allow(fmt.Sprint(i)) {
				t.Fatal("a new address was refused")
			}
		}
		for i := range 3 {
			if got := l.allow(fmt.Sprint("other", i)); got != (i < 2) {
				t.Errorf("the address %d without room: %t", i, got)
			}
		}
		if !l.allow("1") || l.allow("1") {
			t.Error("an address that was known has another limit than before")
		}
		time.Sleep(time.Minute)
		if !l.allow("new") || len(l.addresses) != 1 {
			t.Errorf("there are %d addresses after a minute", len(l.addresses))
		}
	})
}

// TestLimiterKeepsNoLongNames bounds what it keeps of names that anybody may send to a login page.
func TestLimiterKeepsNoLongNames(t *testing.T) {
	l := newLimiter(1)
	long := strings.Repeat("a", 64<<10)
	if !l.allow(long+"1") || !l.allow(long+"2") || l.allow(long+"1") {
		t.Error("long names are not told apart")
	}
	for name := range l.addresses {
		if len(name) > maxAddress {
			t.Errorf("a name of %d bytes is kept", len(name))
		}
	}
}

// TestRemoteAddress takes the networks of IPv6 for one address.
func TestRemoteAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1", "[::ffff:192.0.2.1]:5": "192.0.2.1", "[2001:db8:1:2:3::4]:5": "2001:db8:1:2::/64",
		"[2001:db8:1:2:8000::]:5": "2001:db8:1:2::/64", "[fe80::1%eth0]:5": "fe80::/64", "pipe": "pipe", "a host:1": "a host",
	} {
		if got := remoteAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: got %s, want %s", remote, got, want)
		}
	}
}

// TestDescribe leaves nothing in an error_description that may not be there.
func TestDescribe(t *testing.T) {
	if got, want := describe("a \"b\" \\ c\r\nd\x7fä"), "a 'b' ' c??d??"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := describe(strings.Repeat("a", 1000)); len(got) != maxDescription {
		t.Errorf("%d bytes", len(got))
	}
}
