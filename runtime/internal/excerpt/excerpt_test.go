package excerpt_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

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

// Without a logger the default one is used, and what its handler returns is returned.
func TestDefault(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	why := errors.New("full")
	slog.SetDefault(slog.New(failing{slog.DiscardHandler, why}))
	for _, message := range []string{"m", "a\x1b"} {
		r := slog.NewRecord(time.Time{}, slog.LevelWarn, message, 0)
		if err := excerpt.Logger(nil).Handler().Handle(t.Context(), r); err != why {
			t.Errorf("%q: got %v", message, err)
		}
	}
}

// failing is a handler that fails.
type failing struct {
	slog.Handler
	err error
}

func (f failing) Handle(context.Context, slog.Record) error { return f.err }

// A list that is not one of bytes is written as a list.
func TestLists(t *testing.T) {
	var out bytes.Buffer
	excerpt.Logger(slog.New(slog.NewTextHandler(&out, nil))).Warn("m", "s", []int{1, 2}, "long", strings.Repeat("x", 1<<20))
	if !strings.Contains(out.String(), `s="[1 2]"`) {
		t.Errorf("got %.200s", out.String())
	}
}
