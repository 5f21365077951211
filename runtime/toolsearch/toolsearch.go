// Package toolsearch is for servers with many tools, whose definitions would take much of a model's context. Their clients see
// two tools instead of all:
//
//   - search_tools finds tools by words, and returns their definitions;
//   - run_plan makes several calls, in which results become arguments, and returns one result.
//
// [Enable] makes the options of such a server:
//
//	s := server.New(info, toolsearch.Enable(nil, nil))
//	// ... what the server offers
//
// The other tools are not listed, but can be called as before, alone and in plans. A plan is data, not a program. It is checked
// against the schemas of its tools before anything runs: what is bound to an argument must be proved to satisfy the schema of
// the argument. Each call of a plan is a request of its own, to which all applies that applies to calls of the client: scopes,
// confirmation, limits, filters, middleware.
//
// Through 2025-03-26 results have no structure that could be bound: older clients see all tools, and not these two.
//
// The package links github.com/santhosh-tekuri/jsonschema/v6.
package toolsearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/apps"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures search and plans. The zero value of each field is its default; a negative one means that there is no limit.
type Options struct {
	Results int           // how many tools a search returns at most: 10
	Steps   int           // how many steps a plan has at most: 20
	Calls   int           // how many calls a plan makes at most, each item of forEach counted: 100
	Bytes   int           // how many bytes the results of a plan's calls have at most, together: 256 KiB
	Time    time.Duration // how long a plan takes at most, without the time that a person takes to respond: 1 minute
}

const (
	searchTool = "search_tools"
	planTool   = "run_plan"

	since    = mcp.V2025_06_18 // the first revision with structured content
	maxQuery = 1000            // characters
	maxPlan  = 64 << 10        // bytes
	maxFound = 64 << 10        // bytes of definitions that a search returns, unless the first has more
)

// Enable returns a copy of a server's options by which its clients see search_tools and run_plan in place of all tools. Both
// arguments may be nil. It is an error of the server, with which [server.New] panics, if there are tools of these names.
func Enable(opts *server.Options, o *Options) *server.Options {
	own := option.Of(opts)
	r := &room{opts: option.Of(o)}
	r.opts.Results = option.Limit(r.opts.Results, 10)
	r.opts.Steps = option.Limit(r.opts.Steps, 20)
	r.opts.Calls = option.Limit(r.opts.Calls, 100)
	r.opts.Bytes = option.Limit(r.opts.Bytes, 256<<10)
	r.opts.Time = option.Limit(r.opts.Time, time.Minute)
	own.Middleware = append(slices.Clip(own.Middleware), r.list)
	own.Setup = append(slices.Clip(own.Setup), r.add)
	return &own
}

// A room is what a server has of this package.
type room struct {
	opts   Options
	server *server.Server
	change atomic.Int64          // counts changes of the tools
	index  atomic.Pointer[index] // of the tools after a change
}

// add adds the two tools to a new server.
func (r *room) add(s *server.Server) error {
	r.server = s
	server.NewEndpoint(s).OnChange(func(c server.Change) {
		if c.Tools || c.Any {
			r.change.Add(1)
		}
	})
	search := mcp.Tool{
		Name: searchTool, Description: searchDescription, InputSchema: wire.Raw(fmt.Sprintf(searchSchema, maxQuery, r.opts.Results)),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)},
	}
	plan := mcp.Tool{Name: planTool, Description: planDescription, InputSchema: wire.Raw(fmt.Sprintf(planSchema, r.opts.Steps))}
	find, err := validate.Tools(&search, r.search)
	run, err2 := validate.Tools(&plan, r.run)
	access := server.Access{MinRevision: since}
	return errors.Join(err, err2,
		s.Add(server.Item{Definition: &search, Handler: find, Access: access}),
		s.Add(server.Item{
			Definition: &plan, Handler: limit.Timeout(r.opts.Time, run), Access: access, Filters: []server.Filter{{Admit: r.admit}},
		}),
	)
}

const searchDescription = `Finds tools of this server by words, such as what they do or what they are about. ` +
	`Only tools found so are known; call them with run_plan.`

const searchSchema = `{"type":"object","properties":{` +
	`"query":{"type":"string","description":"words, or the name of a tool","minLength":1,"maxLength":%d},` +
	`"limit":{"type":"integer","minimum":1,"maximum":%d}},` +
	`"required":["query"],"additionalProperties":false}`

const planDescription = `Calls tools that search_tools has found, one after the other, and returns one result. ` +
	`In args, {"$from":"STEP","pointer":"/a/b"} stands for what that JSON pointer leads to in the structured result of an earlier step. ` +
	`With forEach, which is such a binding to an array, a step is called for each item, {"$from":"item","pointer":"/a"} takes from it, ` +
	`where and limit select items, and the result is the array of all results. ` +
	`The plan is checked first, by the schemas of the tools; if it is refused, nothing has run. ` +
	`return lists the steps whose results are wanted, by default the last.`

