package client

// The client checks the content of a form before it sends it, and the same checks are there for programs that let a person
// correct a form. The types are those of package forms, which the server shares, with names of their own here, since a
// program sees no internal package.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A FormError says that the content of a form does not validate against its schema. Its text lists the
// first 20 problems.
type FormError struct {
	Problems []FormProblem
}

// A FormProblem is one thing that is wrong with the content of a form.
type FormProblem struct {
	Field string // the name of the property
	Msg   string // for people: "want at least 3 characters, got 2"
}

func (e *FormError) Error() string { return forms.ErrorText(e.Problems) }

// FormDefaults returns the defaults of a form's properties, by name, for a form that is shown with its
// defaults filled in. Properties without one are absent.
func FormDefaults(schema *mcp.ElicitRequestFormParamsRequestedSchema) map[string]wire.Raw {
	return forms.Defaults(schema)
}

// CheckForm validates the content of a form against its schema: required properties, types, limits, formats and
// choices. Other properties are not allowed. The error is a *[FormError]. The client checks what [Options.Elicit]
// returns; the handler itself can use CheckForm to let a person correct the content.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.
func CheckForm(schema *mcp.ElicitRequestFormParamsRequestedSchema, content map[string]wire.Raw) error {
	var problems []FormProblem
	for _, p := range forms.Check(schema, content, true) {
		problems = append(problems, FormProblem(p))
	}
	if problems == nil {
		return nil
	}
	return &FormError{problems}
}
