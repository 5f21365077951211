package client

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

// codeRejected is the code by which servers up to 2025-11-25 are told that the user said no.
const codeRejected = -1

// ErrRejected is what a sampling handler returns when the user does not want the request to be
// made, or its result to be sent.
var ErrRejected error = &jsonrpc.Error{Code: codeRejected, Message: "User rejected sampling request"}

// CreateMessage answers sampling/createMessage by the handler of the options.
func (h *handler) CreateMessage(ctx context.Context, params *mcp.CreateMessageRequestParams) (mcp.CreateMessageResponse, error) {
	c := h.client
	if c.opts.Sample == nil {
		return nil, wire.ErrUnknownMethod
	}
	// REQ SAMP-10
	if !c.opts.SamplingTools && (params.Tools != nil || params.ToolChoice != nil) {
		return nil, invalidParams("sampling with tools was not declared by the client")
	}
	if err := checkMessages(params.Messages); err != nil {
		return nil, err
	}
	r, err := c.opts.Sample(ctx, params)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, errors.New("the sampling handler returned no result")
	}
	return r, nil
}

// checkMessages checks that calls of tools and their results stand together: a message has
// either results alone or none, and every call is answered by the message after it.
func checkMessages(messages []mcp.SamplingMessage) error {
	open := map[string]bool{} // the calls of the message before
	for i, m := range messages {
		answered, others := 0, 0
		for _, block := range m.Content {
			if r, ok := block.(*mcp.ToolResultContent); ok {
				answered++
				if m.Role == mcp.RoleUser {
					delete(open, r.ToolUseID)
				}
			} else {
				others++
			}
		}
		// REQ SAMP-12
		if m.Role == mcp.RoleUser && answered > 0 && others > 0 {
			return invalidParams(fmt.Sprintf("messages[%d]: tool results and other content in one message", i))
		}
		// REQ SAMP-13
		if err := unanswered(open, i); err != nil {
			return err
		}
		for _, block := range m.Content {
			if u, ok := block.(*mcp.ToolUseContent); ok && m.Role == mcp.RoleAssistant {
				open[u.ID] = true
			}
		}
	}
	return unanswered(open, len(messages))
}

func unanswered(open map[string]bool, i int) error {
	for id := range open {
		return invalidParams(fmt.Sprintf("messages[%d]: no result for the tool use %q of the message before", i, excerpt.Of(id)))
	}
	return nil
}

// MatchModel returns the first of the models that a server's hints name. The hints are taken in
// their order, and name every model whose name they are a part of: "sonnet" names
// "claude-sonnet-5". What the server would like has no other force: the choice is the client's.
func MatchModel(preferences *mcp.ModelPreferences, models []string) (model string, ok bool) {
	if preferences == nil {
		return "", false
	}
	for _, hint := range preferences.Hints {
		// REQ SAMP-08
		if hint.Name == "" {
			continue
		}
		for _, model := range models {
			// REQ SAMP-08
			if strings.Contains(model, hint.Name) {
				return model, true
			}
		}
	}
	return "", false
}
