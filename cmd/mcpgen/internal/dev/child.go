package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/mcp/ui"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	task "github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Child is one build of the server, running.
type Child struct {
	Offers Offers

	client *client.Client
	level  logLevel
	deaf   <-chan struct{} // closed when changes of lists are not heard of any more; nil if that is not known

	mu            sync.Mutex
	lost          error // why the connection was closed, if [Child.lose] has closed it
	retired       bool
	calls         []*server.Call           // at work, oldest first
	requests      map[wire.ID]*server.Call // by the ids of the requests that the child was sent for them
	idle          chan struct{}            // closed when a retired child has no calls
	subscriptions map[string]*client.Subscription
	watchers      map[*server.Call]*watcher // by their requests
}

// A Connection says how to connect to children.
type Connection struct {
	Revisions []wire.Revision // the revisions to speak, all if empty
	Timeout   time.Duration   // of connecting and listing, 30 s if 0
}

// Connect connects to a child over t, and lists what it offers. The endpoint notifies its clients of what the
// child notifies of. The context is only for connecting.
func (how *Connection) Connect(ctx context.Context, e *Endpoint, t transport.Transport) (*Child, error) {
	child := &Child{
		requests:      map[wire.ID]*server.Call{},
		idle:          make(chan struct{}),
		subscriptions: map[string]*client.Subscription{},
		watchers:      map[*server.Call]*watcher{},
	}
	opts := child.options(e)
	opts.Revisions = how.Revisions
	var err error
	through := &passing{t, child, e}
	if child.client, err = client.Connect(ctx, through, opts); err != nil {
		return nil, err
	}
	if child.Offers, err = list(ctx, child.client); err != nil {
		return nil, errors.Join(err, child.client.Close())
	}
	if child.modern() {
		yes := true
		filter := mcp.SubscriptionFilter{ToolsListChanged: &yes, PromptsListChanged: &yes, ResourcesListChanged: &yes}
		sub, err := child.client.Subscribe(ctx, filter)
		if err != nil {
			e.logger.Debug("changes of lists are not noticed", "error", err)
		} else if through.PerRequest() {
			child.deaf = sub.Done()
		}
	}
	return child, nil
}

// options are those of the connection to the child. They take as little part as possible: input, tasks and limits of time are
// for the clients of the endpoint, and nothing is cached.
func (ch *Child) options(e *Endpoint) *client.Options {
	return &client.Options{
		Logger: e.logger,
		// The clients of the endpoint decide how long they wait.
		Limits: transport.Limits{Timeout: -1, MaxTimeout: -1},
		// Through 2025-11-25 these are all that the child hears of; since then each request says more.
		Capabilities: mcp.ClientCapabilities{
			Roots:       &mcp.ClientCapabilitiesRoots{ListChanged: new(true)},
			Sampling:    &mcp.ClientCapabilitiesSampling{Tools: mcp.JSONObject{}},
			Elicitation: &mcp.ClientCapabilitiesElicitation{Form: mcp.JSONObject{}, URL: mcp.JSONObject{}},
		},
		Extensions: []client.Extension{ch.tasks(e), Apps()},
		Receive:    []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc { return ch.asked(e, next) }},
		CacheBytes: -1,
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case !e.serves(ch):
			case change.URI != "":
				e.server.ResourceUpdated(change.URI)
			default:
				e.server.Changed(server.Change{Tools: change.Tools, Prompts: change.Prompts, Resources: change.Resources})
			}
		},
		Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(ctx context.Context, p *mcp.LoggingMessageNotificationParams) {
			level := slog.LevelWarn
			switch p.Level {
			case mcp.LoggingLevelDebug, mcp.LoggingLevelInfo, mcp.LoggingLevelNotice:
				level = slog.LevelInfo
			}
			e.logger.Log(ctx, level, "the server logs", "level", p.Level, "data", string(p.Data))
		})},
	}
}

// Apps declares that pages are shown, in revisions of any age.
func Apps() client.Extension {
	return client.Extension{ID: ui.Extension, Settings: wire.Raw(`{"mimeTypes":["` + apps.MIMEType + `"]}`)}
}

