package server

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Log messages are records of log/slog. They go where the program logs and, if the server declares logging, to the client:
// package logs makes messages of them. How severe a record must be says the session or, since 2026-07-28, the request.

// The levels of the protocol that slog has no names for.
const (
	LevelNotice    = slog.Level(2)
	LevelCritical  = slog.Level(12)
	LevelAlert     = slog.Level(16)
	LevelEmergency = slog.Level(20)
)

// Logger returns a logger for the call. Its records go to [Options.Logger] and, with [Options.Logging], to the
// client, if they have at least the level that the client wants: the one set in the session or, since 2026-07-28,
// the one that the request names. If the request names none, no records are sent. Since 2026-07-28 the protocol has
// none for a call that outlives its request: they go to Options.Logger alone. Records must not contain credentials or
// anything else that the client's user must not see.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
func (c *Call) Logger() *slog.Logger {
	own := c.server.opts.Logger
	least, ok := c.logLevel()
	if !ok {
		return own
	}
	var limit *share.Few
	if ss := c.Session(); ss != nil {
		limit = &ss.log
	} else { // also on a connection that has a session for others
		limit = &c.reports().log
	}
	h := c.server.logHandler(c.req.Out, c.rev, limit, func() int { return least })
	return slog.New(slog.NewMultiHandler(own.Handler(), h))
}

// logLevel returns the rank of the least severe level that the client wants, and false if it wants none. In a legacy request
// without a session nothing can have been set, and the standard level applies.
//
// REQ LOG-05
func (c *Call) logLevel() (int, bool) {
	switch {
	case c.req.Out == nil || !c.server.offers(mcp.ServerCapabilityLogging) || c.listens():
		return 0, false
	case c.modern():
		return logs.Rank(c.head.logLevel), c.head.logLevel != ""
	case c.session != nil:
		return int(c.session.level.Load()), true
	}
	return logs.Standard, true
}

// LogHandler returns a handler that sends log records to the client of the session, also when no request is
// being handled, if they have at least the level that the client has set. It sends none before the session
// is open, and none if the server does not declare logging.
func (ss *Session) LogHandler() slog.Handler {
	least := func() int {
		if ss.Revision() == 0 || !ss.endpoint.server.offers(mcp.ServerCapabilityLogging) {
			return logs.None
		}
		return int(ss.level.Load())
	}
	return ss.endpoint.server.logHandler(ss.subscription.out, ss.Revision(), &ss.log, least)
}

// logHandler returns a handler that sends records as notifications of a revision.
func (s *Server) logHandler(out transport.Caller, rev wire.Revision, limit *share.Few, least func() int) slog.Handler {
	return &logs.Handler{
		Send: func(ctx context.Context, level mcp.LoggingLevel, data wire.Raw) error {
			s.uses(ctx, &mcp.MethodLoggingMessageNotification)
			return notify(ctx, out, rev, mcp.MethodLoggingMessageNotification.Name, &mcp.LoggingMessageNotificationParams{Level: level, Data: data})
		},
		Least: least,
		Rate:  s.opts.NotifyRate,
		Limit: limit,
	}
}
