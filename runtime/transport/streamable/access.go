package streamable

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
)

// An access is an HTTP response that will be a record of [Options.AccessLog].
type access struct {
	http.ResponseWriter
	begun           time.Time
	status          int // 0 until there is one
	principal       string
	address         string
	message, target string // the method of JSON-RPC, and what it is about
}

// Unwrap is for [http.ResponseController].
func (a *access) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (a *access) WriteHeader(status int) {
	a.status = cmp.Or(a.status, status)
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *access) Write(data []byte) (int, error) {
	a.status = cmp.Or(a.status, http.StatusOK)
	return a.ResponseWriter.Write(data)
}

// noteSender notes who has sent a request.
func noteSender(w http.ResponseWriter, in *incoming) {
	if a, ok := w.(*access); ok {
		a.principal, a.address = in.sender.Principal, in.address
	}
}

// noteMessage notes what a request says.
func noteMessage(w http.ResponseWriter, in *incoming) {
	a, ok := w.(*access)
	if !ok || in.msg.Method == "" {
		return
	}
	a.message = excerpt.Of(in.msg.Method)
	if member := mcpheader.NameMember(in.msg.Method); member != "" {
		a.target = excerpt.Of(in.msg.Params.StringAt(member))
	}
}

// sessionPrefix is how many characters of the id of a session the log has.
const sessionPrefix = 8

// log writes the record.
func (a *access) log(to *slog.Logger, r *http.Request) {
	session := cmp.Or(r.Header.Get(mcpheader.SessionID), a.Header().Get(mcpheader.SessionID))
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
