package jsonrpc

import (
	"context"
	"errors"
	"time"
)

// ErrClosed is the error of calls during and after the closing of the connection on this side. It is also the cause
// with which the contexts of handlers are then cancelled.
var ErrClosed = errors.New("the connection is closed")

// ErrRequestDone is the error of sending a message that belongs to a request that already has a response or was
// cancelled.
var ErrRequestDone = errors.New("the request has ended: its response was sent, or it was cancelled")

// ErrNoResponse is returned by a handler if no response must ever be sent.
var ErrNoResponse = errors.New("no response")

// A CallError says why a call has no usable response. If the response is an error response, the call returns its
// *[Error] and no CallError.
type CallError struct {
	Method string
	Err    error
}

func (e *CallError) Error() string { return e.Method + ": " + e.Err.Error() }

func (e *CallError) Unwrap() error { return e.Err }

// A TimeoutError says that the response did not arrive in time. It is a [context.DeadlineExceeded].
type TimeoutError struct {
	After time.Duration
	Max   bool // whether it is the limit that progress does not extend
}

func (e *TimeoutError) Error() string {
	if e.Max {
		return "no response within " + e.After.String() + ", the limit of a call"
	}
	return "no response within " + e.After.String()
}

// Timeout returns true, as for the errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// An InvalidResponseError says that the response to a call is malformed.
type InvalidResponseError struct{ Err error }

func (e *InvalidResponseError) Error() string {
	if rpc, ok := e.Err.(*Error); ok {
		return "the response is invalid: " + rpc.Message
	}
	return "the response is invalid: " + e.Err.Error()
}

// Unwrap returns what is wrong with the response, unless that could be mistaken for an error that the other side has
// sent.
func (e *InvalidResponseError) Unwrap() error {
	if _, ok := e.Err.(*Error); ok {
		return nil
	}
	return e.Err
}

// A CancelledError says that the other side cancelled a request. It is the cause with which the context of the request's
// handler is cancelled, and a [context.Canceled].
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

// A DisconnectedError says that the other side cannot be reached any more: it closed the connection, its process ended,
// or it does not read. It is also the cause with which the contexts of handlers are then cancelled.
type DisconnectedError struct {
	Err error // of the transport; io.EOF if the other side closed the connection
}

func (e *DisconnectedError) Error() string { return "the other side is gone: " + e.Err.Error() }

func (e *DisconnectedError) Unwrap() error { return e.Err }
