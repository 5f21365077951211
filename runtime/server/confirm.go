package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// ErrNotConfirmed is the error of [Call.Confirm] if the user did not agree, or could not be asked.
var ErrNotConfirmed = errors.New("not confirmed")

// Confirm asks the user a question, by a form without fields, and returns nil if the user accepts. The error is
// [ErrNotConfirmed] if the user declined ([ErrDeclined]) or cancelled ([ErrCancelled]), or the client cannot ask;
// other errors are those of [Call.Elicit], which says when the question is asked. A handler returns the error:
//
//	if err := c.Confirm(ctx, "Delete "+server.Shown(name)+"?"); err != nil {
//		return nil, err
//	}
func (c *Call) Confirm(ctx context.Context, question string) error {
	r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: question})
	switch _, unable := errors.AsType[*MissingCapabilityError](err); {
	case unable, errors.Is(err, ErrCannotAsk):
		return fmt.Errorf("%w: a person must confirm this, and this client cannot ask them: it does not support elicitation", ErrNotConfirmed)
	case err != nil:
		return err
	case r.Action == mcp.ElicitResultActionAccept:
		return nil
	case r.Action == mcp.ElicitResultActionDecline:
		return fmt.Errorf("%w: %w", ErrNotConfirmed, ErrDeclined)
	}
	return fmt.Errorf("%w: %w", ErrNotConfirmed, ErrCancelled)
}

// Shown formats a value for a question: it follows pointers, writes nil as "none", removes the control characters
// of text, and shortens it, so that the text cannot pretend to be part of the question.
func Shown(value any) string {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		if _, ok := v.Interface().(fmt.Stringer); ok {
			break
		}
		v = v.Elem()
	}
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "none"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, excerpt.Of(fmt.Sprint(v.Interface())))
}
