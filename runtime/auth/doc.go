// Package auth makes an MCP server an OAuth 2.1 resource server: it verifies who sends a request, responds
// to those who lack a token or scopes with challenges, and says in its metadata where tokens come from.
//
// A [ResourceServer] is the option Auth of the HTTP handlers. Handlers find who called in [FromContext], and
// call other services by the tokens of an [Exchanger]: a token that was sent to this server is never sent on.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
package auth
