package share_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

func TestOwners(t *testing.T) {
	conn := new(int)
	for i, test := range []struct {
		a, b share.Owner
		same bool
	}{
		{share.Of("ada", "192.0.2.1:80", nil), share.Of("ada", "192.0.2.2:81", conn), true},
		{share.Of("ada", "", nil), share.Of("bob", "", nil), false},
		{share.Of("", "192.0.2.1:80", nil), share.Of("", "192.0.2.1:81", conn), true},
		{share.Of("", "192.0.2.1", nil), share.Of("", "[::ffff:192.0.2.1]:81", nil), true},
		{share.Of("", "192.0.2.1:80", nil), share.Of("", "192.0.2.2:80", nil), false},
		{share.Of("", "[2001:db8::1]:80", nil), share.Of("", "[2001:db8::ffff:1%eth0]:80", nil), true},
		{share.Of("", "[2001:db8::1]:80", nil), share.Of("", "[2001:db8:0:1::1]:80", nil), false},
		{share.Of("", "@", conn), share.Of("", "@", nil), true},
		{share.Of("@", "", nil), share.Of("", "@", nil), false},
		{share.Of("", "", conn), share.Of("", "", conn), true},
		{share.Of("", "", conn), share.Of("", "", new(int)), false},
	} {
		if (test.a == test.b) != test.same {
			t.Errorf("%d: %v and %v", i, test.a, test.b)
		}
	}
}

func TestRoom(t *testing.T) {
	r := share.Room{Max: 12}
	ada, bob, eve, conn := share.Of("ada", "", nil), share.Of("bob", "", nil), share.Of("eve", "", nil), share.Of("", "", new(int))
	for i, test := range []struct {
		owner share.Owner
		n     int // taken, or given back if negative
		ok    bool
	}{
		{ada, 4, false}, {ada, 3, true}, {ada, 1, false}, {bob, 2, true}, {bob, 2, false}, {conn, 8, false}, {conn, 7, true},
		{bob, 1, false}, {eve, 1, false}, {ada, -3, true}, {eve, 3, true}, {conn, -7, true}, {bob, 1, true}, {bob, -3, true}, {eve, -3, true},
	} {
		if test.n < 0 {
			r.Give(test.owner, -test.n)
		} else if got := r.Take(test.owner, test.n); got != test.ok {
			t.Errorf("%d: %v", i, got)
		}
	}
	if r.Used() != 0 {
		t.Errorf("%d are in use", r.Used())
	}
	if unbounded := (&share.Room{Max: option.Limit(-1, 0)}); !unbounded.Take(ada, 1<<40) {
		t.Error("without a bound, too much")
	}
	if n := ada.Part(2); n != 1 {
		t.Errorf("a quarter of 2 is %d, want at least 1", n)
	}
}

func TestContext(t *testing.T) {
	ada := share.Of("ada", "", nil)
	if got := share.From(share.With(t.Context(), ada)); got != ada || share.From(t.Context()) != (share.Owner{}) {
		t.Errorf("got %v", got)
	}
}
