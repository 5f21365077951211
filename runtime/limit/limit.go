// Package limit bounds how often clients call, how many calls run at the same time, and how long a tool takes. It is for
// programs whose work costs more than a server's own limits, listed in docs/limits.md, can know.
//
// A [Rate] and a [Concurrency] become middleware, which refuses requests over every transport before a handler sees them,
// or wrap the handler of one tool, where the model reads the refusal as the tool's result. A Rate is also the option Admit
// of an HTTP handler, which refuses requests before their bodies are read. What is refused as a request fails with a
// [transport.RefusedError]: an error response whose message and data say when to try again, and over HTTP status 429 with
// Retry-After.
//
// A client is a principal; without one, a network address, of which the first 64 bits count for IPv6; and without that,
// a connection.
package limit

import (
	"errors"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// All is a value for Methods: every request except ping.
const All = "*"

// concerns reports whether middleware for requests with these methods applies to a request.
func concerns(methods []string, c *server.Call) bool {
	method := c.Method()
	switch {
	case c.IsNotification():
		return false
	case len(methods) == 0:
		return method == mcp.MethodCallTool.Name
	case slices.Contains(methods, method):
		return true
	}
	return method != mcp.MethodPing.Name && slices.Contains(methods, All)
}

// noun returns a word for the requests with these methods.
func noun(methods []string) string {
	if len(methods) == 0 {
		return "calls"
	}
	return "requests"
}

// senderOf returns whose limit applies to a call. All have one if the limit is shared.
func senderOf(c *server.Call, shared bool) share.Owner {
	if shared {
		return share.Owner{}
	}
	return c.Sender().(share.Owner)
}

// who says whose limit it is.
func who(shared bool) string {
	if shared {
		return ""
	}
	return " by one client"
}

// forModel returns the error of a tool for a call that is refused. The server would make an error response of a
// [transport.RefusedError], which a model does not read.
func forModel(err error) error {
	if refused, ok := errors.AsType[*transport.RefusedError](err); ok {
		return errors.New(refused.Err.Message)
	}
	return err
}

// period returns the words for a time in which something may happen.
func period(d time.Duration) string {
	switch d {
	case time.Second:
		return "a second"
	case time.Minute:
		return "a minute"
	case time.Hour:
		return "an hour"
	case 24 * time.Hour:
		return "a day"
	}
	return "in " + d.String()
}
