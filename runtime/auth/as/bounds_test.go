package as

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestDocumentsAreBounded keeps so many documents: those that were not used for longest give way.
func TestDocumentsAreBounded(t *testing.T) {
	d := newDocuments(&http.Client{}, false)
	now := time.Now()
	for i := range maxDocuments + 10 {
		d.keep(fmt.Sprint(i), keptDocument{&client{}, now.Add(time.Duration(i) * time.Minute)})
	}
	if _, found := d.kept.Get("9"); d.kept.Len() != maxDocuments || found {
		t.Errorf("%d are kept, and an old one: %t", d.kept.Len(), found)
	}
}

// TestFreshness is as RFC 9111 has it; what is not clear is not kept.
func TestFreshness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
		for _, c := range []struct {
			control, expires, age string
			want                  time.Duration
		}{
			{"", "", "", 5 * time.Minute},
			{"max-age=0", "", "", 0},
			{"max-age=1", "", "", time.Second},
			{"max-age=-1", "", "", 0},
			{"max-age=x, s-maxage=60", "", "", 0},
			{`max-age="60"`, later, "", time.Minute},
			{"max-age=60, s-maxage=30", "", "", 30 * time.Second},
			{"s-maxage=30, max-age=60", "", "", 30 * time.Second},
			{"max-age=2147483647", "", "", 24 * time.Hour},
			{"max-age=4294967295", "", "", 0},
			{"", later, "", time.Hour},
			{"", "0", "", 0},
			{"", later, "60", 59 * time.Minute},
			{"max-age=60", "", "1", 59 * time.Second},
			{"max-age=60", "", "61", 0},
			{"max-age=60", "", "-10", time.Minute},
			{"max-age=60", "", "x", time.Minute},
			{"max-age=60", "", "2147483647", 0},
			{"max-age=60", "", "4294967295", time.Minute},
		} {
			h := http.Header{"Cache-Control": {c.control}, "Expires": {c.expires}, "Age": {c.age}}
			if got := freshness(h); got != c.want {
				t.Errorf("%v: %v, want %v", h, got, c.want)
			}
		}
	})
}

// TestSpentTokensAreBounded recognizes so many refresh tokens that were used.
func TestSpentTokensAreBounded(t *testing.T) {
	g := &grant{}
	var tokens []string
	for range 2 * maxSpent {
		tokens = append(tokens, g.renew("id"))
	}
	if len(g.Spent) != maxSpent || g.spent(tokens[0]) || !g.spent(tokens[len(tokens)-2]) || g.spent(tokens[len(tokens)-1]) {
		t.Errorf("%d are recognized, the first %t, the last but one %t", len(g.Spent), g.spent(tokens[0]), g.spent(tokens[len(tokens)-2]))
	}
}
