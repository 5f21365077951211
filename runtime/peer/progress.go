package peer

import (
	"errors"
	"math"

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

// progressParams are the params of notifications/progress.
type progressParams struct {
	token wire.ID
	Progress
}

var typeProgress = wire.Type{Name: "ProgressNotificationParams", Members: []string{"progressToken", "progress", "total", "message"}, Required: 2}

// hasMessage is the revision since which progress has a message.
const hasMessage wire.Revision = 20250326

func (p *progressParams) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeProgress, p != nil) {
		return
	}
	e.Key("progressToken")
	e.ID(p.token)
	e.Key("progress")
	e.Float(p.Progress.Progress)
	if p.Total > 0 && !math.IsInf(p.Total, 0) {
		e.Key("total")
		e.Float(p.Total)
	}
	if p.Message != "" && e.Since(hasMessage) {
		e.Key("message")
		e.String(p.Message)
	}
	e.End(&typeProgress, nil)
}

func (p *progressParams) DecodeWire(d *wire.Decoder) {
	*p = progressParams{}
	o := d.Object(&typeProgress)
	for o.Next() {
		switch o.Name {
		case "progressToken":
			o.Once(0)
			p.token = d.ID()
		case "progress":
			o.Once(1)
			p.Progress.Progress = d.Float()
		case "total":
			o.Once(2)
			if total := d.FloatOrNull(); total != nil {
				p.Total = *total
			}
		case "message":
			o.Once(3)
			p.Message = d.StringOrNull()
		default:
			d.Skip()
		}
	}
}

// maxUpdates is how many reports of progress wait for a call's goroutine; of more, the newest are
// kept.
const maxUpdates = 16

// progressed takes a notification about progress, and reports whether it is about a call of this
// connection's. Others are for the handler: a task may go on after its call was answered.
func (c *Conn) progressed(params wire.Raw) bool {
	var p progressParams
	if err := wire.DecodeAlias(params, &p); err != nil {
		c.once(slipProgress, "progress ignored", "error", err)
		return true
	}
	id, ok := p.token.Int()
	if !ok {
		return false
	}
	c.mu.Lock()
	call := c.calls[id]
	// REQ PROG-06
	if call == nil || !call.tracked {
		c.mu.Unlock()
		return false
	}
	// REQ PROG-04
	before, more := call.last, !call.begun || p.Progress.Progress > call.last
	if more {
		call.progress(p.Progress)
	}
	c.mu.Unlock()
	if !more {
		c.once(slipProgress, "progress ignored, it is not more than before", "method", call.method, "progress", p.Progress.Progress, "before", before)
	}
	return true
}
