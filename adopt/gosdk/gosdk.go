// Package gosdk lets tools that are written with github.com/modelcontextprotocol/go-sdk serve beside annotated functions, in one
// process, until they are moved over. Package tools is what `mcpgen adopt` makes:
//
//	old, err := gosdk.Connect(ctx, oldServer)
//	…
//	defer old.Close()
//	s, err := tools.NewServer(&tools.Tools{Old: old.CallTool}, nil)
//
// See https://github.com/mcpgen/mcpgen/blob/main/docs/moving-over.md.
package gosdk

import (
	"context"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callKey is the member of the metadata of a call by which the server finds its context.
const callKey = "io.github.mcpgen/call"

// A Server is a server of go-sdk whose tools can be called.
type Server struct {
	client  *client.Client
	session *sdk.ServerSession

	last  atomic.Uint64
	calls sync.Map // contexts of the calls, by their ids
}

// Connect connects to a server, with the tools that have been added to it, as by AddTool: with a ToolHandler or a ToolHandlerFor.
// The context is only for connecting. For the server, all calls come from one client; it calls itself mcpgen, and cannot be asked
// for anything. Connect adds middleware to the server, which lets handlers see the contexts of the calls.
func Connect(ctx context.Context, s *sdk.Server) (*Server, error) {
	o := &Server{}
	s.AddReceivingMiddleware(o.receive)
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	session, err := s.Connect(context.WithoutCancel(ctx), &sdk.IOTransport{Reader: fromClient, Writer: toClient, MaxLineLength: -1}, nil)
	if err != nil {
		return nil, err
	}
	o.session = session
	unlimited := transport.Limits{Timeout: -1, MaxTimeout: -1, SendTimeout: -1}
	o.client, err = client.Connect(ctx, stdio.New(fromServer, toServer, &stdio.Options{MaxMessage: -1}), &client.Options{Limits: unlimited})
	if err != nil {
		session.Close()
		return nil, err
	}
	return o, nil
}

// Close ends the connection. Calls that are being handled fail.
func (s *Server) Close() error {
	err := s.client.Close()
	s.session.Wait()
	return err
}

// CallTool calls a tool. The handler sees the values of ctx, and ends with it. Progress is reported to the function of
// [client.WithProgress], which the code that `mcpgen adopt` makes passes on to the client. An error response of the server is a
// *[jsonrpc.Error].
//
// [jsonrpc.Error]: https://pkg.go.dev/github.com/mcpgen/mcpgen/runtime/jsonrpc#Error
func (s *Server) CallTool(ctx context.Context, tool string, args wire.Raw) (*mcp.CallToolResult, error) {
	id := strconv.FormatUint(s.last.Add(1), 10)
	s.calls.Store(id, ctx)
	defer s.calls.Delete(id)
	meta := &mcp.RequestMetaObject{}
	meta.Extra.Set(callKey, wire.Raw(strconv.Quote(id)))
	r, err := s.client.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool, Arguments: args, Meta: meta})
	if err == nil && r.Meta != nil { // clients are served by another server
		if r.Meta.ServerInfo = nil; len(r.Meta.Extra) == 0 {
			r.Meta = nil
		}
	}
	return r, err
}

// receive is the middleware that finds the contexts of calls.
func (s *Server) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		call, ok := r.(*sdk.CallToolRequest)
		if ok && call.Session == s.session {
			id, _ := call.Params.Meta[callKey].(string)
			delete(call.Params.Meta, callKey)
			if values, ok := s.calls.Load(id); ok {
				ctx = callContext{ctx, values.(context.Context)}
			}
		}
		return next(ctx, method, r)
	}
}

// A callContext is the context of a request of the server, with the values of that of the call.
type callContext struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (c callContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}
