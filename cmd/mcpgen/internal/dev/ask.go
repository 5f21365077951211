package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A child asks for input by a result, which a client of its era receives as it is. For a client of a revision
// through 2025-11-25 the result becomes requests. A child of such a revision sends requests. They say to which call they
// belong if they arrive over HTTP or are about a task; any other request belongs to the only client that has running
// calls. If no calls run, the roots are those of all clients with sessions, and other requests go to the only client that
// can handle them.

// answers asks the client of a call for the input that a result requires, and returns what the params of the retry have in
// addition.
func answers(ctx context.Context, c *server.Call, required *mcp.InputRequiredResult) (wire.Extra, error) {
	responses := mcp.InputResponses{}
	for _, key := range slices.Sorted(maps.Keys(required.InputRequests)) {
		response, err := ask(ctx, c, required.InputRequests[key])
		if err != nil {
			return nil, err
		}
		responses[key] = response
	}
	text, err := wire.Marshal(wire.Any, &responses)
	if err != nil {
		return nil, err
	}
	more := wire.Extra{{Name: "inputResponses", Value: text}}
	if required.RequestState != nil {
		state, err := json.Marshal(*required.RequestState)
		if err != nil {
			return nil, err
		}
		more.Set("requestState", state)
	}
	return more, nil
}

// asked is the middleware that passes on the requests of a child with sessions: requests for input, and custom
// ones.
func (ch *Child) asked(e *Endpoint, next transport.MessageFunc) transport.MessageFunc {
	return func(ctx context.Context, r *transport.ServerMessage) (wire.Raw, error) {
		if r.Notification {
			return next(ctx, r)
		}
		custom := mcp.ClientMethod(r.Method) == nil
		switch r.Method {
		case mcp.MethodElicit.Name, mcp.MethodCreateMessage.Name, mcp.MethodListRoots.Name:
		default:
			if !custom {
				return next(ctx, r)
			}
		}
		c, err := ch.concerned(r)
		switch {
		case errors.Is(err, errNoCall):
			return e.askApart(ctx, r)
		case err != nil:
			return nil, err
		case custom:
			return c.Request(ctx, r.Method, encodable(r.Params))
		}
		text, err := json.Marshal(struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params,omitempty"`
		}{r.Method, json.RawMessage(r.Params)})
		if err != nil {
			return nil, err
		}
		request, err := mcp.UnmarshalInputRequest(text)
		if err != nil {
			return nil, err
		}
		response, err := ask(ctx, c, request)
		if err != nil {
			return nil, err
		}
		return wire.Marshal(ch.client.Revision(), response)
	}
}

// concerned returns the call that a request of the child is about: the one that it names, or else the latest, as long as all calls
// are of one session. The wrong person must not be asked, so if they are of several the request fails.
func (ch *Child) concerned(r *transport.ServerMessage) (*server.Call, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	c := ch.namedBy(r)
	if c == nil {
		if len(ch.calls) == 0 {
			return nil, errNoCall
		}
		c = ch.calls[len(ch.calls)-1]
		for _, other := range ch.calls {
			if other.Session() != c.Session() {
				return nil, fmt.Errorf("%d calls of several clients are running, and the request does not say which it is about", len(ch.calls))
			}
		}
	}
	if c.Revision().Since(mcp.Modern) {
		return nil, errors.New("the client of the call takes no requests in its revision: use an older revision with this server")
	}
	return c, nil
}

var errNoCall = errors.New("no call is running")

// rootsTime is how long each of several clients may take to list its roots.
const rootsTime = 5 * time.Second

