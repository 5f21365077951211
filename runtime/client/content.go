package client

// The content of results is a list of blocks: texts, images, audio, and resources.
//
// A block of a kind that this revision of package mcp does not know stays in the list, and is neither text nor binary.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result.

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Text returns the text in content: the blocks of text, and the contents of embedded resources that are text, with a
// line break between two of them.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools.
func Text(content []mcp.ContentBlock) string {
	var texts []string
	for _, block := range content {
		switch b := block.(type) {
		case *mcp.TextContent:
			texts = append(texts, b.Text)
		case *mcp.EmbeddedResource:
			if contents, ok := b.Resource.(*mcp.TextResourceContents); ok {
				texts = append(texts, contents.Text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// A Blob is binary content.
type Blob struct {
	MIMEType string // "image/png"; empty if it is not known
	URI      string // of an embedded resource; empty for images and audio
	Data     []byte
}

// Blobs returns the binary parts of content: images, audio, and embedded resources that are not text. The error
// names the block that is not valid Base64.
func Blobs(content []mcp.ContentBlock) ([]Blob, error) {
	var blobs []Blob
	for i, block := range content {
		var blob Blob
		var data wire.Base64
		switch b := block.(type) {
		case *mcp.ImageContent:
			blob.MIMEType, data = b.MIMEType, b.Data
		case *mcp.AudioContent:
			blob.MIMEType, data = b.MIMEType, b.Data
		case *mcp.EmbeddedResource:
			// Its contents may be text instead, which Text returns.
			contents, ok := b.Resource.(*mcp.BlobResourceContents)
			if !ok {
				continue
			}
			blob.MIMEType, blob.URI, data = contents.MIMEType, contents.URI, contents.Blob
		default:
			continue
		}
		var err error
		if blob.Data, err = data.Bytes(); err != nil {
			return nil, fmt.Errorf("client: content[%d]: %w", i, err)
		}
		blobs = append(blobs, blob)
	}
	return blobs, nil
}
