package limits_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
)

// A failing is a test that may fail.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Error(...any)          { f.failed = true }
func (f *failing) Errorf(string, ...any) { f.failed = true }

// Shared fails where one sender can have everything, more or less than its part, or what another one has.
func TestShared(t *testing.T) {
	type held = map[string]int
	for name, test := range map[string]struct {
		take func(h held, who string) bool
		ok   bool
	}{
		"shares": {func(h held, who string) bool { return h[who] < 4 }, true},
		"the first gives way, of whoever has most": {func(h held, who string) bool { return who == "alice" || h["alice"]+h[who] < 5 }, true},
		"no shares":             {func(h held, who string) bool { return h["alice"]+h["mallory"] < 5 }, false},
		"no bound":              {func(h held, who string) bool { return true }, false},
		"too much":              {func(h held, who string) bool { return h[who] < 5 }, false},
		"too little":            {func(h held, who string) bool { return h[who] < 1 || who == "alice" }, false},
		"nobody gets anything":  {func(h held, who string) bool { return false }, false},
		"what others have goes": {func(h held, who string) bool { return h["mallory"] < 4 }, false},
	} {
		h, f := held{}, &failing{TB: t}
		limits.Shared(f, 4, func(who string) bool {
			if !test.take(h, who) {
				return false
			}
			h[who]++
			return true
		})
		if f.failed == test.ok {
			t.Errorf("%s: failed %t", name, f.failed)
		}
	}
}
