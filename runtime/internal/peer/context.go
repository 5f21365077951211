package peer

import (
	"context"
	"errors"
)

// The context of a caller may have a cause, which says more than its error. Callers compare errors with those of package
// context all the same, so both are in what a call returns.

// endOf returns why ctx has ended: an error that is its cause and also, for errors.Is, context.Canceled or
// context.DeadlineExceeded.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &endError{cause, err}
}

// An endError has both reasons: what is shown is the cause, which says more.
type endError struct{ cause, err error }

func (e *endError) Error() string { return e.cause.Error() }

func (e *endError) Unwrap() []error { return []error{e.cause, e.err} }

// errStuck is the error of a message that could not be sent because the other side does not read.
var errStuck = errors.New("it does not read")
