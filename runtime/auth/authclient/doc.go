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
// Tokens go only to the origin of the endpoint, and appear in no error, log or printed value of this package.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization. The package also implements the
// older revisions.
package authclient
