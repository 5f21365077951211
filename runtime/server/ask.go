package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A request for input takes one of three ways to the client, and the handler need not know which. Through 2025-11-25 the server
// sends it, and the handler waits for the response. Since 2026-07-28 it is part of the result, and the response comes with the
// retry (input.go). In a call that outlives its request the Background asks, and the handler waits, in every revision.
//
// The request is checked against what the client declares, and the response against the request.

// An Asker asks the client for input in the middle of a call. It has the methods of [Call], and a key that
// identifies the request when the handler runs again; see [Call.WithKey].
type Asker struct {
	call *Call
	key  string // of WithKey; empty without one
}

// WithKey returns an Asker for one request under a key of the handler's choice. Without a key, a request is
// identified by its params, and by how many equal ones came before it in the call. If they differ from one run of
// the handler to the next, such as by a fresh id in a URL, the call fails with an error that says so.
func (c *Call) WithKey(key string) Asker { return Asker{c, key} }

// Elicit asks the user for input: by a form, with *[mcp.ElicitRequestFormParams], or by a visit to a URL,
// with *[mcp.ElicitRequestURLParams]. The user may decline or cancel, as the action of the result says.
// Accepted content is valid for the form, and has the form's defaults for what the user left out.
//
// Through 2025-11-25 Elicit sends a request and waits for its response. Since 2026-07-28 the response comes
// with a retry of the call: the first time, Elicit returns [ErrInputRequired], the handler returns, and the
// client asks the user; then the handler runs again from its start, and Elicit returns the response. What
// the handler does before must be repeatable, or be done by [Call.Once]. In a call that
// outlives its request, Elicit always waits.
//
// The error is a *[MissingCapabilityError] if the client does not support the request, and an *[InputError]
// if its response is not valid.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation and, for retries,
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
func (c *Call) Elicit(ctx context.Context, p mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
	return Asker{call: c}.Elicit(ctx, p)
}

// CreateMessage asks for a message by the client's language model. The response comes as that of
// [Call.Elicit] does.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
//
// Deprecated: Servers should call a model provider themselves. SEP-2577 deprecates it since 2026-07-28; a revision released on
// or after 2027-07-28 may lack it.
func (c *Call) CreateMessage(ctx context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	return Asker{call: c}.CreateMessage(ctx, p)
}

// ListRoots asks for the client's roots. The response comes as that of [Call.Elicit] does.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/roots
//
// Deprecated: Take files and directories as tool arguments or from the server's configuration. SEP-2577 deprecates it since
// 2026-07-28; a revision released on or after 2027-07-28 may lack it.
func (c *Call) ListRoots(ctx context.Context) (*mcp.ListRootsResult, error) {
	return Asker{call: c}.ListRoots(ctx)
}

// Elicit asks the user for input under the key of the Asker: see [Call.Elicit].
//
// REQ ELIC-02, MRTR-04, ELIC-06
func (a Asker) Elicit(ctx context.Context, p mcp.ElicitRequestParams) (*mcp.ElicitResult, error) {
	needs := ableForm
	switch u := p.(type) {
	case nil:
		return nil, errors.New("server: Elicit: want params, got nil")
	case *mcp.ElicitRequestURLParams:
		if at, err := url.Parse(u.URL); err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
			return nil, fmt.Errorf("server: Elicit: want a URL of https or http, got %q", u.URL)
		}
		needs = ableURL
		// At 2025-11-25 such a request has an id. A handler that will call ElicitationComplete has chosen one, any other need
		// not know it. The params are the handler's, so a copy gets the id.
		if u.ElicitationID == "" && !a.call.modern() {
			u = new(*u)
			u.ElicitationID = rand.Text()
			p = u
		}
	case *mcp.ElicitRequestFormParams:
		if err := checkForm(&u.RequestedSchema); err != nil {
			return nil, fmt.Errorf("server: Elicit: %w", err)
		}
	}
	r, err := a.request(ctx, &mcp.ElicitRequest{Params: p}, needs)
	if err != nil {
		return nil, err
	}
	return r.(*mcp.ElicitResult), nil
}

// CreateMessage asks for a message under the key of the Asker: see [Call.CreateMessage].
//
// Deprecated: Servers should call a model provider themselves. SEP-2577 deprecates it since 2026-07-28; a revision released on
// or after 2027-07-28 may lack it.
//
// REQ MRTR-04, SAMP-09, SAMP-12, SAMP-13
func (a Asker) CreateMessage(ctx context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	if p == nil {
		return nil, errors.New("server: CreateMessage: want params, got nil")
	}
	needs := ableSampling
	if p.Tools != nil || p.ToolChoice != nil {
		needs = ableSamplingTools
	}
	// Before messages are taken apart for older revisions: the rules are about whole ones.
	if err := valid.Sampling(p.Messages); err != nil {
		return nil, fmt.Errorf("server: CreateMessage: %w", err)
	}
	p = a.call.server.degradeSampling(ctx, a.call, p)
	r, err := a.request(ctx, &mcp.CreateMessageRequest{Params: *p}, needs)
	if err != nil {
		return nil, err
	}
	return r.(*mcp.CreateMessageResult), nil
}

