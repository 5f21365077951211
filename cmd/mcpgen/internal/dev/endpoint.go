// Package dev runs a server while it is being written: an endpoint stays, and behind it one build of the server
// replaces another. Clients keep their connections, and are notified of changes.
package dev

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// introduceTime is how long a client that connects waits for the first child.
const introduceTime = 2 * time.Second

// An Endpoint is a server without items of its own. It passes on what clients send to the child that is serving,
// and what the child needs from a client to the client whose call it is about.
type Endpoint struct {
	server *server.Server
	logger *slog.Logger

	mu      sync.Mutex
	now     *Child
	why     error          // why there is no child
	ready   chan struct{}  // closed when there is a child, or a reason why not
	watched map[string]int // how many clients subscribe to a resource, by its URI
	leveled bool           // whether a client has set the level of the log
}

// NewEndpoint returns an endpoint without a child. Requests wait until it has one, or until [Endpoint.Fail] says
// why it has none.
func NewEndpoint(logger *slog.Logger) (*Endpoint, error) {
	e := &Endpoint{logger: logger, ready: make(chan struct{}), watched: map[string]int{}}
	e.server = server.New(mcp.Implementation{Name: "mcpgen-dev"}, &server.Options{
		Logger: logger,
		// Any build may be the first to have one of these.
		Capabilities: mcp.ServerCapabilities{
			Tools:       &mcp.ServerCapabilitiesTools{},
			Prompts:     &mcp.ServerCapabilitiesPrompts{},
			Completions: mcp.JSONObject{},
			Logging:     mcp.JSONObject{},
		},
		Middleware:    []server.Middleware{e.pass},
		Send:          []transport.Middleware{e.acknowledge},
		OnInitialized: e.opened,
		OnSubscribe:   e.subscribe,
		OnUnsubscribe: e.unsubscribe,
		NotifyRate:    -1, // the child's own limits apply
	})
	// Subscriptions are to resources that exist; which do, the child decides.
	every := func(string) (map[string]string, bool) { return nil, true }
	err := e.server.AddTemplate(mcp.ResourceTemplate{Name: "all", URITemplate: "{+uri}"}, every,
		func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return nil, server.ErrNotFound
		})
	return e, err
}

// Server returns the server to be served over HTTP.
func (e *Endpoint) Server() *server.Server { return e.server }

// pass is the middleware that passes on what clients send to the child. What belongs to the connection of a client, the endpoint
// handles itself: the introduction, pings, levels and subscriptions. A call whose child is replaced before it begins goes to the
// next one.
func (e *Endpoint) pass(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		if c.IsNotification() {
			return e.passNotification(ctx, c, next)
		}
		ctx = context.WithValue(ctx, callKey{}, c)
		switch c.Method() {
		case mcp.MethodPing.Name, mcp.MethodSubscribe.Name, mcp.MethodUnsubscribe.Name:
			return next(ctx, c)
		case mcp.MethodSetLevel.Name:
			return e.setLevel(ctx, c, next)
		case mcp.MethodSubscriptionsListen.Name:
			return e.listen(ctx, c, next)
		case mcp.MethodInitialize.Name, mcp.MethodDiscover.Name:
			result, err := next(ctx, c)
			if err == nil {
				e.introduce(ctx, c, result)
			}
			return result, err
		}
		for {
			child, err := e.child(ctx)
			if err != nil {
				return nil, err
			}
			if end, ok := child.begin(c); ok { // else another one has taken its place
				defer end()
				return child.handle(ctx, c)
			}
		}
	}
}

type callKey struct{}

// CallOf returns the call of a client for which the endpoint sends the child something with ctx, nil if it does so by
// itself.
func CallOf(ctx context.Context) *server.Call {
	c, _ := ctx.Value(callKey{}).(*server.Call)
	return c
}

