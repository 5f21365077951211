package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A pendingInput is what the handler of a task wants to know from the client, and waits for. Up to
// 2025-11-25 it is a request, sent while the client waits for the result of the task; afterwards it
// stands in the task, and the client sends the answer by a request.
type pendingInput struct {
	key     string
	request inputRequest
	params  wire.Raw
	ctx     context.Context // ends when the question does
	end     context.CancelFunc

	sent     bool // the client has been sent it
	response wire.Raw
	err      error
}

// request puts a question and waits for the answer.
func (t *liveTask) request(ctx context.Context, key string, a inputRequest, params wire.Raw) (wire.Raw, error) {
	if !a.able {
		return nil, &MissingCapabilityError{Required: a.need}
	}
	q := &pendingInput{key: key, request: a, params: params}
	q.ctx, q.end = context.WithCancel(t.ctx)
	t.mu.Lock()
	t.pending = append(t.pending, q)
	t.showPending()
	t.mu.Unlock()
	select {
	case <-q.ctx.Done():
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settle(q)
	switch {
	case q.response != nil || q.err != nil:
		return q.response, q.err
	case t.ctx.Err() != nil:
		return nil, context.Cause(t.ctx)
	}
	return nil, context.Cause(ctx)
}

// showPending makes the task show the questions that there are. The caller holds mu.
func (t *liveTask) showPending() {
	// REQ TASK-08
	if t.ending.Load() {
		return
	}
	task := *t.task
	// REQ TASK-08
	task.Status, task.InputRequests = mcp.TaskStatusWorking, nil
	// REQ TASK-08, XTASK-08
	if len(t.pending) > 0 {
		task.Status = mcp.TaskStatusInputRequired
		if t.call.modern() {
			task.InputRequests = make(mcp.InputRequests)
			for _, q := range t.pending {
				task.InputRequests[q.key] = q.request.input
			}
		}
	}
	task.UpdatedAt = time.Now().Truncate(time.Millisecond)
	t.replace(&task)
}

// settle takes out a question, with or without an answer. The caller holds mu.
func (t *liveTask) settle(q *pendingInput) {
	q.end()
	if i := slices.Index(t.pending, q); i >= 0 {
		t.pending = slices.Delete(t.pending, i, i+1)
		t.showPending()
	}
}

// respond takes the answer to the question of that key. It ignores one to a question that there is
// not. The error says that it is no answer to the question, which then stays.
func (t *liveTask) respond(key string, raw wire.Raw) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.pending, func(q *pendingInput) bool { return q.key == key })
	// REQ XTASK-10
	if i < 0 {
		return nil
	}
	q := t.pending[i]
	err := wire.Decode(raw, q.request.response)
	if err == nil && q.request.check != nil {
		err = q.request.check()
	}
	if err != nil {
		return jsonrpcError(codeInvalidParams, fmt.Sprintf("inputResponses[%q]: %v", excerpt.Of(key), &InputError{q.request.method.Name, err}), nil)
	}
	q.response = bytes.Clone(raw) // not the whole request with it
	t.settle(q)
	return nil
}

// A waiter is a request that waits for the result of a task, and by which the client can be asked.
type waiter struct {
	ctx  context.Context
	stop context.CancelFunc // ends what is asked by it; nil before the first question
}

// join enters a waiter. What is just being asked by another is asked by this one.
func (t *liveTask) join(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.waiters); n > 0 && t.waiters[n-1].stop != nil {
		t.waiters[n-1].stop()
	}
	t.waiters = append(t.waiters, w)
}

// leave is the reverse. The one before it asks again.
func (t *liveTask) leave(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiters, w); i >= 0 {
		t.waiters = slices.Delete(t.waiters, i, i+1)
	}
	t.wake()
}

// next returns a question to ask by w, and the context for that; nil if there is none, or if w is not
// the newest of those that wait.
func (t *liveTask) next(w *waiter) (*pendingInput, context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.waiters); n == 0 || t.waiters[n-1] != w {
		return nil, nil
	}
	for _, q := range t.pending {
		if !q.sent {
			q.sent = true
			var ctx context.Context
			ctx, w.stop = context.WithCancel(w.ctx)
			return q, ctx
		}
	}
	return nil, nil
}

// send asks the client a question by way of c, which waits for the result. After an error the
// client was not asked.
func (t *liveTask) send(ctx context.Context, c *Call, q *pendingInput) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(q.ctx, cancel)()
	asked := ctx
	if d := c.server.opts.AskTimeout; d > 0 {
		var stop context.CancelFunc
		asked, stop = context.WithTimeout(ctx, d)
		defer stop()
	}
	out := &taskCaller{Caller: c.req.Out, rev: c.rev, id: t.id}
	raw, err := out.Call(asked, q.request.method.Name, q.params)

	t.mu.Lock()
	defer t.mu.Unlock()
	rpc := (*jsonrpc.Error)(nil)
	switch {
	case q.ctx.Err() != nil: // nobody wants to know any more
		return nil
	case errors.As(err, &rpc):
		err = &InputError{q.request.method.Name, err}
	case err != nil && (ctx.Err() != nil || asked.Err() == nil):
		// The client does not wait for the result any more, or cannot be reached by this request: it
		// is asked when it comes back.
		q.sent = false
		t.wake()
		return err
	}
	q.response, q.err = raw, err
	t.settle(q)
	return nil
}

// A taskCaller sends what belongs to a task up to 2025-11-25: the metadata names the task.
type taskCaller struct {
	transport.Caller
	rev wire.Revision
	id  string
}

// Notify implements [transport.Caller].
func (s *taskCaller) Notify(ctx context.Context, method string, params wire.Raw) error {
	var p mcp.NotificationParams
	if err := wire.Decode(orObject(params), &p); err != nil {
		return err
	}
	if p.Meta == nil {
		p.Meta = new(mcp.NotificationMetaObject)
	}
	// REQ TASK-12
	p.Meta.Extra.Set(mcp.KeyRelatedTask, relatedTask(s.id))
	raw, err := wire.Marshal(s.rev, &p)
	if err != nil {
		return err
	}
	return s.Caller.Notify(ctx, method, raw)
}

// Call implements [transport.Caller].
func (s *taskCaller) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	var p mcp.RequestParams
	if err := wire.Decode(orObject(params), &p); err != nil {
		return nil, err
	}
	if p.Meta == nil {
		p.Meta = new(mcp.RequestMetaObject)
	}
	// REQ TASK-12
	p.Meta.Extra.Set(mcp.KeyRelatedTask, relatedTask(s.id))
	raw, err := wire.Marshal(s.rev, &p)
	if err != nil {
		return nil, err
	}
	return s.Caller.Call(ctx, method, raw)
}

func orObject(params wire.Raw) wire.Raw {
	if len(params) == 0 {
		return wire.Raw("{}")
	}
	return params
}

// relatedTask returns the value that names a task.
func relatedTask(id string) wire.Raw {
	raw, _ := wire.Marshal(wire.Any, &mcp.RelatedTaskMetadata{TaskID: id})
	return raw
}

// isWaiting reports whether the handler asked something that the client is to answer by a retry.
func (a *inputState) isWaiting() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests) > 0 || a.fault != nil
}
