// Package sse is a server's side of HTTP+SSE, the HTTP transport of revision 2024-11-05: a stream from the server, whose
// first event says where to send the messages for it. Later revisions have Streamable HTTP in its place; this package is
// for clients that do not support that yet. Package httpclient is the other side.
//
// See https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
package sse
