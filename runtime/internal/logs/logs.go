// Package logs turns records of package log/slog into the protocol's log messages, and bounds how many are sent.
//
// The protocol has eight levels, those of syslog, and slog has four and the numbers between. A record has the highest level
// of the protocol that is not above its own. A message holds the text of a record that has no attributes, and else an object
// with all of them, without the time and the level.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// levels lists the protocol's levels, the least severe first, each with the lowest slog level that maps to it.
var levels = [...]struct {
	name mcp.LoggingLevel
	slog slog.Level
}{
	{mcp.LoggingLevelDebug, slog.LevelDebug},
	{mcp.LoggingLevelInfo, slog.LevelInfo},
	{mcp.LoggingLevelNotice, slog.LevelInfo + 2},
	{mcp.LoggingLevelWarning, slog.LevelWarn},
	{mcp.LoggingLevelError, slog.LevelError},
	{mcp.LoggingLevelCritical, slog.LevelError + 4},
	{mcp.LoggingLevelAlert, slog.LevelError + 8},
	{mcp.LoggingLevelEmergency, slog.LevelError + 12},
}

// Standard is the rank of the least severe level that is sent to a client that has not set one.
const Standard = 1 // info

// Rank returns the severity of a level of the protocol, from 0 for debug. It is 0 for what is no level.
func Rank(level mcp.LoggingLevel) int {
	for i, l := range levels {
		if l.name == level {
			return i
		}
	}
	return 0
}

// None is a rank above all levels.
const None = len(levels)

// Level returns the level of a rank.
func Level(rank int) mcp.LoggingLevel { return levels[rank].name }

// rankOf returns the rank of the level for a slog level.
func rankOf(level slog.Level) int {
	for i := len(levels) - 1; i > 0; i-- {
		if level >= levels[i].slog {
			return i
		}
	}
	return 0
}

// A Handler sends log records to one client. It is a [slog.Handler].
type Handler struct {
	Send  func(ctx context.Context, level mcp.LoggingLevel, data wire.Raw) error
	Least func() int // the rank of the least severe level to send
	Rate  int        // how many messages are sent in a second
	Limit *share.Few // counts them, together with those of other handlers

	with []func(slog.Handler) slog.Handler
}

// Enabled implements [slog.Handler].
//
// REQ LOG-05
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool {
	return rankOf(level) >= h.Least()
}

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.and(func(to slog.Handler) slog.Handler { return to.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	return h.and(func(to slog.Handler) slog.Handler { return to.WithGroup(name) })
}

func (h *Handler) and(f func(slog.Handler) slog.Handler) slog.Handler {
	more := *h
	more.with = append(h.with[:len(h.with):len(h.with)], f)
	return &more
}

// Handle sends a record: only its message if it has no attributes, else an object with all of them.
//
// REQ LOG-08
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	lost, ok := h.Limit.Take(h.Rate, time.Second)
	if !ok {
		return nil
	}
	if lost > 0 {
		err := h.Send(ctx, mcp.LoggingLevelWarning, wire.Raw(strconv.Quote(strconv.Itoa(lost)+" log messages were discarded: there were too many")))
		if err != nil {
			return err
		}
	}
	data, err := h.data(ctx, r)
	if err != nil {
		return err
	}
	return h.Send(ctx, levels[rankOf(r.Level)].name, data)
}

// data returns the data of the message for a record.
func (h *Handler) data(ctx context.Context, r slog.Record) (wire.Raw, error) {
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
