package server

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A panic of the program's code ends its call and nothing else. It is caught in two places: inside the middleware, so that it
// sees an error, and around everything that runs for a request, since middleware may panic, too. What runs outside of requests,
// such as at the end of a session, is guarded by itself: a panic there would end the process.

// A PanicError is the error that middleware receives if a handler panics. The client receives an internal error
// without details; the panic is logged.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // as [debug.Stack] returns it
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// inHandler is the log message for a panic in a handler.
const inHandler = "mcp: panic in a handler"

// panicked logs a panic of that value, and returns it as an error. It is called by a deferred function. The message and
// the attributes say where the panic was.
func (s *Server) panicked(ctx context.Context, value any, msg string, attrs ...any) *PanicError {
	e := &PanicError{Value: value, Stack: debug.Stack()}
	s.Log().ErrorContext(ctx, msg, append(attrs, "panic", e.Value, "stack", string(e.Stack))...)
	return e
}

// guard calls a function of the program for which no request waits. What says which.
func (s *Server) guard(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			s.panicked(context.Background(), p, "mcp: panic in a function of the program", "function", what)
		}
	}()
	f()
}

// contain wraps a handler, and returns its panics as errors, so that middleware sees them. [runtime.Goexit] is not contained: it
// is the program's way to end its own goroutine.
func (s *Server) contain(next Handler) Handler {
	return func(ctx context.Context, c *Call) (result wire.Encodable, err error) {
		defer func() {
			if p := recover(); p != nil {
				result, err = nil, s.panicked(ctx, p, inHandler, "method", c.req.Method)
			}
		}()
		return next(ctx, c)
	}
}
