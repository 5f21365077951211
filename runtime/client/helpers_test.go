package client

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
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
	return []Method{HandleNotification(mcp.MethodElicitationCompleteNotification.Name,
		func(_ context.Context, p *mcp.ElicitationCompleteNotificationParams) { *id = p.ElicitationID })}
}
