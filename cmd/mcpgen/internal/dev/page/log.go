package page

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// A logItem is a line of the log, for pages.
type logItem struct {
	At     int64  `json:"at"` // milliseconds since 1970
	Level  string `json:"level"`
	Source string `json:"source"` // a logger of the server, stderr or mcpgen
	Text   string `json:"text"`
	Cut    bool   `json:"cut,omitempty"`
}

func newLogItem(level, source, text string) logItem {
	i := logItem{At: time.Now().UnixMilli(), Level: level, Source: source}
	i.Text, i.Cut = excerpt(text)
	return i
}

// Stderr returns a writer for what servers write to standard error: pages show its lines.
func (p *Page) Stderr() *Lines { return &Lines{feed: p.feed} }

// Lines is a writer of whole lines.
type Lines struct {
	feed *feed

	mu   sync.Mutex
	rest []byte
}

// Write implements io.Writer.
func (l *Lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, text...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok && len(l.rest) < maxItemText {
			return len(text), nil
		}
		l.feed.add("log", newLogItem("", "stderr", string(line)))
		l.rest = rest
	}
}

// Handler returns a handler of log records that shows them on pages, too: those that next handles, and what the server
// logs at any level.
func (p *Page) Handler(next slog.Handler) slog.Handler { return &handler{Handler: next, feed: p.feed} }

type handler struct {
	slog.Handler
	feed *feed
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements slog.Handler. A record of what the server logs has the server's level and data; of any other, the message
// and the attributes are one text.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	item := newLogItem(strings.ToLower(r.Level.String()), "mcpgen", "")
	var attrs []string
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case r.Message == serverLogs && a.Key == "level":
			item.Level = a.Value.String()
		case r.Message == serverLogs && a.Key == "data":
			item.Text = a.Value.String()
		default:
			attrs = append(attrs, a.String())
		}
		return true
	})
	if r.Message == serverLogs {
		item.Source = "server"
	} else {
		item.Text = strings.Join(append([]string{r.Message}, attrs...), " ")
	}
	item.Text, item.Cut = excerpt(item.Text)
	h.feed.add("log", item)
	if h.Handler.Enabled(ctx, r.Level) {
		return h.Handler.Handle(ctx, r)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs), h.feed}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.feed}
}

// serverLogs is the message of records that hold log messages of the server.
const serverLogs = "the server logs"
