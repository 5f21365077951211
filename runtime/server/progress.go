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

	mu      sync.Mutex    // guards what follows; it is not held while something is sent
	begun   bool          // there has been a report
	ended   bool          // the handler has returned
	last    float64       // what the last report said that was not discarded
	at      time.Time     // when it was
	sending chan struct{} // closed when the notification that is being sent has been sent; nil if none is
	next    *progressed   // sent after it; a later report replaces it
}

// A progressed is a report that the client and the [Background] receive.
type progressed struct {
	done, total float64
	message     string
}

// Progress returns the Progress of the call, nil if the client did not ask for progress. A call that outlives its
// request has one in any case: its [Background] receives what is reported; since 2026-07-28 nothing else is sent there.
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
	return !c.head.progress.IsZero() && c.req.Out != nil && c.within == nil && !c.listens()
}

// endProgress makes later reports be discarded, because the handler has returned, and waits for the one that is being sent:
// the response comes after it.
//
// REQ PROG-06
func (c *Call) endProgress() {
	c.mu.Lock()
	t := c.sent
	c.mu.Unlock()
	if t == nil {
		return
	}
	p := &t.progress
	p.mu.Lock()
	p.ended, p.next = true, nil
	sending := p.sending
	p.mu.Unlock()
	if sending != nil {
		<-sending
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
	now := time.Now()
	if p.ended || p.begun && (done <= p.last ||
		now.Sub(p.at) < time.Second/time.Duration(p.call.server.opts.NotifyRate) && (total <= 0 || done < total)) {
		return
	}
	p.begun, p.last, p.at = true, done, now
	if math.IsInf(total, 0) || total < 0 {
		total = 0 // it is not known
	}
	report := &progressed{done, total, message}
	if p.sending != nil { // by another goroutine, or by middleware around this one
		p.next = report
		return
	}
	// This goroutine sends until nothing is left, so that reports arrive in their order and no two are sent at the same time.
	p.sending = make(chan struct{})
	defer func() { // also if what sends panics, since endProgress waits
		close(p.sending)
		p.sending, p.next = nil, nil
	}()
	for report != nil {
		p.send(report)
		report, p.next = p.next, nil
	}
}

// send sends a report to the Background of the call, and to its client if that wants it. It is called with mu held, but gives it
// back meanwhile: what sends may be middleware of the program, which may report progress itself.
func (p *Progress) send(r *progressed) {
	p.mu.Unlock()
	defer p.mu.Lock()
	c := p.call
	if c.background != nil {
		c.background.Report(r.done, r.total, r.message)
	}
	if !c.notifiesProgress() {
		return
	}
	params := mcp.ProgressNotificationParams{ProgressToken: c.head.progress, Progress: r.done, Message: r.message}
	if r.total > 0 {
		params.Total = &r.total
	}
	raw, err := wire.Marshal(c.rev, &params)
	if err == nil && c.ctx.Err() == nil { // nothing is sent for a request that was cancelled
		c.req.Out.Notify(c.ctx, mcp.MethodProgressNotification.Name, raw) // the transport handles errors
	}
}
