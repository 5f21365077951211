package client

// A server asks a person to fill in a form, or to visit a URL. The program shows that to the person; the client sees to
// it that the content is valid against the form, and that a URL can be shown.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.

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
		return nil, fmt.Errorf("client: the content of a form: %w", err)
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

// Elicit handles elicitation/create with the handlers of the options.
func (h *builtin) Elicit(ctx context.Context, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	c := h.client
	if c.opts.Elicit == nil && c.opts.ElicitURL == nil {
		return nil, wire.ErrUnknownMethod
	}
	// The specification wants the code for invalid params if the client has not declared the mode.
	switch p := params.(type) {
	case *mcp.ElicitRequestFormParams:
		if c.opts.Elicit == nil {
			return nil, invalidParams("the client did not declare elicitation by forms")
		}
		return c.elicitForm(ctx, p)
	case *mcp.ElicitRequestURLParams:
		if c.opts.ElicitURL == nil {
			return nil, invalidParams("the client did not declare elicitation by URLs")
		}
		if err := checkVisit(p.URL); err != nil {
			return nil, invalidParams(fmt.Sprintf("elicitation: %q %v", excerpt.Of(p.URL), err))
		}
		action, err := c.opts.ElicitURL(ctx, p)
		if err != nil {
			return nil, err
		}
		return checkAction(&mcp.ElicitResult{Action: action})
	case *mcp.UnknownElicitRequestParams:
		return nil, invalidParams(fmt.Sprintf("unknown mode of elicitation: %q", excerpt.Of(p.Mode())))
	}
	return nil, wire.ErrUnknownMethod
}

// elicitForm shows a form by the handler of the options, and completes and checks what a person has filled in. Content is
// sent only if it was accepted, whatever the handler returns: what a person has not agreed to send stays here.
func (c *Client) elicitForm(ctx context.Context, p *mcp.ElicitRequestFormParams) (mcp.ElicitResponse, error) {
	r, err := c.opts.Elicit(ctx, p)
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
		if err := CheckForm(&p.RequestedSchema, result.Content); err != nil {
			return nil, err
		}
		if err := c.checkKinds(result.Content); err != nil {
			return nil, err
		}
	}
	return checkAction(&result)
}

// checkKinds checks that values have types that the revision allows, whatever the schema of the form says.
func (c *Client) checkKinds(content map[string]wire.Raw) error {
	lists := mcp.HasPrimitiveSchemaDefinition(c.Revision(), (*mcp.UntitledMultiSelectEnumSchema)(nil)) // since 2025-11-25
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
