package server

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/inflight"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Server has two halves. One is what the program registers: items in four registries, methods and extensions. The other is what lives longer than a request: subscriptions, calls in the background, connections. No
// transport owns any of it. A transport makes a request of what it has received, with what it knows of the sender, and gives
// it to an [Endpoint]; request.go has the way from there.
//
// Each part has a lock of its own, which is not held while code of the program runs. A subscription takes its room, a
// share.Room, while it is locked, and a registry looks at the extensions; otherwise no part locks another.

// A Server offers tools, prompts and resources to any number of clients at once. [New] returns one.
type Server struct {
	// New sets these, and nothing changes them later.
	endpoint Endpoint // of requests without a session
	info     mcp.Implementation
	opts     Options               // with their defaults
	served   []wire.Revision       // oldest first; at least one
	meta     *mcp.ResultMetaObject // of results since 2026-07-28; nil if the server is anonymous
	sealer   func() seal.Sealer    // made when it is needed: it takes a tenth of the time to start

	// The functions that handle requests and notifications, wrapped in the middleware.
	handler, notified Handler

	tools         registry
	prompts       registry
	resources     registry
	templates     registry
	registries    [4]*registry // these, in the order of Items
	scoped        atomic.Bool  // something may require scopes, or did
	completes     atomic.Bool  // a prompt or a template has a completer, or had one
	methods       methods
	subscriptions set[*Subscription] // that receive what is published, among them those of all open sessions
	hearers       set[*func(Change)] // of OnChange
	logged        sync.Map           // messages of logOnce

	kept        share.Room // Options.MaxKept
	running     running
	connections set[*peer.Conn] // connections that Serve serves
	outliving   set[*func()]    // end what outlives its request: calls in the background, and subscriptions
	endings     set[*func()]    // of OnShutdown
}

// Revisions returns the revisions that servers speak, oldest first. Package mcp may know later ones. The slice
// is the caller's.
func Revisions() []wire.Revision { return taught.Revisions() }

// New returns a server with that name and version. Opts may be nil.
func New(info mcp.Implementation, opts *Options) *Server {
	s := &Server{info: info, opts: option.Of(opts)}
	s.endpoint.server = s
	s.opts.setDefaults()
	o := &s.opts
	s.kept = share.Room{Max: o.MaxKept}

	s.served = slices.Sorted(slices.Values(o.Revisions))
	if len(s.served) == 0 {
		s.served = taught.Revisions()
	}
	if !o.Anonymous {
		s.meta = &mcp.ResultMetaObject{ServerInfo: &s.info}
	}
	s.running = running{ending: make(chan struct{})}
	s.sealer = sync.OnceValue(func() seal.Sealer { return seal.New(o.StateKeys) })
	s.tools = registry{name: "tool", list: toolsList, make: s.newTool}
	s.prompts = registry{name: "prompt", list: promptsList, make: s.newPrompt}
	s.resources = registry{name: "resource", list: resourcesList, make: s.newResource}
	s.templates = registry{name: "template", list: resourcesList, make: s.newTemplate}
	s.registries = [...]*registry{&s.tools, &s.prompts, &s.resources, &s.templates}
	for _, r := range s.registries {
		r.extensions = s.methods.all
	}
	s.setHandlers()
	// Last, since these functions use the server.
	for _, f := range o.Setup {
		if err := f(s); err != nil {
			panic("server: New: " + err.Error())
		}
	}
	return s
}

// Info returns the server's name and version.
func (s *Server) Info() mcp.Implementation { return s.info }

// Options returns a copy of the server's options, with their defaults.
func (s *Server) Options() Options { return s.opts }

// serves reports whether the server serves a revision.
func (s *Server) serves(rev wire.Revision) bool { return slices.Contains(s.served, rev) }

// What the server serves is in two eras: legacy revisions have sessions, modern ones name the revision in every request.

// newestLegacy returns the newest revision with sessions that the server serves, 0 if there is none.
func (s *Server) newestLegacy() wire.Revision {
	for _, rev := range slices.Backward(s.served) {
		if rev < mcp.Modern {
			return rev
		}
	}
	return 0
}

