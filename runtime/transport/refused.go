package transport

import (
	"errors"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A RefusedError is the error of a request that was not handled, because it is invalid, arrived too late, or
// arrived when there were too many. Over HTTP the response has a status for it, in a session only where RetryAfter is set.
type RefusedError struct {
	Err *jsonrpc.Error

	// RetryAfter is the time after which the same request may be sent again, if it was refused because there were
	// too many. Over HTTP the response then has status 429, with Retry-After. Zero means that sending it again
	// would not help.
	RetryAfter time.Duration
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// TryLater returns the error of a request that may be sent again after a time. Its message tells people, and its
// data, {"retryAfterMs":1200}, tells programs. See [RetryAfter].
//
// See https://www.rfc-editor.org/rfc/rfc6585#section-4
func TryLater(msg string, after time.Duration) *RefusedError {
	after = max(roundUp(after, time.Millisecond), time.Millisecond)
	told := after
	if after > time.Second {
		told = roundUp(after, 100*time.Millisecond)
	}
	return &RefusedError{RetryAfter: after, Err: &jsonrpc.Error{
		Code: jsonrpc.CodeInternalError, Message: msg + "; try again in " + told.String(),
		Data: wire.Raw(`{"` + retryAfterMember + `":` + strconv.FormatInt(after.Milliseconds(), 10) + `}`),
	}}
}

const retryAfterMember = "retryAfterMs"

func roundUp(d, to time.Duration) time.Duration { return (d + to - 1).Truncate(to) }

// RetryAfter returns the time after which a request may be sent again, if its error was made by [TryLater] on
// either side of the connection.
func RetryAfter(err error) (time.Duration, bool) {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return 0, false
	}
	var data retryData
	if wire.DecodeAlias(rpc.Data, &data) != nil || data.after <= 0 {
		return 0, false
	}
	return data.after, true
}

// retryData is the part of an error's data that RetryAfter reads.
type retryData struct{ after time.Duration }

var typeRetryData = wire.Type{Name: "error data", Members: []string{retryAfterMember}}

// maxRetryAfter is the largest accepted number of milliseconds; more would overflow a Duration.
const maxRetryAfter = int64(1<<63-1) / int64(time.Millisecond)

// DecodeWire reads the member retryAfterMs.
func (r *retryData) DecodeWire(d *wire.Decoder) {
	o := d.Object(&typeRetryData)
	for o.Next() {
		if o.Name == retryAfterMember {
			r.after = time.Duration(max(0, min(d.Int(), maxRetryAfter))) * time.Millisecond
		} else {
			d.Skip()
		}
	}
}
