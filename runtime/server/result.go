package server

import "github.com/mcpgen/mcpgen/mcp"

// A Result is a typed output of a tool with more beside it. A function that returns *Result[T] is a tool whose
// output schema is that of T, as if the function returned a T.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
type Result[T any] struct {
	// Output is the structured content: as it is if T is a struct or a map, else as the member "result".
	Output T
	// Content is for the model and the user. If it is empty, clients receive the JSON text of Output in its
	// place. Through 2025-03-26 they receive that text in any case, after Content, since these revisions have
	// no structured content.
	Content []mcp.ContentBlock
	// Meta is the metadata of the result, _meta.
	Meta *mcp.ResultMetaObject
	// IsError says that the tool failed, and Content how. Output is then left out if it is a nil pointer or is
	// not what its schema promises.
	IsError bool
}
