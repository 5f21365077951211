// Package excerpt keeps short what comes from elsewhere and goes into messages and logs.
package excerpt

import (
	"context"
	"log/slog"
	"unicode/utf8"
)

const (
	// most is how many bytes of one foreign value a message repeats.
	most = 200
	// MaxMessage is how many bytes a message has as a whole, or one value of a log record.
	MaxMessage = 16 << 10
)

// Of returns the beginning of a value for a message.
func Of(s string) string { return Cut(s, most) }

// Cut returns s, shortened to n bytes and an ellipsis if it is longer.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Logger returns a logger to l, [slog.Default] if that is nil, that cuts values that are longer than
// [MaxMessage].
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		l = slog.Default()
	}
	if _, ok := l.Handler().(handler); ok {
		return l
	}
	return slog.New(handler{l.Handler()})
}

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	long := false
	r.Attrs(func(a slog.Attr) bool {
		long = text(a.Value) != ""
		return !long
	})
	if !long {
		return h.Handler.Handle(ctx, r)
	}
	cut := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if s := text(a.Value); s != "" {
			a.Value = slog.StringValue(Cut(s, MaxMessage))
		}
		cut.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, cut)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// text returns the text of a value that is too long, else nothing.
func text(v slog.Value) string {
	s := ""
	switch v.Kind() {
	case slog.KindString:
		s = v.String()
	case slog.KindAny:
		switch x := v.Any().(type) {
		case error:
			s = x.Error()
		case []byte:
			s = string(x)
		}
	}
	if len(s) <= MaxMessage {
		return ""
	}
	return s
}
