package client

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options say how a client behaves. The zero value is good: a client of every revision that
// offers nothing to the server.
//
// Handlers and callbacks may be called from several goroutines at once. They must not change what
// they are given.
type Options struct {
	// Info is the client's name and version, for display and logs. Absent means those of the
	// program.
	Info mcp.Implementation
	// HideInfo leaves Info out of requests since 2026-07-28. Older revisions demand it.
	HideInfo bool

	// Revisions are those that the client may speak. Absent means all that package mcp knows. The
	// newest that the server speaks too is used.
	Revisions []wire.Revision
	// RevisionCache remembers which of them a server speaks, so that the next connection to it begins with
	// that one. Absent means that every connection asks anew.
	RevisionCache *RevisionCache
	// ProbeTimeout is how long a server may take to answer the first request, server/discover,
	// before it is taken for one of an older revision, which may not answer unknown methods at
	// all. 0 means 5 seconds.
	ProbeTimeout time.Duration

	// Logger is told what goes wrong without anybody to return an error to. Nil means [slog.Default].
	Logger *slog.Logger
	// Limits are those of the connection.
	Limits transport.Limits
	// ResetOnProgress starts the time limit of a request again whenever the server reports
	// progress of it.
	ResetOnProgress bool

	// PingInterval is how often a server up to 2025-11-25 is asked for a sign of life. If it gives
	// none before the next time, the connection is closed. 0 means never.
	PingInterval time.Duration

	// Capabilities are declared to the server in addition to what the client has handlers for.
	Capabilities mcp.ClientCapabilities
	// Extensions are the extensions of the protocol that the client takes part in.
	Extensions []Extension
	// Tasks lets servers carry out calls of tools in the background, as tasks: from 2026-07-28 on as the
	// extension io.modelcontextprotocol/tasks, which the client then declares, and at 2025-11-25 for
	// tools that demand it. Calls of tools wait for the result all the same, answer what the server asks
	// meanwhile, and cancel the task when they are given up. See also [Client.StartTool].
	Tasks bool
	// AllowUndeclared lets the client call what the server did not declare.
	AllowUndeclared bool

	// Roots are the directories and files that the server may work on; every URI begins with
	// file://. Nil means that the client does not offer roots. See [Client.SetRoots].
	Roots []mcp.Root

	// Sample asks a language model for the server. A person should see the request and the result
	// and be able to reject them; see [ErrRejected]. Nil means that the client does not offer it.
	Sample func(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error)
	// SamplingTools says that Sample can handle tools, SamplingContext that it can add the context
	// of servers.
	SamplingTools, SamplingContext bool

	// Elicit shows a form to a person and returns what they did with it: see [Accept], [Decline]
	// and [Cancel]. Properties that the answer leaves out get their defaults, unless they are
	// null; the answer is checked as [CheckForm] does, and is an error if it does not fit. Nil
	// means that the client does not offer forms.
	Elicit func(ctx context.Context, params *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error)
	// ElicitURL asks a person to visit a URL and returns whether they agree, not whether they have
	// done it. It must show the whole URL and which server asks, and must not open it without
	// consent. The URL is one of https or http, without a name or password before its host, without
	// characters that do not show, with a host in ASCII (bücher.example is xn--bcher-kva.example), and
	// not at an address of link-local or multicast use, or of version 6 that stands for one of version
	// 4; for others the server gets an error. Loopback and private addresses are left to ElicitURL, as are hosts that
	// look like others. Nil means that the client does not offer this.
	ElicitURL func(ctx context.Context, params *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error)

	// MaxRounds is how often a server may ask for input in the middle of one request. 0 means 10.
	MaxRounds int
	// ManualInput returns results that ask for input to the caller, who answers by InputResponses
	// and RequestState of the next request, in place of the handlers above.
	ManualInput bool

	// MaxPages is how many pages a list may have. 0 means 1000.
	MaxPages int

	// CacheBytes bounds the results that are kept for as long as the server allows. 0 means 4 MiB,
	// a negative value that none are kept.
	CacheBytes int
	// Authorization names the authorization that a call is made under. Results that are private to
	// one are not used for another. Nil means that there is only one.
	Authorization func(ctx context.Context) string

	// CheckOutput checks what a tool returned against its output schema, if the client has
	// listed the tool before; the call then returns an [OutputError]. Nil means no check. Package
	// outputcheck has an implementation.
	CheckOutput func(ctx context.Context, schema, output wire.Raw) error

	// The callbacks of notifications. They are called one after another, in the order in which
	// the notifications came; an answer that came later may be there earlier. They may make calls.
	// Over HTTP, where notifications can get lost when a stream breaks off or the server ends a
	// session, those about changes are then called as if what the server tells about had changed.
	OnToolsChanged        func(ctx context.Context, params *mcp.NotificationParams)
	OnPromptsChanged      func(ctx context.Context, params *mcp.NotificationParams)
	OnResourcesChanged    func(ctx context.Context, params *mcp.NotificationParams)
	OnResourceUpdated     func(ctx context.Context, params *mcp.ResourceUpdatedNotificationParams)
	OnLog                 func(ctx context.Context, params *mcp.LoggingMessageNotificationParams)
	OnProgress            func(ctx context.Context, params *mcp.ProgressNotificationParams) // of no call that is under way
	OnElicitationComplete func(ctx context.Context, params *mcp.ElicitationCompleteNotificationParams)
	// OnTask is told how a task stands: up to 2025-11-25 one that was created over this connection,
	// from 2026-07-28 on one that a subscription names by its filter's extra member taskIds.
	OnTask func(ctx context.Context, task *tasks.Task)

	// Methods handle the requests and notifications of the server that are not the protocol's own, such as
	// those of extensions. See [HandleRequest] and [HandleNotification].
	Methods []Method

	// Middleware is around the handlers of requests, NotificationMiddleware around those of notifications,
	// and SendMiddleware around what the client sends, also by itself, such as initialize and pings. The
	// first of each is outermost.
	Middleware             []Middleware
	NotificationMiddleware []NotificationMiddleware
	SendMiddleware         []SendMiddleware
}

// revisions returns the revisions that the client may speak, newest first.
func (o *Options) revisions() []wire.Revision {
	list := slices.Clone(o.Revisions)
	if list == nil {
		list = mcp.Revisions()
	}
	slices.SortFunc(list, func(a, b wire.Revision) int { return int(b) - int(a) })
	return slices.Compact(list)
}

func (o *Options) probeTimeout() time.Duration {
	return limit(o.ProbeTimeout, 5*time.Second, math.MaxInt64)
}

// timeout returns how long a request may take.
func (o *Options) timeout() time.Duration { return limit(o.Limits.Timeout, time.Minute, math.MaxInt64) }

func (o *Options) maxRounds() int { return limit(o.MaxRounds, 10, math.MaxInt) }

func (o *Options) maxPages() int { return limit(o.MaxPages, 1000, math.MaxInt) }

func (o *Options) cacheBytes() int { return limit(o.CacheBytes, 4<<20, 0) }

// limit returns the limit that an option sets: 0 is the default, and a negative value no limit.
func limit[T int | time.Duration](option, standard, none T) T {
	switch {
	case option == 0:
		return standard
	case option < 0:
		return none
	}
	return option
}

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
