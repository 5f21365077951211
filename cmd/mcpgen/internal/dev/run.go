package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A Project is a server that is being written.
type Project interface {
	// Sources returns what the server is built from.
	Sources(ctx context.Context) (Sources, error)
	// Build builds the server. The text of the error is for a person, with the places of the mistakes.
	Build(ctx context.Context) (Build, error)
}

// A Build is a program that was built from a project.
type Build interface {
	// Same reports whether another build, which may be nil, is the same program.
	Same(other Build) bool
	// Start starts the program. The context is only for starting it.
	Start(ctx context.Context) (transport.Transport, error)
	// Verdict says in a few words what callers will notice; empty if nothing is known.
	Verdict() string
	// Discard removes the program.
	Discard()
}

const (
	graceTime     = 5 * time.Second  // for the calls at work when a new build takes over
	sameGraceTime = time.Hour        // for those at work when another connection to the same server does
	connectTime   = 30 * time.Second // for a server to start, and to list what it offers
	firstWait     = time.Second      // before a server that failed is started again; it doubles with each failure
	longestWait   = 30 * time.Second
)

// A Runner builds a project whenever it changes, and keeps its last good build serving; or it maintains the connection
// to a server that is not built here.
type Runner struct {
	Endpoint   *Endpoint
	Connection Connection
	Say        func(text string)
	Show       func(State)                                   // receives each new state; nil if nobody wants it
	Tap        func(transport.Transport) transport.Transport // wraps the connection to each server; nil for none

	Project Project
	Watch   func(Sources) error
	Changes <-chan struct{} // a value after the sources have changed

	// Foreign, in place of Project, opens a connection to a server that is not built here. The context is only for
	// opening.
	Foreign func(ctx context.Context) (transport.Transport, error)
	// Attempt calls connect, again if there is a reason to; nil calls it once.
	Attempt func(ctx context.Context, connect func(ctx context.Context) error) error

	state    State
	watching bool
	child    *Child          // nil if none serves
	deaf     <-chan struct{} // that of the child, until it has been closed
	build    Build           // the last good one
	offered  *Offers
	since    time.Time        // when the child began to serve
	delay    time.Duration    // before the next start; 0 is firstWait
	again    <-chan time.Time // when to start the build again
	retiring sync.WaitGroup
}

// Run runs until ctx ends, and ends what it started. Its goroutine alone builds, starts and replaces, one after the other:
// a change that comes meanwhile waits in Changes. Only children that retire do so by themselves.
func (r *Runner) Run(ctx context.Context) error {
	defer r.stop()
	begin := r.rebuild
	if r.Foreign != nil {
		begin = r.open
	}
	if err := begin(ctx); err != nil {
		return err
	}
	for {
		var ended, deaf <-chan struct{}
		if r.child != nil {
			ended, deaf = r.child.Done(), r.deaf
		}
		select {
		case <-ctx.Done():
			return nil
		case _, ok := <-r.Changes:
			if !ok {
				if ctx.Err() != nil {
					return nil
				}
				return errors.New("changes of files cannot be noticed any more")
			}
			if err := r.rebuild(ctx); err != nil {
				return err
			}
		case <-ended:
			r.lost(ctx)
		case <-deaf:
			r.deafened()
		case <-r.again:
			if !r.start(ctx, r.build) {
				continue
			}
			if r.Foreign == nil {
				r.Say("the server runs again")
				r.show(func(s *State) { s.Phase, s.Problem = Serving, "" })
			} else {
				r.connected()
			}
		}
	}
}

// stop ends the child, and waits for children that are already ending.
func (r *Runner) stop() {
	if child := r.Endpoint.Fail(errors.New("mcpgen dev has ended")); child != nil {
		child.Close()
	}
	r.retiring.Wait()
	if r.build != nil {
		r.build.Discard()
	}
}

// rebuild builds the project, and replaces the child if the build succeeds. It fails if the project's files are not
// known or cannot be watched.
func (r *Runner) rebuild(ctx context.Context) error {
	sources, err := r.Project.Sources(ctx)
	if err != nil {
		if !r.watching && ctx.Err() == nil { // nothing would be noticed
			return err
		}
		r.bad(ctx, err)
		return nil
	}
	if err := r.Watch(sources); err != nil {
		return fmt.Errorf("files cannot be watched: %w", err)
	}
	r.watching = true
	r.show(func(s *State) { s.Phase = Building })
	began := time.Now()
	build, err := r.Project.Build(ctx)
	if err != nil {
		r.bad(ctx, err)
		return nil
	}
	if r.child != nil && build.Same(r.build) {
		build.Discard()
		r.Say("built: the same program as before")
		r.show(func(s *State) { s.Phase, s.Problem = Serving, "" })
		return nil
	}
	r.delay, r.again = firstWait, nil
	if r.start(ctx, build) {
		line := fmt.Sprintf("built in %.1f s: %s", time.Since(began).Seconds(), r.child.Offers.Since(r.offered))
		if v := build.Verdict(); v != "" {
			line += "; " + v
		}
		r.Say(line)
		r.offered = &r.child.Offers
		r.show(func(s *State) { *s = State{Phase: Serving, Summary: line, Verdict: build.Verdict()} })
	}
	return nil
}

