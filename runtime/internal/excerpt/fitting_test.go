package excerpt

import "testing"

// A text takes what it takes as JSON or as Go quotes it, whichever is longer, and no character is divided.
func TestFitting(t *testing.T) {
	for _, test := range []struct {
		s             string
		most, n, used int
	}{
		{"abc", 3, 3, 3}, {"abc", 2, 2, 2}, {"", 0, 0, 0}, {"a", 0, 0, 0},
		{`"\`, 4, 2, 4}, {`"\`, 3, 1, 2},
		{"\n", 6, 1, 6}, {"\n", 5, 0, 0}, {"\x7f", 6, 1, 6}, {"\x7f", 5, 0, 0}, {"\xff", 6, 1, 6}, {"\xff", 5, 0, 0}, {" ", 1, 1, 1}, {"~", 1, 1, 1},
		{"\u0080", 6, 2, 6}, {"\u0080", 5, 0, 0}, {"\uffff", 6, 3, 6},
		{"\U00012345", 10, 4, 10}, {"\U00012345", 9, 0, 0},
		{"a\"\u2028b", 10, 6, 10}, {"a\"\u2028b", 9, 5, 9}, {"a\"\u2028b", 8, 2, 3},
	} {
		if n, used := fitting(test.s, test.most); n != test.n || used != test.used {
			t.Errorf("%q into %d: got %d, %d, want %d, %d", test.s, test.most, n, used, test.n, test.used)
		}
	}
}
