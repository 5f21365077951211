package adopt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of what a Watcher keeps. Older requests that have no response make room for newer ones.
const (
	maxOpen      = 256 // requests without a response in a conversation
	maxOpenBytes = 4 << 20
	maxUntaken   = maxCalls // calls that were not taken
	maxMessages  = 1000     // of a batch
)

// Why calls are left out of a recording.
const (
	leftAsked    = "the server asked the client for something, or made a task of it"
	leftLarge    = "the arguments are large"
	leftSecret   = "the arguments have what stands for a secret"
	leftRevision = "the recording lacks the revision"
	leftFull     = "the recording has as many calls as it may"
)

// A Watcher sees the messages between clients and a server, and finds the calls of tools in them. What it does not understand it
// ignores. It keeps no secrets.
type Watcher struct {
	secrets *Secrets
	news    chan struct{}

	mu   sync.Mutex
	seen []SeenCall
	kept int
	left map[string]int
}

// A SeenCall is a call with its outcome.
type SeenCall struct {
	Call
	Revision string
	Outcome  Outcome
}

// NewWatcher returns a Watcher. Secrets may be nil.
func NewWatcher(secrets *Secrets) *Watcher {
	return &Watcher{secrets: secrets, news: make(chan struct{}, 1), left: map[string]int{}}
}

// News returns a channel that receives when there is something to take.
func (w *Watcher) News() <-chan struct{} { return w.news }

// Take returns the calls that have ended since it was called last.
func (w *Watcher) Take() []SeenCall {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen, w.kept = nil, 0
	return seen
}

// add keeps a call until it is taken, or counts it if too many are kept. It never waits for who takes them: messages pass
// through the proxy meanwhile.
func (w *Watcher) add(c SeenCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.seen) >= maxUntaken {
		w.left[leftFull]++
		return
	}
	c.Outcome = c.Outcome.limited(&w.kept)
	w.seen = append(w.seen, c)
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// Leave counts a call that is left out, for a reason.
func (w *Watcher) Leave(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left[why]++
}

// Left returns what the recording lacks, as sentences.
func (w *Watcher) Left() (notes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, why := range slices.Sorted(maps.Keys(w.left)) {
		notes = append(notes, fmt.Sprintf("Left out: %s, since %s.", contract.Count(contract.Number{N: w.left[why], Noun: "call"}), why))
	}
	return notes
}

// A Conversation is what one client and the server send each other. Its methods may be called at once.
type Conversation struct {
	w  *Watcher
	mu sync.Mutex

	revision string // that initialize has settled
	open     []openRequest
	bytes    int // of the arguments of open
}

// An openRequest is a request that the server has not responded to yet.
type openRequest struct {
	id       wire.ID
	call     *Call // nil for initialize
	revision string
	asked    bool // the server has sent a request meanwhile
}

// Conversation returns a new conversation. The revision is that of requests that do not say which one they are in, until initialize
// settles it; it may be empty.
func (w *Watcher) Conversation(revision string) *Conversation {
	return &Conversation{w: w, revision: revision}
}

// FromClient sees what the client sends. The revision is that which is known of the message otherwise, as by a header; it may be empty.
// The conversation keeps nothing of data.
func (c *Conversation) FromClient(data []byte, revision string) {
	c.each(data, func(m *jsonrpc.Message) {
		switch {
		case m.Kind == jsonrpc.Request && m.Method == mcp.MethodInitialize.Name:
			c.opens(openRequest{id: m.ID})
		case m.Kind == jsonrpc.Request && m.Method == mcp.MethodCallTool.Name:
			if call := c.callOf(m.Params); call != nil {
				at := strings.Clone(cmp.Or(m.Meta.StringAt(mcp.KeyProtocolVersion), revision, c.revision))
				c.opens(openRequest{id: m.ID, call: call, revision: at})
			}
		case m.Kind == jsonrpc.Notification && m.Method == mcp.MethodCancelledNotification.Name:
			var p mcp.CancelledNotificationParams
			if wire.Decode(m.Params, &p) == nil {
				c.closes(p.RequestID)
			}
		}
	})
}

// FromServer sees what the server sends. The conversation keeps nothing of data.
func (c *Conversation) FromServer(data []byte) {
	c.each(data, func(m *jsonrpc.Message) {
		switch {
		case m.Kind == jsonrpc.Request && m.Method != mcp.MethodPing.Name:
			for i := range c.open {
				c.open[i].asked = true
			}
		case m.IsResponse():
			r, ok := c.closes(m.ID)
			switch {
			case !ok:
			case r.call != nil:
				c.ended(r, m)
			case m.Kind == jsonrpc.Response:
				c.revision = strings.Clone(m.Result.StringAt("protocolVersion"))
			}
		}
	})
}

// each calls do with each message that data has, and a lock.
func (c *Conversation) each(data []byte, do func(m *jsonrpc.Message)) {
	messages := []wire.Raw{data}
	if jsonrpc.IsBatch(data) {
		messages, _ = jsonrpc.SplitBatch(data, maxMessages)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range messages {
		if m, err := jsonrpc.Parse(bytes.Clone(one)); err == nil {
			do(&m)
		}
	}
}

// callOf returns the call that params are of, without secrets; nil if it cannot be made again.
func (c *Conversation) callOf(params wire.Raw) *Call {
	var members map[string]json.RawMessage
	var name string
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["name"], &name) != nil || name == "" {
		return nil
	}
	if members["task"] != nil || members["inputResponses"] != nil || members["requestState"] != nil {
		c.w.Leave(leftAsked)
		return nil
	}
	call := &Call{Tool: name, Case: Seen}
	args := members["arguments"]
	tree, err := decode(args)
	switch {
	case len(args) > maxResult:
		c.w.Leave(leftLarge)
		return nil
	case bytes.Contains(args, []byte("{{secret ")):
		c.w.Leave(leftSecret)
		return nil
	case err == nil && tree != nil:
		call.Arguments = encode(c.w.secrets.hide(tree))
	}
	return call
}

