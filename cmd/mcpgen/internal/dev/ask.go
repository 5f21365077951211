package dev

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A child asks for input by a result, which a client of its era receives as it is. For a client of a revision
// through 2025-11-25 the result becomes requests. A child of such a revision sends requests, which say to which call
// they belong over HTTP, and for tasks; others are about any call of the only client that has calls at work.

// withInput asks the client of a call for the input that a result requires, and returns the params of the retry.
func (ch *Child) withInput(ctx context.Context, c *server.Call, required *mcp.InputRequiredResult) (*mcp.RequestParams, error) {
	responses := mcp.InputResponses{}
	for _, key := range slices.Sorted(maps.Keys(required.InputRequests)) {
		response, err := ask(ctx, c, required.InputRequests[key])
		if err != nil {
			return nil, err
		}
		responses[key] = response
	}
	params, err := ch.params(c)
	if err != nil {
		return nil, err
	}
	text, err := wire.Marshal(wire.Any, &responses)
	if err != nil {
		return nil, err
	}
	params.Extra.Set("inputResponses", text)
	if required.RequestState != nil {
		state, err := json.Marshal(*required.RequestState)
		if err != nil {
			return nil, err
		}
		params.Extra.Set("requestState", state)
	}
	return params, nil
}

// asked is the middleware that passes on what a child of a revision with sessions requests.
func (ch *Child) asked(next client.Handler) client.Handler {
	return func(ctx context.Context, r *client.Request) (wire.Encodable, error) {
		switch r.Method {
		case mcp.MethodElicit.Name, mcp.MethodCreateMessage.Name, mcp.MethodListRoots.Name:
		default:
			return next(ctx, r)
		}
		c, err := ch.concerned(r)
		if err != nil {
			return nil, err
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
		return ask(ctx, c, request)
	}
}

// concerned returns the call that a request of the child is about.
func (ch *Child) concerned(r *client.Request) (*server.Call, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	c := ch.namedBy(r)
	if c == nil {
		if len(ch.calls) == 0 {
			return nil, errors.New("no call is at work, so that nobody can be asked")
		}
		c = ch.calls[len(ch.calls)-1]
		for _, other := range ch.calls {
			if other != c && (c.Session() == nil || other.Session() != c.Session()) {
				return nil, fmt.Errorf("%d calls of several clients are at work, and the request does not say which it is about", len(ch.calls))
			}
		}
	}
	if c.Revision().Since(mcp.V2026_07_28) {
		return nil, errors.New("the client of the call takes no requests in its revision: use an older one for this server")
	}
	return c, nil
}

// namedBy returns the call that a message of the child says it is about, nil if it does not say: over HTTP the one in
// whose response it came, and for a task the one that waits for its result. It is called with mu.
func (ch *Child) namedBy(r *client.Request) *server.Call {
	if c := ch.requests[r.About]; c != nil {
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
