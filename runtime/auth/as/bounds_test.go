package as

import (
	"fmt"
	"net/http"
	"testing"
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
