// Package authclient lets clients of Streamable HTTP and HTTP+SSE use servers that require authorization. A
// [Transport] adds an access token to each request. If there is none, or the server does not accept it, the
// Transport finds the authorization server, registers the client there, obtains a token, and sends the request
// again:
//
//	t, err := authclient.New(endpoint, &authclient.Options{
//		Grant: &authclient.AuthorizationCode{ClientName: "Notes"},
//		Store: store,
//	})
//	if err != nil {
//		return err
//	}
//	defer t.Close()
//	c, err := client.Connect(ctx, httpclient.New(endpoint, &httpclient.Options{
//		HTTP: &http.Client{Transport: t},
//	}), nil)
//
// By default the user logs in with a browser. [ClientCredentials] and [WorkloadIdentity] are for programs without a
// user, [EnterpriseManaged] for users who have already logged in to their organization's identity provider.
//
// How a token is found, used and replaced:
//
//   - A request is sent with the token that there is: in memory, or in the [Store].
//   - A token that is about to expire is refreshed before it is sent, if that works without a user.
//   - A response with status 401, or 403 with error="insufficient_scope", is a demand for another token. The Transport takes
//     one that another process has stored meanwhile, or refreshes its own, or uses the [Grant], and sends the request again.
//   - Requests that need another token at the same time wait for one and the same, and a user is asked once.
//
// All of that has limits, for each request and in time, so that no server can make a program, or its user, go on for ever.
//
// Tokens go only to the origin of the endpoint, and appear in no error, log or printed value of this package.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization. The package also implements the
// older revisions.
package authclient
