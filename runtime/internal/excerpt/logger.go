package excerpt

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/harmless"
)

// maxLine is how many bytes the values of a log record may have together, and [MaxMessage] how many each may have. Long
// values leave the reserve to short ones.
const (
	maxLine = 60 << 10
	reserve = 12 << 10
)

// Logger returns a logger to l, or to [slog.Default] if l is nil, whose messages and values pass [harmless.Text] and are
// cut if they are long, so that no line exceeds 64 KiB even after quoting.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		l = slog.Default()
	}
	if _, ok := l.Handler().(handler); ok {
		return l
	}
	return slog.New(handler{l.Handler(), maxLine})
}

type handler struct {
	slog.Handler
	left int // bytes of a line that the attributes of the logger leave
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	c := cutter{left: h.left}
	message := c.text(r.Message)
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, c.attr(a))
		return true
	})
	if !c.changed {
		return h.Handler.Handle(ctx, r)
	}
	fit := slog.NewRecord(r.Time, r.Level, message, r.PC)
	fit.AddAttrs(attrs...)
	return h.Handler.Handle(ctx, fit)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := cutter{left: h.left}
	return handler{h.Handler.WithAttrs(c.attrs(attrs)), c.left}
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.left}
}

// A cutter makes the values of one line fit.
type cutter struct {
	left    int  // how many more bytes the line may have
	changed bool // whether a text did not fit
}

func (c *cutter) attrs(list []slog.Attr) []slog.Attr {
	short := make([]slog.Attr, len(list))
	for i, a := range list {
		short[i] = c.attr(a)
	}
	return short
}

// attr returns an attribute with a value that fits.
func (c *cutter) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	s := ""
	switch v.Kind() {
	case slog.KindString:
		s = v.String()
	case slog.KindGroup:
		a.Value = slog.GroupValue(c.attrs(v.Group())...)
		return a
	case slog.KindAny:
		s = textOf(v.Any())
	default: // numbers, times and the like
		return a
	}
	if fit := c.text(s); fit != s {
		a.Value = slog.StringValue(fit)
	}
	return a
}

// textOf returns a value approximately as handlers write it.
func textOf(v any) string {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 {
		return string(r.Bytes())
	}
	return fmt.Sprintf("%+v", v)
}

// text returns the beginning of a text that fits, harmless.
func (c *cutter) text(s string) string {
	fit := harmless.Text(Cut(s, MaxMessage))
	n, used := fitting(fit, min(max(c.left-reserve, most), c.left, MaxMessage))
	c.left -= used
	if n < len(fit) {
		fit = fit[:n] + "…"
	}
	c.changed = c.changed || fit != s
	return fit
}

// fitting returns how many bytes of a text fit into most bytes when quoted, as JSON or as in Go, whichever is longer, and
// how many of these they take.
func fitting(s string, most int) (n, used int) {
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		width := 1
		switch {
		case r == '"' || r == '\\':
			width = 2
		case r < ' ' || r == 0x7f || r == utf8.RuneError:
			width = 6
		case r >= utf8.RuneSelf:
			width = 6 + size/4*4 // as \u1234 or \U00012345
		}
		if used+width > most {
			break
		}
		n, used = n+size, used+width
	}
	return n, used
}
