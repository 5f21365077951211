package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxSaved is how many files a result may become.
const maxSaved = 100

// Results shows a result of a server.
type Results struct {
	*Printer
	Dir string // where bytes are saved that the terminal does not show

	saved int // files
}

// Tool shows the result of a tool: its content, and its structured content unless the text is just that.
func (r *Results) Tool(result *mcp.CallToolResult) error {
	structured := result.StructuredContent
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok && sameJSON(structured, []byte(text.Text)) {
			continue
		}
		if err := r.block("", block); err != nil {
			return err
		}
	}
	if structured == nil {
		return nil
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, structured, "", "  "); err != nil {
		return err
	}
	fmt.Fprintln(r, indented.String())
	return nil
}

// Prompt shows the messages of a prompt.
func (r *Results) Prompt(result *mcp.GetPromptResult) error {
	if result.Description != "" {
		r.paragraph("", result.Description)
	}
	for _, m := range result.Messages {
		r.heading(string(m.Role) + ":")
		if err := r.block("  ", m.Content); err != nil {
			return err
		}
	}
	return nil
}

// Resource shows the contents of a resource.
func (r *Results) Resource(result *mcp.ReadResourceResult) error {
	for i, contents := range result.Contents {
		if len(result.Contents) > 1 {
			r.heading(fmt.Sprintf("part %d:", i+1))
		}
		if err := r.block("", &mcp.EmbeddedResource{Resource: contents}); err != nil {
			return err
		}
	}
	return nil
}

// block shows one block of content.
func (r *Results) block(indent string, block mcp.ContentBlock) error {
	switch b := block.(type) {
	case *mcp.TextContent:
		r.asIs(indent, b.Text)
		return nil
	case *mcp.ResourceLink:
		r.asIs(indent, "link: "+b.URI+" "+b.Name)
		return nil
	case *mcp.EmbeddedResource:
		if text, ok := b.Resource.(*mcp.TextResourceContents); ok {
			r.asIs(indent, text.Text)
			return nil
		}
	}
	blobs, err := client.Blobs([]mcp.ContentBlock{block})
	if err != nil {
		return err
	}
	for _, blob := range blobs {
		if err := r.blob(indent, blob); err != nil {
			return err
		}
	}
	if len(blobs) > 0 {
		return nil
	}
	raw, err := wire.Marshal(wire.Any, block)
	if err != nil {
		return err
	}
	r.asIs(indent, string(raw)) // of a kind that is not known
	return nil
}

// blob shows an image if the terminal can, and saves everything else.
func (r *Results) blob(indent string, b client.Blob) error {
	if r.Terminal {
		if sequence := r.images.show(b); sequence != "" {
			r.control(sequence + "\n")
			return nil
		}
	}
	kind := cmp.Or(b.MIMEType, "bytes")
	if r.saved++; r.saved > maxSaved {
		r.asIs(indent, fmt.Sprintf("%s, %d bytes, not saved: %d files are enough; -json has all", kind, len(b.Data), maxSaved))
		return nil
	}
	f, err := os.CreateTemp(r.Dir, "mcpgen-*"+extension(b.MIMEType))
	if err != nil {
		return err
	}
	_, err = f.Write(b.Data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	r.asIs(indent, fmt.Sprintf("%s, %d bytes, saved as %s", kind, len(b.Data), f.Name()))
	return nil
}

// sameJSON reports whether both texts are the same JSON value.
func sameJSON(a, b []byte) bool {
	var x, y any
	if len(a) == 0 || json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	first, err := json.Marshal(x)
	if err != nil {
		return false
	}
	second, err := json.Marshal(y)
	return err == nil && bytes.Equal(first, second)
}
