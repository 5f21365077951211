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
	need := mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{}}
	have := a.call.Capabilities().Elicitation
	able := have != nil && mcp.MethodElicit.Reaches(wire.Client, a.call.rev)
	switch p := p.(type) {
	case nil:
		return nil, errors.New("server: Elicit: want params, got nil")
	case *mcp.ElicitRequestURLParams:
		if u, err := url.Parse(p.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("server: Elicit: want a URL of https or http, got %q", p.URL)
		}
		need.Elicitation.URL = mcp.JSONObject{}
		able = able && have.URL != nil && mcp.HasElicitRequestParams(a.call.rev, p)
	case *mcp.ElicitRequestFormParams:
		// A client that names its modes has no others; one that names none has forms.
		if have != nil && have.Form == nil && have.URL != nil {
			need.Elicitation.Form, able = mcp.JSONObject{}, false
		}
		if err := checkForm(&p.RequestedSchema); err != nil {
			return nil, fmt.Errorf("server: Elicit: %w", err)
		}
	}
	// At 2025-11-25 such a request has an id. A handler that will call ElicitationComplete has chosen one, any other need not
	// know it. P is the handler's, so a copy gets the id.
	if u, ok := p.(*mcp.ElicitRequestURLParams); ok && u.ElicitationID == "" && !a.call.modern() {
		p = new(*u)
		p.(*mcp.ElicitRequestURLParams).ElicitationID = rand.Text()
	}
	r := new(mcp.ElicitResult)
	err := a.request(ctx, inputRequest{
		method: &mcp.MethodElicit, params: p, input: &mcp.ElicitRequest{Params: p},
		able: able, need: need,
		response: r, check: func() error { return checkElicited(p, r) },
	})
	if err != nil {
		return nil, err
	}
	return r, nil
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
	need := mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{}}
	have := a.call.Capabilities().Sampling
	able := have != nil
	if p.Tools != nil || p.ToolChoice != nil {
		need.Sampling.Tools = mcp.JSONObject{}
		able = able && have.Tools != nil && a.call.rev >= mcp.V2025_11_25
	}
	// Before messages are taken apart for older revisions: the rules are about whole ones.
	if err := valid.Sampling(p.Messages); err != nil {
		return nil, fmt.Errorf("server: CreateMessage: %w", err)
	}
	p = a.call.server.degradeSampling(ctx, a.call, p)
	r := new(mcp.CreateMessageResult)
	err := a.request(ctx, inputRequest{
		method: &mcp.MethodCreateMessage, params: p, input: &mcp.CreateMessageRequest{Params: *p},
		able: able, need: need, response: r,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ListRoots asks for the roots under the key of the Asker: see [Call.ListRoots].
//
// Deprecated: Take files and directories as tool arguments or from the server's configuration. SEP-2577 deprecates it since
// 2026-07-28; a revision released on or after 2027-07-28 may lack it.
func (a Asker) ListRoots(ctx context.Context) (*mcp.ListRootsResult, error) {
	p := new(mcp.ListRootsRequestParams)
	r := new(mcp.ListRootsResult)
	err := a.request(ctx, inputRequest{
		method: &mcp.MethodListRoots, params: p, input: &mcp.ListRootsRequest{Params: p},
		able:     a.call.Capabilities().Roots != nil,
		need:     mcp.ClientCapabilities{Roots: &mcp.ClientCapabilitiesRoots{}},
		response: r,
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// An inputRequest is a request for input from the client.
type inputRequest struct {
	method *wire.Method
	params wire.Encodable
	input  mcp.InputRequest // the same, as part of a result

	able bool                   // the client declares what the request needs
	need mcp.ClientCapabilities // what it needs

	response wire.Decodable
	check    func() error // validates the response; may be nil
}

// request stores the response to q in q.response.
//
// REQ CAP-08, JRPC-14, STDIO-16
func (a Asker) request(ctx context.Context, q inputRequest) error {
	c := a.call
	c.server.uses(ctx, q.method)
	if !q.able {
		return &MissingCapabilityError{Required: q.need}
	}
	params, err := wire.MarshalChecked(c.rev, q.params)
	if err != nil {
		return fmt.Errorf("server: %s: %w", q.method.Name, err)
	}
	// Also where no key is needed, so that a key that is used twice fails in every revision.
	key, err := c.input.key(a.key, q.method.Name, params)
	if err != nil {
		return err
	}
	c.notifyWaits(true)
	defer c.notifyWaits(false)
	var raw wire.Raw
	switch {
	case c.background != nil:
		raw, err = c.askBackground(ctx, &InputRequest{Key: key, Method: q.method.Name, Params: params, Input: q.input})
	case c.modern():
		raw, err = c.input.response(key, q, a.key != "")
	default:
		raw, err = c.send(ctx, q, params)
	}
	if err != nil {
		return err
	}
	if err = wire.Decode(raw, q.response); err == nil && q.check != nil {
		err = q.check()
	}
	if err != nil {
		if c.input.requestAgain(key, q) {
			return ErrInputRequired
		}
		err = &InputError{q.method.Name, err}
		c.input.fail(err) // for endInput, whatever the handler makes of the error
	}
	return err
}

// send sends a request of its own and returns its result.
//
// REQ CAP-10
func (c *Call) send(ctx context.Context, q inputRequest, params wire.Raw) (wire.Raw, error) {
	if !c.CanRequest() {
		return nil, ErrCannotAsk
	}
	raw, err := c.server.request(ctx, c.req.Out, c.rev, q.method.Name, params)
	if rpc := (*jsonrpc.Error)(nil); errors.As(err, &rpc) {
		return nil, &InputError{q.method.Name, err}
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
