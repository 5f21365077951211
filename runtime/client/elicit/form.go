package elicit

// The content of a form is checked before it is sent, and the same checks are there for programs that let a person correct a
// form. The types are those of package forms, which the server shares, with names of their own here, since a program sees no
// internal package.
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

// Defaults returns the defaults of a form's properties, by name, for a form that is shown with its
// defaults filled in. Properties without one are absent.
func Defaults(schema *mcp.ElicitRequestFormParamsRequestedSchema) map[string]wire.Raw {
	return forms.Defaults(schema)
}

// Check validates the content of a form against its schema: required properties, types, limits, formats and
// choices. Other properties are not allowed. The error is a *[FormError]. A [Handler] checks what its
// Form returns, which can use Check itself to let a person correct the content.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.
func Check(schema *mcp.ElicitRequestFormParamsRequestedSchema, content map[string]wire.Raw) error {
	var problems []FormProblem
	for _, p := range forms.Check(schema, content, true) {
		problems = append(problems, FormProblem(p))
	}
	if problems == nil {
		return nil
	}
	return &FormError{problems}
}
