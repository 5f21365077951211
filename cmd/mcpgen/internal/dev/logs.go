package dev

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The log of a child is for all clients of the endpoint. A session has a level; since 2026-07-28 each request may name
// one. A child with a session receives the least severe level of all by logging/setLevel; any other child, by each request.

// levels are the levels of log messages, the least severe first.
var levels = []mcp.LoggingLevel{
	mcp.LoggingLevelDebug, mcp.LoggingLevelInfo, mcp.LoggingLevelNotice, mcp.LoggingLevelWarning,
	mcp.LoggingLevelError, mcp.LoggingLevelCritical, mcp.LoggingLevelAlert, mcp.LoggingLevelEmergency,
}

// logs reports whether the child declares logging.
func (ch *Child) logs() bool { return ch.client.Server().Capabilities.Logging != nil }

// setLevel handles logging/setLevel, which only revisions with sessions have. The session keeps the level; the child receives the
// least severe of all sessions, and what a client does not want is left out when the message is passed on.
func (e *Endpoint) setLevel(ctx context.Context, c *server.Call, next server.Handler) (wire.Encodable, error) {
	child, err := e.child(ctx)
	if err != nil {
		return nil, err
	}
	if !child.logs() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the server has no log for clients"}
	}
	result, err := next(ctx, c) // the endpoint remembers it
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.leveled = true
	e.mu.Unlock()
	if err := child.logFrom(ctx, e.level()); err != nil {
		return nil, child.explain(err)
	}
	return result, nil
}

// logFrom makes a child with a session send messages of a level and above, unless it does already. An empty level
// means none.
func (ch *Child) logFrom(ctx context.Context, level mcp.LoggingLevel) error {
	if level == "" || ch.modern() || !ch.logs() {
		return nil
	}
	ch.level.Lock()
	defer ch.level.Unlock()
	if reaches(level, ch.level.set) {
		return nil
	}
	if err := ch.client.SetLevel(ctx, level); err != nil {
		return err
	}
	ch.level.set = level
	return nil
}

// A logLevel is the level that was set at a child.
type logLevel struct {
	sync.Mutex
	set mcp.LoggingLevel // empty if nothing
}

// level returns the least severe level of all sessions, empty if there are none.
func (e *Endpoint) level() mcp.LoggingLevel {
	least := len(levels)
	for session := range e.server.Sessions() {
		least = min(least, slices.Index(levels, session.LogLevel()))
	}
	if least == len(levels) {
		return ""
	}
	return levels[least]
}

// wantedLevel returns the level of the messages that the client of a call wants, empty if it wants none.
func wantedLevel(c *server.Call) mcp.LoggingLevel {
	if session := c.Session(); session != nil {
		return session.LogLevel()
	}
	return c.Meta().LogLevel
}

// reaches reports whether a message of one level is severe enough for a client that wants another level.
func reaches(message, wanted mcp.LoggingLevel) bool {
	return wanted != "" && slices.Index(levels, message) >= slices.Index(levels, wanted)
}

// passLog passes a log message on: to the client of the call that it is about if that is known, and otherwise to all
// clients that want it.
func (ch *Child) passLog(ctx context.Context, e *Endpoint, r *transport.ServerMessage) {
	level := mcp.LoggingLevel(r.Params.StringAt("level"))
	ch.mu.Lock()
	calls := slices.Clone(ch.calls)
	about := ch.namedBy(r)
	if len(calls) == 1 {
		about = calls[0]
	}
	ch.mu.Unlock()
	failed := func(err error) {
		if err != nil {
			e.logger.Debug("a log message was not passed on", "error", err)
		}
	}
	if about != nil {
		if reaches(level, wantedLevel(about)) {
			failed(about.Notify(ctx, r.Method, r.Params))
		}
		return
	}
	senders := map[any]bool{}
	for _, c := range calls {
		if c.Session() == nil && !senders[c.Sender()] && reaches(level, wantedLevel(c)) {
			senders[c.Sender()] = true
			failed(c.Notify(ctx, r.Method, r.Params))
		}
	}
	for session := range e.server.Sessions() {
		if reaches(level, session.LogLevel()) {
			failed(session.Notify(ctx, r.Method, r.Params))
		}
	}
}
