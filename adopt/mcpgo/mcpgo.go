// Package mcpgo lets tools that are written with github.com/mark3labs/mcp-go serve beside annotated functions, in one process,
// until they are moved over. Package tools is what `mcpgen adopt` makes:
//
//	s, err := tools.NewServer(&tools.Tools{Old: mcpgo.New(oldServer).CallTool}, nil)
//
// See https://github.com/mcpgen/mcpgen/blob/main/docs/moving-over.md.
package mcpgo

import (
	"context"
	"encoding/json"
	"fmt"

	oldmcp "github.com/mark3labs/mcp-go/mcp"
	oldserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxNotifications is how many notifications of a call may wait for those before them to be passed on. Further ones are dropped.
const maxNotifications = 1024

// A Server is a server of mcp-go whose tools can be called.
type Server struct{ old *oldserver.MCPServer }

// New returns a server with the tools that have been added to s, as by AddTool: with a ToolHandlerFunc.
func New(s *oldserver.MCPServer) *Server { return &Server{s} }

// CallTool calls a tool. The handler receives ctx, with a session of its own: its client has no name, and cannot be asked for
// anything. Progress is reported to the function of [client.WithProgress], which the code that `mcpgen adopt` makes passes on to the
// client; other notifications are dropped. An error response of the server is a *[jsonrpc.Error].
func (s *Server) CallTool(ctx context.Context, tool string, args wire.Raw) (*mcp.CallToolResult, error) {
	params := mcp.CallToolRequestParams{Name: tool, Arguments: args}
	progress := client.ProgressFunc(ctx)
	if progress != nil {
		params.Meta = &mcp.RequestMetaObject{ProgressToken: wire.IntID(1)}
	}
	request, err := jsonrpc.AppendRequest(nil, mcp.V2025_11_25, wire.IntID(1), mcp.MethodCallTool.Name, &params, nil)
	if err != nil {
		return nil, err
	}
	session := &session{notifications: make(chan oldmcp.JSONRPCNotification, maxNotifications)}
	passed := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(passed)
		session.pass(progress, ended)
	}()
	response := s.old.HandleMessage(s.old.WithContext(ctx, session), request)
	close(ended)
	<-passed
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	text, err := json.Marshal(response)
	if err != nil {
		return nil, fmt.Errorf("the response of the tool %s: %w", tool, err)
	}
	m, err := jsonrpc.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the response of the tool %s: %w", tool, err)
	}
	if m.Error != nil {
		return nil, m.Error
	}
	result := new(mcp.CallToolResult)
	if err := wire.DecodeAlias(m.Result, result); err != nil {
		return nil, fmt.Errorf("the result of the tool %s: %w", tool, err)
	}
	return result, nil
}

// A session is that of one call.
type session struct {
	notifications chan oldmcp.JSONRPCNotification
}

func (*session) Initialize()       {}
func (*session) Initialized() bool { return true }
func (*session) SessionID() string { return "mcpgen" }
func (s *session) NotificationChannel() chan<- oldmcp.JSONRPCNotification {
	return s.notifications
}

// pass passes on progress until the call has ended, and what waits then.
func (s *session) pass(progress func(*mcp.ProgressNotificationParams), ended <-chan struct{}) {
	for {
		select {
		case n := <-s.notifications:
			report(progress, n)
		case <-ended:
			for {
				select {
				case n := <-s.notifications:
					report(progress, n)
				default:
					return
				}
			}
		}
	}
}

func report(progress func(*mcp.ProgressNotificationParams), n oldmcp.JSONRPCNotification) {
	if progress == nil || n.Method != mcp.MethodProgressNotification.Name {
		return
	}
	text, err := json.Marshal(n.Params)
	if err != nil {
		return
	}
	params := new(mcp.ProgressNotificationParams)
	if wire.DecodeAlias(text, params) == nil {
		progress(params)
	}
}
