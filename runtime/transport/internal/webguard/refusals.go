package webguard

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Refusals logs which requests were refused, and why, since the client may not show that to anyone. If there are
// many, it logs some of them.
type Refusals struct {
	Logger *slog.Logger

	few share.Few
}

// maxRefusals is how many refusals are logged in a minute.
const maxRefusals = 10

// Log logs a refusal. A request without authorization is not a warning: it is how clients learn that they need one.
func (l *Refusals) Log(level slog.Level, r *http.Request, reason error) {
	more, ok := l.few.Take(maxRefusals, time.Minute)
	if !ok {
		return
	}
	attrs := []slog.Attr{slog.Any("reason", reason), slog.String("address", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.Path)}
	if more > 0 {
		attrs = append(attrs, slog.Int("others", more))
	}
	l.Logger.LogAttrs(r.Context(), level, "http: a request was refused", attrs...)
}

// RetryAfter returns the value of the header Retry-After for a time: whole seconds, rounded up, at least one.
func RetryAfter(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
