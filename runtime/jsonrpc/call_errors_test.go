package jsonrpc_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestCallErrors says of each error of a call what its text is, and which errors it is.
func TestCallErrors(t *testing.T) {
	rpc := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such tool"}
	known := []error{context.DeadlineExceeded, context.Canceled, io.EOF, jsonrpc.ErrInvalidParams}
	for _, c := range []struct {
		err  error
		text string
		is   []error // of the known ones
	}{
		{&jsonrpc.CallError{Method: "tools/call", Err: io.EOF}, "tools/call: EOF", []error{io.EOF}},
		{&jsonrpc.TimeoutError{After: time.Second}, "no response within 1s", []error{context.DeadlineExceeded}},
		{&jsonrpc.TimeoutError{After: time.Minute, Max: true}, "no response within 1m0s, the limit of a call", []error{context.DeadlineExceeded}},
		{&jsonrpc.InvalidResponseError{Err: io.EOF}, "the response is invalid: EOF", []error{io.EOF}},
		{&jsonrpc.InvalidResponseError{Err: rpc}, "the response is invalid: no such tool", nil}, // the other side did not send rpc
		{&jsonrpc.CancelledError{}, "cancelled by the other side", []error{context.Canceled}},
		{&jsonrpc.CancelledError{Reason: "too late"}, "cancelled by the other side: too late", []error{context.Canceled}},
		{&jsonrpc.DisconnectedError{Err: io.EOF}, "the other side is gone: EOF", []error{io.EOF}},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("%T: got %q, want %q", c.err, got, c.text)
		}
		for _, target := range known {
			if got, want := errors.Is(c.err, target), slices.Contains(c.is, target); got != want {
				t.Errorf("%q is %q: got %t, want %t", c.text, target, got, want)
			}
		}
	}
	var timeout interface{ Timeout() bool }
	if err := error(&jsonrpc.TimeoutError{}); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v is no timeout as those of package net are", err)
	}
}