// ListRoots asks for the roots under the key of the Asker: see [Call.ListRoots].
//
// Deprecated: Take files and directories as tool arguments or from the server's configuration. SEP-2577 deprecates it since
// 2026-07-28; a revision released on or after 2027-07-28 may lack it.
func (a Asker) ListRoots(ctx context.Context) (*mcp.ListRootsResult, error) {
	r, err := a.request(ctx, &mcp.ListRootsRequest{Params: new(mcp.ListRootsRequestParams)}, ableRoots)
	if err != nil {
		return nil, err
	}
	return r.(*mcp.ListRootsResult), nil
}

// methodOf returns the method and the params of a request for input, and a value for its response. They are nil if this
// package does not know it.
func methodOf(q mcp.InputRequest) (m *wire.Method, params wire.Encodable, response wire.Decodable) {
	switch q := q.(type) {
	case *mcp.ElicitRequest:
		return &mcp.MethodElicit, q.Params, new(mcp.ElicitResult)
	case *mcp.CreateMessageRequest:
		return &mcp.MethodCreateMessage, &q.Params, new(mcp.CreateMessageResult)
	case *mcp.ListRootsRequest:
		return &mcp.MethodListRoots, q.Params, new(mcp.ListRootsResult)
	}
	return nil, nil, nil
}

// request returns the response to q, which needs these abilities of the client.
//
// REQ CAP-08, JRPC-14, STDIO-16
func (a Asker) request(ctx context.Context, q mcp.InputRequest, needs abilities) (wire.Decodable, error) {
	c := a.call
	m, p, _ := methodOf(q)
	c.server.uses(ctx, m)
	if err := c.lacks(needs); err != nil {
		return nil, err
	}
	params, err := wire.MarshalChecked(c.rev, p)
	if err != nil {
		return nil, fmt.Errorf("server: %s: %w", m.Name, err)
	}
	// Also where no key is needed, so that a key that is used twice fails in every revision.
	key, err := c.input.key(a.key, m.Name, params)
	if err != nil {
		return nil, err
	}
	c.notifyWaits(true)
	defer c.notifyWaits(false)
	var raw wire.Raw
	switch {
	case c.background != nil:
		raw, err = c.askBackground(ctx, &InputRequest{Key: key, Method: m.Name, Params: params, Input: q})
	case c.modern():
		raw, err = c.input.response(key, q, a.key != "")
	default:
		raw, err = c.send(ctx, m.Name, params)
	}
	if err != nil {
		return nil, err
	}
	response, err := decodeInput(q, raw)
	if err != nil {
		if c.input.requestAgain(key, q) {
			return nil, ErrInputRequired
		}
		c.input.fail(err) // for endInput, whatever the handler makes of the error
		return nil, err
	}
	return response, nil
}

// decodeInput returns the response to a request for input, or an *[InputError].
func decodeInput(q mcp.InputRequest, raw wire.Raw) (wire.Decodable, error) {
	m, _, response := methodOf(q)
	if m == nil {
		return nil, nil // whoever asked knows what it is
	}
	err := wire.Decode(raw, response)
	if e, ok := q.(*mcp.ElicitRequest); ok && err == nil {
		err = checkElicited(e.Params, response.(*mcp.ElicitResult))
	}
	if err != nil {
		return nil, &InputError{m.Name, err}
	}
	return response, nil
}

// CheckInput returns an *[InputError] if raw is not a valid response to a request for input.
func CheckInput(asked mcp.InputRequest, raw wire.Raw) error {
	_, err := decodeInput(asked, raw)
	return err
}

// send sends a request of its own and returns its result.
//
// REQ CAP-10
func (c *Call) send(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	if !c.CanRequest() {
		return nil, ErrCannotAsk
	}
	raw, err := c.server.request(ctx, c.req.Out, c.rev, method, params)
	if rpc := (*jsonrpc.Error)(nil); errors.As(err, &rpc) {
		return nil, &InputError{method, err}
	}
	return raw, err
}

// checkForm checks that a form can be filled in.
//
// REQ ELIC-06
func checkForm(schema *mcp.ElicitRequestFormParamsRequestedSchema) error {
	for _, name := range schema.Required {
		if _, ok := schema.Properties.Get(name); !ok {
			return fmt.Errorf("the form requires %q, which is not one of its properties", name)
		}
	}
	return nil
}

// checkElicited validates the response to an elicitation, and completes the content of an accepted one.
// Members that are not in the form are kept: they do no harm.
//
// REQ ELIC-12
func checkElicited(p mcp.ElicitRequestParams, r *mcp.ElicitResult) error {
	if !r.Action.Valid() {
		return fmt.Errorf("action: want accept, decline or cancel, got %q", excerpt.Of(string(r.Action)))
	}
	asked, ok := p.(*mcp.ElicitRequestFormParams)
	if r.Action != mcp.ElicitResultActionAccept || !ok {
		// Content of a mode that this package does not know is the handler's to judge.
		if _, other := p.(*mcp.UnknownElicitRequestParams); !other {
			r.Content = nil // such a response has none
		}
		return nil
	}
	r.Content = forms.Complete(&asked.RequestedSchema, r.Content)
	if problems := forms.Check(&asked.RequestedSchema, r.Content, false); problems != nil {
		return errors.New(forms.ErrorText(problems))
	}
	return nil
}