// tasks returns what a client has to do with tasks, but for the calls: they are passed on, and so are their tasks.
func (ch *Child) tasks(e *Endpoint) client.Extension {
	x := taskclient.Enable(&taskclient.Options{OnTask: func(ctx context.Context, t *task.Task) { ch.taskChanged(ctx, e, t) }})
	return client.Extension{ID: x.ID, ResultTypes: x.ResultTypes, Join: func(c *client.Client) (client.Middleware, transport.Middleware) {
		_, receive := x.Join(c)
		return nil, receive
	}}
}

// modern reports whether the child speaks a revision without sessions.
func (ch *Child) modern() bool { return ch.client.Revision().Since(mcp.Modern) }

// begin records a call, until end is called. It reports false if the child accepts no more calls: it has retired, and the
// endpoint has another child.
func (ch *Child) begin(c *server.Call) (end func(), ok bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.retired {
		return nil, false
	}
	ch.calls = append(ch.calls, c)
	return func() {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		ch.calls = slices.DeleteFunc(ch.calls, func(other *server.Call) bool { return other == c })
		maps.DeleteFunc(ch.requests, func(_ wire.ID, other *server.Call) bool { return other == c })
		ch.rest()
	}, true
}

// rest closes idle if a retired child has no calls. It is called with mu held.
func (ch *Child) rest() {
	if !ch.retired || len(ch.calls) > 0 {
		return
	}
	select {
	case <-ch.idle:
	default:
		close(ch.idle)
	}
}

// Retire closes the connection of a child that has been replaced, after its running calls have ended, but at the
// latest after grace or when ctx ends. Calls that have not ended by then fail.
func (ch *Child) Retire(ctx context.Context, grace time.Duration) {
	ch.mu.Lock()
	ch.retired = true
	ch.rest()
	ch.mu.Unlock()
	select {
	case <-ch.idle:
	case <-time.After(grace):
	case <-ctx.Done():
	case <-ch.client.Done():
	}
	ch.Close()
}

// Close closes the connection, and ends the process at its other end. How that exits does not matter: nobody waits for
// more from it, or [Child.Err] says why it has ended.
func (ch *Child) Close() { ch.client.Close() }

// Done returns a channel that is closed when the connection to the child has ended.
func (ch *Child) Done() <-chan struct{} { return ch.client.Done() }

// Err returns why the connection has ended.
func (ch *Child) Err() error {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	return cmp.Or(ch.lost, ch.client.Err())
}

// lose ends the connection of a child that is gone. A transport over HTTP does not notice that by itself, and the server
// that comes back may be another one.
func (ch *Child) lose(why error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.lost == nil {
		ch.lost = why
		go ch.client.Close() // which waits for calls
	}
}

