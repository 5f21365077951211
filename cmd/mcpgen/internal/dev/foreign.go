package dev

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A foreign takes the place of a build.
type foreign struct {
	open func(ctx context.Context) (transport.Transport, error)
}

// Same implements Build.
func (f *foreign) Same(other Build) bool { return other == f }

// Start implements Build.
func (f *foreign) Start(ctx context.Context) (transport.Transport, error) { return f.open(ctx) }

// Verdict implements Build.
func (f *foreign) Verdict() string { return "" }

// Discard implements Build.
func (f *foreign) Discard() {}

// open connects to a foreign server for the first time. It fails if another attempt would fail, too: only a server over
// HTTP may start later than its client.
func (r *Runner) open(ctx context.Context) error {
	build := &foreign{r.Foreign}
	child, err := r.connect(ctx, build)
	switch {
	case err == nil:
		r.take(ctx, child, build)
		r.connected()
	case ctx.Err() != nil:
	case isUnreachable(err):
		r.build = build
		r.Say("no connection to the server: " + err.Error())
		r.fails(Failed, fmt.Errorf("no connection to the server: %w", err))
		r.retry(ctx, err)
	default:
		return err
	}
	return nil
}

// connected says what a foreign server offers.
func (r *Runner) connected() {
	line := "connected: " + r.child.Offers.Since(r.offered)
	r.Say(line)
	r.offered = &r.child.Offers
	r.show(func(s *State) { *s = State{Phase: Serving, Summary: line} })
}
