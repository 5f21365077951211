package limits

import "testing"

// Shared checks a bound that all senders share. Take has a sender take one more of it, and reports whether the sender now
// has all that it ever took: it was not refused, and nothing of its own gave way. Mallory takes for as long as that is so,
// which is her part, or as much as half of it where sizes vary. Before and after that alice takes one, and keeps both.
//
// docs/limits.md names the tests that call it, and internal/limits compares these with what the code keeps.
func Shared(t testing.TB, part int, take func(who string) bool) {
	t.Helper()
	if !take("alice") {
		t.Error("the first sender gets nothing")
	}
	n := 0
	for n <= part && take("mallory") {
		n++
	}
	switch {
	case n > part:
		t.Errorf("one sender has %d, which is more than its part: want %d", n, part)
	case n < (part+1)/2:
		t.Errorf("one sender has %d, want %d", n, part)
	}
	if !take("alice") {
		t.Errorf("another sender gets nothing, or has lost something, while one has %d", n)
	}
}
