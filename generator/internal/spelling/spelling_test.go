package spelling

import (
	"math"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, tt := range []struct{ name, candidates, want string }{
		{"dayz", "city days unit", "days"},
		{"dasy", "city days unit", "days"},
		{"tools", "tool title", "tool"},
		{"maxLen", "minlen maxlen max", "maxlen"},
		{"max_results", "maxResults", "maxResults"},
		{"readonyl", "readonly", "readonly"},
		{"x", "a b", ""},
		{"colour", "city days", ""},
		{"", "a", ""},
		{strings.Repeat("a", 100), "aaa", ""},
		{"ab", "abcd ac ad", "ac"},
		{"ab", "abcd", ""},
		{"abcdef", "abcdxy", "abcdxy"},
		{"abcdef", "abcxyz", ""},
		{"a_b-c", "abcde abc", "abc"},
		{strings.Repeat("a", 64), strings.Repeat("a", 63), strings.Repeat("a", 63)},
		{strings.Repeat("a", 65), strings.Repeat("a", 64), ""},
		{strings.Repeat("a", 64), strings.Repeat("a", 65) + " " + strings.Repeat("b", 64), ""},
		{strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 64)},
	} {
		if got := Nearest(tt.name, strings.Fields(tt.candidates)); got != tt.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", tt.name, tt.candidates, got, tt.want)
		}
	}
	if got := Nearest("a", []string{""}); got != "" {
		t.Errorf("got %q for a name without letters", got)
	}
	if got := DidYouMean("dayz", []string{"days"}); got != "; did you mean days?" {
		t.Error(got)
	}
}

// TestDistance compares all short texts with the definition.
func TestDistance(t *testing.T) {
	var texts []string
	for n := range 5 {
		for i := range int(math.Pow(3, float64(n))) {
			text := make([]byte, n)
			for j := range text {
				text[j], i = "abc"[i%3], i/3
			}
			texts = append(texts, string(text))
		}
	}
	for _, a := range texts {
		for _, b := range texts {
			if got, want := distance(a, b), defined(a, b); got != want {
				t.Fatalf("distance(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// defined is the distance by its definition, from the ends of the texts.
func defined(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	replaced := 1
	if a[m] == b[n] {
		replaced = 0
	}
	least := min(defined(a[:m], b[:n])+replaced, defined(a[:m], b)+1, defined(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		least = min(least, defined(a[:m-1], b[:n-1])+1)
	}
	return least
}
