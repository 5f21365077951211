package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxTaskRuns is how often a task runs at most, so that a task that crashes every process that runs it fails in the
// end.
const maxTaskRuns = 3

// errCannotRunAgain says that this process cannot run a task of another one.
var errCannotRunAgain = errors.New("the task cannot be run again by this process")

// A taskRequest is the call that became a task, so that another process can run it again.
type taskRequest struct {
	Params   wire.Raw            `json:"params"`
	Address  string              `json:"address,omitempty"`
	Verified bool                `json:"verified,omitempty"` // the principal is that of an identity
	Expires  time.Time           `json:"expires,omitzero"`   // of the identity
	Session  *SessionState       `json:"session,omitempty"`  // nil since 2026-07-28
	Results  map[string]wire.Raw `json:"results,omitempty"`  // of [Call.Once], before the call became a task
	Runs     int                 `json:"runs"`
}

// again returns the request of a task, to be stored if the task may run again; otherwise nil.
func (r *taskRunner) again(c *Call) *taskRequest {
	if r.store.member == nil || !slices.Contains(r.opts.RunAgain, c.ToolName()) {
		return nil
	}
	a := &taskRequest{
		Params: c.req.Params, Address: c.req.Address, Verified: c.req.Identity != nil, Expires: c.expires(), Runs: 1,
	}
	if ss := c.session; ss != nil && !c.modern() && ss.negotiated.Load() != nil {
		state := ss.State()
		state.Subscriptions = nil
		a.Session = &state
	}
	c.input.mu.Lock()
	defer c.input.mu.Unlock()
	a.Results = maps.Clone(c.input.results)
	return a
}

// startAgain runs a task that another process ran before. The error is errCannotRunAgain if this process cannot.
func (r *taskRunner) startAgain(ctx context.Context, rec *taskRecord) (*liveTask, error) {
	lease := r.store.member.Lease()
	c, err := r.callAgain(rec)
	if lease == nil || err != nil {
		return nil, errCannotRunAgain
	}
	tool := r.server.tools.get(c.ToolName())
	if tool == nil || !slices.Contains(r.opts.RunAgain, tool.def.Name) {
		return nil, errCannotRunAgain
	}
	again, task := *rec.Again, rec.Task
	again.Runs++
	task.Status, task.InputRequests, task.UpdatedAt = mcp.TaskStatusWorking, nil, time.Now().Truncate(time.Millisecond)
	t := r.newTask(&task, c, lease)
	t.scopes, t.again, t.number = rec.Scopes, &again, rec.number
	own := t.begin(c.ctx, c)
	if err := r.enter(t, c.owner()); err != nil {
		t.cancel(err)
		t.observeEnd(err, false)
		if errors.Is(err, store.ErrConflict) {
			return nil, err
		}
		return nil, errCannotRunAgain
	}
	defer close(t.begun)
	if err := r.create(ctx, t); err != nil {
		r.discard(t)
		t.observeEnd(err, false)
		return nil, err
	}
	r.server.taskChanged(&task)
	r.log("cannot record that a process no longer has a task", r.store.release(ctx, rec.Lease, t.id))
	var p struct {
		Arguments wire.Raw `json:"arguments"`
	}
	json.Unmarshal(again.Params, &p) // they were decoded before
	if len(p.Arguments) == 0 {
		p.Arguments = wire.Raw("{}")
	}
	go t.work(own, func(ctx context.Context, c *Call) (*mcp.CallToolResult, error) { return tool.run(ctx, c, p.Arguments) })
	return t, nil
}

// callAgain returns the call that became a task, as far as the record describes it.
func (r *taskRunner) callAgain(rec *taskRecord) (*Call, error) {
	s, a := r.server, rec.Again
	var p struct {
		Meta wire.Raw `json:"_meta"`
	}
	if err := json.Unmarshal(a.Params, &p); err != nil {
		return nil, err
	}
	c := &Call{server: s, rev: rec.Revision, ctx: context.Background(), req: &transport.Request{
		Method: mcp.MethodCallTool.Name, Params: a.Params, Meta: p.Meta, Revision: rec.Revision,
		Origin: transport.Origin{Principal: rec.Principal, Address: a.Address},
	}}
	if a.Verified {
		c.req.Identity = &pastIdentity{rec.Principal, rec.Scopes, a.Expires}
		c.ctx = transport.WithIdentity(c.ctx, c.req.Identity)
	}
	if st := a.Session; st != nil {
		c.session = s.NewSession(unreachable{})
		c.session.negotiated.Store(&negotiated{st.Revision, int32(len(st.Client)), slices.Concat(st.Client, st.Capabilities)})
		c.session.level.Store(int32(rank(st.LogLevel)))
	}
	c.input.results = a.Results
	return c, c.readHead()
}

// A pastIdentity is the identity in a task that runs again: the principal who sent the request, with the scopes
// that the request required.
type pastIdentity struct {
	principal string
	scopes    []string
	expires   time.Time
}

func (id *pastIdentity) Principal() string  { return id.principal }
func (id *pastIdentity) Expires() time.Time { return id.expires }

// Missing implements [transport.Identity].
func (id *pastIdentity) Missing(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return slices.Contains(id.scopes, s) })
}

// unreachable stands for a client whose session is elsewhere.
type unreachable struct{}

// Notify implements [transport.Caller].
func (unreachable) Notify(context.Context, string, wire.Raw) error { return errNoSender }

// Call implements [transport.Caller].
func (unreachable) Call(context.Context, string, wire.Raw) (wire.Raw, error) {
	return nil, errNoSender
}
