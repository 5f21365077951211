package client

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A FormError says what is wrong with the answers to a form. It names every problem at once.
type FormError = forms.Error

// A FormProblem is one thing that is wrong with the answers to a form.
type FormProblem = forms.Problem

// FormDefaults returns what the properties of a form have as their defaults, to show them to a
// person before the form is filled in. Properties without a default are absent.
func FormDefaults(schema *mcp.ElicitRequestFormParamsRequestedSchema) map[string]wire.Raw {
	return forms.Defaults(schema)
}

// CheckForm checks the answers to a form against the schema that the server asked for: required
// properties, types, limits, formats and choices, and that nothing else is there. The error is a
// *[FormError]. An elicitation handler can use it to ask a person again; the client itself checks
// every answer before it is sent.
func CheckForm(schema *mcp.ElicitRequestFormParamsRequestedSchema, content map[string]wire.Raw) error {
	return forms.Check(schema, content, true)
}
