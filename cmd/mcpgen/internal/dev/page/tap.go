package page

import (
	"bytes"
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// maxOpen is how many requests are remembered until their response arrives, for its method.
const maxOpen = 1000

// A wireItem is a message, for pages.
type wireItem struct {
	At       int64  `json:"at"`       // milliseconds since 1970
	Between  string `json:"between"`  // "page": between pages and the endpoint; "server": between the endpoint and the build
	Sent     bool   `json:"sent"`     // towards the server
	Revision string `json:"revision"` // empty if not known yet
	Method   string `json:"method"`   // for a response, that of its request
	Kind     string `json:"kind"`     // request, notification, result, error or batch
	ID       string `json:"id,omitempty"`
	Own      bool   `json:"own,omitempty"`  // nobody but mcpgen dev and its page asked for it
	Took     int64  `json:"took,omitempty"` // milliseconds since the request
	Text     string `json:"text"`
	Cut      bool   `json:"cut,omitempty"`
}

// A tap records what a transport carries.
type tap struct {
	transport.Transport
	feed    *feed
	between string
	own     func(ctx context.Context, method string) bool // reports whether a request is mcpgen dev's own; nil if all are

	mu       sync.Mutex
	revision string
	open     map[string]sentRequest // by direction and id
}

// A sentRequest waits for its response.
type sentRequest struct {
	method string
	own    bool
	at     time.Time
}

func newTap(t transport.Transport, f *feed, between, revision string) *tap {
	return &tap{Transport: t, feed: f, between: between, revision: revision, open: map[string]sentRequest{}}
}

// Send implements transport.Sender.
func (t *tap) Send(ctx context.Context, m transport.Message) error {
	t.record(ctx, m.Data, true)
	return t.Transport.Send(ctx, m)
}

// Receive implements transport.Receiver.
func (t *tap) Receive(ctx context.Context) (transport.Message, error) {
	m, err := t.Transport.Receive(ctx)
	if err == nil {
		t.record(ctx, m.Data, false)
	}
	return m, err
}

// PerRequest implements transport.PerRequest.
func (t *tap) PerRequest() bool {
	e, ok := t.Transport.(transport.PerRequest)
	return ok && e.PerRequest()
}

// record adds a message to the feed.
func (t *tap) record(ctx context.Context, data []byte, sent bool) {
	now := time.Now()
	i := wireItem{At: now.UnixMilli(), Between: t.between, Sent: sent, Kind: "batch", Own: t.own == nil}
	data = bytes.Clone(data) // parsed messages share its memory
	i.Text, i.Cut = excerpt(string(data))
	if m, err := jsonrpc.Parse(data); err == nil {
		t.describe(ctx, &i, &m, now)
	}
	t.feed.add("wire", i)
}

// describe fills in what kind of message it is. A response has the method of its request, if that is still remembered.
func (t *tap) describe(ctx context.Context, i *wireItem, m *jsonrpc.Message, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i.Method = m.Method
	if !m.ID.IsZero() {
		i.ID = m.ID.String()
	}
	switch m.Kind {
	case jsonrpc.Request:
		i.Kind = "request"
		if t.own != nil && i.Sent {
			i.Own = t.own(ctx, m.Method)
		}
		if len(t.open) < maxOpen {
			t.open[key(i.Sent, i.ID)] = sentRequest{m.Method, i.Own, now}
		}
		t.learn(cmp.Or(m.Meta.StringAt("io.modelcontextprotocol/protocolVersion"), m.Params.StringAt("protocolVersion")))
	case jsonrpc.Notification:
		i.Kind = "notification"
	default:
		i.Kind = "result"
		if m.Error != nil {
			i.Kind = "error"
		}
		if r, ok := t.open[key(!i.Sent, i.ID)]; ok {
			delete(t.open, key(!i.Sent, i.ID))
			i.Method, i.Own, i.Took = r.method, r.own, now.Sub(r.at).Milliseconds()
		}
		t.learn(m.Result.StringAt("protocolVersion"))
	}
	i.Revision = t.revision
}

// learn records a revision that a message names. It is called with mu held.
func (t *tap) learn(version string) {
	if version != "" {
		t.revision = version
	}
}

// key tells requests of both directions apart.
func key(sent bool, id string) string {
	if sent {
		return ">" + id
	}
	return "<" + id
}
