// Package server is the server's half of the Model Context Protocol in every revision.
//
//	s := server.New(mcp.Implementation{Name: "adder", Version: "1.0.0"}, nil)
//	err := s.AddTool(mcp.Tool{Name: "add", InputSchema: schema}, add)
//	...
//	err = stdio.Serve(ctx, s, nil)
//
// Through 2025-11-25 clients open a session with initialize; since 2026-07-28 each request says which revision it
// follows and what its client supports. A server serves both, even on one connection. A handler need not know
// which: its [Call] has the revision, the client and its capabilities, reports progress, logs, and asks the client
// for input.
//
// [Server.Serve] serves a connection. HTTP handlers, in the packages of their transports, serve any number of
// clients; a client over package inmem calls a server from within the program. All methods may be called from several
// goroutines, and tools, prompts and resources may be added and removed while the server runs.
//
// The package links no module outside the standard library. Features that need one have their own packages: typed
// tools whose schemas are inferred from Go types, validation against schemas, and URI templates.
package server
