// Package nats lets several processes serve the same clients, over NATS with JetStream: any of them serves any
// request of any session, and sessions outlive the processes. It is a separate module, so that other programs do
// not depend on NATS.
//
//	c, err := nats.New(ctx, conn, nil)
//	h := streamable.NewHandler(server, c.Options(nil))
//	http.Handle("/mcp", c.Handler(h))
//
// A session is served from the memory of one process, whose lease its record names. Another process that receives a
// request of the session passes it on to that process, and the whole response back, even if it is a long
// stream; so calls, streams, cancellations, and responses to requests of the server meet at one process. When the
// lease has ended, another process takes the session over. Requests since 2026-07-28 belong to no session, and are
// served where they arrive.
//
// All subjects begin with [Options.Prefix], and so do the names of JetStream's streams: PREFIX_records has the records of
// sessions and tasks, PREFIX_records_KIND those of another kind, PREFIX_events what was sent on the streams of sessions.
// The program makes the connection, with its servers, credentials, TLS, and limits.
//
// When the clients of one process are notified that a list has changed, or a resource by
// [github.com/mcpgen/mcpgen/runtime/server.Server.ResourceUpdated], the clients of the others are notified, too.
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

//go:generate go run -C ../.. ./internal/api -module cluster/nats cluster/nats/api.txt

// Options configures a [Cluster]. All processes of a cluster should have the same: the first creates JetStream's streams,
// and each of the others changes them to its own options. Of the limits, 0 is the default, and a negative value is no
// limit.
type Options struct {
	// Prefix begins all subjects, and the names of JetStream's streams: "mcp" if empty. It consists of letters, digits,
	// - and _.
	Prefix string

	// Replicas is how many NATS servers keep each record and event: 1 if 0. Storage is where; the default is files.
	Replicas int
	Storage  jetstream.StorageType

	// TTL is how long a process may be out of reach before others take over its sessions: 10 s if 0, and at least
	// 2 s, also if negative.
	TTL time.Duration

	// EventAge is how long events of streams are kept: 1 hour if 0. EventBytes limits their size, of all sessions
	// together: 1 GiB if 0. NATS servers reserve as much, and refuse more than they have.
	// EventsPerStream limits the number of events of a stream: 1000 if 0. The oldest are dropped first, and a stream
	// cannot be resumed after an event that was dropped.
	EventAge        time.Duration
	EventBytes      int64
	EventsPerStream int64

	// RecordBytes limits the size of all sessions and tasks together, and that of the records of each other kind, whose
	// keys have the same first part, as JetStream counts it: 1 GiB if 0. Further records are refused with [store.ErrFull],
	// but leases, and changes of records. NATS servers reserve nothing for it. Each process asks for the size at most
	// once a second, so there may be a little more.
	RecordBytes int64

	// Logger receives errors. The default is [slog.Default].
	Logger *slog.Logger
}

// forever is an age that no event reaches.
const forever = 100 * 365 * 24 * time.Hour

// A Cluster is one of several processes that serve the same clients: this one.
type Cluster struct {
	conn    *natsio.Conn
	opts    Options
	records *records
	events  *events
	changes *changes
	member  *store.Member
	node    *node

	sessions *shared.Sessions
}

