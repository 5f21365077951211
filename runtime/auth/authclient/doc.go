// Package authclient lets clients of Streamable HTTP and HTTP+SSE reach servers that demand authorization. A
// [Transport] gives each request its access token. Where there is none, or the server does not take it, the
// Transport finds the authorization server, makes the client known to it, obtains a token, and sends the request
// again:
//
//	t := authclient.New(endpoint, &authclient.Options{
//		Grant: &authclient.AuthorizationCode{ClientName: "Notes"},
//		Store: store,
//	})
//	defer t.Close()
//	c, err := client.Connect(ctx, streamable.NewClient(endpoint, &streamable.ClientOptions{
//		HTTP: &http.Client{Transport: t},
//	}), nil)
//
// By default the user logs in with a browser. [ClientCredentials], [EnterpriseManaged] and [WorkloadIdentity] are
// for programs without a user at hand.
//
// Tokens go to the origin of the endpoint alone, and they are in no error, log or printed value of this package.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization, of which the package also
// implements the older revisions.
package authclient
