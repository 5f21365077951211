// Package valid checks what the types of package mcp allow, and the protocol does not: any text for Base64, media types,
// URIs and dates. A client cannot use an invalid one, so the server makes it an error close to its cause.
package valid

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Result checks what a handler has put into the result of a tool, a prompt or a resource. Other results have nothing that
// their types do not check. The error begins with the path to what is wrong.
func Result(v wire.Encodable) error {
	switch r := v.(type) {
	case *mcp.CallToolResult:
		for i, block := range r.Content {
			if err := checkBlock(block); err != nil {
				return fmt.Errorf("content[%d]: %w", i, err)
			}
		}
	case *mcp.GetPromptResult:
		for i := range r.Messages {
			if err := checkPromptBlock(r.Messages[i].Content); err != nil {
				return fmt.Errorf("messages[%d]: content: %w", i, err)
			}
		}
	case *mcp.ReadResourceResult:
		if err := checkCaching(r); err != nil {
			return err
		}
		for i, part := range r.Contents {
			if _, err := checkPart(part); err != nil {
				return fmt.Errorf("contents[%d]: %w", i, err)
			}
		}
	}
	return nil
}

func checkBlock(block mcp.ContentBlock) error {
	switch b := block.(type) {
	case *mcp.TextContent:
		if b != nil && b.Annotations != nil {
			return Annotations(b.Annotations)
		}
	case *mcp.ImageContent:
		if b != nil {
			return cmp.Or(checkData(b.Data.Text, b.MIMEType), Annotations(b.Annotations))
		}
	case *mcp.AudioContent:
		if b != nil {
			return cmp.Or(checkData(b.Data.Text, b.MIMEType), Annotations(b.Annotations))
		}
	case *mcp.ResourceLink:
		if b != nil {
			return cmp.Or(URI(b.URI), Annotations(b.Annotations), Icons(b.Icons))
		}
	case *mcp.EmbeddedResource:
		if b != nil {
			_, err := checkPart(b.Resource)
			return cmp.Or(err, Annotations(b.Annotations))
		}
	}
	return nil
}

// checkPromptBlock checks a block of a prompt, in which an embedded resource must have a media type.
//
// REQ PRM-06
func checkPromptBlock(block mcp.ContentBlock) error {
	if b, ok := block.(*mcp.EmbeddedResource); ok && b != nil {
		if mimeType, err := checkPart(b.Resource); err == nil && mimeType == "" {
			return errors.New("resource: mimeType is missing; a resource in a prompt must have one")
		}
	}
	return checkBlock(block)
}

// checkPart checks the contents of a resource and returns their media type.
//
// REQ RES-17
func checkPart(part mcp.ResourceContents) (mimeType string, err error) {
	switch p := part.(type) {
	case *mcp.TextResourceContents:
		if p != nil {
			return p.MIMEType, URI(p.URI)
		}
	case *mcp.BlobResourceContents:
		switch {
		case p == nil:
		case !isBase64(p.Blob.Text):
			return "", errors.New("blob: want standard Base64 with padding")
		default:
			return p.MIMEType, URI(p.URI)
		}
	}
	return "", nil
}

// checkData checks the data and the media type of an image or a recording.
//
// REQ RES-17
func checkData(data, mimeType string) error {
	if !isBase64(data) {
		return errors.New("data: want standard Base64 with padding")
	}
	if !isMediaType(mimeType) {
		return fmt.Errorf("mimeType: want a media type such as image/png, got %.100q", mimeType)
	}
	return nil
}

// isMediaType reports whether s is a type, a slash and a subtype, as in RFC 9110, section 8.3.1. Parameters may follow.
func isMediaType(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	kind, sub, _ := strings.Cut(strings.TrimSpace(s), "/")
	return mcpheader.IsToken(kind) && mcpheader.IsToken(sub)
}

// isBase64 reports whether s is standard Base64 with padding and without line breaks.
func isBase64(s string) bool {
	if len(s)%4 != 0 {
		return false
	}
	s = strings.TrimSuffix(s, "=")
	s = strings.TrimSuffix(s, "=")
	for i := range len(s) {
		c := s[i]
		if !('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}

// checkCaching checks how long a handler says that its result may be kept.
//
// REQ CACHE-01
func checkCaching(r *mcp.ReadResourceResult) error {
	if r.TTLMs != nil && *r.TTLMs < 0 {
		return fmt.Errorf("ttlMs: want 0 or more, got %d", *r.TTLMs)
	}
	if r.CacheScope != "" && !r.CacheScope.Valid() {
		return fmt.Errorf("cacheScope: want public or private, got %.100q", r.CacheScope)
	}
	return nil
}

// Annotations checks annotations, which may be nil.
func Annotations(a *mcp.Annotations) error {
	if a == nil {
		return nil
	}
	for _, role := range a.Audience {
		if !role.Valid() {
			return fmt.Errorf("annotations: audience: want user or assistant, got %.100q", role)
		}
	}
	if p := a.GetPriority(); !(p >= 0 && p <= 1) {
		return fmt.Errorf("annotations: priority: want 0 to 1, got %v", p)
	}
	if a.LastModified != "" && !isTime(a.LastModified) {
		return fmt.Errorf("annotations: lastModified: want a time such as 2025-05-03T14:30:00Z, got %.100q", a.LastModified)
	}
	return nil
}

// isTime reports whether s is a time or a date in one of the usual forms of ISO 8601.
func isTime(s string) bool {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// Icons checks that icons have URIs that clients may fetch.
func Icons(icons []mcp.Icon) error {
	for i, icon := range icons {
		switch scheme, _, _ := strings.Cut(icon.Src, ":"); strings.ToLower(scheme) {
		case "https", "http", "data":
		default:
			return fmt.Errorf("icons[%d]: src: want an https or data URI, got %.100q", i, icon.Src)
		}
		if icon.Theme != "" && !icon.Theme.Valid() {
			return fmt.Errorf("icons[%d]: theme: want light or dark, got %.100q", i, icon.Theme)
		}
	}
	return nil
}
