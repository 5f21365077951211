// Package observeserver connects an observer to a server.
//
//	s := server.New(info, observeserver.Options(observer, nil))
//
// A server with tasks needs the observer in their options, too:
//
//	taskserver.Enable(&taskserver.Options{Watch: observeserver.Task(observer)})
//
// The handlers of HTTP have an option Observer of their own, for streams that belong to no request.
package observeserver

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options returns a copy of a server's options with which an observer learns of what the server does: of requests and
// notifications in both directions, and of sessions. Watch, OnSession and the last middleware of Send are the observer's,
// inside those that opts has. Opts may be nil, and so may the observer, if there is none. Several observers are one of
// type [observe.Observers].
func Options(by observe.Observer, opts *server.Options) *server.Options {
	o := option.Of(opts)
	if by == nil {
		return &o
	}
	w := watcher{by}
	o.Watch = inside(o.Watch, w.watch)
	o.OnSession = insideSession(o.OnSession, w.session)
	o.Send = append(o.Send[:len(o.Send):len(o.Send)], w.send)
	return &o
}

// Task returns the option Watch of package taskserver, with which an observer learns of tasks. The observer may be nil.
func Task(by observe.Observer) func(ctx context.Context, c *server.Call, id string) (context.Context, func(err error, toolFailed bool)) {
	if by == nil {
		return nil
	}
	return watcher{by}.task
}

type (
	watch   = func(context.Context, *server.Call) (context.Context, func(wire.Raw, error))
	session = func(context.Context, *server.Call) func()
)

// inside returns a Watch that calls f inside outer, which may be nil.
func inside(outer, f watch) watch {
	if outer == nil {
		return f
	}
	return func(ctx context.Context, c *server.Call) (context.Context, func(wire.Raw, error)) {
		ctx, ended := outer(ctx, c)
		ctx, first := f(ctx, c)
		return ctx, func(result wire.Raw, err error) {
			first(result, err)
			if ended != nil {
				ended(result, err)
			}
		}
	}
}

// insideSession returns an OnSession that calls f inside outer, which may be nil.
func insideSession(outer, f session) session {
	if outer == nil {
		return f
	}
	return func(ctx context.Context, c *server.Call) func() {
		ended := outer(ctx, c)
		first := f(ctx, c)
		return func() {
			first()
			if ended != nil {
				ended()
			}
		}
	}
}

type watcher struct{ observe.Observer }

// watch is the option Watch of a server.
func (w watcher) watch(ctx context.Context, c *server.Call) (context.Context, func(wire.Raw, error)) {
	o := operation(c)
	ctx, end := observed.Begin(ctx, w, o)
	return ctx, func(result wire.Raw, err error) {
		o.Principal, o.Revision, o.ResultSize, o.ToolError = c.Principal(), c.Revision(), len(result), c.ToolFailed()
		switch o.Err = err; {
		case o.Kind == observe.Notification || ctx.Err() == nil:
		case o.Method == mcp.MethodSubscriptionsListen.Name:
			o.Err = nil // no error: this is how a client ends a subscription
		default:
			o.Err = context.Cause(ctx)
		}
		end()
	}
}

// operation describes a call.
func operation(c *server.Call) *observe.Operation {
	o := observed.From(&transport.Request{ID: c.ID(), Method: c.Method(), Params: c.Params(), Meta: c.RawMeta(), Revision: c.Revision(), Origin: transport.Origin{
		Address: c.Address(), Principal: c.Principal(), Header: c.Header(),
	}})
	o.Unknown, o.Name, o.Session = !c.HasMethod(), c.Name(), c.Session().ID()
	return o
}

// task is the option Watch of tasks.
func (w watcher) task(ctx context.Context, c *server.Call, id string) (context.Context, func(error, bool)) {
	o := operation(c)
	o.Kind, o.ID, o.Task, o.Trace = observe.Task, wire.ID{}, id, observe.Trace{}
	ctx, end := observed.Begin(ctx, w, o)
	return ctx, func(err error, toolFailed bool) {
		o.Err, o.ToolError = err, toolFailed
		end()
	}
}

// session is the option OnSession of a server.
func (w watcher) session(ctx context.Context, c *server.Call) func() {
	o := &observe.Operation{
		Kind: observe.Session, HTTP: c.Header() != nil, Session: c.Session().ID(), Address: c.Address(), Principal: c.Principal(), Revision: c.Session().Revision(),
	}
	_, end := observed.Begin(ctx, w, o)
	return end
}

// send is middleware around what a server sends.
func (w watcher) send(next transport.MessageFunc) transport.MessageFunc {
	return func(ctx context.Context, m *transport.ServerMessage) (result wire.Raw, err error) {
		o := &observe.Operation{Kind: observe.Request, Outgoing: true, Method: m.Method}
		if m.Notification {
			o.Kind = observe.Notification
		}
		switch of := m.Of.(type) {
		case *server.Call:
			o.HTTP, o.Address, o.Principal, o.Revision, o.Session = of.Header() != nil, of.Address(), of.Principal(), of.Revision(), of.Session().ID()
		case *server.Session:
			o.Revision, o.Session = of.Revision(), of.ID()
			o.HTTP = o.Session != ""
		}
		observed.SetTarget(o, m.Params)
		ctx, end := observed.Begin(ctx, w, o)
		defer end()
		with := *m
		if with.Params, err = jsonrpc.AddMeta(m.Params, observed.Meta(&o.Trace)); err == nil {
			result, err = next(ctx, &with)
		}
		o.Err = err
		return result, err
	}
}
