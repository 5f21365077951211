package excerpt_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

func TestCut(t *testing.T) {
	for _, test := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"éé", 3, "é…"}, {"é", 1, "…"}, {"", 0, ""},
	} {
		if got := excerpt.Cut(test.s, test.n); got != test.want {
			t.Errorf("%q cut to %d: got %q, want %q", test.s, test.n, got, test.want)
		}
	}
}

func TestLogger(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var out bytes.Buffer
	log := excerpt.Logger(slog.New(slog.NewTextHandler(&out, nil)))
	if excerpt.Logger(log) != log {
		t.Error("a logger is wrapped twice")
	}
	log.With("a", 1).WithGroup("g").Warn("m", "s", long, "e", errors.New(long), "b", []byte(long), "n", 7, "short", "y")
	if n := out.Len(); n < 3*excerpt.MaxMessage || n > 64<<10 {
		t.Errorf("the line has %d bytes", n)
	}
	for _, want := range []string{"a=1", "g.n=7", "g.short=y", "msg=m", "x…"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing", want)
		}
	}
}
