package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a revision cannot express is sent in another way: as text, as several messages, or as another error. Each
// kind of substitution is logged the first time. Members that a revision does not have and that are not essential,
// such as icons and titles, are left out by the encoder.
//
// So a handler is written once, for the newest revision. Nothing that it says is lost on the way to an older client, as far as
// words can say it: a link becomes its name and URI, structured content its JSON text, a recording a line that says what the
// client cannot hear. What the handler returned is never changed; a copy is, since it may return the same value again.

// The first revisions that have members for which earlier revisions need a substitute. The generated package does
// not record them.
const (
	firstStructured = mcp.V2025_06_18 // CallToolResult.structuredContent, Tool.outputSchema
	firstTitle      = mcp.V2025_06_18 // Tool.title; ToolAnnotations.title is older
	firstBlocks     = mcp.V2025_11_25 // several blocks in a SamplingMessage; ClientCapabilities.sampling.context

	firstSamplingTools = mcp.V2025_11_25 // ClientCapabilities.sampling.tools, without which nothing is sent
)

// degradeTool returns a tool as the revision can describe it.
func (s *Server) degradeTool(ctx context.Context, rev wire.Revision, t mcp.Tool) mcp.Tool {
	if len(t.OutputSchema) > 0 && rev < mcp.Modern && t.OutputSchema.StringAt("type") != "object" {
		if rev >= firstStructured {
			s.logOnce(ctx, "mcp: through 2025-11-25 an output schema must be of an object; the tool is listed without one",
				"tool", t.Name, "revision", rev)
		}
		t.OutputSchema = nil
	}
	// The annotations are shared with the item, so they are copied.
	if t.Title != "" && rev < firstTitle && (t.Annotations == nil || t.Annotations.Title == "") {
		a := option.Of(t.Annotations)
		a.Title = t.Title
		t.Annotations = &a
	}
	return t
}

// degradeToolResult returns a result of a tool as the revision can express it. Structured content is
// repeated as text if there is no other content, and if clients cannot see it.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content
func (s *Server) degradeToolResult(ctx context.Context, rev wire.Revision, r *mcp.CallToolResult) *mcp.CallToolResult {
	content := s.degradeContent(ctx, rev, r.Content)
	structured := r.StructuredContent
	if len(structured) > 0 {
		isObject := structured.Kind() == wire.KindObject
		unseen := rev < firstStructured || !isObject
		if (len(content) == 0 || unseen) && !hasText(content, string(structured)) {
			// Into a new array: the slice may be the handler's.
			content = append(content[:len(content):len(content)], &mcp.TextContent{Text: string(structured)})
		}
		if !isObject && rev < mcp.Modern {
			if rev >= firstStructured {
				s.logOnce(ctx, "mcp: through 2025-11-25 structured content must be an object; another value is sent only as text",
					"revision", rev)
			}
			structured = nil
		}
	}
	// Content is still the slice of r, so nothing was replaced.
	if len(content) == len(r.Content) && len(structured) == len(r.StructuredContent) &&
		(len(content) == 0 || &content[0] == &r.Content[0]) {
		return r
	}
	done := *r
	done.Content, done.StructuredContent = content, structured
	return &done
}

// hasText reports whether one of the blocks is this text.
func hasText(content []mcp.ContentBlock, text string) bool {
	return slices.ContainsFunc(content, func(block mcp.ContentBlock) bool {
		t, ok := block.(*mcp.TextContent)
		return ok && t != nil && t.Text == text
	})
}

// degradePrompt returns the result of a prompt as the revision can express it.
func (s *Server) degradePrompt(ctx context.Context, rev wire.Revision, r *mcp.GetPromptResult) *mcp.GetPromptResult {
	if !slices.ContainsFunc(r.Messages, func(m mcp.PromptMessage) bool { return !mcp.HasContentBlock(rev, m.Content) }) {
		return r
	}
	done := *r
	done.Messages = slices.Clone(r.Messages)
	for i := range done.Messages {
		m := &done.Messages[i]
		m.Content = s.degradeBlock(ctx, rev, m.Content)
	}
	return &done
}

// degradeContent returns content as the revision can express it: the same slice if possible.
func (s *Server) degradeContent(ctx context.Context, rev wire.Revision, content []mcp.ContentBlock) []mcp.ContentBlock {
	if !slices.ContainsFunc(content, func(b mcp.ContentBlock) bool { return !mcp.HasContentBlock(rev, b) }) {
		return content
	}
	done := slices.Clone(content)
	for i, block := range done {
		done[i] = s.degradeBlock(ctx, rev, block)
	}
	return done
}

// degradeBlock returns a block, or if the revision does not have it, a text in its place.
func (s *Server) degradeBlock(ctx context.Context, rev wire.Revision, block mcp.ContentBlock) mcp.ContentBlock {
	if mcp.HasContentBlock(rev, block) {
		return block
	}
	switch b := block.(type) {
	case *mcp.AudioContent:
		if b != nil {
			s.logOnce(ctx, "mcp: the revision has no audio; a text that says so is sent instead", "revision", rev)
			return &mcp.TextContent{Text: audioText(b), Annotations: b.Annotations}
		}
	case *mcp.ResourceLink:
		if b != nil {
			s.logOnce(ctx, "mcp: the revision has no links to resources; their names and URIs are sent as text", "revision", rev)
			return &mcp.TextContent{Text: linkText(b), Annotations: b.Annotations}
		}
	}
	return block // nil, of which the encoder makes an error
}

