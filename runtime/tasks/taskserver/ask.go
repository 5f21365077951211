package taskserver

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
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A pendingInput is a request for input by the handler of a task, which waits for the response. Through
// 2025-11-25 it is sent as a request while the client waits for the result of the task. Since 2026-07-28 it
// is part of the task, and the client sends the response by tasks/update.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks.
type pendingInput struct {
	*server.Question
	done chan struct{} // closed when it is settled

	// Guarded by the task's mu.
	settled  bool               // the response has arrived, or is no longer needed
	sent     bool               // to the client
	stop     context.CancelFunc // stops sending it; nil until it is being sent
	response wire.Raw
	err      error
}

// Ask makes a request for input and waits for the response. It implements [server.Background].
func (t *liveTask) Ask(ctx context.Context, asked *server.Question) (wire.Raw, error) {
	// REQ XTASK-10
	q := &pendingInput{Question: asked, done: make(chan struct{})}
	t.mu.Lock()
	t.pending = append(t.pending, q)
	t.showPending()
	t.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.settle(q)
	if q.response != nil || q.err != nil {
		return q.response, q.err
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
		if t.rev >= mcp.V2026_07_28 {
			task.InputRequests = make(mcp.InputRequests)
			for _, q := range t.pending {
				task.InputRequests[q.Key] = q.Input
			}
		} else {
			for _, q := range t.pending {
				t.asks = append(t.asks, taskAsk{q.Key, q.Method, q.Params})
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
	i := slices.IndexFunc(t.pending, func(q *pendingInput) bool { return q.Key == key })
	// REQ XTASK-10
	if i < 0 {
		return nil
	}
	q := t.pending[i]
	if err := server.CheckInput(q.Input, raw); err != nil {
		return badInput(key, err)
	}
	q.response = bytes.Clone(raw) // which does not keep the whole request
	t.settle(q)
	return nil
}

// badInput returns the error for a response that is not valid.
func badInput(key string, err error) error {
	return protocolError(mcp.CodeInvalidParams, fmt.Sprintf("inputResponses[%q]: %v", excerpt.Of(key), err))
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
func (t *liveTask) send(ctx context.Context, c *server.Call, q *pendingInput) error {
	raw, err := ask(ctx, c, t.id, q.Method, q.Params)

	t.mu.Lock()
	defer t.mu.Unlock()
	rpc := (*jsonrpc.Error)(nil)
	switch {
	case q.settled || t.ending.Load():
		return nil
	case errors.As(err, &rpc):
		err = &server.InputError{Method: q.Method, Err: err}
	case err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)):
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

// ask sends a request for input of a task through c, a call that waits for its result.
func ask(ctx context.Context, c *server.Call, id, method string, params wire.Raw) (wire.Raw, error) {
	params, err := jsonrpc.AddMeta(params, related(id))
	if err != nil {
		return nil, err
	}
	return c.Request(ctx, method, params)
}

// related returns metadata that names the task, for what belongs to it through 2025-11-25.
func related(id string) wire.Raw {
	// REQ TASK-12
	return wire.Raw(`{"` + mcp.KeyRelatedTask + `":` + string(relatedTask(id)) + `}`)
}

// relatedTask returns the metadata that names a task.
func relatedTask(id string) wire.Raw {
	raw, _ := wire.Marshal(wire.Any, &mcp.RelatedTaskMetadata{TaskID: id})
	return raw
}
