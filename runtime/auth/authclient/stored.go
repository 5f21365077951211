package authclient

import (
	"context"
	"errors"
)

// Stored is the grant of a program without a user, for whom another program has logged in: it obtains nothing. The
// Transport sends the token in [Options].Store, and refreshes it. Where that does not suffice, RoundTrip returns the
// response with status 401 or 403.
type Stored struct{}

var errStored = errors.New("authclient: the stored token does not suffice, and somebody has to log in")

func (Stored) silent() bool { return false }

func (Stored) obtain(context.Context, *flow) (*token, error) { return nil, errStored }