// introduce makes the endpoint describe itself as the child does, if there soon is one: clients do not wait for
// long.
func (e *Endpoint) introduce(ctx context.Context, c *server.Call, result wire.Encodable) {
	ctx, cancel := context.WithTimeout(ctx, introduceTime)
	defer cancel()
	child, err := e.child(ctx)
	if err != nil {
		return
	}
	about := child.client.Server()
	extend := func(c *mcp.ServerCapabilities, rev wire.Revision) {
		c.Experimental, c.Extensions, c.Logging = about.Capabilities.Experimental, about.Capabilities.Extensions, about.Capabilities.Logging
		// Neither era knows the tasks of the other.
		if rev < mcp.Modern || !child.modern() {
			c.Extensions = without(c.Extensions, tasks.Extension)
		}
		if rev == child.client.Revision() {
			c.Tasks = about.Capabilities.Tasks
		}
	}
	switch r := result.(type) {
	case *mcp.InitializeResult:
		if about.Info != nil {
			r.ServerInfo = *about.Info
		}
		r.Instructions = about.Instructions
		extend(&r.Capabilities, c.Revision())
	case *mcp.DiscoverResult:
		if about.Info != nil {
			r.Meta = &mcp.ResultMetaObject{ServerInfo: about.Info}
		}
		r.Instructions = about.Instructions
		extend(&r.Capabilities, c.Revision())
	}
}

// child returns the child that serves. If there is none yet, it waits; the error says why there is none.
func (e *Endpoint) child(ctx context.Context) (*Child, error) {
	e.mu.Lock()
	ready := e.ready
	e.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.now == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.why.Error()}
	}
	return e.now, nil
}

// Replace makes next the serving child, and returns the previous one, nil if there was none, which the caller must retire.
// Clients are notified of lists that have changed. Next is told the level of the log and the subscriptions that clients expect
// to last; it serves even if it refuses them, which is logged.
func (e *Endpoint) Replace(ctx context.Context, next *Child) (last *Child) {
	e.mu.Lock()
	last, e.now, e.why = e.now, next, nil
	e.open()
	var level mcp.LoggingLevel
	if e.leveled {
		level = e.level()
	}
	uris := make([]string, 0, len(e.watched))
	for uri := range e.watched {
		uris = append(uris, uri)
	}
	e.mu.Unlock()

	if err := next.logFrom(ctx, level); err != nil {
		e.logger.Warn("the new build refuses the log level", "error", err)
	}
	for _, uri := range uris {
		if err := next.subscribe(ctx, uri); err != nil {
			e.logger.Warn("the new build refuses a subscription", "uri", uri, "error", err)
		}
	}
	var before Offers
	if last != nil {
		before = last.Offers
	}
	tools, prompts, resources := next.Offers.differ(&before)
	if tools {
		e.server.Changed(server.Change{Tools: true})
	}
	if prompts {
		e.server.Changed(server.Change{Prompts: true})
	}
	if resources {
		e.server.Changed(server.Change{Resources: true})
	}
	return last
}

// Fail records that no child serves, and why. It returns the previous child, nil if there was none.
func (e *Endpoint) Fail(why error) (last *Child) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last, e.now, e.why = e.now, nil, why
	e.open()
	return last
}

// open lets requests that wait for a child continue. It is called with mu held.
func (e *Endpoint) open() {
	select {
	case <-e.ready:
	default:
		close(e.ready)
	}
}

// serving returns the child that serves, nil if none does.
func (e *Endpoint) serving() *Child {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now
}

// serves reports whether a child is the serving one.
func (e *Endpoint) serves(child *Child) bool { return e.serving() == child }

// subscribe passes on the first subscription to a resource.
func (e *Endpoint) subscribe(ctx context.Context, _ *server.Call, uri string) error {
	child, err := e.child(ctx)
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.watched[uri]++
	first := e.watched[uri] == 1
	e.mu.Unlock()
	if !first {
		return nil
	}
	if err := child.subscribe(ctx, uri); err != nil {
		e.unsubscribed(uri)
		return child.explain(err)
	}
	return nil
}

// unsubscribe passes on the end of the last subscription to a resource.
func (e *Endpoint) unsubscribe(uri string) {
	if child := e.unsubscribed(uri); child != nil {
		child.unsubscribe(uri)
	}
}

// unsubscribed records the end of a subscription. If it was the last one to the resource, it returns the child.
func (e *Endpoint) unsubscribed(uri string) *Child {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watched[uri]--; e.watched[uri] > 0 {
		return nil
	}
	delete(e.watched, uri)
	return e.now
}

// without returns the members of m except the one with the given key.
func without(m map[string]wire.Raw, key string) map[string]wire.Raw {
	rest := maps.Clone(m)
	delete(rest, key)
	return rest
}

// errReplaced is the error of calls that a build has not finished when another one replaces it.
var errReplaced = errors.New("a new build has taken the place of the one that handled this; call again")
