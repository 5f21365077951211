// Package contain turns panics of what a program has given a server, such as a store, into errors. Much of it is called where
// no request waits, by a timer or by news of a store, and a panic there would end the process.
package contain

import (
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// Panic makes a panic an error, and logs it; what says whose it is, such as "the event store". It must itself be what a function
// defers: recover works nowhere else. The error says nothing of the panic, since clients may see it.
func Panic(log *slog.Logger, what string, err *error) {
	if p := recover(); p != nil {
		excerpt.Logger(log).Error("mcp: "+what+" panicked", "panic", p, "stack", string(debug.Stack()))
		*err = errors.New(what + " failed")
	}
}
