package server

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A panic of the program's code ends its call and nothing else. It is caught in two places: inside the middleware, so that it
// sees an error, and around everything that runs for a request, since middleware may panic, too.

// A PanicError is the error that middleware receives if a handler panics. The client receives an internal error
// without details; the panic is logged.
type PanicError struct {
	Value any      // of the panic
	Stack []string // the functions on the stack, the innermost first: "main.book (main.go:17)"
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// inHandler is the log message for a panic in a handler.
const inHandler = "mcp: panic in a handler"

// maxStack is how many functions of the stack are reported.
const maxStack = 64

// panicked logs a panic of that value, and returns it as an error. It is called by a deferred function. The message and
// the attributes say where the panic was.
func (s *Server) panicked(ctx context.Context, value any, msg string, attrs ...any) *PanicError {
	e := &PanicError{Value: value}
	var counters [maxStack]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.Function != "runtime.gopanic" {
			e.Stack = append(e.Stack, place(f))
		}
	}
	s.Log().ErrorContext(ctx, msg, append(attrs, "panic", e.Value, "stack", e.Stack)...)
	return e
}

// place returns the text for a place in the code: "main.book (main.go:17)".
func place(f runtime.Frame) string {
	return fmt.Sprintf("%s (%s:%d)", f.Function, f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
}

// contain wraps a handler, and returns its panics as errors, so that middleware sees them.
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