// New makes this process part of a cluster. Call [Cluster.Leave] in the end. Opts may be nil. The connection must keep
// reconnecting forever ([natsio.MaxReconnects] of -1): when it gives up, the process is lost to the cluster. While nobody
// responds, as during an election among the NATS servers, New tries again, until ctx ends.
func New(ctx context.Context, conn *natsio.Conn, opts *Options) (*Cluster, error) {
	c := &Cluster{conn: conn}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
	o.Prefix = cmp.Or(o.Prefix, "mcp")
	o.Replicas = cmp.Or(o.Replicas, 1)
	o.TTL = max(cmp.Or(o.TTL, 10*time.Second), 2*time.Second)
	o.EventAge = cmp.Or(o.EventAge, time.Hour)
	if o.EventAge < 0 {
		o.EventAge = forever
	}
	o.EventBytes = cmp.Or(o.EventBytes, 1<<30)
	o.RecordBytes = cmp.Or(o.RecordBytes, 1<<30)
	o.EventsPerStream = cmp.Or(o.EventsPerStream, 1000)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if !isToken(o.Prefix) {
		return nil, fmt.Errorf("nats: the prefix must be letters, digits, - and _, got %q", o.Prefix)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	c.records = newRecords(js, o)
	for _, part := range []struct {
		name string
		open func(context.Context) error
	}{
		{"the stream of the records", func(ctx context.Context) error {
			_, err := c.records.kind(ctx, leases)
			return err
		}},
		{"the stream of the events", func(ctx context.Context) (err error) {
			c.events, err = openEvents(ctx, js, o)
			return err
		}},
		{"the stream of the changes", func(ctx context.Context) (err error) {
			c.changes, err = openChanges(ctx, conn, js, o)
			return err
		}},
		{"the lease", func(ctx context.Context) (err error) {
			c.member, err = store.Join(ctx, c.records, &store.MemberOptions{TTL: o.TTL, Logger: o.Logger})
			return err
		}},
	} {
		if err := o.retry(ctx, part.name, part.open); err != nil {
			if c.changes != nil {
				c.changes.close()
			}
			return nil, err
		}
	}
	c.events.lease = c.member.Lease
	c.node = newNode(c)
	c.sessions = shared.NewSessions(c.member, c.events, &shared.SessionsOptions{Elsewhere: c.node.at})
	return c, nil
}

const (
	attemptTime  = 2 * time.Second // for a request to JetStream when a process joins
	attemptPause = 100 * time.Millisecond
)

// retry calls f, with a context for a single attempt, until it succeeds, fails permanently, or ctx ends.
func (o *Options) retry(ctx context.Context, what string, f func(context.Context) error) error {
	for logged := false; ; logged = true {
		attempt, cancel := context.WithTimeout(ctx, attemptTime)
		err := f(attempt)
		cancel()
		switch {
		case err == nil:
			return nil
		case !passes(err):
			return fmt.Errorf("nats: %s: %w", what, err)
		case !logged:
			o.Logger.Warn("nats: waiting until JetStream responds", "for", what, "error", err)
		}
		select {
		case <-time.After(attemptPause):
		case <-ctx.Done():
			return fmt.Errorf("nats: %s: JetStream did not respond in time: %w; the last error was: %w", what, context.Cause(ctx), err)
		}
	}
}

// passes reports whether an error means that the servers are not ready, or are electing a leader.
func passes(err error) bool {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.ErrorCode == codeNoPeers || api.ErrorCode == codeNotAvailable
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsio.ErrTimeout) ||
		errors.Is(err, natsio.ErrDisconnected) || errors.Is(err, jetstream.ErrNoStreamResponse)
}

// Error codes of JetStream for which its client has no names.
const (
	codeNoPeers        = 10005 // not enough servers have met yet, or have room
	codeNotAvailable   = 10008
	codeNoMemory       = 10028
	codeNoStorage      = 10047
	codeStreamTooLarge = 10122 // for the account
)

// Store returns the store of the cluster, for [store.Once] and whatever else all processes must share.
func (c *Cluster) Store() store.Store { return c.records }

// Member returns this process as a member of the cluster.
func (c *Cluster) Member() *store.Member { return c.member }

// Events returns the store for the events of the cluster's streams.
func (c *Cluster) Events() shared.Events { return c.events }

// Sessions returns the keeper of the cluster's sessions.
func (c *Cluster) Sessions() *shared.Sessions { return c.sessions }

// Options returns the options of a handler, with the sessions and events of the cluster. Opts may be nil.
func (c *Cluster) Options(opts *streamable.Options) *streamable.Options {
	return c.sessions.Options(opts)
}

// Handler makes this process serve what others pass on to it, with h, which was made with [Cluster.Options], and returns h.
// A cluster has one such handler in a process; for several endpoints, use clusters with different prefixes.
func (c *Cluster) Handler(h *streamable.Handler) http.Handler {
	c.node.start(h)
	c.changes.start(h.Server())
	return h
}

// Leave hands the sessions of this process over to the others. A program that shuts down gracefully calls it after
// [streamable.Handler.Shutdown], during which the others hold back requests of these sessions. Leave waits for the
// requests that this process has passed on, and ends the streams among them, whose clients reconnect. The connection
// stays open.
func (c *Cluster) Leave(ctx context.Context) error {
	c.node.drain(ctx)
	c.changes.close()
	err := c.member.Leave(ctx)
	c.node.stop()
	return err
}

// isToken reports whether s is a single part of a key.
func isToken(s string) bool { return store.ValidKey(s) && !strings.Contains(s, ".") }

// lastMessage returns the last message of a subject, nil if there is none.
func lastMessage(ctx context.Context, s jetstream.Stream, subject string) (*jetstream.RawStreamMsg, error) {
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// isConflict reports whether JetStream has refused a message because another was stored before it.
func isConflict(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeWrongLastSequence)
}

// codeWrongLastSequence is another code for a conflict: a message of the subject is still in progress. That may be
// the previous message of this process, although it was acknowledged, so it does not mean that another process has
// written.
const codeWrongLastSequence = 10164

func isUnderWay(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == codeWrongLastSequence
}

// underWayPause is the time until the next attempt after isUnderWay.
const underWayPause = 2 * time.Millisecond
