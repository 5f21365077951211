// Package again marks the requests whose senders were verified before, and are verified again because a stream is open. What
// is accepted once, such as a proof, was accepted then.
package again

import "context"

type key struct{}

// With returns the context of a request whose sender was verified before.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, key{}) }

// Is reports whether a context is one of With.
func Is(ctx context.Context) bool { return ctx.Value(key{}) != nil }
