package client

// Programs may have methods of their own: requests that the client handles or sends, and notifications.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic, and SEP-2133.

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Method is a method with its handlers: of an extension, of a program, or a notification of the protocol. Package methods
// makes it of functions with Go types.
type Method struct {
	Name string
	// Request handles requests, and returns their result, nil for an empty one. Absent params are empty. Since 2026-07-28
	// servers send requests only inside input-required results.
	Request func(ctx context.Context, params wire.Raw) (wire.Encodable, error)
	// Notification handles notifications, one after another, in the order in which they arrived. Those of the protocol are
	// handled by the client first, such as notifications/resources/updated; it sees none that the connection handles:
	// cancellations, the progress of calls, and acknowledgements of subscriptions.
	Notification func(ctx context.Context, params wire.Raw) error
}

// methodsOf returns methods by their names: one may have requests and notifications. It refuses what would have no effect,
// so that a handler that is never called is an error of Connect, and no riddle.
func methodsOf(list []Method) (map[string]Method, error) {
	all := map[string]Method{}
	for _, m := range list {
		// A handler of requests and one of notifications may be given apart, and are one Method from then on.
		same := all[m.Name]
		switch {
		case m.Name == "" || m.Request == nil && m.Notification == nil:
			return nil, fmt.Errorf("client: Options.Methods: want a name and a function, got the name %q", m.Name)
		case m.Request != nil && isOwn(m.Name):
			return nil, fmt.Errorf("client: Options.Methods: the client handles %q itself; use Options.Receive", m.Name)
		case m.Request != nil && same.Request != nil, m.Notification != nil && same.Notification != nil:
			return nil, fmt.Errorf("client: Options.Methods: %q is given twice", m.Name)
		case m.Request == nil: // a handler of its requests may have been given already
			m.Request = same.Request
		default:
			m.Notification = same.Notification
		}
		all[m.Name] = m
	}
	return all, nil
}

// isOwn reports whether the client itself handles requests of a method. It does not handle what the protocol would let servers ask of
// clients that run their requests in the background.
func isOwn(method string) bool {
	m := mcp.ClientMethod(method)
	return m != nil && m.ClientCapability != mcp.ClientCapabilityTasks &&
		!strings.HasPrefix(m.ClientCapability, mcp.ClientCapabilityTasks+".")
}
