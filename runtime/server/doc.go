// Package server is the server's half of the Model Context Protocol in every revision.
//
//	s := server.New(mcp.Implementation{Name: "adder", Version: "1.0.0"}, nil)
//	err := s.AddTool(mcp.Tool{Name: "add", InputSchema: schema}, add)
//	...
//	t, err := stdio.Server(nil)
//	...
//	err = s.Serve(ctx, t)
//
// Revisions up to 2025-11-25 open a session by initialize; from 2026-07-28 on every request says
// itself which revision it follows and what its client can do. A server serves both, even on one
// connection, and a handler need not know which: it gets a [Call], which tells the revision, the
// client and its capabilities, reports progress, logs, and asks the client for input.
//
// A request reaches the server as a [Request] and leaves it as a result or as a *[jsonrpc.Error],
// by [Server.Handle]; [Server.Serve] does that for a connection. Everything may be called from any
// goroutine, and tools, prompts and resources may come and go while the server runs.
//
// The package links no module outside the standard library. What needs one has a package of its
// own: typed tools with schemas inferred from Go types, validation against schemas, URI templates.
package server
