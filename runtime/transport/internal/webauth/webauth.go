// Package webauth identifies the senders of HTTP requests, and refuses requests, for the handlers of both HTTP
// transports.
package webauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Authorizer is the Authorizer in the options of both handlers.
type Authorizer interface {
	Authorize(r *http.Request) (transport.Identity, error)
	Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte)
}

// A Guard holds the options of a handler about senders.
type Guard struct {
	Auth     Authorizer                 // nil: middleware around the handler may set the identity
	Address  func(*http.Request) string // nil: that of the connection
	AskEvery time.Duration              // again about the sender of an open stream: a minute if 0
	Timeout  time.Duration              // for a response to be accepted by the client's side of the connection
	Logger   *slog.Logger
	Refusals *webguard.Refusals
}

// A Sender is who sends a request.
type Sender struct {
	Identity  transport.Identity // nil if nobody has been verified
	Principal string             // empty if the sender is anonymous
	Expires   time.Time          // when the identity ends; zero if it does not
}

// Lacks returns the scopes that the sender lacks.
func (s *Sender) Lacks(scopes []string) []string {
	switch {
	case len(scopes) == 0:
		return nil
	case s.Identity == nil:
		return scopes
	}
	return s.Identity.Missing(scopes)
}

func (s *Sender) hasExpired() bool { return !s.Expires.IsZero() && !time.Now().Before(s.Expires) }

var (
	// ErrFailed is the error for an Authorizer that panics, or returns an invalid identity.
	ErrFailed = errors.New("the sender could not be verified")

	// ErrExpired is why a stream ends when the identity of its sender ends.
	ErrExpired = errors.New("the authorization of the request has expired")
)

// Sender returns the sender of a request.
func (g *Guard) Sender(r *http.Request) (Sender, error) {
	if g.Auth != nil {
		return g.authorize(r)
	}
	if id := transport.IdentityFrom(r.Context()); id != nil {
		return senderOf(id)
	}
	return Sender{}, nil
}

// authorize asks the authorizer for the sender of a request. A panic of the authorizer is ErrFailed. There is no sender if there
// is neither an error nor an identity.
//
// REQ SEC-10
func (g *Guard) authorize(r *http.Request) (s Sender, err error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked(r, p)
			s, err = Sender{}, ErrFailed
		}
	}()
	if g.Address != nil && !again.Is(r.Context()) {
		r = r.WithContext(share.With(r.Context(), share.Of("", g.Address(r), nil)))
	}
	id, err := g.Auth.Authorize(r)
	if err != nil || id == nil {
		return Sender{}, err
	}
	if s, err = senderOf(id); err != nil {
		g.Logger.ErrorContext(r.Context(), "http: the authorizer returned an identity without a principal")
	}
	return s, err
}

func senderOf(id transport.Identity) (Sender, error) {
	principal := id.Principal()
	if principal == "" { // or it would count as anonymous, and share the limits of anonymous clients
		return Sender{}, ErrFailed
	}
	return Sender{id, principal, id.Expires()}, nil
}

func (g *Guard) panicked(r *http.Request, p any) {
	g.Logger.ErrorContext(r.Context(), "http: the authorizer panicked", "panic", p, "stack", string(debug.Stack()))
}

// Refuse writes the response to a request that Sender or Check has refused. Body is the JSON-RPC error response
// for it.
func (g *Guard) Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte) {
	if _, scopes := errors.AsType[*transport.ScopeError](err); !scopes && err != ErrFailed { // which are logged already
		g.Refusals.Log(slog.LevelInfo, r, err)
	}
	rc := http.NewResponseController(w)
	if g.Timeout > 0 {
		rc.SetWriteDeadline(time.Now().Add(g.Timeout))
		defer rc.SetWriteDeadline(time.Time{})
	}
	status := http.StatusInternalServerError
	if err != ErrFailed {
		if g.refused(w, r, err, body) {
			rc.Flush()
			return
		}
		status = http.StatusUnauthorized
		challenge := "Bearer"
		if e, ok := errors.AsType[*transport.ScopeError](err); ok {
			status = http.StatusForbidden
			challenge = `Bearer error="insufficient_scope", scope="` + strings.Join(e.Scopes, " ") + `"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
	rc.Flush()
}

// refused lets the Authorizer, if there is one, write the response, and reports whether it did.
func (g *Guard) refused(w http.ResponseWriter, r *http.Request, err error, body []byte) (done bool) {
	if g.Auth == nil {
		return false
	}
	seen := &written{ResponseWriter: w}
	defer func() {
		if p := recover(); p != nil {
			g.panicked(r, p)
			done = seen.begun
		}
	}()
	g.Auth.Refuse(seen, r, err, body)
	return seen.begun
}

// A written records whether a response has begun.
type written struct {
	http.ResponseWriter
	begun bool
}

func (w *written) WriteHeader(status int) {
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *written) Write(data []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(data)
}

// Unwrap is for [http.ResponseController].
func (w *written) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Unauthorized is the error response to a request whose sender is not verified.
func Unauthorized(err error) []byte {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request is not authorized"}
	if err == ErrFailed {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	} else if refused, ok := errors.AsType[*namedError](err); ok {
		e.Message = refused.Error()
	}
	return jsonrpc.AppendError(nil, wire.ID{}, e)
}

// A Checker knows the scopes of requests, as servers and their sessions do.
type Checker interface {
	Scopes(ctx context.Context, r *transport.Request) ([]string, error)
}

// Check returns the scopes that a message, or a batch of at most most messages, requires, and a
// *[transport.ScopeError] if its sender lacks some of them. As has what the transport knows about the message. The
// error names the scopes of all messages of a batch, since none of them is to be handled.
func Check(ctx context.Context, c Checker, as *transport.Request, m *jsonrpc.Message, body []byte, most int) ([]string, error) {
	switch m.Kind {
	case jsonrpc.Request:
		return check(ctx, c, as, m)
	case jsonrpc.Batch:
	default:
		return nil, nil
	}
	list, err := jsonrpc.SplitBatch(body, most)
	if err != nil {
		return nil, nil // it will be refused for that
	}
	var all transport.ScopeError
	for _, raw := range list {
		m, err := jsonrpc.Parse(raw)
		if err != nil || m.Kind != jsonrpc.Request {
			continue
		}
		scopes, err := check(ctx, c, as, &m)
		all.Scopes = union(all.Scopes, scopes)
		if e, ok := errors.AsType[*transport.ScopeError](err); ok {
			all.Missing = union(all.Missing, e.Missing)
		}
	}
	if len(all.Missing) > 0 {
		return all.Scopes, &all
	}
	return all.Scopes, nil
}

func check(ctx context.Context, c Checker, as *transport.Request, m *jsonrpc.Message) ([]string, error) {
	r := *as
	r.ID, r.Method, r.Params, r.Meta = m.ID, m.Method, m.Params, m.Meta
	return c.Scopes(ctx, &r)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