// isUnreachable reports whether nothing listens any more at the server's address.
func isUnreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// handle passes a request on. A child since 2026-07-28 responds with what input it requires, and a client through 2025-11-25
// does not know that: handle asks it, and sends the request again with the answers, some number of times.
func (ch *Child) handle(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	method := ch.method(c.Method())
	ctx = client.WithStarted(ctx, func(id wire.ID) {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		ch.requests[id] = c
	})
	if p := c.Progress(); p != nil {
		ctx = client.WithProgress(ctx, func(n *mcp.ProgressNotificationParams) {
			var total float64
			if n.Total != nil {
				total = *n.Total
			}
			p.Report(n.Progress, total, n.Message)
		})
	}
	if c.Session() == nil {
		ch.logFrom(ctx, wantedLevel(c)) // a server that refuses the level can still handle the call
	}
	var answered wire.Extra
	for range maxRounds {
		params, err := ch.params(c)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		for _, m := range answered {
			params.Extra.Set(m.Name, m.Value)
		}
		result, err := ch.request(ctx, method, params)
		if err != nil {
			return nil, ch.explain(err)
		}
		required, ok := result.(*mcp.InputRequiredResult)
		if !ok || c.Revision().Since(mcp.Modern) { // such a client sends the responses itself
			return result, nil
		}
		if answered, err = answers(ctx, c, required); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the server asks for input again and again: %d times", maxRounds)
}

// method returns the method of that name, in the child's revision.
func (ch *Child) method(name string) *wire.Method {
	m := mcp.ServerMethod(name)
	if x := tasks.ServerMethod(name); x != nil && ch.modern() {
		m = x
	}
	if m == nil {
		return &wire.Method{Name: name}
	}
	return m
}

// maxRounds is how often a child may ask for input during one call.
const maxRounds = 100

// params returns the params of a call, for the child. If they have a progress token, the client replaces it by that of its own
// connection.
func (ch *Child) params(c *server.Call) (*mcp.RequestParams, error) {
	p := new(mcp.RequestParams)
	if c.Params() != nil {
		if err := wire.Decode(c.Params(), p); err != nil {
			return nil, err
		}
	}
	if p.Meta == nil {
		p.Meta = new(mcp.RequestMetaObject)
	}
	if ch.modern() {
		able := *c.Capabilities()
		if c.Revision() < mcp.Modern { // its tasks are different
			able.Extensions, able.Tasks = without(able.Extensions, tasks.Extension), nil
		}
		p.Meta.ClientCapabilities, p.Meta.ClientInfo = &able, c.Client()
		if ch.logs() {
			p.Meta.LogLevel = wantedLevel(c)
		}
	}
	return p, nil
}

// request sends a request to the child, and returns its result as it is to be encoded for the client. A list that the child
// does not declare is empty: the endpoint declares all, since any build may have them.
func (ch *Child) request(ctx context.Context, m *wire.Method, params *mcp.RequestParams) (wire.Encodable, error) {
	var result wire.Value = new(wire.Raw)
	if m.NewResult != nil {
		result = m.NewResult()
	}
	err := ch.client.Call(client.WithManualInput(ctx), m, params, result)
	if _, missing := errors.AsType[*client.CapabilityError](err); missing && IsList(m.Name) {
		return result, nil // which is empty
	}
	if err != nil {
		return nil, err
	}
	switch r := result.(type) {
	case *wire.Box[mcp.CallToolResponse]:
		return r.Value, nil
	case *wire.Box[mcp.GetPromptResponse]:
		return r.Value, nil
	case *wire.Box[mcp.ReadResourceResponse]:
		return r.Value, nil
	}
	return result, nil
}

// IsList reports whether the result of a method is one of the four lists.
func IsList(method string) bool {
	switch method {
	case mcp.MethodListTools.Name, mcp.MethodListPrompts.Name, mcp.MethodListResources.Name, mcp.MethodListResourceTemplates.Name:
		return true
	}
	return false
}

// explain turns the error of a call into the error object that the client receives. The child's own error objects stay as they
// are. What ended with the context of the call stays, too: its client has gone, or has waited for too long.
func (ch *Child) explain(err error) error {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpc
	}
	_, undeclared := errors.AsType[*client.CapabilityError](err)
	_, unknown := errors.AsType[*client.RevisionError](err)
	switch {
	case undeclared, unknown:
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: err.Error()}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.retired {
		err = errReplaced
	} else {
		err = fmt.Errorf("the server failed during the call: %w", err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}

// subscribe subscribes to a resource, unless it is subscribed to.
func (ch *Child) subscribe(ctx context.Context, uri string) error {
	s, err := ch.client.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err != nil {
		return err
	}
	if len(s.Filter().ResourceSubscriptions) == 0 {
		return errors.Join(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the server does not notify of changes of %q", uri)}, s.Close())
	}
	ch.mu.Lock()
	last := ch.subscriptions[uri]
	ch.subscriptions[uri] = s
	ch.mu.Unlock()
	if last != nil {
		return last.Close()
	}
	return nil
}

// unsubscribe ends the subscription to a resource.
func (ch *Child) unsubscribe(uri string) {
	ch.mu.Lock()
	s := ch.subscriptions[uri]
	delete(ch.subscriptions, uri)
	ch.mu.Unlock()
	if s != nil {
		s.Close() // its error is that of a connection that has ended
	}
}
