package server

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The functions here make blocks of content from Go values, for the results of tools and the messages of prompts.

// Text returns text as a block of content.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#text-content
func Text(text string) *mcp.TextContent { return &mcp.TextContent{Text: text} }

// Image returns an image as a block of content. MIMEType is its media type, such as image/png. Data holds the bytes
// of the image, not their Base64.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#image-content
func Image(mimeType string, data []byte) *mcp.ImageContent {
	return &mcp.ImageContent{MIMEType: mimeType, Data: wire.EncodeBase64(data)}
}

// Audio returns a recording as a block of content. MIMEType is its media type, such as audio/wav. Data holds the
// bytes of the recording, not their Base64.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#audio-content
func Audio(mimeType string, data []byte) *mcp.AudioContent {
	return &mcp.AudioContent{MIMEType: mimeType, Data: wire.EncodeBase64(data)}
}

// Link returns a link to a resource as a block of content. The client may read the resource, which need not
// be one that the server lists. Through 2025-03-26 clients receive the link as text.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#resource-links
func Link(uri, name string) *mcp.ResourceLink { return &mcp.ResourceLink{URI: uri, Name: name} }

// EmbedText returns a text resource, with its contents, as a block of content.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#embedded-resources
func EmbedText(uri, mimeType, text string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: uri, MIMEType: mimeType, Text: text}}
}

// EmbedBlob returns a binary resource, with its contents, as a block of content. Data holds the bytes, not their
// Base64.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#embedded-resources
func EmbedBlob(uri, mimeType string, data []byte) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.BlobResourceContents{URI: uri, MIMEType: mimeType, Blob: wire.EncodeBase64(data)}}
}

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
