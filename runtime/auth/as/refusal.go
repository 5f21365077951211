package as

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// A refusal is an error that the sender of a request receives; see RFC 6749, sections 4.1.2.1 and 5.2, and the RFCs
// that add codes. It contains no secrets.
type refusal struct {
	status      int
	code        string
	description string
	header      [2]string // a header of the response
}

func (e *refusal) Error() string { return e.code + ": " + e.description }

// refuse returns a refusal with status 400. Its text is for developers.
func refuse(code, description string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, description: describe(description)}
}

// maxDescription is how long a description may be.
const maxDescription = 300

// describe makes a text fit for an error_description, without quotation marks, backslashes, and characters outside
// ASCII.
func describe(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '\\':
			return '\''
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), maxDescription)]
}

// asRefusal returns the refusal in an error, or one that reveals nothing about the error.
func (s *Server) asRefusal(r *http.Request, err error) *refusal {
	var e *refusal
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, store.ErrFull):
		s.logger.WarnContext(r.Context(), "the store is full", "path", r.URL.Path)
		return &refusal{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "there is no room for another request; try again later"}
	}
	s.logger.ErrorContext(r.Context(), "a request failed", "path", r.URL.Path, "error", err)
	return &refusal{status: http.StatusInternalServerError, code: "server_error", description: "the authorization server failed"}
}

// writeRefusal writes a refusal at an endpoint for programs.
func (s *Server) writeRefusal(w http.ResponseWriter, r *http.Request, err error) {
	e := s.asRefusal(r, err)
	if e.header[0] != "" {
		w.Header().Set(e.header[0], e.header[1])
	}
	writeJSON(w, e.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{e.code, e.description})
}

// respond returns a handler that writes what f returns as JSON, or its error.
func respond[T any](s *Server, status int, f func(http.ResponseWriter, *http.Request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		response, err := f(w, r)
		if err != nil {
			s.writeRefusal(w, r, err)
			return
		}
		writeJSON(w, status, response)
	}
}

// writeJSON writes a response that must not be cached.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "the response could not be encoded", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
		h.Set("Pragma", "no-cache")
	}
	w.WriteHeader(status)
	w.Write(body)
}
