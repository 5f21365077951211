package spelling

import (
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
	} {
		if got := Nearest(tt.name, strings.Fields(tt.candidates)); got != tt.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", tt.name, tt.candidates, got, tt.want)
		}
	}
	if got := DidYouMean("dayz", []string{"days"}); got != "; did you mean days?" {
		t.Error(got)
	}
}
