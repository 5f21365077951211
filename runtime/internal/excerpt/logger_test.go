package excerpt_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

type (
	valuer  string
	bytesOf []byte
	pointer struct{}
	names   struct{ Names []string }
)

func (v valuer) LogValue() slog.Value { return slog.StringValue(string(v)) }
func (p *pointer) Error() string      { _ = *p; return "" }

// Whatever is logged and however it came there, the handler gets nothing that controls a terminal.
func TestHarmlessLines(t *testing.T) {
	const bad = "a\x1b]0;x\a\u009b2J\x7f\u202e\ufeff\xff\rb"
	for name, do := range map[string]func(l *slog.Logger){
		"the message":          func(l *slog.Logger) { l.Warn(bad) },
		"a value":              func(l *slog.Logger) { l.Warn("m", "s", bad) },
		"an error":             func(l *slog.Logger) { l.Warn("m", "s", errors.New(bad)) },
		"bytes":                func(l *slog.Logger) { l.Warn("m", "s", []byte(bad)) },
		"a value that is made": func(l *slog.Logger) { l.Warn("m", "s", valuer(bad)) },
		"a group":              func(l *slog.Logger) { l.Warn("m", slog.Group("g", slog.Group("h", "s", bad))) },
		"a struct":             func(l *slog.Logger) { l.Warn("m", "s", names{[]string{bad}}) },
		"a map":                func(l *slog.Logger) { l.Warn("m", "s", map[string]any{bad: bad}) },
		"With":                 func(l *slog.Logger) { l.With("s", bad).Warn("m") },
		"what is long":         func(l *slog.Logger) { l.Warn(strings.Repeat(bad, 10_000), "s", strings.Repeat(bad, 10_000)) },
	} {
		t.Run(name, func(t *testing.T) {
			log := testenv.HarmlessLog(t)
			do(excerpt.Logger(log))
		})
	}
	var out bytes.Buffer
	excerpt.Logger(slog.New(slog.NewTextHandler(&out, nil))).Warn("m", "s", "x\x1b\ny", "n", 7)
	if got, want := out.String(), `s="x\\u001b\ny" n=7`; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever is logged and however it came there, a line has at most 64 KiB, and keeps what is short.
func TestLongLines(t *testing.T) {
	for _, long := range []string{strings.Repeat("x", 1<<17), strings.Repeat("\x00", 1<<17), strings.Repeat("\xff", 1<<17), strings.Repeat("\u2028", 1<<16), strings.Repeat(`"`, 1<<17), strings.Repeat("\U000e0001", 1<<15)} {
		many := make([]any, 0, 100)
		for i := range 50 {
			many = append(many, fmt.Sprint("k", i), long)
		}
		for name, do := range map[string]func(l *slog.Logger){
			"the message":             func(l *slog.Logger) { l.Warn(long, "short", 7) },
			"a value":                 func(l *slog.Logger) { l.Warn("m", "s", long, "short", 7) },
			"many values":             func(l *slog.Logger) { l.Warn("m", append(many, "short", 7)...) },
			"an error":                func(l *slog.Logger) { l.Warn("m", "s", errors.New(long), "short", 7) },
			"bytes":                   func(l *slog.Logger) { l.Warn("m", "s", []byte(long), "short", 7) },
			"bytes of another type":   func(l *slog.Logger) { l.Warn("m", "s", bytesOf(long), "short", 7) },
			"a value that is made":    func(l *slog.Logger) { l.Warn("m", "s", valuer(long), "short", 7) },
			"a group":                 func(l *slog.Logger) { l.Warn("m", slog.Group("g", "s", long, slog.Group("h", "s", long)), "short", 7) },
			"a struct":                func(l *slog.Logger) { l.Warn("m", "s", names{[]string{long}}, "short", 7) },
			"a map":                   func(l *slog.Logger) { l.Warn("m", "s", map[string]any{long: long}, "short", 7) },
			"With":                    func(l *slog.Logger) { l.With("s", long).Warn("m", "short", 7) },
			"With, again and again":   func(l *slog.Logger) { l.With(many...).With(many...).Warn("m", "s", long, "short", 7) },
			"With after WithGroup":    func(l *slog.Logger) { l.WithGroup("g").With("s", long, "e", errors.New(long)).Warn("m", "short", 7) },
			"With of a group":         func(l *slog.Logger) { l.With(slog.Group("g", "s", long)).Warn("m", "short", 7) },
			"an error that is no one": func(l *slog.Logger) { l.Warn("m", "e", (*pointer)(nil), "s", long, "short", 7) },
		} {
			var out bytes.Buffer
			for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
				out.Reset()
				do(excerpt.Logger(slog.New(h)))
				line := out.String()
				if len(line) > 64<<10 {
					t.Errorf("%s, of %q…: the line of %T has %d bytes", name, long[:4], h, len(line))
				}
				if !strings.Contains(line, "short=7") && !strings.Contains(line, `"short":7`) {
					t.Errorf("%s, of %q…: the line of %T lacks what is short: %.300s", name, long[:4], h, line)
				}
			}
		}
	}
}
