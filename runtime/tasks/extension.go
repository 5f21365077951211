package tasks

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The extension has a type for each message that carries a task: the result of the call that has become it, that of tasks/get,
// and the params of notifications/tasks. Their members are those of DetailedTask, of which the first has no outcome, and the
// last can be decoded as the result of tasks/get. A Task is encoded as that, too, without the members that all results have.
//
// See https://github.com/modelcontextprotocol/ext-tasks and SEP-2663.

// State returns the task as the result of tasks/get.
func (t *Task) State() *extension.GetTaskResult {
	r := &extension.GetTaskResult{
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
		r.Error = &extension.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return r
}

// FromState is the inverse of [Task.State].
func FromState(r *extension.GetTaskResult) *Task {
	t := &Task{
		ID:            r.TaskID,
		Status:        mcp.TaskStatus(r.Status),
		StatusMessage: r.StatusMessage,
		CreatedAt:     parseTime(r.CreatedAt),
		UpdatedAt:     parseTime(r.LastUpdatedAt),
		TTL:           milliseconds(r.TTLMs),
		PollInterval:  milliseconds(r.PollIntervalMs),
		InputRequests: r.InputRequests,
		Result:        r.Result,
		Extra:         r.Extra,
	}
	if e := r.Error; e != nil {
		t.Error = &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	return t
}

// Created returns the result of a request that has become the task.
func (t *Task) Created() *extension.CreateTaskResult {
	s := t.State()
	return &extension.CreateTaskResult{
		TaskID: s.TaskID, Status: s.Status, StatusMessage: s.StatusMessage, CreatedAt: s.CreatedAt,
		LastUpdatedAt: s.LastUpdatedAt, TTLMs: s.TTLMs, PollIntervalMs: s.PollIntervalMs, Extra: s.Extra,
	}
}

// FromCreated is the inverse of [Task.Created].
func FromCreated(r *extension.CreateTaskResult) *Task {
	return FromState(&extension.GetTaskResult{
		TaskID: r.TaskID, Status: r.Status, StatusMessage: r.StatusMessage, CreatedAt: r.CreatedAt,
		LastUpdatedAt: r.LastUpdatedAt, TTLMs: r.TTLMs, PollIntervalMs: r.PollIntervalMs, Extra: r.Extra,
	})
}

// Changed returns the task as the params of notifications/tasks.
func (t *Task) Changed(meta *mcp.NotificationMetaObject) *extension.TaskStatusNotificationParams {
	s := t.State()
	return &extension.TaskStatusNotificationParams{
		Meta: meta, TaskID: s.TaskID, Status: s.Status, StatusMessage: s.StatusMessage, CreatedAt: s.CreatedAt,
		LastUpdatedAt: s.LastUpdatedAt, TTLMs: s.TTLMs, PollIntervalMs: s.PollIntervalMs,
		InputRequests: s.InputRequests, Result: s.Result, Error: s.Error, Extra: s.Extra,
	}
}

// MarshalJSON encodes the task as the extension does.
func (t Task) MarshalJSON() ([]byte, error) { return wire.Marshal(wire.Any, t.State()) }

// UnmarshalJSON decodes what MarshalJSON returned.
func (t *Task) UnmarshalJSON(data []byte) error {
	var s extension.GetTaskResult
	if err := wire.Decode(data, &s); err != nil {
		return err
	}
	*t = *FromState(&s)
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
