package tasks

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Detailed returns the task as a type of the extension.
func (t *Task) Detailed() *extension.DetailedTask {
	d := &extension.DetailedTask{
		TaskID:         t.ID,
		Status:         extension.TaskStatus(t.Status),
		StatusMessage:  t.StatusMessage,
		CreatedAt:      formatTime(t.CreatedAt),
		LastUpdatedAt:  formatTime(t.UpdatedAt),
		TTLMs:          inMilliseconds(t.TTL),
		PollIntervalMs: inMilliseconds(t.PollInterval),
		InputRequests:  t.InputRequests,
		Result:         t.Result,
		Extra:          t.Extra,
	}
	if e := t.Error; e != nil {
		d.Error = &extension.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return d
}

// FromDetailed returns the Task for one of the extension.
func FromDetailed(d *extension.DetailedTask) *Task {
	t := &Task{
		ID:            d.TaskID,
		Status:        mcp.TaskStatus(d.Status),
		StatusMessage: d.StatusMessage,
		CreatedAt:     parseTime(d.CreatedAt),
		UpdatedAt:     parseTime(d.LastUpdatedAt),
		TTL:           milliseconds(d.TTLMs),
		PollInterval:  milliseconds(d.PollIntervalMs),
		InputRequests: d.InputRequests,
		Result:        d.Result,
		Extra:         d.Extra,
	}
	if e := d.Error; e != nil {
		t.Error = &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return t
}

// Created returns the result of a request that has become the task.
func (t *Task) Created() *extension.CreateTaskResult {
	d := t.Detailed()
	return &extension.CreateTaskResult{
		TaskID: d.TaskID, Status: d.Status, StatusMessage: d.StatusMessage, CreatedAt: d.CreatedAt,
		LastUpdatedAt: d.LastUpdatedAt, TTLMs: d.TTLMs, PollIntervalMs: d.PollIntervalMs, Extra: d.Extra,
	}
}

// FromCreated is the inverse of [Task.Created].
func FromCreated(r *extension.CreateTaskResult) *Task {
	return FromDetailed(&extension.DetailedTask{
		TaskID: r.TaskID, Status: r.Status, StatusMessage: r.StatusMessage, CreatedAt: r.CreatedAt,
		LastUpdatedAt: r.LastUpdatedAt, TTLMs: r.TTLMs, PollIntervalMs: r.PollIntervalMs, Extra: r.Extra,
	})
}

// State returns the task as the result of tasks/get.
func (t *Task) State() *extension.GetTaskResult {
	d := t.Detailed()
	return &extension.GetTaskResult{
		TaskID: d.TaskID, Status: d.Status, StatusMessage: d.StatusMessage, CreatedAt: d.CreatedAt,
		LastUpdatedAt: d.LastUpdatedAt, TTLMs: d.TTLMs, PollIntervalMs: d.PollIntervalMs,
		InputRequests: d.InputRequests, Result: d.Result, Error: d.Error, Extra: d.Extra,
	}
}

// FromState is the inverse of [Task.State].
func FromState(r *extension.GetTaskResult) *Task {
	return FromDetailed(&extension.DetailedTask{
		TaskID: r.TaskID, Status: r.Status, StatusMessage: r.StatusMessage, CreatedAt: r.CreatedAt,
		LastUpdatedAt: r.LastUpdatedAt, TTLMs: r.TTLMs, PollIntervalMs: r.PollIntervalMs,
		InputRequests: r.InputRequests, Result: r.Result, Error: r.Error, Extra: r.Extra,
	})
}

// Changed returns the task as the params of notifications/tasks.
func (t *Task) Changed(meta *mcp.NotificationMetaObject) *extension.TaskStatusNotificationParams {
	d := t.Detailed()
	return &extension.TaskStatusNotificationParams{
		Meta: meta, TaskID: d.TaskID, Status: d.Status, StatusMessage: d.StatusMessage, CreatedAt: d.CreatedAt,
		LastUpdatedAt: d.LastUpdatedAt, TTLMs: d.TTLMs, PollIntervalMs: d.PollIntervalMs,
		InputRequests: d.InputRequests, Result: d.Result, Error: d.Error, Extra: d.Extra,
	}
}

// FromChanged is the inverse of [Task.Changed].
func FromChanged(p *extension.TaskStatusNotificationParams) *Task {
	return FromDetailed(&extension.DetailedTask{
		TaskID: p.TaskID, Status: p.Status, StatusMessage: p.StatusMessage, CreatedAt: p.CreatedAt,
		LastUpdatedAt: p.LastUpdatedAt, TTLMs: p.TTLMs, PollIntervalMs: p.PollIntervalMs,
		InputRequests: p.InputRequests, Result: p.Result, Error: p.Error, Extra: p.Extra,
	})
}

// MarshalJSON encodes the task as the extension does.
func (t Task) MarshalJSON() ([]byte, error) { return wire.Marshal(wire.Any, t.Detailed()) }

// UnmarshalJSON decodes what MarshalJSON returned.
func (t *Task) UnmarshalJSON(data []byte) error {
	var d extension.DetailedTask
	if err := wire.Decode(data, &d); err != nil {
		return err
	}
	*t = *FromDetailed(&d)
	return nil
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

// milliseconds returns a duration: 0 if ms is nil, and the longest possible duration if it is longer.
func milliseconds(ms *int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Millisecond)
	if ms == nil {
		return 0
	}
	return time.Duration(min(max(*ms, 0), most)) * time.Millisecond
}

// inMilliseconds is the inverse of milliseconds.
func inMilliseconds(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	return new(d.Milliseconds())
}
