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
// through 2025-11-25 the result becomes requests. A child of such a revision sends requests, which do not say to
// which call they belong; they are passed on if there is only one.

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
		c, err := ch.only()
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

// only returns the one call that is at work.
func (ch *Child) only() (*server.Call, error) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if len(ch.calls) != 1 {
		return nil, fmt.Errorf("want one call at work, to know whom to ask, got %d", len(ch.calls))
	}
	for c := range ch.calls {
		if c.Revision().Since(mcp.V2026_07_28) {
			return nil, errors.New("the client of the call takes no requests in its revision: use an older one for this server")
		}
		return c, nil
	}
	return nil, nil
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
