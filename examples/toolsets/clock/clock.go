// Package clock is a server of its own.
//
//mcp:server name=clock version=1.0.0 "description=What time it is" website=https://example.com/clock
package clock

//go:generate go tool mcpgen tools

import "time"

// Now returns the time.
//
//mcp:tool readonly min-revision=2025-03-26
func Now() time.Time { return time.Now().UTC() }
