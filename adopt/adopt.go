// Package adopt has in its folders what lets servers of other libraries be moved over, tool by tool: package
// [github.com/mcpgen/mcpgen/adopt/gosdk] for go-sdk, and package [github.com/mcpgen/mcpgen/adopt/mcpgo] for mcp-go. It is a
// module of its own, since it needs them.
//
// See https://github.com/mcpgen/mcpgen/blob/main/docs/moving-over.md.
package adopt

//go:generate go run -C .. ./internal/api -module adopt adopt/api.txt
