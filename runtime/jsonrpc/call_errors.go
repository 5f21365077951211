package jsonrpc

import (
	"context"
	"errors"
	"time"
)

// ErrClosed is the error of what was under way, or is begun, after the connection was closed on
// this side. It is also the cause by which the contexts of handlers end then.
var ErrClosed = errors.New("the connection is closed")

// ErrAnswered is the error of a message that belongs to a request which has been answered or
// cancelled: nothing more may be sent for it.
var ErrAnswered = errors.New("the request has been answered or cancelled")

// ErrNoResponse is returned by a handler as its error if no response is to be sent, ever.
var ErrNoResponse = errors.New("no response")

// A CallError says why a call got no answer, or none that could be used. If the other side answers
// with an error, the call returns that, a *[Error], and no CallError.
type CallError struct {
	Method string
	Err    error
}

func (e *CallError) Error() string { return e.Method + ": " + e.Err.Error() }

func (e *CallError) Unwrap() error { return e.Err }

// A TimeoutError says that the other side did not answer in time. It is a
// [context.DeadlineExceeded].
type TimeoutError struct {
	After time.Duration
	Max   bool // it was the time that a call may take at most, whatever progress it makes
}

func (e *TimeoutError) Error() string {
	if e.Max {
		return "no answer within " + e.After.String() + ", the most that a call may take"
	}
	return "no answer within " + e.After.String()
}

// Timeout returns true, as for the errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// An AnswerError says that the other side answered with something that is no valid answer.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string {
	if rpc, ok := e.Err.(*Error); ok {
		return "the answer is invalid: " + rpc.Message
	}
	return "the answer is invalid: " + e.Err.Error()
}

// Unwrap returns what is wrong with the answer, unless that would look like an error which the
// other side has sent.
func (e *AnswerError) Unwrap() error {
	if _, ok := e.Err.(*Error); ok {
		return nil
	}
	return e.Err
}

// A CancelledError says that the other side cancelled a request. It is the cause by which the
// context of the request's handler ends, and a [context.Canceled].
type CancelledError struct {
	Reason string // for people; empty if the other side gave none
}

func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return "cancelled by the other side"
	}
	return "cancelled by the other side: " + e.Reason
}

func (e *CancelledError) Is(target error) bool { return target == context.Canceled }

// A DisconnectedError says that the other side is gone, or the way to it: it ended the connection,
// its process died, it does not read any more. It is also the cause by which the contexts of
// handlers end then.
type DisconnectedError struct {
	Err error // what the transport says; io.EOF for an orderly end
}

func (e *DisconnectedError) Error() string { return "the other side is gone: " + e.Err.Error() }

func (e *DisconnectedError) Unwrap() error { return e.Err }
