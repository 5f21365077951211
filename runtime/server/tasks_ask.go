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

// A pendingInput is a request for input by the handler of a task, which waits for the response. Through
// 2025-11-25 it is sent as a request while the client waits for the result of the task. Since 2026-07-28 it
// is part of the task, and the client sends the response by tasks/update.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks.
type pendingInput struct {
	key     string
	request inputRequest
	params  wire.Raw
	done    chan struct{} // closed when it is settled

	// Guarded by the task's mu.
	settled  bool               // the response has arrived, or is no longer needed
	sent     bool               // to the client
	stop     context.CancelFunc // stops sending it; nil until it is being sent
	response wire.Raw
	err      error
}

// request makes a request for input and waits for the response.
func (t *liveTask) request(ctx context.Context, key string, a inputRequest, params wire.Raw) (wire.Raw, error) {
	if !a.able {
		return nil, &MissingCapabilityError{Required: a.need}
	}
	// REQ XTASK-10
	q := &pendingInput{key: key, request: a, params: params, done: make(chan struct{})}
	t.mu.Lock()
	t.pending = append(t.pending, q)
	t.showPending()
	t.mu.Unlock()
	select {
	case <-q.done:
	case <-t.call.ctx.Done():
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settle(q)
	switch {
	case q.response != nil || q.err != nil:
		return q.response, q.err
	case t.call.ctx.Err() != nil:
		return nil, context.Cause(t.call.ctx)
	}
	return nil, context.Cause(ctx)
}

// showPending updates the task's status and its requests for input. The caller holds mu.
func (t *liveTask) showPending() {
	// REQ TASK-08
	if t.ending.Load() {
		return
	}
	task := *t.task
	t.asks = nil
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
		} else {
			for _, q := range t.pending {
				t.asks = append(t.asks, taskAsk{q.key, q.request.method.Name, q.params})
			}
		}
	}
	task.UpdatedAt = time.Now().Truncate(time.Millisecond)
	t.replace(&task)
}

// settle removes a request for input, with or without a response. The caller holds mu.
func (t *liveTask) settle(q *pendingInput) {
	if !q.settled {
		q.settled = true
		close(q.done)
	}
	if q.stop != nil {
		q.stop()
	}
	if i := slices.Index(t.pending, q); i >= 0 {
		t.pending = slices.Delete(t.pending, i, i+1)
		t.showPending()
	}
}

// respond takes the response to the request with that key. It ignores a response to a request that does not exist.
// If the response is not valid, respond returns an error, and the request remains open.
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
	q.response = bytes.Clone(raw) // which does not keep the whole request
	t.settle(q)
	return nil
}

// A waiter is a request that waits for the result of a task, and by which input can be requested.
type waiter struct {
	stop context.CancelFunc // cancels the request that it sends; nil before the first
}

// join adds a waiter. It sends again the requests that an earlier waiter sent without having received a response.
func (t *liveTask) join(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.waiters); n > 0 && t.waiters[n-1].stop != nil {
		t.waiters[n-1].stop()
	}
	t.waiters = append(t.waiters, w)
}

// leave removes a waiter. The one before it takes over.
func (t *liveTask) leave(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiters, w); i >= 0 {
		t.waiters = slices.Delete(t.waiters, i, i+1)
	}
	t.wake()
}

// next returns a request for w to send, and a context for it, derived from ctx; nil if there is none, or if w is not
// the newest waiter.
func (t *liveTask) next(ctx context.Context, w *waiter) (*pendingInput, context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.waiters); n == 0 || t.waiters[n-1] != w {
		return nil, nil
	}
	for _, q := range t.pending {
		if !q.sent {
			q.sent = true
			ctx, w.stop = context.WithCancel(ctx)
			q.stop = w.stop
			return q, ctx
		}
	}
	return nil, nil
}

// send sends a request for input through c, a call that waits for the result of the task. It returns an error if
// the client has not received the request.
func (t *liveTask) send(ctx context.Context, c *Call, q *pendingInput) error {
	asked, stop := context.WithTimeout(ctx, c.server.opts.AskTimeout)
	defer stop()
	out := &taskCaller{c.req.Out, t.id}
	raw, err := out.Call(asked, q.request.method.Name, q.params)

	t.mu.Lock()
	defer t.mu.Unlock()
	rpc := (*jsonrpc.Error)(nil)
	switch {
	case q.settled || t.call.ctx.Err() != nil:
		return nil
	case errors.As(err, &rpc):
		err = &InputError{q.request.method.Name, err}
	case err != nil && (ctx.Err() != nil || asked.Err() == nil):
		// The client no longer waits for the result, or cannot be reached by this request. The request
		// is sent again when it comes back.
		q.sent = false
		t.wake()
		return err
	}
	q.response, q.err = raw, err
	t.settle(q)
	return nil
}

// A taskCaller sends what belongs to a task through 2025-11-25: with metadata that names the task.
type taskCaller struct {
	transport.Caller
	id string
}

// Notify implements [transport.Caller].
func (s *taskCaller) Notify(ctx context.Context, method string, params wire.Raw) error {
	params, err := s.related(params)
	if err != nil {
		return err
	}
	return s.Caller.Notify(ctx, method, params)
}

// Call implements [transport.Caller].
func (s *taskCaller) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	params, err := s.related(params)
	if err != nil {
		return nil, err
	}
	return s.Caller.Call(ctx, method, params)
}

// related returns params with metadata that names the task.
func (s *taskCaller) related(params wire.Raw) (wire.Raw, error) {
	// REQ TASK-12
	return jsonrpc.AddMeta(params, wire.Raw(`{"`+mcp.KeyRelatedTask+`":`+string(relatedTask(s.id))+`}`))
}

// relatedTask returns the metadata that names a task.
func relatedTask(id string) wire.Raw {
	raw, _ := wire.Marshal(wire.Any, &mcp.RelatedTaskMetadata{TaskID: id})
	return raw
}
