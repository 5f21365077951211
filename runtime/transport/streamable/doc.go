// Package streamable is a server's side of Streamable HTTP, the transport of revisions since 2025-03-26: an
// [http.Handler], with all protection on by default. Package httpclient is the other side.
//
//	err := streamable.ListenAndServe(ctx, "127.0.0.1:8080", s, nil)
//
// or, in a program that has an HTTP server already,
//
//	mux.Handle("/mcp", streamable.NewHandler(s, nil))
//
// # Sessions
//
// Through 2025-11-25, initialize opens a session, which every later request names. A session is not a connection:
// it continues when connections break, and ends when the client ends it or has not used it for a while. What a
// server sends goes on streams, which a client that lost its connection can resume. Since 2026-07-28 there are no
// sessions: each request is independent, and closing its response cancels it.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http, and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.
package streamable
