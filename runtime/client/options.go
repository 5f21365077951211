package client

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures a [Client]. The zero value of each field is its default: a client of every revision that
// offers nothing to the server.
//
// Handlers and callbacks may be called by several goroutines at once. They must not change their arguments.
type Options struct {
	// Info is the client's name and version, for display and logs. The default is those of the program.
	Info mcp.Implementation

	// Revisions lists the revisions that the client speaks. None means all: see [Revisions]. The client uses the newest
	// that the server speaks, too.
	Revisions []wire.Revision
	// LastRevision is that which the server spoke last time: [Client.Revision] of an earlier connection to the same
	// command, or the same origin. The client begins with it, so that a server of an older revision is not probed for a
	// newer one first, and negotiates anew if the server no longer speaks it. Zero means that it is not known.
	LastRevision wire.Revision
	// ProbeTimeout is how long to wait for the response to the first request, server/discover. A server that does
	// not respond is assumed to be of an older revision, which may ignore unknown methods. The default is 5
	// seconds; a negative duration is no limit.
	ProbeTimeout time.Duration

	// Logger receives errors that cannot be returned to anyone. The default is [slog.Default].
	Logger *slog.Logger
	// Limits are the limits of the connection.
	Limits transport.Limits

	// PingInterval is how often to ping a server, through 2025-11-25. The client closes the connection if
	// there is no response before the next ping is due. By default, as for a negative duration, it sends
	// no pings.
	PingInterval time.Duration

	// Capabilities are declared in addition to those that follow from the handlers below. Those of Sampling say that
	// Sample supports tools, and can include the context of servers.
	Capabilities mcp.ClientCapabilities
	// Extensions are the extensions of the protocol that the client takes part in.
	Extensions []Extension
	// AllowUndeclared lets the client call methods whose capability the server did not declare.
	AllowUndeclared bool

	// Roots are the directories and files that the server may work on, as URIs that begin with file://.
	// Nil means that the client does not offer roots. See [Client.SetRoots].
	Roots []mcp.Root

	// Sample requests a message from a language model for the server. A person should be able to review
	// and reject both the request and the result; see [ErrRejected]. Nil means that the client does not
	// offer sampling.
	Sample func(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error)

	// Elicit asks a person for the server, to fill in a form or to visit a URL: an elicit.Handler, of the package of that
	// name. Nil means that the client does not offer that.
	Elicit Elicitor

	// CacheBytes is how many bytes of results the client keeps, for as long as the server allows. The
	// default is 4 MiB; a negative number keeps none. What is kept is for the authorization of the client: a program
	// whose calls have several must keep nothing, or have a client for each.
	CacheBytes int

	// CheckOutput validates the structured content of a tool's result against the output schema, if the
	// client has seen the tool in a list. After an error the client lists the tools again, and validates against the
	// schema that is current if it is another one, so that a server may add members while clients are connected. If
	// that fails, too, the call returns an [OutputError], although the tool has done its work. Nil means no check.
	// Package outputcheck has an implementation.
	CheckOutput func(ctx context.Context, schema, output wire.Raw) error

	// OnChange is called for notifications of changes, one after another, in the order in which they arrived. A response
	// that arrived after a notification may be returned before OnChange is called. OnChange may make calls.
	//
	// Over HTTP, notifications can be lost when a stream breaks or a session ends. OnChange is then called as if
	// everything had changed.
	OnChange func(ctx context.Context, change Change)

	// Methods handle requests of custom methods, such as those of extensions, and notifications of any method, such as log
	// messages. Package methods makes them of functions with Go types. [Connect] returns an error if a method is given
	// twice, or if requests of it are the client's own.
	Methods []Method

	// Observer learns of requests and notifications in both directions, and of sessions. It sees each request that
	// is sent, of which a call may need several, or none. Nil means none, and costs nothing.
	Observer observe.Observer

	// Send wraps what the client sends, including what it sends by itself, such as initialize and pings. The first is
	// outermost.
	Send []Middleware

	// Receive wraps the handlers of what the server sends, requests and notifications alike. The first is outermost.
	// Since 2026-07-28 requests come inside input-required results. It sees neither a ping that arrives before the
	// handshake has ended, nor what the connection handles: cancellations, the progress of calls, and acknowledgements of
	// subscriptions; nor what is sent for a subscription that has ended. A notification that it does not pass on has no
	// effect: a list that has changed stays in the cache, for example.
	Receive []transport.Middleware
}

// Revisions returns the revisions that clients speak, oldest first. Package mcp may know later ones. The slice
// is the caller's.
func Revisions() []wire.Revision { return taught.Revisions() }

// revisions returns the client's revisions, newest first.
func (o *Options) revisions() []wire.Revision {
	list := slices.Clone(o.Revisions)
	if len(list) == 0 {
		list = taught.Revisions()
	}
	slices.SortFunc(list, func(a, b wire.Revision) int { return int(b) - int(a) })
	return slices.Compact(list)
}

// probeTimeout returns how long to wait for the response to server/discover.
func (o *Options) probeTimeout() time.Duration { return option.Limit(o.ProbeTimeout, 5*time.Second) }

// listenTimeout returns how long to wait for the acknowledgement of a subscription: as long as for a response.
func (o *Options) listenTimeout() time.Duration {
	return option.Limit(o.Limits.Timeout, peer.DefaultTimeout)
}

// cacheBytes returns how many bytes of results are kept; 0 means none.
func (o *Options) cacheBytes() int { return max(cmp.Or(o.CacheBytes, 4<<20), 0) }

// info returns the client's name and version.
func (o *Options) info() mcp.Implementation {
	info := o.Info
	if info.Name == "" {
		info.Name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	if info.Version == "" {
		info.Version = "unknown"
		if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
			info.Version = build.Main.Version
		}
	}
	return info
}