// askApart handles a request of the child while no call runs. Roots are those of all clients; anything else is for the only client
// that can handle it, and fails if there are several: which one the child means, it does not say.
func (e *Endpoint) askApart(ctx context.Context, r *transport.ServerMessage) (wire.Raw, error) {
	var able []*server.Session
	for session := range e.server.Sessions() {
		if takes(session, r.Method) {
			able = append(able, session)
		}
	}
	switch {
	case r.Method == mcp.MethodListRoots.Name:
		return wire.Marshal(mcp.V2025_11_25, e.allRoots(ctx, able))
	case len(able) == 1:
		return able[0].Request(ctx, r.Method, encodable(r.Params))
	}
	return nil, fmt.Errorf("%w, and %d clients with sessions can handle this request: want exactly one", errNoCall, len(able))
}

// takes reports whether the client of a session can handle requests of a method. A custom method it may know or not.
func takes(session *server.Session, method string) bool {
	able := session.Capabilities()
	switch method {
	case mcp.MethodElicit.Name:
		return able.Elicitation != nil
	case mcp.MethodCreateMessage.Name:
		return able.Sampling != nil
	case mcp.MethodListRoots.Name:
		return able.Roots != nil
	}
	return true
}

// allRoots returns the roots of several clients. A client that does not list its roots counts as having none.
func (e *Endpoint) allRoots(ctx context.Context, sessions []*server.Session) *mcp.ListRootsResult {
	ctx, cancel := context.WithTimeout(ctx, rootsTime)
	defer cancel()
	each := make([]mcp.ListRootsResult, len(sessions))
	var asked sync.WaitGroup
	for i, session := range sessions {
		asked.Go(func() {
			raw, err := session.Request(ctx, mcp.MethodListRoots.Name, nil)
			if err == nil {
				err = wire.Decode(raw, &each[i])
			}
			if err != nil {
				e.logger.Debug("a client does not list its roots", "error", err)
			}
		})
	}
	asked.Wait()
	all := new(mcp.ListRootsResult)
	for _, one := range each {
		for _, root := range one.Roots {
			if !slices.ContainsFunc(all.Roots, func(other mcp.Root) bool { return other.URI == root.URI }) {
				all.Roots = append(all.Roots, root)
			}
		}
	}
	return all
}

// opened notifies a child with a session that there is a new client with roots.
func (e *Endpoint) opened(ctx context.Context, session *server.Session) {
	child := e.serving()
	if child == nil || child.modern() || session.Capabilities().Roots == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, passTime)
	defer cancel()
	if err := child.client.Notify(ctx, &mcp.MethodRootsListChangedNotification, nil); err != nil {
		e.logger.Debug("cannot notify the server of new roots", "error", err)
	}
}

// encodable returns params to be sent, nil if there are none.
func encodable(params wire.Raw) wire.Encodable {
	if params == nil {
		return nil
	}
	return params
}

// namedBy returns the call that a message of the child says it is about, nil if it does not say: over HTTP the call in
// whose response it arrived, and for a task the call that waits for its result. It is called with mu held.
func (ch *Child) namedBy(r *transport.ServerMessage) *server.Call {
	id, _ := r.Of.(wire.ID)
	if c := ch.requests[id]; c != nil {
		return c
	}
	if id := r.Params.StringAt("_meta", mcp.KeyRelatedTask, "taskId"); id != "" {
		for _, c := range slices.Backward(ch.calls) {
			if c.Method() == mcp.MethodGetTaskPayload.Name && c.Params().StringAt("taskId") == id {
				return c
			}
		}
	}
	return nil
}

// ask asks the client of a call, which is of a revision through 2025-11-25.
func ask(ctx context.Context, c *server.Call, request mcp.InputRequest) (mcp.InputResponse, error) {
	switch r := request.(type) {
	case *mcp.ElicitRequest:
		return c.Elicit(ctx, r.Params)
	case *mcp.CreateMessageRequest:
		return c.CreateMessage(ctx, &r.Params)
	case *mcp.ListRootsRequest:
		return c.ListRoots(ctx)
	case *mcp.UnknownInputRequest:
		return nil, fmt.Errorf("the client cannot be asked for %q", r.Method())
	}
	return nil, errors.New("the client cannot be asked for this")
}
