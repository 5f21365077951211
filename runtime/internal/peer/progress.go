package peer

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A call that wants progress has a token, which is its id: a report finds its call as a response does. Reports must
// increase; others are ignored, also as a reason to wait longer. The connection takes a report from the wire at once, even
// while notifications wait for the handler, because it may extend the time of the call.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress

// maxUpdates is how many reports of progress may wait for a call's goroutine. If there are more, the newest are
// kept.
const maxUpdates = 16

// progressed handles a notification of progress, and reports whether it is about a call of this connection. Others
// are for the handler: a task may continue after the response to its call.
//
// REQ PROG-06, PROG-04
func (c *Conn) progressed(params wire.Raw) bool {
	var p mcp.ProgressNotificationParams
	if err := wire.DecodeAlias(params, &p); err != nil {
		c.once(invalidProgress, "progress ignored", "error", err)
		return true
	}
	id, _ := p.ProgressToken.Int() // 0 for a string, which no call has
	c.mu.Lock()
	call := c.calls[id]
	if call == nil || !call.tracked {
		c.mu.Unlock()
		return false
	}
	// The first report may have any value, even one that is not positive.
	// It is compared and recorded under one lock, and under that of responses: of two reports that arrive at once the lower one
	// is ignored, and a report that came before the response is there when await looks.
	before, more := call.last, !call.begun || p.Progress > call.last
	if more {
		call.progress(&p)
	}
	c.mu.Unlock()
	if !more {
		c.once(invalidProgress, "progress ignored, it is not more than before", "method", call.method, "progress", p.Progress, "before", before)
	}
	return true
}
