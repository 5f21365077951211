package tasks

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var typeTask = wire.Type{
	Name: "Task",
	Members: []string{"taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs",
		"statusMessage", "pollIntervalMs", "inputRequests", "result", "error"},
	Required: 5,
}

// EncodeWire writes t as the extension has it.
func (t *Task) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeTask, t != nil) {
		return
	}
	e.Key("taskId")
	e.String(t.ID)
	e.Key("status")
	e.String(string(t.Status))
	if t.StatusMessage != "" {
		e.Key("statusMessage")
		e.String(t.StatusMessage)
	}
	e.Key("createdAt")
	e.String(formatTime(t.CreatedAt))
	e.Key("lastUpdatedAt")
	e.String(formatTime(t.UpdatedAt))
	e.Key("ttlMs")
	if t.TTL == 0 {
		e.Null()
	} else {
		e.Int(t.TTL.Milliseconds())
	}
	if t.PollInterval != 0 {
		e.Key("pollIntervalMs")
		e.Int(t.PollInterval.Milliseconds())
	}
	if t.InputRequests != nil {
		e.Key("inputRequests")
		t.InputRequests.EncodeWire(e)
	}
	if t.Result != nil {
		e.Key("result")
		e.RawOf(wire.KindObject, t.Result)
	}
	if t.Error != nil {
		e.Key("error")
		t.Error.EncodeWire(e)
	}
	e.End(&typeTask, t.Extra)
}

// DecodeWire reads t.
func (t *Task) DecodeWire(d *wire.Decoder) {
	*t = Task{}
	o := d.Object(&typeTask)
	for o.Next() {
		switch o.Name {
		case "taskId":
			o.Once(0)
			t.ID = d.String()
		case "status":
			o.Once(1)
			t.Status = mcp.TaskStatus(d.String())
		case "createdAt":
			o.Once(2)
			t.CreatedAt = parseTime(d.String())
		case "lastUpdatedAt":
			o.Once(3)
			t.UpdatedAt = parseTime(d.String())
		case "ttlMs":
			o.Once(4)
			t.TTL = milliseconds(d.IntOrNull())
		case "statusMessage":
			o.Once(5)
			t.StatusMessage = d.StringOrNull()
		case "pollIntervalMs":
			o.Once(6)
			t.PollInterval = milliseconds(d.IntOrNull())
		case "inputRequests":
			o.Once(7)
			if !d.Null() {
				t.InputRequests.DecodeWire(d)
			}
		case "result":
			o.Once(8)
			if !d.Null() {
				t.Result = d.RawOf(wire.KindObject)
			}
		case "error":
			o.Once(9)
			t.Error = wire.Pointer(d, (*jsonrpc.Error).DecodeWire)
		default:
			o.Extra(&t.Extra)
		}
	}
}

// MarshalJSON returns the task as the extension has it.
func (t Task) MarshalJSON() ([]byte, error) { return wire.Marshal(wire.Any, &t) }

// UnmarshalJSON reads the task as the extension has it.
func (t *Task) UnmarshalJSON(data []byte) error { return wire.Decode(data, t) }

// Params are the parameters of all requests of the extension.
type Params struct {
	Meta   *mcp.RequestMetaObject
	TaskID string
	// InputResponses are the answers to what a task asked for, by its keys: of tasks/update alone.
	InputResponses mcp.InputResponses
	Extra          wire.Extra
}

var typeParams = wire.Type{Name: "TaskRequestParams", Members: []string{"taskId", "_meta", "inputResponses"}, Required: 1}

// EncodeWire writes p.
func (p *Params) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeParams, p != nil) {
		return
	}
	if p.Meta != nil {
		e.Key("_meta")
		p.Meta.EncodeWire(e)
	}
	e.Key("taskId")
	e.String(p.TaskID)
	if p.InputResponses != nil {
		e.Key("inputResponses")
		p.InputResponses.EncodeWire(e)
	}
	e.End(&typeParams, p.Extra)
}

// DecodeWire reads p.
func (p *Params) DecodeWire(d *wire.Decoder) {
	*p = Params{}
	o := d.Object(&typeParams)
	for o.Next() {
		switch o.Name {
		case "taskId":
			o.Once(0)
			p.TaskID = d.String()
		case "_meta":
			o.Once(1)
			p.Meta = wire.Pointer(d, (*mcp.RequestMetaObject).DecodeWire)
		case "inputResponses":
			o.Once(2)
			if !d.Null() {
				p.InputResponses.DecodeWire(d)
			}
		default:
			o.Extra(&p.Extra)
		}
	}
}

// timeFormat is RFC 3339 with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// milliseconds returns a duration that came, 0 if none did, and the longest for what is longer.
func milliseconds(ms *int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if ms == nil {
		return 0
	}
	return time.Duration(min(max(*ms, 0), most)) * time.Millisecond
}
