package taskserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A handler that needs input while it runs as a task writes the request into the record of the task (Ask), whose status is
// then input_required. Clients through 2025-11-25 are sent it while they wait in tasks/result; since 2026-07-28 they read it
// by tasks/get. Either way the response is written into the record (respond), where the process that runs the handler finds
// it (deliver). A key is used once in a task; a response to a key that is not asked for is ignored.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status and
// https://github.com/modelcontextprotocol/ext-tasks

// Ask makes a request for input and waits for the response. It implements [server.Background]. Through 2025-11-25 the
// request is sent to a client that waits for the result of the task. Since 2026-07-28 clients see it in the task, and send
// the response by tasks/update.
//
// REQ TASK-08, XTASK-08, XTASK-10
func (t *liveTask) Ask(ctx context.Context, in *server.InputRequest) (wire.Raw, error) {
	response := make(chan Response, 1)
	t.mu.Lock()
	t.asked[in.Key] = response
	t.mu.Unlock()
	err := t.persist(ctx, func(task *tasks.Task) {
		if t.asked[in.Key] != nil { // else it has its response: an attempt that seemed to fail succeeded
			setInput(task, in.Key, in.Input)
		}
	})
	if err != nil {
		go t.takeBack(in.Key) // the last attempt may have reached the store
		return nil, err
	}
	select {
	case r := <-response:
		if r.Error != nil {
			return nil, &server.InputError{Method: in.Method, Err: r.Error}
		}
		return r.Result, nil
	case <-ctx.Done():
		go t.takeBack(in.Key)
		return nil, context.Cause(ctx)
	}
}

// takeBack removes a request for input whose response is no longer needed.
func (t *liveTask) takeBack(key string) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	t.runner.log("a request for input cannot be taken back", t.change(ctx, func(task *tasks.Task) { setInput(task, key, nil) }))
}

// deliver passes responses on to the handler. The caller holds mu.
func (t *liveTask) deliver(responses map[string]Response) {
	for key, r := range responses {
		if waits := t.asked[key]; waits != nil {
			waits <- r
			delete(t.asked, key)
		}
	}
}

// setInput adds a request for input to a task, or removes it if it is nil, and sets the status.
//
// REQ TASK-08, XTASK-08
func setInput(task *tasks.Task, key string, q mcp.InputRequest) {
	requests := maps.Clone(task.InputRequests)
	switch {
	case q == nil:
		delete(requests, key)
	case requests == nil:
		requests = mcp.InputRequests{key: q}
	default:
		requests[key] = q
	}
	task.Status, task.InputRequests = mcp.TaskStatusInputRequired, requests
	if len(requests) == 0 {
		task.Status, task.InputRequests = mcp.TaskStatusWorking, nil
	}
}

// respond gives a task responses to its requests for input. It ignores those to requests that there are not. It stops at
// the first that check refuses, and returns its error.
//
// REQ XTASK-10
func (r *runner) respond(ctx context.Context, rec *Record, responses map[string]Response, check func(key string, asked mcp.InputRequest) error) error {
	var wrong error
	_, err := r.change(ctx, rec, func(next *Record) (changed bool) {
		wrong = nil
		for _, key := range slices.Sorted(maps.Keys(responses)) {
			asked := next.Task.InputRequests[key]
			if asked == nil {
				continue
			}
			if wrong = check(key, asked); wrong != nil {
				return changed
			}
			setInput(&next.Task, key, nil)
			if next.Responses = maps.Clone(next.Responses); next.Responses == nil {
				next.Responses = make(map[string]Response)
			}
			next.Responses[key], changed = responses[key], true
		}
		next.Task.UpdatedAt = time.Now().Truncate(time.Millisecond)
		return changed
	})
	if err != nil {
		return storeError(err)
	}
	return wrong
}

// checkInput returns an error for a response that is not valid.
func checkInput(key string, asked mcp.InputRequest, raw wire.Raw) error {
	if err := server.CheckInput(asked, raw); err != nil {
		return protocolError(mcp.CodeInvalidParams, fmt.Sprintf("inputResponses[%q]: %v", excerpt.Of(key), err))
	}
	return nil
}

// A waiter is a call that waits for the result of a task, and by which input can be requested. It has an element when
// something has changed.
type waiter chan struct{}

func (w waiter) wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// join adds a waiter. Of several, the newest asks the client: it may come from a client that has lost its connection and
// does not receive what an older one sends.
func (r *runner) join(key taskKey, w waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.waiters[key] {
		other.wake()
	}
	r.waiters[key] = append(r.waiters[key], w)
}

