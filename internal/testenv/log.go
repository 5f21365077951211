package testenv

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
)

// HarmlessLog returns a logger that fails the test when a message, a key or a value has a character that controls a
// terminal or changes the direction of text, or when none had one that was replaced. Values are tested as package fmt
// prints them.
func HarmlessLog(t testing.TB) *slog.Logger {
	h := harmlessHandler{t, new(atomic.Int64)}
	t.Cleanup(func() {
		if h.replaced.Load() == 0 {
			t.Error("nothing was logged that would have been harmful")
		}
	})
	return slog.New(h)
}

type harmlessHandler struct {
	t        testing.TB
	replaced *atomic.Int64 // texts
}

// Enabled implements [slog.Handler].
func (h harmlessHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (h harmlessHandler) Handle(_ context.Context, r slog.Record) error {
	h.check(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		h.WithAttrs([]slog.Attr{a})
		return true
	})
	return nil
}

// WithAttrs implements [slog.Handler].
func (h harmlessHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		v := a.Value.Resolve()
		h.check(a.Key)
		if data, ok := v.Any().([]byte); ok {
			h.check(string(data))
		}
		h.check(fmt.Sprintf("%+v", v.Any()))
	}
	return h
}

// WithGroup implements [slog.Handler].
func (h harmlessHandler) WithGroup(name string) slog.Handler {
	h.check(name)
	return h
}

func (h harmlessHandler) check(text string) {
	if strings.Contains(text, `\u`) {
		h.replaced.Add(1)
	}
	for i, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' {
			h.t.Errorf("a log has %q, in %.200q", r, text[max(0, i-60):])
			return
		}
	}
}
