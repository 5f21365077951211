package peer

import (
	"errors"
	"math"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Progress is how far something has come.
type Progress struct {
	Progress float64 // in a unit of the sender's choice; each report has more than the one before
	Total    float64 // what Progress will be in the end; 0 if that is unknown
	Message  string  // for people; empty if there is none
}

var (
	errNotFinite  = errors.New("progress must be a finite number")
	errNoProgress = errors.New("progress must be more than what was reported before")
)

// paramsOf returns progress as the params of a notification.
func paramsOf(token wire.ID, p Progress) *mcp.ProgressNotificationParams {
	params := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: p.Progress, Message: p.Message}
	if p.Total > 0 && !math.IsInf(p.Total, 0) {
		params.Total = &p.Total
	}
	return params
}

// maxUpdates is how many reports of progress wait for a call's goroutine; of more, the newest are
// kept.
const maxUpdates = 16

// progressed takes a notification about progress, and reports whether it is about a call of this
// connection's. Others are for the handler: a task may go on after its call was answered.
func (c *Conn) progressed(params wire.Raw) bool {
	var p mcp.ProgressNotificationParams
	if err := wire.DecodeAlias(params, &p); err != nil {
		c.once(slipProgress, "progress ignored", "error", err)
		return true
	}
	id, _ := p.ProgressToken.Int() // 0 for a string, which no call has
	c.mu.Lock()
	call := c.calls[id]
	// REQ PROG-06
	if call == nil || !call.tracked {
		c.mu.Unlock()
		return false
	}
	// REQ PROG-04
	before, more := call.last, !call.begun || p.Progress > call.last
	if more {
		call.progress(Progress{p.Progress, p.GetTotal(), p.Message})
	}
	c.mu.Unlock()
	if !more {
		c.once(slipProgress, "progress ignored, it is not more than before", "method", call.method, "progress", p.Progress, "before", before)
	}
	return true
}
