// Package nats makes several processes serve the same clients, by NATS with JetStream: any of them serves any request
// of any session, and sessions outlive the processes. It is a module of its own, so that other programs do not depend
// on NATS.
//
//	c, err := nats.New(ctx, conn, nil)
//	h := streamable.NewHandler(server, c.Options(nil))
//	http.Handle("/mcp", c.Handler(h))
//
// A session is served from the memory of one process, whose lease is in its record. Another process that receives a
// request of the session passes the HTTP exchange on to that one, with its whole response, however long that is a
// stream; so calls, streams, cancellations, and responses to what a server asks find each other. When the lease has
// ended, another process takes the session over. Requests since 2026-07-28 belong to no session, and are served where
// they arrive.
//
// All subjects begin with [Options.Prefix], and so do the names of the streams of JetStream: PREFIX_records has the
// records, PREFIX_events what was sent on streams of sessions. The connection is the program's: its servers,
// credentials, TLS, and limits.
//
// What clients of one process are notified of, those of the others are, too: that a list has changed, or a resource by
// [github.com/mcpgen/mcpgen/runtime/server.Server.ResourceUpdated].
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Options configures a [Cluster]. All processes of a cluster should have the same. The first one makes the streams of
// JetStream, and the others change them to what they have.
type Options struct {
	// Prefix begins all subjects, and the names of the streams of JetStream: "mcp" if empty. It has letters, digits, -
	// and _ only.
	Prefix string

	// Replicas is how many servers of NATS keep each record and event: 1 if 0. Storage is where; the default is files.
	Replicas int
	Storage  jetstream.StorageType

	// TTL is how long a process may be out of reach before others take over its sessions: 10 s if 0, at least 2 s.
	TTL time.Duration

	// EventAge is how long events of streams are kept, at most: 1 hour if 0. EventBytes is how much of them, of all
	// sessions: 1 GiB if 0, negative for no limit. EventsPerStream is how many events of one stream: 1000 if 0. The oldest
	// are dropped first, and streams of which some were dropped cannot be resumed.
	EventAge        time.Duration
	EventBytes      int64
	EventsPerStream int64

	// Logger receives what goes wrong. The default is [slog.Default].
	Logger *slog.Logger
}

// A Cluster is this process among those that serve the same clients.
type Cluster struct {
	conn    *natsio.Conn
	opts    Options
	records *records
	events  *events
	changes *changes
	member  *store.Member
	node    *node
}

// New makes this process a part of the cluster. [Cluster.Leave] must follow. Opts may be nil. The connection must
// reconnect by itself for ever ([natsio.MaxReconnects] of -1), or the process is lost when it gives up.
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
	o.EventBytes = cmp.Or(o.EventBytes, 1<<30)
	o.EventsPerStream = cmp.Or(o.EventsPerStream, 1000)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if !isToken(o.Prefix) {
		return nil, fmt.Errorf("nats: the prefix must be letters, digits, - and _, got %q", o.Prefix)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	if c.records, err = openRecords(ctx, js, o); err != nil {
		return nil, fmt.Errorf("nats: the stream of the records: %w", err)
	}
	if c.events, err = openEvents(ctx, js, o); err != nil {
		return nil, fmt.Errorf("nats: the stream of the events: %w", err)
	}
	if c.changes, err = openChanges(ctx, conn, js, o); err != nil {
		return nil, fmt.Errorf("nats: the stream of the changes: %w", err)
	}
	if c.member, err = store.Join(ctx, c.records, &store.MemberOptions{TTL: o.TTL, Logger: o.Logger}); err != nil {
		c.changes.close()
		return nil, fmt.Errorf("nats: %w", err)
	}
	c.events.lease = c.member.Lease
	c.node = newNode(c)
	return c, nil
}

// Store returns the store of the cluster, for [store.Once] and what else all processes must know.
func (c *Cluster) Store() store.Store { return c.records }

// Member returns this process as a member of the cluster.
func (c *Cluster) Member() *store.Member { return c.member }

// Events returns what keeps the events of the cluster's streams.
func (c *Cluster) Events() streamable.EventStore { return c.events }

// Options returns options of a handler, which may be nil, with the sessions and events of the cluster.
func (c *Cluster) Options(opts *streamable.Options) *streamable.Options {
	var o streamable.Options
	if opts != nil {
		o = *opts
	}
	o.Member, o.Events, o.Elsewhere = c.member, c.events, c.node
	return &o
}

// Handler returns what serves HTTP requests: by h, which was made with [Cluster.Options], or by the process that has the
// session. A cluster has one such handler in a process; for several endpoints there are clusters of different prefixes.
func (c *Cluster) Handler(h *streamable.Handler) http.Handler {
	t := &router{node: c.node, h: h, holders: make(map[string]string)}
	c.node.start(t)
	c.changes.start(h.Server())
	return t
}

// Leave hands the sessions of this process over to the others. For a program that ends gracefully it comes after
// [streamable.Handler.Shutdown]; meanwhile the others let requests of these sessions wait. Leave waits for the requests that this process has passed on,
// and ends the streams among them, whose clients come back. The connection stays open.
func (c *Cluster) Leave(ctx context.Context) error {
	c.node.drain(ctx)
	c.changes.close()
	err := c.member.Leave(ctx)
	c.node.stop()
	return err
}

// isToken reports whether a text is one part of a key.
func isToken(s string) bool {
	for _, r := range s {
		if r == '.' {
			return false
		}
	}
	return store.ValidKey(s)
}

// isConflict reports whether JetStream has refused a message because another one was there before.
func isConflict(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == codeWrongLastSequence)
}

// codeWrongLastSequence is the other code that servers have for the same: a message of that subject is under way. It may
// be the one before, which was acknowledged already, so that it says nothing about others.
const codeWrongLastSequence = 10164

func isUnderWay(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == codeWrongLastSequence
}

// underWayPause is the time until the next attempt then.
const underWayPause = 2 * time.Millisecond
