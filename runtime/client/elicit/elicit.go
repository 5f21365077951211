// Package elicit is for clients whose servers may ask a person to fill in a form, or to visit a URL. The program shows that to
// the person; a [Handler] sees to it that the content is valid against the form, and that a URL can be shown:
//
//	opts := &client.Options{Elicit: elicit.Handler{Form: showForm}}
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.
package elicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Accept returns the result for a form that a person filled in. The content, such as a struct or a map, is encoded
// as a JSON object. It has a member for each property that was filled in, null for one that was left blank on
// purpose.
func Accept(content any) (*mcp.ElicitResult, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var members mcp.JSONObject
	if err := wire.Decode(text, &members); err != nil {
		return nil, fmt.Errorf("elicit: the content of a form: %w", err)
	}
	return &mcp.ElicitResult{Action: mcp.ElicitResultActionAccept, Content: members}, nil
}

// Decline returns the result for a person who said no.
func Decline() *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}
}

// Cancel returns the result for a person who closed the form without a choice.
func Cancel() *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: mcp.ElicitResultActionCancel}
}

// A Handler asks a person by functions of the program, which may be called by several goroutines at once, and must not change
// their arguments. It is for Options.Elicit of package client, which declares the modes that there are functions for.
type Handler struct {
	// Form shows a form to a person and returns the result: see [Accept], [Decline] and [Cancel]. The Handler adds the
	// defaults of absent properties, removes properties that are null, and checks the content as [Check] does; if it does
	// not validate, the server receives an error.
	Form func(ctx context.Context, params *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error)

	// URL asks a person to visit a URL and returns whether they consent, not whether they have visited it. It must show the
	// whole URL and which server asks, and must not open the URL without consent.
	//
	// The Handler refuses a URL that is not of https or http, has a user name, a password or invisible characters, has a
	// host that is not ASCII (bücher.example is xn--bcher-kva.example), or leads to a link-local or multicast address, or
	// to an IPv6 address that embeds one of IPv4. Loopback and private addresses, and hosts that look like others, are left
	// to URL.
	URL func(ctx context.Context, params *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error)
}

// Modes returns which modes there are functions for.
func (h Handler) Modes() (form, url bool) { return h.Form != nil, h.URL != nil }

// Elicit handles a request of a server in a revision.
func (h Handler) Elicit(ctx context.Context, rev wire.Revision, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	if h.Form == nil && h.URL == nil {
		return nil, wire.ErrUnknownMethod
	}
	// The specification wants the code for invalid params if the client has not declared the mode.
	switch p := params.(type) {
	case *mcp.ElicitRequestFormParams:
		if h.Form == nil {
			return nil, invalidParams("the client did not declare elicitation by forms")
		}
		return h.form(ctx, rev, p)
	case *mcp.ElicitRequestURLParams:
		if h.URL == nil {
			return nil, invalidParams("the client did not declare elicitation by URLs")
		}
		if err := checkVisit(p.URL); err != nil {
			return nil, invalidParams(fmt.Sprintf("elicitation: %q %v", excerpt.Of(p.URL), err))
		}
		action, err := h.URL(ctx, p)
		if err != nil {
			return nil, err
		}
		return checkAction(&mcp.ElicitResult{Action: action})
	case *mcp.UnknownElicitRequestParams:
		return nil, invalidParams(fmt.Sprintf("unknown mode of elicitation: %q", excerpt.Of(p.Mode())))
	}
	return nil, wire.ErrUnknownMethod
}

// invalidParams returns the error for a request whose params the protocol does not allow.
func invalidParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// form shows a form, and completes and checks what a person has filled in. Content is sent only if it was accepted, whatever
// Form returns: what a person has not agreed to send stays here.
func (h Handler) form(ctx context.Context, rev wire.Revision, p *mcp.ElicitRequestFormParams) (mcp.ElicitResponse, error) {
	r, err := h.Form(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("the elicitation handler returned no result")
	}
	result := *r // r is the program's
	result.Content = nil
	if r.Action == mcp.ElicitResultActionAccept {
		result.Content = forms.Complete(&p.RequestedSchema, r.Content)
		if err := Check(&p.RequestedSchema, result.Content); err != nil {
			return nil, err
		}
		if err := checkKinds(rev, result.Content); err != nil {
			return nil, err
		}
	}
	return checkAction(&result)
}

// checkKinds checks that values have types that the revision allows, whatever the schema of the form says.
func checkKinds(rev wire.Revision, content map[string]wire.Raw) error {
	lists := mcp.HasPrimitiveSchemaDefinition(rev, (*mcp.UntitledMultiSelectEnumSchema)(nil)) // since 2025-11-25
	want := "string, number or boolean"
	if lists {
		want = "string, number, boolean or a list of strings"
	}
	var problems []FormProblem
	for _, name := range slices.Sorted(maps.Keys(content)) {
		switch kind := content[name].Kind(); {
		case kind == wire.KindString, kind == wire.KindNumber, kind == wire.KindBool:
		case kind == wire.KindArray && lists && json.Unmarshal(content[name], new([]string)) == nil:
		default:
			problems = append(problems, FormProblem{Field: name, Msg: fmt.Sprintf("want %s, got %s", want, kind)})
		}
	}
	if problems != nil {
		return &FormError{Problems: problems}
	}
	return nil
}

// checkAction checks that an action is one of the protocol.
func checkAction(r *mcp.ElicitResult) (mcp.ElicitResponse, error) {
	if !r.Action.Valid() {
		return nil, fmt.Errorf("the elicitation handler returned the action %q, want accept, decline or cancel", r.Action)
	}
	return r, nil
}