// bad shows why there is no new build.
func (r *Runner) bad(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	r.Say(strings.TrimRight(err.Error(), "\n"))
	r.fails(Failed, err)
	switch {
	case r.child != nil:
		r.Say("the last good build keeps serving")
	case r.build == nil:
		r.Endpoint.Fail(fmt.Errorf("the server does not build: %w", err))
	}
}

// start starts a build, and makes it the serving one. It reports whether that succeeded. If the build serves already, there
// is a reason to doubt its connection, and one that cannot be made again is lost.
func (r *Runner) start(ctx context.Context, build Build) bool {
	child, err := r.connect(ctx, build)
	if err != nil && r.child != nil && build == r.build {
		r.child.lose(err)
		return false
	}
	if err != nil {
		why := fmt.Errorf("the server does not start: %w", err)
		if r.Foreign != nil {
			why = fmt.Errorf("no connection to the server: %w", err)
		}
		if ctx.Err() == nil {
			r.Say(why.Error())
			r.fails(Failed, why)
		}
		if r.child != nil {
			build.Discard()
			r.Say("the last good build keeps serving")
			return false
		}
		r.hold(build)
		r.retry(ctx, why)
		return false
	}
	r.take(ctx, child, build)
	return true
}

// take makes a child the serving one. The last one retires without anybody waiting for that, and its build is discarded then,
// unless both are connections to the same build.
func (r *Runner) take(ctx context.Context, child *Child, build Build) {
	last := r.Endpoint.Replace(ctx, child)
	before := r.build
	r.child, r.build, r.since, r.deaf = child, build, time.Now(), child.deaf
	grace := graceTime
	if before == build {
		before, grace = nil, sameGraceTime
	}
	if last == nil {
		if before != nil {
			before.Discard()
		}
		return
	}
	r.retiring.Go(func() {
		last.Retire(ctx, grace)
		if before != nil {
			before.Discard()
		}
	})
}

// hold makes a build the one that is started again after it ends.
func (r *Runner) hold(build Build) {
	if r.build != nil && r.build != build {
		r.build.Discard()
	}
	r.build = build
}

// connect starts a build and connects to it. Each attempt may take as long as [Connection] allows for both together. The
// caller owns the child, and the build that it got: connect discards neither.
func (r *Runner) connect(ctx context.Context, build Build) (child *Child, err error) {
	limit := cmp.Or(r.Connection.Timeout, connectTime)
	connect := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the server is not ready within %v", limit))
		defer cancel()
		t, err := build.Start(ctx)
		if err != nil {
			return err
		}
		if r.Tap != nil {
			t = r.Tap(t)
		}
		if child, err = r.Connection.Connect(ctx, r.Endpoint, t); err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	if r.Attempt != nil {
		err = r.Attempt(ctx, connect)
	} else {
		err = connect(ctx)
	}
	return child, err
}

// lost handles the unexpected end of a child.
func (r *Runner) lost(ctx context.Context) {
	why := errors.New("the server exited")
	if err := r.child.Err(); err != nil {
		why = fmt.Errorf("the server failed: %w", err)
	}
	r.child = nil
	r.forgive()
	if ctx.Err() == nil {
		r.Say(why.Error())
		r.fails(Lost, why)
	}
	r.retry(ctx, why)
}

// retry plans the next start of the last good build.
func (r *Runner) retry(ctx context.Context, why error) {
	if ctx.Err() != nil {
		return
	}
	wait := r.wait()
	next := fmt.Sprintf("it is started again in %v", wait)
	if r.Foreign != nil {
		next = fmt.Sprintf("the next attempt is in %v", wait)
	}
	r.Endpoint.Fail(fmt.Errorf("%w; %s", why, next))
	if r.Foreign == nil {
		next += ", or when its code changes"
	}
	r.Say(next)
}

// forgive makes the next wait a short one if the child has served for long.
func (r *Runner) forgive() {
	if time.Since(r.since) > longestWait {
		r.delay = firstWait
	}
}

// wait plans the next start, and returns how long that takes: longer with each failure.
func (r *Runner) wait() time.Duration {
	wait := cmp.Or(r.delay, firstWait)
	r.delay = min(2*wait, longestWait)
	r.again = time.After(wait)
	return wait
}

// deafened handles the end of the subscription to changes of lists: the next connection is planned, while this one serves. A
// server over HTTP ends subscriptions when it shuts down, and the one that comes back may offer something else.
func (r *Runner) deafened() {
	r.deaf = nil
	if r.child.Err() != nil { // its connection has ended, too
		return
	}
	r.forgive()
	r.Say(fmt.Sprintf("the server has ended the subscription to its changes; the next connection is made in %v", r.wait()))
}
