package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// clientName is the name of the page's own clients.
const clientName = "mcpgen-dev-page"

const (
	callTime    = 10 * time.Minute // for one response, since the last progress; a person may have to answer meanwhile
	connectTime = 20 * time.Second
)

// sessions holds the page's own connections to the endpoint, one for each revision that was asked for.
type sessions struct {
	opts  *Options
	feed  *feed
	asks  *asks
	tasks *begunTasks
	ctx   context.Context // ends with the page
	work  sync.WaitGroup

	checker outputcheck.Checker

	mu     sync.Mutex
	open   map[wire.Revision]*session
	closed bool
}

// A session is a connection.
type session struct {
	*client.Client
	ready chan struct{} // closed when the session is connected, or has failed
	early bool          // there was no build yet whose capabilities it could learn; it is replaced when there is one
	err   error

	mu            sync.Mutex
	subscriptions map[string]*client.Subscription // by URI
	outputs       map[string]wire.Raw             // the output schemas of tools, by their names
}

// of returns the session of a revision, by its name; the default is the revision of the serving build. Who comes first opens it, and
// others wait for that. A session from before there was a build is replaced, since it knows of no capabilities.
func (s *sessions) of(ctx context.Context, name string) (*session, error) {
	revision := mcp.Modern
	_, now, serves := s.opts.About()
	if serves {
		revision = now
	}
	if name != "" {
		var err error
		if revision, err = wire.ParseRevision(name); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(client.Revisions(), revision) {
		return nil, fmt.Errorf("clients do not speak revision %s", revision)
	}
	s.mu.Lock()
	one := s.open[revision]
	if s.closed {
		s.mu.Unlock()
		return nil, errEnded
	}
	if one == nil || one.early && serves {
		one = &session{early: !serves, ready: make(chan struct{}), subscriptions: map[string]*client.Subscription{}}
		s.open[revision] = one
		s.work.Go(func() { s.keep(one, revision) })
	}
	s.mu.Unlock()
	select {
	case <-one.ready:
		return one, one.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// keep connects a session, closes ready, and removes the session after its end, so that the next request opens another. It runs
// in a goroutine of its own until then.
func (s *sessions) keep(one *session, revision wire.Revision) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[revision] == one {
			delete(s.open, revision)
		}
	}()
	near, far := inmem.Pair(0)
	served := make(chan error, 1)
	go func() { served <- s.opts.Server.Serve(s.ctx, far) }()
	one.err = s.connect(one, near, revision)
	close(one.ready)
	if one.err == nil {
		select {
		case <-one.Done():
		case <-s.ctx.Done():
		}
		one.Close() // its error no longer matters
	}
	<-served
}

// connect connects a session, and subscribes to what changes. Since 2026-07-28 a client hears only of what it has asked for.
func (s *sessions) connect(one *session, t transport.Transport, revision wire.Revision) (err error) {
	ctx, cancel := context.WithTimeout(s.ctx, connectTime)
	defer cancel()
	one.Client, err = client.Connect(ctx, newTap(t, s.feed, "page", revision.String()), s.options(revision))
	if err != nil {
		return err
	}
	if revision.Since(mcp.Modern) { // in earlier revisions the server decides the level
		if err := one.SetLevel(ctx, mcp.LoggingLevelDebug); err != nil {
			return err
		}
		yes := true
		_, err = one.Subscribe(ctx, mcp.SubscriptionFilter{ToolsListChanged: &yes, PromptsListChanged: &yes, ResourcesListChanged: &yes})
		return err
	}
	return nil
}

// options returns the options of a session. The page declares all that a client can, and the person answers: what a server does
// with less, other clients show.
func (s *sessions) options(revision wire.Revision) *client.Options {
	name := revision.String()
	return &client.Options{
		Info:            mcp.Implementation{Name: clientName, Version: "1"},
		Revisions:       []wire.Revision{revision},
		Logger:          s.opts.Logger,
		Limits:          transport.Limits{Timeout: callTime, MaxTimeout: -1},
		Extensions:      []client.Extension{taskclient.Enable(&taskclient.Options{OnTask: s.tasks.notified}), dev.Apps()},
		AllowUndeclared: true, // the build behind the endpoint decides
		Roots:           s.opts.Roots,
		CacheBytes:      -1, // people want to see what is there now
		Sample: func(ctx context.Context, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
			return s.asks.sample(ctx, name, p)
		},
		Capabilities: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{
			Tools: mcp.JSONObject{}, Context: mcp.JSONObject{},
		}},
		Elicit: elicit.Handler{
			Form: func(ctx context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				return s.asks.form(ctx, name, p)
			},
			URL: func(ctx context.Context, p *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return s.asks.visit(ctx, name, p)
			},
		},
		OnChange: s.changed,
		Send:     []client.Middleware{s.tasks.polled},
	}
}

// changed puts a change of which the server has notified into the feed of the page.
func (s *sessions) changed(_ context.Context, change client.Change) {
	now := time.Now().UnixMilli()
	switch {
	case change.URI != "":
		s.feed.add("updated", map[string]any{"uri": change.URI, "at": now})
	case change.Tools:
		s.feed.set("changed/tools", now)
	case change.Prompts:
		s.feed.set("changed/prompts", now)
	case change.Resources:
		s.feed.set("changed/resources", now)
	}
}

// run runs a function that ends with the page, unless the page has ended.
func (s *sessions) run(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Go(f)
	return true
}

var errEnded = errors.New("mcpgen dev has ended")

// wait waits for all sessions to end, which they do when ctx ends. There are no new ones then.
func (s *sessions) wait() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.work.Wait()
}
