package taskserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A taskMessage is a message that a process leaves in the store for the process that runs a task: the task was
// ended, or a request for input has a response. Its key begins with mail.LEASE.ID, and is the same for all
// responses to one request.
type taskMessage struct {
	Task     string         `json:"task"`          // key of the record
	Key      string         `json:"key,omitempty"` // of the request for input; empty if the record has changed
	Response wire.Raw       `json:"response,omitempty"`
	Error    *jsonrpc.Error `json:"error,omitempty"`
}

// mailTTL is how long a message is kept.
const mailTTL = time.Minute

// tell leaves a message for the process that runs a task. Of several responses to one request for input, the first
// counts.
func (r *taskRunner) tell(ctx context.Context, rec *taskRecord, m taskMessage) error {
	m.Task = rec.key
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = r.store.Put(ctx, "mail."+rec.Lease+"."+rec.Task.ID+"."+shortHash(m.Key), data, 0, mailTTL)
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// receive handles the messages about the tasks of a lease.
func (r *taskRunner) receive(ctx context.Context, lease string) error {
	mail, err := r.store.List(ctx, "mail."+lease, "", 100)
	if err != nil {
		return err
	}
	for _, letter := range mail {
		var m taskMessage
		if err := json.Unmarshal(letter.Value, &m); err != nil { // the others do not depend on it
			r.log("cannot read a message about a task", err)
		} else if t := r.at(m.Task); t != nil {
			t.hear(ctx, &m)
		}
		if err := r.store.Delete(ctx, letter.Key, 0); err != nil {
			return err
		}
	}
	return nil
}

// hear handles a message about a task of this process.
func (t *liveTask) hear(ctx context.Context, m *taskMessage) {
	switch {
	case m.Key == "":
		now, err := t.runner.store.load(ctx, t.key)
		if err == nil && (now == nil || tasks.Done(now.Task.Status) || now.Lease != t.lease.ID()) {
			t.taken(now)
		}
		t.runner.log("cannot stop a task that was cancelled", err)
	case t.rev >= mcp.V2026_07_28:
		t.respond(m.Key, m.Response) // an invalid one was refused where it arrived
	default:
		t.mu.Lock()
		defer t.mu.Unlock()
		i := slices.IndexFunc(t.pending, func(q *pendingInput) bool { return q.Key == m.Key })
		if i < 0 {
			return
		}
		q := t.pending[i]
		if q.response = m.Response; m.Error != nil {
			q.err = &server.InputError{Method: q.Method, Err: m.Error}
		}
		t.settle(q)
	}
}

// cancel cancels a task of the caller of c, wherever it runs. It returns the status of the task, and reports
// whether this call ended it.
func (r *taskRunner) cancel(ctx context.Context, c *server.Call, id string) (*taskRecord, bool, error) {
	for {
		rec, t, err := r.find(ctx, c, id)
		if err != nil || t == nil && tasks.Done(rec.Task.Status) {
			return rec, false, err
		}
		if t != nil {
			done := t.end(taskEnd{status: mcp.TaskStatusCancelled, cause: ErrCancelled})
			switch _, _, gone := t.now(); {
			case gone != nil:
				continue
			case !t.isOver():
				return nil, false, storeError(errors.New("the end of the task is not stored yet"))
			}
			return t.record(), done, nil
		}
		cancelled := rec.over(ended(rec.Task, mcp.TaskStatusCancelled, ErrCancelled.Error()))
		if _, err := r.store.save(ctx, cancelled); errors.Is(err, store.ErrConflict) {
			continue
		} else if err != nil {
			return nil, false, storeError(err)
		}
		r.changed(&cancelled.Task, cancelled.Revision)
		if rec.Lease != "" {
			r.log("cannot tell a process at once that a task was cancelled", r.tell(ctx, rec, taskMessage{}))
		}
		return cancelled, true, nil
	}
}

// passOn passes on the response to a request for input of a task that another process runs.
func (r *taskRunner) passOn(ctx context.Context, rec *taskRecord, key string, raw wire.Raw) error {
	asked := rec.Task.InputRequests[key]
	if asked == nil || rec.Lease == "" {
		return nil
	}
	if err := server.CheckInput(asked, raw); err != nil {
		return badInput(key, err)
	}
	if err := r.tell(ctx, rec, taskMessage{Key: key, Response: raw}); err != nil {
		return storeError(err)
	}
	return nil
}

// await waits until a task that another process runs is over, or runs in this one. Meanwhile it sends the requests
// for input of the task through c, one at a time.
func (r *taskRunner) await(ctx context.Context, c *server.Call, id string) error {
	tick := time.NewTicker(taskTick)
	defer tick.Stop()
	asked := make(map[string]bool)
	var now *elsewhere
	defer func() { now.stop() }()
	for {
		rec, t, err := r.find(ctx, c, id)
		if err != nil || t != nil || tasks.Done(rec.Task.Status) {
			return err
		}
		if now != nil && !slices.ContainsFunc(rec.Asks, func(a taskAsk) bool { return a.Key == now.ask.Key }) {
			now.stop()
			now = nil
		}
		if now == nil {
			i := slices.IndexFunc(rec.Asks, func(a taskAsk) bool { return !asked[a.Key] && canAsk(c, a) })
			if i >= 0 {
				asked[rec.Asks[i].Key] = true
				now = askElsewhere(ctx, c, rec, rec.Asks[i])
			}
		}
		select {
		case <-tick.C:
		case <-now.answered():
			if err := now.tell(ctx, r); err != nil {
				return err
			}
			now = nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// canAsk reports whether a request for input can be sent to the client of a call.
func canAsk(c *server.Call, a taskAsk) bool {
	caps := c.Capabilities()
	form := caps.Elicitation
	switch {
	case !c.CanRequest():
		return false
	case a.Method == mcp.MethodElicit.Name && a.Params.StringAt("mode") == "url":
		return form != nil && form.URL != nil
	case a.Method == mcp.MethodElicit.Name:
		return form != nil && (form.Form != nil || form.URL == nil)
	case a.Method == mcp.MethodCreateMessage.Name:
		return caps.Sampling != nil
	}
	return caps.Roots != nil
}

// An elsewhere is a request for input of a task that another process runs, on its way to a client of this process.
type elsewhere struct {
	rec    *taskRecord
	ask    taskAsk
	cancel context.CancelFunc
	done   chan struct{}
	raw    wire.Raw
	err    error
}

// askElsewhere sends a request for input through c.
func askElsewhere(ctx context.Context, c *server.Call, rec *taskRecord, a taskAsk) *elsewhere {
	e := &elsewhere{rec: rec, ask: a, done: make(chan struct{})}
	ctx, e.cancel = context.WithCancel(ctx)
	go func() {
		defer close(e.done)
		e.raw, e.err = ask(ctx, c, rec.Task.ID, a.Method, a.Params)
	}()
	return e
}

// answered returns a channel that is closed when there is a response, or when none can arrive. It is nil if e is nil.
func (e *elsewhere) answered() <-chan struct{} {
	if e == nil {
		return nil
	}
	return e.done
}

// stop stops waiting for the response.
func (e *elsewhere) stop() {
	if e != nil {
		e.cancel()
		<-e.done
	}
}

// tell passes the response on to the process that runs the task. It returns an error if the client did not receive the
// request.
func (e *elsewhere) tell(ctx context.Context, r *taskRunner) error {
	e.cancel()
	m := taskMessage{Key: e.ask.Key, Response: e.raw}
	rpc, refused := errors.AsType[*jsonrpc.Error](e.err)
	switch {
	case refused:
		m.Error = rpc
	case errors.Is(e.err, context.DeadlineExceeded) && ctx.Err() == nil:
		m.Error = &jsonrpc.Error{Code: mcp.CodeInternalError, Message: "the client did not respond in time"}
	case e.err != nil:
		return e.err
	}
	return r.tell(ctx, e.rec, m)
}
