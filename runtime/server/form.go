package server

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
)

// checkForm checks that a form can be filled in.
func checkForm(schema *mcp.ElicitRequestFormParamsRequestedSchema) error {
	// REQ ELIC-06
	for _, name := range schema.Required {
		if _, ok := schema.Properties.Get(name); !ok {
			return fmt.Errorf("the form requires %q, which is not one of its properties", name)
		}
	}
	return nil
}

// checkElicited validates the response to an elicitation, and completes the content of an accepted one.
// Members that are not in the form are kept: they do no harm.
func checkElicited(p mcp.ElicitRequestParams, r *mcp.ElicitResult) error {
	if !r.Action.Valid() {
		return fmt.Errorf("action: want accept, decline or cancel, got %q", excerpt.Of(string(r.Action)))
	}
	asked, ok := p.(*mcp.ElicitRequestFormParams)
	// REQ ELIC-12
	if r.Action != mcp.ElicitResultActionAccept || !ok {
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
