package authclient

import (
	"context"
	"errors"
)

// A Grant is how a client obtains tokens: an [AuthorizationCode], [ClientCredentials], [EnterpriseManaged],
// [WorkloadIdentity] or [Stored].
type Grant interface {
	// obtain obtains a token.
	obtain(ctx context.Context, f *flow) (*token, error)
	// silent reports whether that works without a user.
	silent() bool
}

// Stored is the grant of a program without a user, for whom another program has logged in: it obtains nothing. The
// Transport sends the token in [Options].Store, and refreshes it. Where that does not suffice, RoundTrip returns the
// response with status 401 or 403.
type Stored struct{}

var errStored = errors.New("authclient: the stored token does not suffice, and somebody has to log in")

func (Stored) silent() bool { return false }

func (Stored) obtain(context.Context, *flow) (*token, error) { return nil, errStored }

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