// opens keeps a request until its response.
func (c *Conversation) opens(r openRequest) {
	c.closes(r.id) // of one id, the newer one
	raw, err := wire.Marshal(wire.Any, r.id)
	if err != nil || wire.Decode(raw, &r.id) != nil { // the id keeps the memory of its message no more
		return
	}
	c.open = append(c.open, r)
	c.bytes += r.size()
	for len(c.open) > maxOpen || c.bytes > maxOpenBytes {
		c.bytes -= c.open[0].size()
		c.open = slices.Delete(c.open, 0, 1)
	}
}

// size returns about how many bytes a request keeps.
func (r *openRequest) size() int {
	n := len(r.id.String()) + len(r.revision)
	if r.call != nil {
		n += len(r.call.Arguments) + len(r.call.Tool)
	}
	return n
}

// closes removes and returns the request with an id.
func (c *Conversation) closes(id wire.ID) (openRequest, bool) {
	for i, r := range c.open {
		if !id.IsZero() && r.id == id {
			c.bytes -= r.size()
			c.open = slices.Delete(c.open, i, i+1)
			return r, true
		}
	}
	return openRequest{}, false
}

// ended keeps a call with its outcome.
func (c *Conversation) ended(r openRequest, m *jsonrpc.Message) {
	s := SeenCall{Call: *r.call, Revision: r.revision}
	response := wire.Box[mcp.CallToolResponse]{From: mcp.DecodeCallToolResponse}
	switch err := wire.Decode(m.Result, &response); {
	case r.asked:
		c.w.Leave(leftAsked)
		return
	case m.Kind == jsonrpc.ErrorResponse:
		s.Outcome = c.w.secrets.ofError(m.Error)
	case err != nil:
		s.Outcome = Outcome{Kind: Invalid}
	default:
		result, ok := response.Value.(*mcp.CallToolResult)
		if !ok {
			c.w.Leave(leftAsked)
			return
		}
		s.Outcome = c.w.secrets.ofResult(result)
	}
	c.w.add(s)
}

// Sessions returns how many sessions of calls that a proxy saw the recording has.
func (r *Recording) Sessions() (n int) {
	for i := range r.Calls {
		n = max(n, r.Calls[i].Session)
	}
	return n
}

// Seen returns the calls that a proxy saw, with their outcomes.
func (r *Recording) Seen() (all []SeenCall) {
	for i, call := range r.Calls {
		if call.Case != Seen {
			continue
		}
		for _, rev := range r.Revisions {
			if o := rev.outcome(i); o != nil {
				all = append(all, SeenCall{Call: call, Revision: rev.Revision, Outcome: *o})
			}
		}
	}
	return all
}

// Add adds calls that a proxy saw, and returns how many it has added. Left is called with the reason for each that it leaves out; it may
// be nil. What a call of a tool that only reads has shown in its session already is not added again; if the outcome is another, although
// nothing has changed in between, it varies.
func (r *Recording) Add(seen []SeenCall, left func(why string)) (added int) {
	if left == nil {
		left = func(string) {}
	}
	kept := map[string]int{}
	for _, rev := range r.Revisions {
		for _, o := range rev.Outcomes {
			kept[rev.Revision] += len(o.Value)
		}
	}
	for _, s := range seen {
		rev := r.revision(s.Revision)
		switch {
		case rev == nil:
			left(leftRevision)
		case r.known(rev, &s):
		case len(r.Calls) >= maxCalls:
			left(leftFull)
		default:
			n := kept[rev.Revision]
			o := s.Outcome.limited(&n)
			kept[rev.Revision] = n
			o.Call = len(r.Calls)
			r.Calls = append(r.Calls, s.Call)
			rev.Outcomes = append(rev.Outcomes, o)
			added++
		}
	}
	return added
}

// reads reports whether a tool says that it only reads.
func (r *Revision) reads(tool string) bool {
	t := r.tool(tool)
	return t != nil && t.Annotations.GetReadOnlyHint()
}

// known reports whether the recording has a call already. The call may show that the outcome of an earlier one varies.
func (r *Recording) known(rev *Revision, s *SeenCall) bool {
	if !rev.reads(s.Tool) {
		return false
	}
	for i := len(rev.Outcomes) - 1; i >= 0; i-- {
		o := &rev.Outcomes[i]
		call := &r.Calls[o.Call]
		switch {
		case call.Session != s.Session:
			continue
		case !rev.reads(call.Tool): // it may have changed something
			return false
		case call.Tool != s.Tool || !bytes.Equal(compacted(call.Arguments), compacted(s.Arguments)):
			continue
		case o.Kind != s.Outcome.Kind:
			return false
		case !o.Varies && o.digest() != s.Outcome.digest():
			o.Varies, o.Value, o.Digest = true, shapeOf(o.Value), ""
		}
		return true
	}
	return false
}
