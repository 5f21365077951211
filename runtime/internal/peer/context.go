package peer

import (
	"context"
	"errors"
)

// endOf returns why ctx has ended: its cause, which is also a context.Canceled or
// context.DeadlineExceeded for those who look for that.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &endError{cause, err}
}

type endError struct{ cause, err error }

func (e *endError) Error() string { return e.cause.Error() }

func (e *endError) Unwrap() []error { return []error{e.cause, e.err} }

// errStuck is why a message could not be sent: nobody reads.
var errStuck = errors.New("it does not read")