// leave removes a waiter. The one before it takes over.
func (r *runner) leave(key taskKey, w waiter) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rest := slices.DeleteFunc(r.waiters[key], func(other waiter) bool { return other == w })
	if r.waiters[key] = rest; len(rest) == 0 {
		delete(r.waiters, key)
	}
	for _, other := range rest {
		other.wake()
	}
}

// isNewest reports whether a waiter is the one that asks.
func (r *runner) isNewest(key taskKey, w waiter) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.waiters[key]
	return len(all) > 0 && all[len(all)-1] == w
}

// An asking is a request for input on its way to a client through 2025-11-25.
type asking struct {
	key    string
	cancel context.CancelFunc
	done   chan struct{} // closed when the task has the response, or err is set
	err    error         // why it has none
}

// ask sends the first request for input of a task that the client of c supports, and gives the task the response. It returns
// nil if there is none.
func (r *runner) ask(ctx context.Context, c *server.Call, rec *Record) *asking {
	for _, key := range slices.Sorted(maps.Keys(rec.Task.InputRequests)) {
		method, params, able := askable(c, rec.Task.InputRequests[key])
		if !able {
			continue
		}
		a := &asking{key: key, done: make(chan struct{})}
		ctx, a.cancel = context.WithCancel(ctx)
		go func() {
			defer close(a.done)
			defer a.cancel()
			response, err := request(ctx, c, rec.Task.ID, method, params)
			if err == nil {
				// What a person has said is kept, even if somebody else asks from now on.
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
				defer cancel()
				err = r.respond(ctx, rec, map[string]Response{key: response}, func(string, mcp.InputRequest) error { return nil })
			}
			a.err = err
		}()
		return a
	}
	return nil
}

// over returns a channel that is closed when there is nothing to wait for any more. It is nil if a is nil.
func (a *asking) over() <-chan struct{} {
	if a == nil {
		return nil
	}
	return a.done
}

// stop stops waiting for the response.
func (a *asking) stop() {
	if a != nil {
		a.cancel()
		<-a.done
	}
}

// askable returns a request for input as a request to the client of c, and whether the client supports it.
func askable(c *server.Call, asked mcp.InputRequest) (method string, params wire.Encodable, able bool) {
	caps := c.Capabilities()
	switch q := asked.(type) {
	case *mcp.ElicitRequest:
		e := caps.Elicitation
		if _, byURL := q.Params.(*mcp.ElicitRequestURLParams); byURL {
			able = e != nil && e.URL != nil
		} else {
			able = e != nil && (e.Form != nil || e.URL == nil)
		}
		return mcp.MethodElicit.Name, q.Params, able
	case *mcp.CreateMessageRequest:
		return mcp.MethodCreateMessage.Name, &q.Params, caps.Sampling != nil
	case *mcp.ListRootsRequest:
		return mcp.MethodListRoots.Name, nil, caps.Roots != nil
	}
	return "", nil, false
}

// request sends a request that belongs to a task, and returns the response. An error means that the client has not received
// the request.
func request(ctx context.Context, c *server.Call, id, method string, params wire.Encodable) (Response, error) {
	var raw wire.Raw
	var err error
	if params != nil {
		if raw, err = wire.MarshalChecked(c.Revision(), params); err != nil {
			return Response{}, err
		}
	}
	if raw, err = jsonrpc.AddMeta(raw, related(id)); err != nil {
		return Response{}, err
	}
	raw, err = c.Request(ctx, method, raw)
	rpc, refused := errors.AsType[*jsonrpc.Error](err)
	switch {
	case refused:
		return Response{Error: rpc}, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return Response{Error: &jsonrpc.Error{Code: mcp.CodeInternalError, Message: "the client did not respond in time: " + err.Error()}}, nil
	}
	return Response{Result: bytes.Clone(raw)}, err
}

// related returns metadata that names the task, for what belongs to it through 2025-11-25.
//
// REQ TASK-12
func related(id string) wire.Raw {
	return wire.Raw(`{"` + mcp.KeyRelatedTask + `":` + string(relatedTask(id)) + `}`)
}

// relatedTask returns the metadata that names a task.
func relatedTask(id string) wire.Raw {
	raw, _ := wire.Marshal(wire.Any, &mcp.RelatedTaskMetadata{TaskID: id})
	return raw
}
