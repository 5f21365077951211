package authclient

import "context"

// A Grant is how a client obtains tokens: an [AuthorizationCode], [ClientCredentials], [EnterpriseManaged],
// [WorkloadIdentity] or [Stored].
type Grant interface {
	// obtain obtains a token.
	obtain(ctx context.Context, f *flow) (*token, error)
	// silent reports whether that works without a user.
	silent() bool
}

// A flow is one use of a grant.
type flow struct {
	*Transport
	server *authServer
	scopes []string
	key    []byte // that the token shall be bound to, nil if it need not be
}

// target returns the parameter that says what a token is for.
//
// REQ AUTH06-05
func (f *flow) target() (name, value string) {
	if f.opts.Audience != "" {
		return "audience", f.opts.Audience
	}
	return "resource", f.server.resource
}
