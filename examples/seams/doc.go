// Package seams has, for each seam of the runtime, a user that is small enough to copy. Each file is one of them, with its
// test beside it:
//
//	ledger.go    server.ToolWrapper: what tools that change something were called with
//	plans.go     server.Filter: items for those who have paid
//	builds.go    server.Extension: a subscription to something that is no resource
//	presence.go  server.Options.OnSession: who is there
//	audit.go     server.Middleware and transport.Middleware: a line for each message, in both directions
//	mail.go      server.Call.Continue: a tool that responds at once, and goes on
//	handover.go  streamable.Keeper: sessions that outlive their handler
//	deadline.go  taskserver.Store: tasks that are deleted some time after their end
//	chans.go     transport.Transport: messages over Go channels
//	clock.go     client.Middleware: how long the calls of a client take
package seams
