// Package accesslog has the records of the option AccessLog of the HTTP transports.
package accesslog

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// A Response is an HTTP response for which a record will be written.
type Response struct {
	http.ResponseWriter
	begun           time.Time
	status          int // 0 until there is one
	principal       string
	address         string
	message, target string // the method of JSON-RPC, and what it is about
	postponed       bool   // the code that ends the response writes the record
}

// New returns a Response for a response that begins now.
func New(w http.ResponseWriter) *Response { return &Response{ResponseWriter: w, begun: time.Now()} }

// Unwrap is for [http.ResponseController].
func (a *Response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *Response) WriteHeader(status int) {
	a.note(status)
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *Response) Write(data []byte) (int, error) {
	a.note(http.StatusOK)
	return a.ResponseWriter.Write(data)
}

func (a *Response) note(status int) {
	if a.status == 0 { // it is only read once a stream has begun, to which several goroutines write
		a.status = status
	}
}

// NoteSender records who sent the request of a response.
func NoteSender(w http.ResponseWriter, principal, address string) {
	if a, ok := w.(*Response); ok {
		a.principal, a.address = principal, address
	}
}

// NoteMessage records what the request of a response asks for.
func NoteMessage(w http.ResponseWriter, m *jsonrpc.Message) {
	a, ok := w.(*Response)
	if !ok || m.Method == "" {
		return
	}
	a.message = excerpt.Of(m.Method)
	if member := mcpheader.NameMember(m.Method); member != "" {
		a.target = excerpt.Of(m.Params.StringAt(member))
	}
}

// Postponed reports whether the record is written elsewhere, because the response continues after its handler has
// returned.
func (a *Response) Postponed() bool { return a.postponed }

// Postpone marks a response as postponed.
func Postpone(w http.ResponseWriter) {
	if a, ok := w.(*Response); ok {
		a.postponed = true
	}
}

// Record returns a function that writes the record of a response that continues after its handler has returned. It
// keeps neither the response nor the request.
func Record(w http.ResponseWriter, to *slog.Logger, r *http.Request, session string) func() {
	a, ok := w.(*Response)
	if !ok {
		return func() {}
	}
	ended := *a
	ended.ResponseWriter = nil
	request := (&http.Request{Method: r.Method, URL: r.URL, RemoteAddr: r.RemoteAddr}).WithContext(context.WithoutCancel(r.Context()))
	return func() { ended.Log(to, request, session) }
}

// sessionPrefix is how many characters of a session's id are logged.
const sessionPrefix = 8

// Log writes the record, with the beginning of the session's id if there is a session.
func (a *Response) Log(to *slog.Logger, r *http.Request, session string) {
	attrs := make([]slog.Attr, 0, 10)
	attrs = append(attrs,
		slog.String("method", r.Method),
		slog.String("path", excerpt.Of(r.URL.Path)),
		slog.Int("status", cmp.Or(a.status, http.StatusOK)),
		slog.Duration("duration", time.Since(a.begun)))
	for _, m := range [...]struct{ name, value string }{
		{"address", cmp.Or(a.address, r.RemoteAddr)},
		{"principal", a.principal},
		{"session", session[:min(len(session), sessionPrefix)]},
		{"rpc", a.message},
		{"name", a.target},
	} {
		if m.value != "" {
			attrs = append(attrs, slog.String(m.name, m.value))
		}
	}
	to.LogAttrs(r.Context(), slog.LevelInfo, "http: request", attrs...)
}
