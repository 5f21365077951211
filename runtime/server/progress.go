package server

import (
	"math"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client that wants to know how far a call is gives a token. Reports go to it in the order in which they are made, at most
// [Options].NotifyRate in a second, and none after the response: a client would not know any more what it is about.

// A Progress reports the progress of a call to the client. A nil Progress does nothing; a call has one if
// its client did not ask for progress, so handlers need not check.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
type Progress struct {
	call *Call

	mu    sync.Mutex
	begun bool
	ended bool
	last  float64
	at    time.Time
}

// Progress returns the Progress of the call, nil if the client did not ask for progress. A call that outlives its
// request has one in any case: its [Background] is told; since 2026-07-28 nothing else is sent there.
func (c *Call) Progress() *Progress {
	if c.background == nil && !c.notifiesProgress() {
		return nil
	}
	return &c.reports().progress
}

// notifiesProgress reports whether the client receives the progress of the call.
//
// REQ SUB-05
func (c *Call) notifiesProgress() bool {
	return !c.head.progress.IsZero() && c.req.Out != nil && !c.listens()
}

// REQ PROG-06
// endProgress makes later reports be discarded, because the handler has returned.
func (c *Call) endProgress() {
	c.mu.Lock()
	t := c.sent
	c.mu.Unlock()
	if t != nil {
		p := &t.progress
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
	}
}

// Report reports how much is done, and how much there is in total, in a unit of the handler's choice. A total of 0
// means that it is not known. The message is for people and may be empty. A report is discarded if its progress is
// not greater than that of the last one, if it comes sooner than [Options.NotifyRate] allows, or if the
// handler has returned.
//
// REQ PROG-04, PROG-06
func (p *Progress) Report(done, total float64, message string) {
	if p == nil || math.IsNaN(done) || math.IsInf(done, 0) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.call
	now := time.Now()
	switch {
	case p.ended, p.begun && done <= p.last:
		return
	case p.begun && now.Sub(p.at) < time.Second/time.Duration(c.server.opts.NotifyRate) && (total <= 0 || done < total):
		return
	}
	p.begun, p.last, p.at = true, done, now
	if c.background != nil {
		known := total
		if math.IsInf(total, 0) || total < 0 {
			known = 0
		}
		c.background.Report(done, known, message)
	}
	if !c.notifiesProgress() {
		return
	}

	params := mcp.ProgressNotificationParams{
		ProgressToken: c.head.progress,
		Progress:      done,
		Message:       message,
	}
	if total > 0 && !math.IsInf(total, 0) {
		params.Total = &total
	}
	raw, err := wire.Marshal(c.rev, &params)
	if err == nil && c.ctx.Err() == nil {
		c.req.Out.Notify(c.ctx, mcp.MethodProgressNotification.Name, raw) // the transport handles errors
	}
}
