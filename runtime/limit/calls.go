package limit

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Calls returns middleware that limits requests, and lets notifications pass. It should be the first of a server's middleware. It panics if a
// rule is invalid.
//
// A request that waits in a queue ends with its context. Since 2026-07-28 a request that is retried with input
// counts each time. A call that becomes a task gives up its place as soon as the task exists.
func Calls(opts *Options) server.Middleware {
	o := opts.complete("Calls")
	l := newRates(o.Rates, o.MaxBuckets, o.Logger)
	var gates []*gates
	for i := range o.Concurrency {
		gates = append(gates, newGates(&o.Concurrency[i], o.Logger))
	}
	return func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			if c.IsNotification() {
				return next(ctx, c)
			}
			q := request{call: c}
			if err := l.take(&q, time.Now()); err != nil {
				return nil, err
			}
			held := make([]place, 0, 4)
			defer func() {
				for _, p := range held {
					p.leave()
				}
			}()
			for _, g := range gates {
				if !g.rule.concerns(&q) {
					continue
				}
				p, err := g.enter(ctx, &q)
				if err != nil {
					return nil, err
				}
				held = append(held, p)
			}
			return next(ctx, c)
		}
	}
}

// Requests returns a function for the option Admit of a streamable handler that limits the rate of HTTP requests.
// All HTTP requests count: those with requests, notifications, responses and batches, streams, and invalid ones.
// Only Client and Address tell them apart, and rules about tools, methods and concurrency are not allowed. It
// panics if a rule is invalid.
func Requests(opts *Options) func(from transport.Origin) *transport.RefusedError {
	o := opts.complete("Requests")
	if len(o.Concurrency) > 0 {
		panic("limit: Requests: want no Concurrency: the handler's own option MaxRequests bounds it")
	}
	for i := range o.Rates {
		r := &o.Rates[i]
		if r.By&^(Client|Address) != 0 || len(r.Tools)+len(r.Methods) > 0 {
			panic(fmt.Sprintf("limit: Requests: rate %d: want none about sessions, tools or methods, which an HTTP request may not have", i))
		}
		r.Methods = []string{All}
	}
	l := newRates(o.Rates, o.MaxBuckets, o.Logger)
	return func(from transport.Origin) *transport.RefusedError {
		q := request{from: &from}
		return l.take(&q, time.Now())
	}
}

// A request is a request to which rules may apply. What they need to know about it is determined once.
type request struct {
	call *server.Call      // nil for one of HTTP
	from *transport.Origin // of one of HTTP

	client      share.Owner
	knowsClient bool
	tool        string
	knowsTool   bool
}

func (q *request) theClient() share.Owner {
	if !q.knowsClient {
		q.knowsClient = true
		if q.call != nil {
			q.client, _ = q.call.Sender().(share.Owner)
		} else {
			q.client = share.Of(q.from.Principal, q.from.Address, nil)
		}
	}
	return q.client
}

func (q *request) theTool() string {
	if !q.knowsTool {
		q.knowsTool = true
		q.tool = q.call.Name()
	}
	return q.tool
}

// A key identifies what has its own limit.
type key struct {
	client, address share.Owner
	session         weak.Pointer[server.Session] // so that remembering it here does not keep it alive
	tool            string
}

func (q *request) key(by By) (k key) {
	if by&Client != 0 {
		k.client = q.theClient()
	}
	if by&Session != 0 {
		if s := q.call.Session(); s != nil {
			k.session = weak.Make(s)
		} else {
			k.client = q.theClient()
		}
	}
	if by&Tool != 0 {
		k.tool = q.theTool()
	}
	if by&Address != 0 {
		if address := q.address(); address != "" {
			k.address = share.Of("", address, nil)
		} else {
			k.client = q.theClient()
		}
	}
	return k
}

func (q *request) address() string {
	if q.call != nil {
		return q.call.Address()
	}
	return q.from.Address
}

// A scope says which requests a rule applies to.
type scope struct {
	by             By
	tools, methods []string
}

// concerns reports whether a rule applies to a request.
func (s *scope) concerns(q *request) bool {
	if q.call == nil {
		return true
	}
	switch method := q.call.Method(); {
	case len(s.methods) == 0:
		if method != mcp.MethodCallTool.Name {
			return false
		}
	case slices.Contains(s.methods, method):
	case method == mcp.MethodPing.Name || !slices.Contains(s.methods, All):
		return false
	}
	return len(s.tools) == 0 || slices.Contains(s.tools, q.theTool())
}

// toolOf returns the tool of a request, empty if the rule does not tell tools apart.
func (s *scope) toolOf(q *request) string {
	if s.by&Tool == 0 {
		return ""
	}
	return q.theTool()
}

// warning counts the refusals by one rule, for the log.
type warning struct {
	rule  string
	last  time.Time
	count int // since then
}

// warnEvery is the least time between two warnings about one rule.
const warnEvery = time.Minute

// refused counts a refusal, and returns how many to log now.
func (w *warning) refused(now time.Time) int {
	w.count++
	if !w.last.IsZero() && now.Sub(w.last) < warnEvery {
		return 0
	}
	n := w.count
	w.last, w.count = now, 0
	return n
}

func warn(to *slog.Logger, n int, rule string) {
	if n > 0 {
		to.Warn("limit: requests are refused", "rule", rule, "refused", n)
	}
}
