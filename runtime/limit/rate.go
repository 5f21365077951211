package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/rate"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Rate says how often requests may come. It is a token bucket for each client. 10,000 clients have buckets; one more
// replaces the one that has sent nothing for longest, which then starts with a full one. Its methods panic if it is invalid.
type Rate struct {
	// N requests may come in the time Per, which is a second if 0. N must be positive.
	N   int
	Per time.Duration

	// Burst is how many may come at once: N if 0.
	Burst int

	// Shared makes all clients share one bucket.
	Shared bool

	// Methods lists the methods of the requests that middleware counts. None means tools/call. Notifications never
	// count.
	Methods []string
}

// Middleware returns middleware that refuses requests that come too often. Since 2026-07-28 a request that is retried with
// input counts each time.
func (r Rate) Middleware() server.Middleware {
	b := r.buckets(noun(r.Methods))
	return func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			if concerns(r.Methods, c) {
				if _, refused := b.take(senderOf(c, r.Shared), time.Now()); refused != nil {
					return nil, refused
				}
			}
			return next(ctx, c)
		}
	}
}

// Tool returns a handler that runs next, unless the tool is called too often. The error tells the model when it may try
// again. A call counts once, however often its client retries it with input: since 2026-07-28 the run that returns a
// result counts.
func (r Rate) Tool(next server.ToolHandler) server.ToolHandler {
	b := r.buckets("calls")
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		sender := senderOf(c, r.Shared)
		end, refused := b.take(sender, time.Now())
		if refused != nil {
			return nil, forModel(refused)
		}
		result, err := next(ctx, c, args)
		if errors.Is(err, server.ErrInputRequired) {
			b.rate.GiveBack(sender, end, time.Now())
		}
		return result, err
	}
}

// Admit returns a function for the option Admit of an HTTP handler. All HTTP requests count: those with requests,
// notifications, responses and batches, streams, and invalid ones. Methods must be empty.
func (r Rate) Admit() func(from transport.Origin) *transport.RefusedError {
	if len(r.Methods) > 0 {
		panic(fmt.Sprintf("limit: Rate: Admit is called before the methods of HTTP requests are known, want no Methods, got %q", r.Methods))
	}
	b := r.buckets("HTTP requests")
	return func(from transport.Origin) *transport.RefusedError {
		var sender share.Owner
		if !r.Shared {
			sender = share.Of(from.Principal, from.Address, nil)
		}
		_, refused := b.take(sender, time.Now())
		return refused
	}
}

// buckets applies a Rate.
type buckets struct {
	rate *rate.Rate
	text string // what is allowed
}

func (r Rate) buckets(what string) *buckets {
	per, burst := cmp.Or(r.Per, time.Second), cmp.Or(r.Burst, r.N)
	if r.N <= 0 || per <= 0 || burst <= 0 {
		panic(fmt.Sprintf("limit: Rate: want a positive number in a positive time, got %d in %s, at once %d", r.N, per, burst))
	}
	text := fmt.Sprintf("want at most %d %s %s%s", r.N, what, period(per), who(r.Shared))
	if burst != r.N {
		text += fmt.Sprintf(", at most %d at once", burst)
	}
	return &buckets{rate: rate.New(r.N, per, burst), text: text}
}

// take counts a request, and returns the end of what it reserves, or an error.
func (b *buckets) take(sender share.Owner, now time.Time) (end time.Time, refused *transport.RefusedError) {
	end, wait := b.rate.Take(sender, now)
	if wait > 0 {
		return end, transport.TryLater(b.text, wait)
	}
	return end, nil
}
