package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxCalls is how many calls a recording has at most.
const maxCalls = 2000

// maxLost is how often a server may end the connection during the calls of one revision.
const maxLost = 20

// A Recorder records what a server does.
type Recorder struct {
	// Connect connects to the server in one revision. The error is a *[client.VersionError] if the server does not speak it.
	Connect func(ctx context.Context, r wire.Revision) (c *client.Client, end func() error, err error)
	// Revisions are those to try. The default is all.
	Revisions []wire.Revision
	// Secrets replaces what must not be written. It may be nil.
	Secrets *Secrets
	// CallTime is how long a call may take: half a minute if 0.
	CallTime time.Duration
	// Pause is how long to wait before each call: some servers limit how often they are called.
	Pause time.Duration
	// Notes receives what the recording lacks, as sentences with names of the server in quotes. It may be nil.
	Notes func(note string)
}

// Record records what a server offers in each revision, and how it responds: to the given calls, and to calls of tools that
// only read.
func (r *Recorder) Record(ctx context.Context, given []Call) (*Recording, error) {
	rec := &Recording{Calls: given}
	err := r.each(ctx, func(ctx context.Context, at *Revision, _ *visit) error {
		rec.Revisions = append(rec.Revisions, *at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rec.Revisions) == 0 {
		return nil, errors.New("the server speaks none of the revisions")
	}
	rec.Calls = append(rec.Calls, r.made(rec.Revisions)...)
	return r.replayed(ctx, rec, nil)
}

// Replay makes the calls of a recording in each of its revisions that the server speaks, and returns what the server does now. A call
// that the recording has in some of the revisions is made in these alone.
func (r *Recorder) Replay(ctx context.Context, old *Recording) (*Recording, error) {
	of := *r
	of.Revisions = nil
	for _, rev := range old.Revisions {
		v, err := wire.ParseRevision(rev.Revision)
		if err != nil {
			return nil, fmt.Errorf("the recording: %w", err)
		}
		if r.Revisions == nil || slices.Contains(r.Revisions, v) {
			of.Revisions = append(of.Revisions, v)
		}
	}
	if len(of.Revisions) == 0 {
		return nil, errors.New("the recording has none of the revisions")
	}
	return of.replayed(ctx, &Recording{Calls: old.Calls}, old)
}

// replayed makes the calls in each revision, and returns the recording as its file has it. Each session of calls that a proxy
// saw has a connection of its own, as it had then. If an older recording has the revision, only the calls with an outcome there
// are made. Without an older recording those that change nothing are made again, after the others, to see what varies.
func (r *Recorder) replayed(ctx context.Context, rec, old *Recording) (*Recording, error) {
	now := &Recording{Calls: rec.Calls}
	err := r.each(ctx, func(ctx context.Context, at *Revision, v *visit) error {
		order := make([]int, 0, len(rec.Calls))
		var was *Revision
		if old != nil {
			was = old.revision(at.Revision)
		}
		for i := range rec.Calls {
			if was == nil || was.outcome(i) != nil {
				order = append(order, i)
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return rec.Calls[i].Session - rec.Calls[j].Session })
		session := 0
		for _, i := range order {
			call := rec.Calls[i]
			if call.Session != session {
				session = call.Session
				if err := v.reconnect(ctx); err != nil {
					return err
				}
			}
			o, err := v.call(ctx, call)
			if err != nil {
				return err
			}
			o.Call = i
			at.Outcomes = append(at.Outcomes, o)
		}
		for i, call := range rec.Calls {
			if old != nil || !call.Repeat {
				continue
			}
			again, err := v.call(ctx, call)
			if err != nil {
				return err
			}
			// Calls that have a session are those of an older recording, so here outcomes are in the order of the calls.
			if o := &at.Outcomes[i]; o.Kind != again.Kind || o.digest() != again.digest() {
				o.Varies, o.Value, o.Digest = true, shapeOf(o.Value), ""
			}
		}
		now.Revisions = append(now.Revisions, *at)
		return nil
	})
	if err != nil {
		return nil, err
	}
	text, err := now.Format(r.Secrets)
	if err != nil {
		return nil, err
	}
	if len(now.Revisions) == 0 {
		return now, nil
	}
	return Parse("recording", text)
}

// each connects in each revision that the server speaks, and reads what it offers.
func (r *Recorder) each(ctx context.Context, do func(ctx context.Context, at *Revision, v *visit) error) error {
	revisions := r.Revisions
	if len(revisions) == 0 {
		revisions = client.Revisions()
	}
	revisions = slices.Clone(revisions)
	slices.Sort(revisions)
	for _, rev := range revisions {
		v := &visit{Recorder: r, rev: rev}
		err := v.connect(ctx)
		if errors.As(err, new(*client.VersionError)) {
			continue
		}
		if err != nil {
			return fmt.Errorf("revision %s: %w", rev, err)
		}
		at, err := definitions(ctx, v.c)
		if err == nil {
			err = do(ctx, at, v)
		}
		endErr := v.end()
		if err != nil {
			return fmt.Errorf("revision %s: %w", rev, err)
		}
		if endErr != nil && ctx.Err() != nil {
			return endErr
		}
	}
	return nil
}

// definitions requests all lists.
func definitions(ctx context.Context, c *client.Client) (*Revision, error) {
	about := c.Server()
	at := &Revision{Revision: c.Revision().String(), Info: about.Info, Instructions: about.Instructions, Capabilities: &about.Capabilities}
	err := collect(&at.Tools, c.Tools(ctx))
	if err == nil {
		err = collect(&at.Prompts, c.Prompts(ctx))
	}
	if err == nil {
		err = collect(&at.Resources, c.Resources(ctx))
	}
	if err == nil {
		err = collect(&at.ResourceTemplates, c.ResourceTemplates(ctx))
	}
	return at, err
}

// collect appends items to a list. Many servers declare a capability, and lack one of its lists.
func collect[T any](list *[]T, items iter.Seq2[*T, error]) error {
	for item, err := range items {
		if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok && rpc.Code == jsonrpc.CodeMethodNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		*list = append(*list, *item)
	}
	return nil
}

// made returns the calls that are made from schemas: of tools that say in some revision that they only read.
func (r *Recorder) made(revisions []Revision) (calls []Call) {
	reading := map[string]*mcp.Tool{}
	for _, rev := range revisions { // newer ones replace older ones
		for i := range rev.Tools {
			if t := &rev.Tools[i]; t.Annotations.GetReadOnlyHint() {
				reading[t.Name] = t
			}
		}
	}
	check := new(outputcheck.Checker)
	left := 0
	for _, name := range slices.Sorted(maps.Keys(reading)) {
		made, why := callsOf(reading[name], check)
		if why != "" {
			r.note(fmt.Sprintf("The tool %q has no calls: %s.", name, short(why)))
		}
		if len(calls)+len(made) > maxCalls {
			left++
			continue
		}
		calls = append(calls, made...)
	}
	if left > 0 {
		r.note(fmt.Sprintf("%d tools have no calls: a recording has at most %d.", left, maxCalls))
	}
	return calls
}

func (r *Recorder) note(text string) {
	if r.Notes != nil {
		r.Notes(r.Secrets.Hide(text))
	}
}

// A visit is the use of a server in one revision.
type visit struct {
	*Recorder
	rev  wire.Revision
	c    *client.Client
	end  func() error
	lost int // how often the connection has ended
	kept int // bytes of results
}

func (v *visit) connect(ctx context.Context) (err error) {
	v.c, v.end, err = v.Connect(ctx, v.rev)
	return err
}

// call calls a tool. Whatever the server does about it is an outcome; an error says that it cannot be used any more.
func (v *visit) call(ctx context.Context, call Call) (Outcome, error) {
	params := &mcp.CallToolRequestParams{Name: call.Tool, Arguments: wire.Raw(call.Arguments)}
	if !call.isMade() { // a schema may not ask for secrets
		params.Arguments = wire.Raw(v.Secrets.reveal(call.Arguments))
	}
	limit := v.CallTime
	if limit == 0 {
		limit = 30 * time.Second
	}
	if v.Pause > 0 {
		select {
		case <-time.After(v.Pause):
		case <-ctx.Done():
			return Outcome{}, context.Cause(ctx)
		}
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := v.c.CallTool(limited, params)
	switch refused, is := errors.AsType[*jsonrpc.Error](err); {
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	case err == nil:
		return v.Secrets.ofResult(result).limited(&v.kept), nil
	case is:
		return v.Secrets.ofError(refused).limited(&v.kept), nil
	case limited.Err() != nil:
		return Outcome{Kind: Silence}, nil
	case errors.Is(err, jsonrpc.ErrClosed), errors.As(err, new(*jsonrpc.DisconnectedError)):
		if v.lost++; v.lost > maxLost {
			return Outcome{}, fmt.Errorf("the server has ended the connection %d times: %w", v.lost, err)
		}
		if err := errors.Join(ctx.Err(), v.reconnect(ctx)); err != nil {
			return Outcome{}, err
		}
		return Outcome{Kind: Silence}, nil
	}
	return Outcome{Kind: Invalid}, nil
}

func (v *visit) reconnect(ctx context.Context) error {
	_ = v.end() // it may have failed already
	return v.connect(ctx)
}

// ofResult returns the outcome that a result is, without secrets.
func (s *Secrets) ofResult(result *mcp.CallToolResult) Outcome {
	raw, err := wire.Marshal(wire.Any, result)
	if err != nil {
		return Outcome{Kind: Invalid}
	}
	kind := Result
	if result.GetIsError() {
		kind = ToolError
	}
	return s.outcome(kind, raw)
}

// ofError returns the outcome that an error response is, without secrets.
func (s *Secrets) ofError(refused *jsonrpc.Error) Outcome {
	raw, err := json.Marshal(struct {
		Code    int64    `json:"code"`
		Message string   `json:"message"`
		Data    wire.Raw `json:"data,omitempty"`
	}{refused.Code, refused.Message, refused.Data})
	if err != nil {
		return Outcome{Kind: Invalid}
	}
	return s.outcome(Refused, raw)
}

func (s *Secrets) outcome(kind string, value json.RawMessage) Outcome {
	tree, err := decode(value)
	if err != nil {
		return Outcome{Kind: Invalid}
	}
	tidy(tree)
	return Outcome{Kind: kind, Value: encode(s.hide(tree))}
}

// limited returns the outcome without its value if that is large, or if those that are kept are large together.
func (o Outcome) limited(kept *int) Outcome {
	if *kept += len(o.Value); len(o.Value) > maxResult || *kept > maxResults {
		o.Digest, o.Value = o.digest(), nil
	}
	return o
}

// tidy removes from a result what says nothing about the call: the server's own name, and that the result is complete.
func tidy(result any) {
	o, _ := result.(map[string]any)
	if o["resultType"] == "complete" {
		delete(o, "resultType")
	}
	if meta, _ := o["_meta"].(map[string]any); meta != nil {
		delete(meta, mcp.KeyServerInfo)
		if len(meta) == 0 {
			delete(o, "_meta")
		}
	}
}