const planSchema = `{"type":"object","properties":{"steps":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{` +
	`"id":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,64}$"},"tool":{"type":"string"},"args":{"type":"object"},` +
	`"forEach":{"type":"object","properties":{"$from":{"type":"string"},"pointer":{"type":"string","pattern":"^(/|$)"}},` +
	`"required":["$from","pointer"],"additionalProperties":false},` +
	`"where":{"type":"object","properties":{"pointer":{"type":"string","pattern":"^(/|$)"},"equals":{}},"required":["pointer","equals"],"additionalProperties":false},` +
	`"limit":{"type":"integer","minimum":1}},"required":["id","tool"],"additionalProperties":false}},` +
	`"return":{"type":"array","items":{"type":"string"}}},"required":["steps"],"additionalProperties":false}`

// list is the innermost middleware: tools/list returns the two tools, as the caller may see them.
func (r *room) list(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		if c.Method() != mcp.MethodListTools.Name || c.Revision().Before(since) {
			return next(ctx, c)
		}
		hint := r.server.Options().Cache.Tools
		list := &mcp.ListToolsResult{Tools: []mcp.Tool{}, TTLMs: new(max(0, hint.TTL.Milliseconds())), CacheScope: mcp.CacheScopePrivate}
		for _, name := range []string{planTool, searchTool} {
			if i := c.Tool(ctx, name); i != nil {
				list.Tools = append(list.Tools, *i.Definition.(*mcp.Tool))
			}
		}
		return list, nil
	}
}

// search handles search_tools. It returns no tool that the caller does not see.
func (r *room) search(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	p := struct {
		Query string
		Limit int
	}{Limit: r.opts.Results}
	if err := json.Unmarshal(args, &p); err != nil {
		return nil, err
	}
	all, size := []mcp.Tool{}, 0
	for _, name := range r.tools().search(p.Query) {
		i := c.Tool(ctx, name)
		if i == nil {
			continue
		}
		t := i.Definition.(*mcp.Tool)
		size += len(t.Name) + len(t.Title) + len(t.Description) + len(t.InputSchema) + len(t.OutputSchema)
		if len(all) == p.Limit || len(all) > 0 && size > maxFound || ctx.Err() != nil {
			break
		}
		all = append(all, mcp.Tool{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: outputOf(c, t)})
	}
	raw, err := json.Marshal(map[string]any{"tools": all})
	return &mcp.CallToolResult{StructuredContent: raw}, err
}

// outputOf returns the output schema of a tool, by which a plan knows its results. Through 2025-11-25 only objects can be sent.
func outputOf(c *server.Call, t *mcp.Tool) wire.Raw {
	if c.Revision().Before(mcp.Modern) && t.OutputSchema.StringAt("type") != "object" {
		return nil
	}
	return t.OutputSchema
}

// tools returns the index of all tools but the two.
func (r *room) tools() *index {
	change := r.change.Load()
	if x := r.index.Load(); x != nil && x.change == change {
		return x
	}
	var all []*mcp.Tool
	for i := range r.server.Items() {
		if t, ok := i.Definition.(*mcp.Tool); ok && t.Name != searchTool && t.Name != planTool && apps.ForModels(t) {
			all = append(all, t)
		}
	}
	if len(all) > maxTools {
		r.server.Log().Warn("mcp: toolsearch finds only the first tools of the server", "tools", len(all), "limit", maxTools)
	}
	x := newIndex(all)
	x.change = change
	r.index.Store(x)
	return x
}

// run handles run_plan.
func (r *room) run(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	if len(args) > maxPlan {
		return nil, fmt.Errorf("want a plan of at most %d bytes, got %d", maxPlan, len(args))
	}
	var p plan
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if err := d.Decode(&p); err != nil {
		return nil, err
	}
	so := "earlier calls of it have run"
	c.Once("begin", func() error { so = "nothing of it has run"; return nil })
	if err := p.check(ctx, c); err != nil {
		return nil, fmt.Errorf("the plan is refused, and %s: %w", so, err)
	}
	return p.run(ctx, c, &r.opts)
}

// admit refuses a plan whose caller lacks scopes that its calls need. Each call is checked again; but here the error comes
// before anything has run, and while HTTP can still respond with the scopes to ask for.
func (r *room) admit(ctx context.Context, c *server.Call, _ *server.Item) (bool, error) {
	if c.Method() != mcp.MethodCallTool.Name || c.Name() != planTool || len(c.Params()) > 2*maxPlan {
		return true, nil
	}
	var params struct {
		Arguments struct{ Steps []struct{ Tool string } }
	}
	if json.Unmarshal(c.Params(), &params) != nil {
		return true, nil // the plan will be refused
	}
	var scopes []string
	for n, s := range params.Arguments.Steps {
		if s.Tool == planTool || n == r.opts.Steps { // whose filter this is
			break
		}
		if i := c.Tool(ctx, s.Tool); i != nil {
			scopes = append(scopes, i.Access.Scopes...)
		}
	}
	slices.Sort(scopes)
	return true, c.Require(slices.Compact(scopes))
}
