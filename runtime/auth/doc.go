// Package auth makes an MCP server an OAuth 2.1 resource server: it verifies the access tokens of requests,
// responds with a challenge to a request that lacks a token or scopes, and publishes metadata that says where
// tokens come from.
//
// A [ResourceServer] is the option Auth of the HTTP handlers. Handlers get the token of a request from
// [FromContext]. A token that was sent to this server must not be passed on to other services: exchange it for one for
// them, as the example of [Token.SubjectToken] does.
//
// What happens to a request:
//
//   - [ResourceServer.Authorize] takes the access token from the header Authorization, and has the [Verifier] verify it:
//     a [JWTVerifier] by the keys of the authorization server, an [Introspector] by asking it.
//   - The token must be for this resource, and have the scopes that every request needs. What a tool requires beyond
//     these is checked later, by the server.
//   - [ResourceServer.Refuse] writes the response to a request that is refused: status 401 with a [Challenge] if the
//     token is missing or invalid, 403 if it lacks scopes, 400 if the request is malformed, and 503 if nobody can tell
//     at the moment.
//
// A handler asks for the token by its context; it is the same value for all requests with the same text.
//
// Constructors return an error if their options cannot be meant. None panics, and none sends anything: metadata and keys
// are fetched when the first token needs them.
//
// No error, log or printed value of this package has the text of a token or a secret.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
package auth
