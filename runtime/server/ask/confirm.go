package ask

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// ErrNotConfirmed is the error of [Confirm] if the user did not agree, or could not be asked.
var ErrNotConfirmed = errors.New("not confirmed")

// Confirm asks the user whether to go on, by a form without fields, and returns nil if the user accepts. The error is
// [ErrNotConfirmed] if the user declined ([ErrDeclined]) or cancelled ([ErrCancelled]), or the client cannot ask;
// other errors are those of [server.Call.Elicit]. A handler returns the error:
//
//	if err := ask.Confirm(ctx, c, "Delete "+ask.Shown(name)+"?"); err != nil {
//		return nil, err
//	}
func Confirm(ctx context.Context, by Elicitor, message string) error {
	r, err := by.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: message})
	switch _, unable := errors.AsType[*server.MissingCapabilityError](err); {
	case unable, errors.Is(err, server.ErrCannotAsk):
		return fmt.Errorf("%w: a person must confirm this, and this client cannot ask them: it does not support elicitation", ErrNotConfirmed)
	case err != nil:
		return err
	}
	if err := refusal(r); err != nil {
		return fmt.Errorf("%w: %w", ErrNotConfirmed, err)
	}
	return nil
}

// Shown formats a value for a message to the user: it follows pointers, writes nil as "none", removes the control
// characters of text, and shortens it, so that the text cannot pretend to be part of the message.
func Shown(value any) string {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer {
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
