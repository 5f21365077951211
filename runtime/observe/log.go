package observe

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// Logger returns an observer that writes a record of everything when it has ended: at level Info, at Warn if it has
// failed, and at Debug if it is a notification. The attributes have what is known: the method, what it is about, the
// sender, and the outcome and the duration.
func Logger(l *slog.Logger) Observer { return logger{excerpt.Logger(l)} }

type logger struct{ to *slog.Logger }

// Observe implements [Observer].
func (l logger) Observe(ctx context.Context, o *Operation) (context.Context, func()) {
	return ctx, func() {
		outcome := o.Outcome()
		level := slog.LevelInfo
		switch {
		case outcome != OutcomeOK:
			level = slog.LevelWarn
		case o.Kind == Notification:
			level = slog.LevelDebug
		}
		if l.to.Enabled(ctx, level) {
			l.to.LogAttrs(ctx, level, "mcp: "+o.Kind.String(), o.attrs(outcome)...)
		}
	}
}

func (o *Operation) attrs(outcome string) []slog.Attr {
	attrs := make([]slog.Attr, 0, 14)
	add := func(name, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(name, excerpt.Of(value)))
		}
	}
	add("method", o.Method)
	add("name", o.Name)
	add("uri", o.URI)
	if o.Outgoing {
		attrs = append(attrs, slog.Bool("outgoing", true))
	}
	if !o.ID.IsZero() {
		add("id", o.ID.String())
	}
	if o.Revision != 0 {
		add("revision", o.Revision.String())
	}
	if len(o.Session) > 8 {
		add("session", o.Session[:8]) // the whole id may let its reader use the session
	}
	add("task", o.Task)
	add("address", o.Address)
	add("principal", o.Principal)
	attrs = append(attrs, slog.String("outcome", outcome), slog.Duration("duration", time.Since(o.Begun)))
	if o.Err != nil {
		add("error", o.Err.Error())
	}
	return attrs
}
