package taskserver_test

import (
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Server is a server with tasks.
type Server struct {
	*server.Server
	tasks *taskserver.Runner // nil without
}

// A tester drives a server without a transport.
type tester struct {
	*servertest.Client
	s       *Server
	session *server.SessionEndpoint
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// newServer returns a server, with tasks unless the options are nil.
func newServer(o *server.Options, to *taskserver.Options) *Server {
	own, s := option.Of(o), new(Server)
	if own.Logger == nil {
		own.Logger = quiet
	}
	if to != nil {
		own.Setup = []server.Setup{taskserver.EnableRunner(to, &s.tasks)}
	}
	s.Server = server.New(mcp.Implementation{Name: "test", Version: "1"}, &own)
	return s
}

// newClient connects a client of a revision, with capabilities in JSON.
func newClient(t testing.TB, s *Server, rev wire.Revision, caps string) *tester {
	t.Helper()
	c := &tester{s: s}
	c.Client = servertest.Connect(t, rev, caps, c.open)
	t.Cleanup(c.session.Close)
	return c
}

// strangerTo returns a client that has not said anything yet.
func strangerTo(t testing.TB, s *Server, rev wire.Revision, caps string) *tester {
	c := &tester{s: s}
	c.Client = servertest.New(t, rev, caps, c.open)
	return c
}

// open opens a session for the client.
func (c *tester) open(out transport.Caller) transport.Handler {
	c.session = server.NewEndpoint(c.s.Server).NewSession(out, "")
	return c.session
}

const (
	codeInvalidRequest = mcp.CodeInvalidRequest
	codeNotFound       = mcp.CodeMethodNotFound
	codeInvalidParams  = mcp.CodeInvalidParams
	codeInternal       = mcp.CodeInternalError

	shuttingDown = "the server is shutting down"
)

var (
	eras     = servertest.Eras
	form     = servertest.Form
	equal    = servertest.Equal
	contains = servertest.Contains
	add      = servertest.Check
	says     = roomtest.Says
)

// A holder is an identity with scopes.
type holder struct {
	name   string
	scopes []string
	ends   time.Time
}

func (h *holder) Principal() string  { return h.name }
func (h *holder) Expires() time.Time { return h.ends }
func (h *holder) Missing(scopes []string) (missing []string) {
	for _, scope := range scopes {
		if !slices.Contains(h.scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}
