package client

// A server asks for a message of the language model that the program uses. The client checks what the protocol demands
// of such requests; the program, and a person, decide about the rest.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/sampling.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// codeRejected is the code for a request that the user rejected.
const codeRejected = -1

// ErrRejected is what [Options.Sample] returns if the user rejects the request or its result.
var ErrRejected error = &jsonrpc.Error{Code: codeRejected, Message: "User rejected sampling request"}

// CreateMessage handles sampling/createMessage with the handler of the options. What the protocol forbids is refused
// before a person is asked: tools that the client did not declare, and results of tools in the wrong place.
func (h *builtin) CreateMessage(ctx context.Context, params *mcp.CreateMessageRequestParams) (mcp.CreateMessageResponse, error) {
	c := h.client
	if c.opts.Sample == nil {
		return nil, wire.ErrUnknownMethod
	}
	c.uses(ctx, &mcp.MethodCreateMessage)
	if s := c.opts.Capabilities.Sampling; (s == nil || s.Tools == nil) && (params.Tools != nil || params.ToolChoice != nil) {
		return nil, invalidParams("sampling with tools was not declared by the client")
	}
	if err := checkMessages(params.Messages); err != nil {
		return nil, err
	}
	// From here on a person may be asked, so all that can be refused without one has been.
	r, err := c.opts.Sample(ctx, params)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("the sampling handler returned no result")
	}
	return r, nil
}

// checkMessages checks that the results of tools follow their calls: a message of the user has only results
// or none, and the message after a call has its result.
//
// REQ SAMP-12, SAMP-13
func checkMessages(messages []mcp.SamplingMessage) error {
	open := map[string]bool{} // the calls of the previous message
	for i, m := range messages {
		results, others := 0, 0
		for _, block := range m.Content {
			if r, ok := block.(*mcp.ToolResultContent); ok {
				results++
				if m.Role == mcp.RoleUser {
					delete(open, r.ToolUseID)
				}
			} else {
				others++
			}
		}
		if m.Role == mcp.RoleUser && results > 0 && others > 0 {
			return invalidParams(fmt.Sprintf("messages[%d]: must have either tool results or other content, got both", i))
		}
		if err := checkComplete(open, i); err != nil {
			return err
		}
		for _, block := range m.Content {
			if u, ok := block.(*mcp.ToolUseContent); ok && m.Role == mcp.RoleAssistant {
				open[u.ID] = true
			}
		}
	}
	return checkComplete(open, len(messages))
}

// checkComplete checks the calls that are open, all of which are of one message: it checks that no call of the message before message i is left without a result.
func checkComplete(open map[string]bool, i int) error {
	for id := range open {
		return invalidParams(fmt.Sprintf("messages[%d]: the result of tool use %q must be in the next message", i-1, excerpt.Of(id)))
	}
	return nil
}

// MatchModel returns the model that a server's hints suggest: the first of models whose name contains the
// first hint that any name contains. The hint "sonnet" suggests "claude-sonnet-5", for example. A client
// need not follow hints.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#model-preferences.
//
// REQ SAMP-08
func MatchModel(preferences *mcp.ModelPreferences, models []string) (model string, ok bool) {
	if preferences == nil {
		return "", false
	}
	for _, hint := range preferences.Hints {
		if hint.Name == "" {
			continue
		}
		for _, model := range models {
			if strings.Contains(model, hint.Name) {
				return model, true
			}
		}
	}
	return "", false
}
