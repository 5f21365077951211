package lines

import "testing"

func TestCount(t *testing.T) {
	for src, want := range map[string]int{
		"":                                  0,
		"// Package p is one.\npackage p\n": 1,
		"package p\n\n/* a\nb */\n":         1,
		"package p\n\n//mcp:tool\n// F does it.\nfunc F() {} // at once\n": 3,
		"package p\n\nconst text = `a\n\nb`\n":                             4,
		"package p\n\nvar x = 1 +\n\t// one\n\t2\n":                        3,
	} {
		if got, err := count([]byte(src)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", src, got, err, want)
		}
	}
	if _, err := count([]byte("package p\n\nvar x = \"\n")); err == nil {
		t.Error("a string without end is no error")
	}
}
