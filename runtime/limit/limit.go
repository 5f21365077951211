// Package limit bounds how often clients send requests to a server, and how many at the same time. It is for
// programs whose work costs more than a server's own limits, listed in docs/limits.md, can know.
//
// [Calls] returns middleware, which works over every transport. [Requests] returns a function for the option Admit
// of a streamable handler, which refuses HTTP requests before their bodies are read. The rates are those of package
// golang.org/x/time/rate.
//
// Refused requests fail with a [transport.RefusedError]: an error response whose message and data say when to try
// again, and over HTTP status 429 with Retry-After.
package limit

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// A By says what has its own limit. It is a set: Client | Tool means each client for each tool. If it is zero, all
// share one limit.
type By uint8

const (
	// Client is a principal; without one, a network address; and without that, a connection. For IPv6, the first 64 bits
	// of an address count.
	Client By = 1 << iota

	// Session is a session or, without one, as since 2026-07-28, the client.
	Session

	// Tool is a tool of the server.
	Tool

	// Address is a network address, whatever the principal, or, without one, the client.
	Address
)

// Options configures limits. All rules that apply to a request must admit it. The zero value of a field is its
// default, and a negative number or duration means that there is no limit. A [Rate] must not have negative values.
type Options struct {
	// Rates limits how often requests may come. Rates are applied first; a request that exceeds one counts for none
	// of them.
	Rates []Rate

	// Concurrency limits how many requests are handled at the same time. The rules apply one after another, in
	// their order, and a request keeps its place while it waits for the next rule, so rules that tell clients apart
	// should come before those that do not.
	Concurrency []Concurrency

	// MaxBuckets is how many buckets each rate keeps, 10,000 if 0. A further one replaces the least recently used,
	// whose client then starts with a full one. Each takes about 500 bytes.
	MaxBuckets int

	// Logger receives one warning a minute for each rule that refuses something, with the number of refusals. The default
	// is [slog.Default].
	Logger *slog.Logger
}

// All is a value for Methods: every request except ping.
const All = "*"

// A Rate says how often requests may come. It is a token bucket.
type Rate struct {
	By By

	// N requests may come in the time Per, which is a second if 0. N must be positive.
	N   int
	Per time.Duration

	// Burst is how many may come at once: N if 0.
	Burst int

	// Tools lists the names of the tools that the rule applies to. None means all.
	Tools []string

	// Methods lists the methods of the requests that the rule applies to. None means tools/call. Notifications
	// never count.
	Methods []string
}

// A Concurrency says how many requests may be handled at the same time, and how many may wait for others to end. Those
// that wait take turns by client. When the queue is full, the newest request of the client that has most gives way to one
// of a client that has fewer.
type Concurrency struct {
	By By

	// Max is how many may be handled. It must be positive.
	Max int

	// Queue is how many more may wait: none if 0. Wait is how long each may wait: 10 s if 0.
	Queue int
	Wait  time.Duration

	// Tools lists the names of the tools that the rule applies to. None means all.
	Tools []string

	// Methods lists the methods of the requests that the rule applies to. None means tools/call. A subscription
	// would keep its place for as long as it is open.
	Methods []string
}

// complete returns the options with their defaults. It panics if a rule is invalid. Name is that of the function
// that the options were passed to.
func (o *Options) complete(name string) Options {
	c := option.Of(o)
	c.MaxBuckets = option.Limit(c.MaxBuckets, 10_000)
	c.Logger = excerpt.Logger(c.Logger)
	c.Rates = slices.Clone(c.Rates)
	for i := range c.Rates {
		r := &c.Rates[i]
		r.Per, r.Burst = cmp.Or(r.Per, time.Second), cmp.Or(r.Burst, r.N)
		if r.N <= 0 || r.Per <= 0 || r.Burst <= 0 {
			panic(fmt.Sprintf("limit: %s: rate %d: want a positive number in a positive time, got %d in %s, at once %d", name, i, r.N, r.Per, r.Burst))
		}
		checkTools(name, "rate", i, r.By, r.Tools, r.Methods)
	}
	c.Concurrency = slices.Clone(c.Concurrency)
	for i := range c.Concurrency {
		r := &c.Concurrency[i]
		if r.Max <= 0 {
			panic(fmt.Sprintf("limit: %s: concurrency %d: want a positive number, got %d", name, i, r.Max))
		}
		r.Queue, r.Wait = option.Limit(r.Queue, 0), option.Limit(r.Wait, 10*time.Second)
		checkTools(name, "concurrency", i, r.By, r.Tools, r.Methods)
	}
	return c
}

// checkTools panics if a rule tells tools apart but applies to other methods.
func checkTools(name, kind string, i int, by By, tools, methods []string) {
	if (by&Tool != 0 || len(tools) > 0) && len(methods) > 0 && !slices.Equal(methods, []string{mcp.MethodCallTool.Name}) {
		panic(fmt.Sprintf("limit: %s: %s %d: a rule about tools is about %s, want no other methods, got %q", name, kind, i, mcp.MethodCallTool.Name, methods))
	}
}
