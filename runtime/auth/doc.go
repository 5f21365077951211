// Package auth makes an MCP server an OAuth 2.1 resource server: it verifies the access tokens of requests,
// responds with a challenge to a request that lacks a token or scopes, and publishes metadata that says where
// tokens come from.
//
// A [ResourceServer] is the option Auth of the HTTP handlers. Handlers get the token of a request from
// [FromContext]. A token that was sent to this server must not be passed on to other services: exchange it for one for
// them, as the example of [Token.SubjectToken] does.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
package auth
