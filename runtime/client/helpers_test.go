package client

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func noSample(context.Context, *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	return nil, nil
}

func noElicit(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	return nil, nil
}

func noElicitURL(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
	return "", nil
}

// withoutMeta empties the metadata of what a modern client sent.
func withoutMeta(line string) string {
	before, after, ok := strings.Cut(line, `"_meta":{`)
	if !ok {
		return line
	}
	depth := 1
	for i, c := range after {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return before + `"_meta":{` + after[i:]
			}
		}
	}
	return line
}

func onComplete(id *string) []Method {
	return []Method{handleNotification(mcp.MethodElicitationCompleteNotification.Name,
		func(_ context.Context, p *mcp.ElicitationCompleteNotificationParams) { *id = p.ElicitationID })}
}

// handleRequest and handleNotification make methods as package methods does, which tests of this package cannot import.
func handleRequest[In, Out any](name string, f func(context.Context, In) (Out, error)) Method {
	return Method{Name: name, Request: func(ctx context.Context, params wire.Raw) (wire.Encodable, error) {
		in, err := gotype.NewDecoder[In]().Params(params)
		if err != nil {
			return nil, err
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		return gotype.Encodable(&out)
	}}
}

func handleNotification[In any](name string, f func(context.Context, In)) Method {
	return Method{Name: name, Notification: func(ctx context.Context, params wire.Raw) error {
		in, err := gotype.NewDecoder[In]().Params(params)
		if err == nil {
			f(ctx, in)
		}
		return err
	}}
}