// servesModern reports whether the server serves a revision without sessions.
func (s *Server) servesModern() bool { return s.served[len(s.served)-1] >= mcp.Modern }

// modernNames returns the names of the revisions without sessions that the server serves, oldest first.
func (s *Server) modernNames() []string {
	names := []string{}
	for _, rev := range s.served {
		if rev >= mcp.Modern {
			names = append(names, rev.String())
		}
	}
	return names
}

// Log returns the logger for messages about the server, also those of packages that extend it. What clients sent may be in
// them: it is made harmless.
func (s *Server) Log() *slog.Logger { return excerpt.Logger(s.opts.Logger) }

// logOnce logs a warning, but each message only once: what concerns a revision or a client would else be logged for each of
// its requests. The messages are constants, so there are few.
func (s *Server) logOnce(ctx context.Context, msg string, args ...any) {
	if _, again := s.logged.LoadOrStore(msg, true); !again {
		s.Log().WarnContext(ctx, msg, args...)
	}
}

// uses logs once that a method is deprecated, if the server serves a revision that says so.
func (s *Server) uses(ctx context.Context, m *wire.Method) {
	if m.Deprecated != "" && s.servesModern() {
		s.logOnce(ctx, "mcp: "+m.Name+" is deprecated: "+m.Deprecated)
	}
}

// errClosed is the error for requests that arrive after Shutdown.
var errClosed = errors.New("the server is shutting down")

// running counts the requests that are being handled, so that Shutdown can wait for them. What goes on after its handler has
// returned, such as a subscription or a call in the background, is counted again as long as it does.
type running struct {
	ending chan struct{} // closed when the server shuts down

	mu     sync.Mutex // guards what follows, and is held while ending is closed
	count  inflight.Counter
	closed bool // Shutdown has begun
}

// enter counts a request, unless the server has been shut down. What belongs to a request that is being handled is counted in
// any case: Shutdown waits for that one.
func (r *running) enter(belongs bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed && !belongs {
		return false
	}
	r.count.Enter()
	return true
}

// leave undoes one enter.
func (r *running) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count.Leave()
}

// OnShutdown makes Shutdown call f when it begins, before it ends anything.
func (s *Server) OnShutdown(f func()) {
	if !s.endings.add(&f) { // it has begun already
		s.guard("OnShutdown", f)
	}
}

// Shutdown shuts the server down gracefully: it refuses new requests, ends subscriptions and what outlives its request,
// waits for the requests that are being handled, and closes the connections of [Server.Serve]. If ctx ends first, it
// closes the connections at once, which cancels their requests, and returns the error of ctx. After Shutdown
// a server cannot be used again.
func (s *Server) Shutdown(ctx context.Context) error {
	r := &s.running
	r.mu.Lock()
	again := r.closed
	if r.closed = true; !again {
		close(r.ending)
	}
	r.mu.Unlock()
	// A second Shutdown waits as the first one does, but these functions are called once.
	if !again {
		for _, f := range s.endings.close() {
			s.guard("OnShutdown", *f)
		}
	}
	// Nobody else ends subscriptions, and the wait below would never end.
	for _, end := range s.outliving.close() {
		(*end)()
	}
	// Handlers may finish, and their clients receive the responses, so the connections close last.
	r.mu.Lock()
	idle := r.count.Idle()
	r.mu.Unlock()
	err := await(ctx, idle)
	// Sessions belong to their transports, which close them. From here on they receive no more notifications.
	for _, t := range s.subscriptions.all() {
		s.closeSubscription(t)
	}
	// When ctx has ended, conn.Shutdown does not wait.
	var closing sync.WaitGroup
	for _, conn := range s.connections.close() {
		closing.Go(func() { conn.Shutdown(ctx) }) // once its last responses have been sent
	}
	closing.Wait()
	return err
}

// await waits until a channel is closed, if there is one. If ctx ends first, it returns the error of ctx.
func await(ctx context.Context, closed <-chan struct{}) error {
	if closed == nil {
		return nil
	}
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
