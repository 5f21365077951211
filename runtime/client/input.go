package client

// Since 2026-07-28 a server asks for input in the result of a request. The client handles what it asks for, and sends the
// request again with the responses and the state of the server, at most so often. The goroutine of the call does all that.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr.

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MaxRounds is how often a server may ask for input during one call. Then the call fails with a *[RoundsError].
const MaxRounds = 10

// request sends a request of a modern revision, and retries it with the input that the server asks for. Each retry is a
// request with an id of its own, and has the params of the caller, not those of the previous try: responses and state are
// for one retry. Input is handled one request after another, since a person can look at one form at a time.
//
// A server may also refuse a call of a tool because a header is missing. The tools are then listed again, once, and the
// call is sent again if that has changed which headers it needs.
//
// REQ MRTR-10
func (c *Client) request(ctx context.Context, m *wire.Method, params wire.Encodable, a *response) error {
	a.client, a.method, a.manual = c, m, ctx.Value(manualKey{}) != nil
	next := params
	relisted := false
	for {
		// For each try anew: the log level may have changed since the last one.
		sent, err := withMeta(m, next, c.meta.Load())
		if err != nil {
			return err
		}
		a.input = nil
		opts, tool := c.mirrored(m, sent, callOptions(ctx))
		err = c.send(ctx, m.Name, sent, a, opts)
		// The server has not handled the request, so it may be sent again, with the same input.
		if tool != "" && !relisted && errors.Is(err, errHeaderMismatch) {
			if relisted = true; c.relist(ctx, tool) {
				continue
			}
		}
		if err != nil {
			return err
		}
		if a.err != nil || a.input == nil {
			return a.err
		}
		if a.rounds == MaxRounds {
			return &RoundsError{m.Name, a.rounds}
		}
		a.rounds++
		if next, err = c.withInput(ctx, m, params, a.input); err != nil {
			return err
		}
	}
}

// withInput handles the requests of an input-required result, one after another, and returns the params
// with which the request is retried: the original ones, with the input responses and the request state.
func (c *Client) withInput(ctx context.Context, m *wire.Method, params wire.Encodable, required *mcp.InputRequiredResult) (wire.Encodable, error) {
	responses, err := c.HandleInput(ctx, m, required.InputRequests)
	if err != nil {
		return nil, err
	}
	return withResponses(m, params, responses, required.RequestState)
}

// HandleInput handles requests for input during a call of a method by the handlers of [Options], one after another, and
// returns the responses by the keys of the requests. The error is an *[InputError]. Calls do that by themselves; it is
// for requests that arrive in another way than in an input-required result.
//
// REQ MRTR-06
func (c *Client) HandleInput(ctx context.Context, m *wire.Method, requests mcp.InputRequests) (mcp.InputResponses, error) {
	var responses mcp.InputResponses
	// A map has no order. Sorted by key, requests that are repeated come in the same one.
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		response, err := c.input(ctx, requests[key])
		if err != nil {
			return nil, &InputError{m.Name, key, methodOf(requests[key]), err}
		}
		if responses == nil {
			responses = mcp.InputResponses{}
		}
		responses[key] = response
	}
	return responses, nil
}

type manualKey struct{}

// WithManualInput returns a context with which a call returns an input-required result, for a caller that handles it and
// then makes the call again, with InputResponses and RequestState in its params. The handlers of [Options] are not called.
// The type of the result must have room for it, as those of these methods of [mcp.ServerCalls]:
//
//	calls := mcp.ServerCalls{Caller: c}
//	response, err := calls.CallToolResponse(client.WithManualInput(ctx), params)
func WithManualInput(ctx context.Context) context.Context {
	return context.WithValue(ctx, manualKey{}, true)
}

// withResponses returns a copy of params with input responses and request state. Params of every method that may ask have
// fields for them, which are found by reflection, so that new methods need no code here.
//
// REQ MRTR-06, MRTR-08
func withResponses(m *wire.Method, params wire.Encodable, responses mcp.InputResponses, state *string) (wire.Encodable, error) {
	again := shallow(params)
	// Such as a wire.Raw, or a type of the program: the generated params of the method have the fields.
	if !again.IsValid() || !again.FieldByName("RequestState").IsValid() {
		typed := m.NewParams()
		if err := recode(params, typed); err != nil {
			return nil, err
		}
		again = shallow(typed)
	}
	again.FieldByName("InputResponses").Set(reflect.ValueOf(responses))
	again.FieldByName("RequestState").Set(reflect.ValueOf(state))
	return again.Addr().Interface().(wire.Encodable), nil
}

// recode decodes params of any type, such as a wire.Raw, as those of a method.
func recode(params wire.Encodable, as wire.Decodable) error {
	text, err := wire.Marshal(wire.Any, params)
	if err != nil {
		return err
	}
	return wire.DecodeAlias(text, as)
}

// methodOf returns the method of a request for input.
func methodOf(request mcp.InputRequest) string {
	switch r := request.(type) {
	case *mcp.CreateMessageRequest:
		return mcp.MethodCreateMessage.Name
	case *mcp.ListRootsRequest:
		return mcp.MethodListRoots.Name
	case *mcp.ElicitRequest:
		return mcp.MethodElicit.Name
	case *mcp.UnknownInputRequest:
		return r.Method()
	}
	return ""
}

// input handles a request inside an input-required result as it would any other request of the server: the observer and
// the middleware see it, and its result is decoded as a response to the request that it is for.
func (c *Client) input(ctx context.Context, request mcp.InputRequest) (_ mcp.InputResponse, err error) {
	method := methodOf(request)
	if c.opts.Observer != nil {
		var end func(error)
		ctx, end = c.observeIncoming(ctx, &observe.Operation{Kind: observe.Request, Method: method})
		defer func() { end(err) }()
	}
	// Middleware sees the text of params, as of any request, so a request that was decoded with its result is encoded again.
	text, err := wire.Marshal(c.Revision(), request)
	if err != nil {
		return nil, err
	}
	var members mcp.JSONObject
	if err := wire.Decode(text, &members); err != nil {
		return nil, err
	}
	result, err := c.receive(ctx, &transport.ServerMessage{Method: method, Params: members["params"]})
	if err != nil {
		return nil, err
	}
	if len(result) == 0 {
		result = wire.Raw("{}")
	}
	response := wire.Box[mcp.InputResponse]{From: func(d *wire.Decoder) mcp.InputResponse {
		return mcp.DecodeInputResponseTo(request, d)
	}}
	if err := wire.Decode(result, &response); err != nil {
		return nil, err
	}
	return response.Value, nil
}

// inputRequested handles a request for input that has come through the middleware, which may have changed its params.
func (c *Client) inputRequested(ctx context.Context, method string, params wire.Raw) (wire.Encodable, error) {
	// What is decoded is an object of method and params, so such an object is made of them again.
	text := wire.AppendString([]byte(`{"method":`), method)
	if params != nil {
		text = append(append(text, `,"params":`...), params...)
	}
	request, err := mcp.UnmarshalInputRequest(append(text, '}'))
	if err != nil {
		return nil, err
	}
	return c.dispatcher.Input(ctx, request)
}
