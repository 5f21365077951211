package server

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The levels of the protocol that slog has no names for.
const (
	LevelNotice    = slog.Level(2)
	LevelCritical  = slog.Level(12)
	LevelAlert     = slog.Level(16)
	LevelEmergency = slog.Level(20)
)

// levels lists the protocol's levels, the least severe first, each with the lowest slog level that maps to it.
var levels = [...]struct {
	name mcp.LoggingLevel
	slog slog.Level
}{
	{mcp.LoggingLevelDebug, slog.LevelDebug},
	{mcp.LoggingLevelInfo, slog.LevelInfo},
	{mcp.LoggingLevelNotice, LevelNotice},
	{mcp.LoggingLevelWarning, slog.LevelWarn},
	{mcp.LoggingLevelError, slog.LevelError},
	{mcp.LoggingLevelCritical, LevelCritical},
	{mcp.LoggingLevelAlert, LevelAlert},
	{mcp.LoggingLevelEmergency, LevelEmergency},
}

// standardLevel is the least severe level that is sent to a client that has not set one.
const standardLevel = mcp.LoggingLevelInfo

// rank returns the severity of a level of the protocol, from 0 for debug.
func rank(level mcp.LoggingLevel) int {
	for i, l := range levels {
		if l.name == level {
			return i
		}
	}
	return 0
}

// rankOf returns the index in levels of the level for a slog level.
func rankOf(level slog.Level) int {
	for i := len(levels) - 1; i > 0; i-- {
		if level >= levels[i].slog {
			return i
		}
	}
	return 0
}

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
	h := &logHandler{out: c.req.Out, rev: c.rev, least: func() int { return least }, rate: c.server.opts.NotifyRate}
	if c.session != nil {
		h.limit = &c.session.log
	} else {
		h.limit = &c.reports().log
	}
	return slog.New(slog.NewMultiHandler(own.Handler(), h))
}

// logLevel returns the rank of the least severe level that the client wants, and false if it wants none.
//
// REQ LOG-05
func (c *Call) logLevel() (int, bool) {
	switch {
	case c.req.Out == nil || !c.server.offersLogging() || c.listens():
		return 0, false
	case c.modern():
		return rank(c.head.logLevel), c.head.logLevel != ""
	case c.session != nil:
		return int(c.session.level.Load()), true
	}
	return rank(standardLevel), true
}

// LogHandler returns a handler that sends log records to the client of the session, also when no request is
// being handled, if they have at least the level that the client has set. It sends none before the session
// is open, and none if the server does not declare logging.
func (ss *Session) LogHandler() slog.Handler {
	least := func() int {
		if ss.Revision() == 0 || !ss.endpoint.server.offersLogging() {
			return len(levels)
		}
		return int(ss.level.Load())
	}
	return &logHandler{out: ss.subscription.out, rev: ss.Revision(), least: least, rate: ss.endpoint.server.opts.NotifyRate, limit: &ss.log}
}

// A logHandler sends log records as notifications.
type logHandler struct {
	out   transport.Caller
	rev   wire.Revision
	least func() int // rank of the least severe level to send
	rate  int        // [Options.NotifyRate]
	limit *logLimit
	with  []func(slog.Handler) slog.Handler
}

// REQ LOG-05
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	return rankOf(level) >= h.least()
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.and(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
}

func (h *logHandler) WithGroup(name string) slog.Handler {
	return h.and(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h *logHandler) and(f func(slog.Handler) slog.Handler) slog.Handler {
	more := *h
	more.with = append(h.with[:len(h.with):len(h.with)], f)
	return &more
}

// A logLimit bounds how many log messages are sent in a second.
type logLimit struct {
	mu   sync.Mutex
	ends int64 // when the second ends, as Unix time in nanoseconds
	sent int32 // in this second
	lost int32 // since the last message that was sent
}

// take reports whether another message may be sent, and how many messages were discarded before it.
func (l *logLimit) take(rate int) (lost int32, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now().UnixNano(); now >= l.ends || now < l.ends-int64(time.Second) { // the clock was set back
		l.ends, l.sent = now+int64(time.Second), 0
	}
	if int(l.sent) >= rate {
		l.lost++
		return 0, false
	}
	l.sent++
	lost, l.lost = l.lost, 0
	return lost, true
}

// Handle sends a record: only its message if it has no attributes, else an object with all of them.
//
// REQ LOG-08
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	lost, ok := h.limit.take(h.rate)
	if !ok {
		return nil
	}
	if lost > 0 {
		err := h.send(ctx, mcp.LoggingLevelWarning, wire.Raw(strconv.Quote(strconv.Itoa(int(lost))+" log messages were discarded: there were too many")))
		if err != nil {
			return err
		}
	}
	data, err := h.data(ctx, r)
	if err != nil {
		return err
	}
	return h.send(ctx, levels[rankOf(r.Level)].name, data)
}

func (h *logHandler) send(ctx context.Context, level mcp.LoggingLevel, data wire.Raw) error {
	return notify(ctx, h.out, h.rev, mcp.MethodLoggingMessageNotification.Name, &mcp.LoggingMessageNotificationParams{Level: level, Data: data})
}

func (h *logHandler) data(ctx context.Context, r slog.Record) (wire.Raw, error) {
	if len(h.with) == 0 && r.NumAttrs() == 0 {
		return json.Marshal(r.Message)
	}
	var buf bytes.Buffer
	var to slog.Handler = slog.NewJSONHandler(&buf, &slog.HandlerOptions{
		Level: r.Level,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
				return slog.Attr{}
			}
			return a
		},
	})
	for _, f := range h.with {
		to = f(to)
	}
	if err := to.Handle(ctx, r); err != nil {
		return nil, err
	}
	data := wire.Raw(bytes.TrimSpace(buf.Bytes()))
	return data, data.Check()
}