// audioText says what a client without audio does not receive. The size follows from the length of the Base64, which is not
// decoded.
func audioText(a *mcp.AudioContent) string {
	size := base64.StdEncoding.DecodedLen(len(a.Data.Text)) - strings.Count(a.Data.Text, "=")
	return fmt.Sprintf("[%s, %d bytes, which this client cannot receive]", a.MIMEType, size)
}

// linkText says in words what a link says.
func linkText(l *mcp.ResourceLink) string {
	text := "Resource " + l.Name
	if l.MIMEType != "" {
		text += " (" + l.MIMEType + ")"
	}
	text += ": " + l.URI
	if l.Description != "" {
		text += "\n" + l.Description
	}
	return text
}

// degradeSampling returns a request for a message as the revision and the client support it. It is always a copy. Since
// 2025-11-25 a client that supports requests for context says so; before, there was no way to.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
func (s *Server) degradeSampling(ctx context.Context, c *Call, p *mcp.CreateMessageRequestParams) *mcp.CreateMessageRequestParams {
	done := *p
	if context := p.GetIncludeContext(); context != mcp.CreateMessageRequestParamsIncludeContextNone && c.rev >= firstBlocks &&
		(c.Capabilities().Sampling == nil || c.Capabilities().Sampling.Context == nil) {
		s.logOnce(ctx, "mcp: the client does not declare sampling.context; a request for context is sent without it")
		done.IncludeContext = ""
	}
	if c.rev >= firstBlocks {
		return &done
	}
	done.Messages = nil
	for _, m := range p.Messages {
		if len(m.Content) != 1 {
			s.logOnce(ctx, "mcp: through 2025-06-18 a sampling message has one block of content; several are sent as several messages",
				"revision", c.rev)
		}
		for _, block := range m.Content {
			one := m
			one.Content = []mcp.SamplingMessageContentBlock{s.degradeSamplingBlock(ctx, c.rev, block)}
			done.Messages = append(done.Messages, one)
		}
	}
	return &done
}

// degradeSamplingBlock returns a block of a conversation, or if the revision does not have it, a text in its place.
func (s *Server) degradeSamplingBlock(ctx context.Context, rev wire.Revision, block mcp.SamplingMessageContentBlock) mcp.SamplingMessageContentBlock {
	if mcp.HasSamplingMessageContentBlock(rev, block) {
		return block
	}
	var text string
	switch b := block.(type) {
	case *mcp.AudioContent:
		if b == nil {
			return block
		}
		text = audioText(b)
	case *mcp.ToolUseContent:
		text = fmt.Sprintf("[use of the tool %s with %s]", b.Name, b.Input)
	case *mcp.ToolResultContent:
		var parts []string
		for _, part := range b.Content {
			if t, ok := part.(*mcp.TextContent); ok {
				parts = append(parts, t.Text)
			} else {
				raw, _ := wire.Marshal(wire.Any, part) // its JSON says what it is
				parts = append(parts, string(raw))
			}
		}
		text = "[result of the tool: " + strings.Join(parts, "\n") + "]"
	default:
		return block
	}
	s.logOnce(ctx, "mcp: the revision does not have all kinds of content for sampling; some are sent as text", "revision", rev)
	return &mcp.TextContent{Text: text}
}

// degradeError returns an error of a handler with a code that the revision allows. Since 2026-07-28 the protocol
// reserves codes; before, those of handlers are sent as they are.
//
// REQ JRPC-26, JRPC-23
func (s *Server) degradeError(ctx context.Context, c *Call, err *jsonrpc.Error) *jsonrpc.Error {
	if !c.modern() {
		return err
	}
	switch code := err.Code; {
	case mcp.HasCode(c.rev, code):
		return err
	case code == mcp.CodeResourceNotFound:
		return &jsonrpc.Error{Code: codeInvalidParams, Message: err.Message, Data: err.Data}
	case -32099 <= code && code <= -32020:
		s.logOnce(ctx, "mcp: since 2026-07-28 the codes from -32099 to -32020 are the protocol's; an internal error is sent instead",
			"code", code)
		return &jsonrpc.Error{Code: codeInternal, Message: err.Message, Data: err.Data}
	}
	return err
}

// urlElicitations turns the error that 2025-11-25 has for "visit these URLs first" into input requests. It
// returns nil for any other error. The handler does not look for the responses: it runs again, and fails again if something is
// still to be done.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
func (c *Call) urlElicitations(err error) (mcp.InputRequests, error) {
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) || rpc.Code != mcp.CodeURLElicitationRequired {
		return nil, nil
	}
	var data mcp.URLElicitationRequiredErrorData
	if wire.Decode(rpc.Data, &data) != nil || len(data.Elicitations) == 0 {
		return nil, nil
	}
	if err := c.lacks(ableURL); err != nil {
		return nil, err
	}
	wanted := make(mcp.InputRequests)
	for i := range data.Elicitations {
		wanted[fmt.Sprintf("visit/%d", i)] = &mcp.ElicitRequest{Params: &data.Elicitations[i]}
	}
	return wanted, nil
}
