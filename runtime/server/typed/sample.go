package typed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A SampleError says that the client's language model twice wrote something other than the JSON that [Sample] asked
// for.
type SampleError struct {
	Text string // what it wrote, shortened
	Err  error  // what is wrong with it
}

func (e *SampleError) Error() string {
	return fmt.Sprintf("the model's JSON: %v; it wrote %q", e.Err, e.Text)
}

func (e *SampleError) Unwrap() error { return e.Err }

// Sample asks the client's language model for a value of type T, in JSON. The schema of T, which is inferred as for
// [AddTool], or generated if T is a struct of a package with annotated functions, goes to the model as an
// additional message, since the protocol has no other way to ask for a format. If what the model writes is not
// valid, Sample says why and asks once more; if it is then still not valid, the error is a *[SampleError]. Other
// errors are those of [server.Call.CreateMessage], as is what happens since 2026-07-28.
//
// Deprecated: Servers should call a model provider themselves.
func Sample[T any](ctx context.Context, c *server.Call, p *mcp.CreateMessageRequestParams) (T, error) {
	var none T
	if p == nil {
		_, err := c.CreateMessage(ctx, nil)
		return none, err
	}
	s, err := sampleOf(none)
	if err != nil {
		return none, fmt.Errorf("typed: Sample: %w", err)
	}
	ask := *p
	ask.Messages = append(slices.Clone(p.Messages), said(mcp.RoleUser,
		"Respond with JSON alone, without any other text. It must validate against this JSON Schema: "+s.schema))
	for first := true; ; first = false {
		r, err := c.CreateMessage(ctx, &ask)
		if err != nil {
			return none, err
		}
		written := jsonIn(r)
		v, err := s.parse(ctx, wire.Raw(written))
		if err == nil {
			return v, nil
		}
		if !first {
			return none, &SampleError{excerpt.Of(written), err}
		}
		ask.Messages = append(slices.Clone(ask.Messages), said(mcp.RoleAssistant, excerpt.Cut(written, 10_000)),
			said(mcp.RoleUser, "That is not valid: "+err.Error()+". Respond with corrected JSON alone."))
	}
}

func said(role mcp.Role, text string) mcp.SamplingMessage {
	return mcp.SamplingMessage{Role: role, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: text}}}
}

// jsonIn returns the text of a message, without the code fence that models like to put around JSON.
func jsonIn(r *mcp.CreateMessageResult) string {
	var b strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	text := strings.TrimSpace(b.String())
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		if inside, ok := strings.CutSuffix(fenced, "```"); ok {
			return strings.TrimSpace(strings.TrimPrefix(inside, "json"))
		}
	}
	return text
}

// A sample describes what a model is asked for.
type sample[T any] struct {
	schema string
	parse  func(ctx context.Context, text wire.Raw) (T, error)
}

// sampleOf returns the sample of a type: the generated one, or one with an inferred schema.
func sampleOf[T any](v T) (*sample[T], error) {
	if made, ok := any(v).(interface{ MCPSample() args.Form[T] }); ok {
		form := made.MCPSample()
		return &sample[T]{form.Schema, func(_ context.Context, text wire.Raw) (T, error) {
			if err := text.Check(); err != nil {
				return v, err
			}
			return form.Read(args.New(text, false))
		}}, nil
	}
	text, err := infer[T](nil)
	if err != nil {
		return nil, err
	}
	schema, err := validate.Compile(text)
	if err != nil {
		return nil, err
	}
	d := gotype.NewDecoder[T]()
	return &sample[T]{string(text), func(ctx context.Context, text wire.Raw) (T, error) {
		return parse(ctx, schema, d, text)
	}}, nil
}

// parse decodes the value from the text of a message.
func parse[T any](ctx context.Context, schema *validate.Schema, d gotype.Decoder[T], text wire.Raw) (v T, err error) {
	if err := text.Check(); err != nil {
		return v, err
	}
	if problems := schema.Check(ctx, text); problems != nil {
		return v, errors.New(strings.Join(problems, "; "))
	}
	return d.Decode(text)
}
