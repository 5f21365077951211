// Package ask asks the user of a tool for what the tool needs, by the elicitation of package server: [Form] asks for a
// struct, and [Confirm] whether to go on.
//
// Both take what requests the input: a *[server.Call], or what [server.Call.WithKey] returns. What happens then, since
// 2026-07-28 and before, is said at [server.Call.Elicit].
package ask

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	// ErrDeclined is the error of [Form] if the user declines the form.
	ErrDeclined = errors.New("the user declined")

	// ErrCancelled is the error of [Form] if the user closes the form without a decision.
	ErrCancelled = errors.New("the user cancelled")
)

// An Elicitor asks the user for input: a *[server.Call], or what [server.Call.WithKey] returns.
type Elicitor interface {
	Elicit(ctx context.Context, p mcp.ElicitRequestParams) (*mcp.ElicitResult, error)
}

// Form asks the user to fill in a form, whose fields are those of the struct T, and returns what was entered:
//
//	type Guest struct {
//		Name  string    `json:"name" jsonschema:"as in the passport"`
//		Room  string    `json:"room" form:"enum=single,double default=single"`
//		Until time.Time `json:"until" form:"format=date title='Last night'"`
//	}
//
//	guest, err := ask.Form[Guest](ctx, call, "Who is coming?")
//
// The error is [ErrDeclined] or [ErrCancelled] if the user does not accept; a handler that returns it tells the
// model so. Other errors are those of [server.Call.Elicit]. Form[struct{}] asks for consent alone.
//
// Fields are texts, numbers, booleans, times, types that decode text, and slices of texts with an enum, from which
// the user may choose several. Their names are those in their json tags. A field is required unless it is a
// pointer, has omitempty or omitzero in its json tag, or optional or a default in its form tag. The tag jsonschema
// is the description, and the tag form has, with blanks between them:
//
//	title='Full name'            what the user sees in place of the name
//	enum=red,'dark green',blue   the choices
//	default=red                  what is entered if the user enters nothing
//	min=1 max=9                  bounds of a number
//	minlen=1 maxlen=80           bounds of the length of a text, or of how many are chosen
//	format=email                 or uri, date, date-time
//	optional                     the user may leave it out
//
// If the package of T has annotated functions, mcpgen generates the form of T: doc comments become descriptions,
// the constants of a type choices, and mistakes errors of go generate.
func Form[T any](ctx context.Context, by Elicitor, message string) (T, error) {
	var none T
	f, err := formOf(none)
	if err != nil {
		return none, fmt.Errorf("ask: Form: %w", err)
	}
	r, err := by.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: message, RequestedSchema: f.schema})
	if err != nil {
		return none, err
	}
	if err := refusal(r); err != nil {
		return none, err
	}
	v, err := f.read(r.Content)
	if err != nil {
		return none, &server.InputError{Method: mcp.MethodElicit.Name, Err: err}
	}
	return v, nil
}

// refusal returns the error for a user who did not accept.
func refusal(r *mcp.ElicitResult) error {
	switch r.Action {
	case mcp.ElicitResultActionAccept:
		return nil
	case mcp.ElicitResultActionDecline:
		return ErrDeclined
	}
	return ErrCancelled
}

// A form asks for a T.
type form[T any] struct {
	schema forms.Schema
	read   func(content map[string]wire.Raw) (T, error) // which is valid
}

// formOf returns the form of a type: the generated one, if there is one, or one made by reflection.
func formOf[T any](v T) (*form[T], error) {
	if made, ok := any(v).(interface{ MCPForm() args.Form[T] }); ok {
		return generated(made.MCPForm())
	}
	made, err := structOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	return &form[T]{made.schema, func(content map[string]wire.Raw) (T, error) {
		var v T
		err := made.decode(content, reflect.ValueOf(&v).Elem())
		return v, err
	}}, nil
}

// generated returns a form that was generated.
func generated[T any](made args.Form[T]) (*form[T], error) {
	f := new(form[T])
	if err := wire.Decode(wire.Raw(made.Schema), &f.schema); err != nil {
		return nil, err
	}
	f.read = func(content map[string]wire.Raw) (T, error) {
		known := make(map[string]wire.Raw) // what is not in the form does no harm
		for _, p := range f.schema.Properties {
			if value, ok := content[p.Name]; ok {
				known[p.Name] = value
			}
		}
		raw, err := wire.MarshalFunc(wire.Any, &known, func(v *map[string]wire.Raw, e *wire.Encoder) { e.Raws(*v) })
		if err != nil {
			var none T
			return none, err
		}
		v, err := made.Read(args.New(raw, false))
		if err != nil {
			err = fmt.Errorf("form: %w", err)
		}
		return v, err
	}
	return f, nil
}
