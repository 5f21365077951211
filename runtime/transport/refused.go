package transport

import (
	"errors"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A RefusedError is the error of a request that was not handled, because it is invalid, came too late, or came
// when there were too many. Over HTTP it has a status of its own.
type RefusedError struct {
	Err *jsonrpc.Error

	// RetryAfter is the time after which the same request may be sent again, because there were too many now.
	// Over HTTP the response then has status 429, with Retry-After. Zero means that it makes no difference.
	RetryAfter time.Duration
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// TryLater returns the error of a request that may be sent again after a time. Its message says so to people, and
// its data, {"retryAfterMs":1200}, to programs. See [RetryAfter].
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

// RetryAfter reports when a request may be sent again whose error is one of [TryLater], on either side of a
// connection.
func RetryAfter(err error) (time.Duration, bool) {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return 0, false
	}
	var data retryData
	if len(rpc.Data) == 0 || wire.DecodeAlias(rpc.Data, &data) != nil || data.after <= 0 {
		return 0, false
	}
	return data.after, true
}

// retryData is what RetryAfter reads of the data of an error.
type retryData struct{ after time.Duration }

var typeRetryData = wire.Type{Name: "error data", Members: []string{retryAfterMember}}

// maxRetryAfter is how many milliseconds are believed; more would not be a Duration.
const maxRetryAfter = int64(1<<63-1) / int64(time.Millisecond)

// DecodeWire reads the member that says when.
func (r *retryData) DecodeWire(d *wire.Decoder) {
	o := d.Object(&typeRetryData)
	for o.Next() {
		if o.Name == retryAfterMember && d.Kind() == wire.KindNumber {
			r.after = time.Duration(max(0, min(d.Int(), maxRetryAfter))) * time.Millisecond
		} else {
			d.Skip()
		}
	}
}
