package stress

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callTime is longer than any call takes, whatever the network does: a call that ends because of it
// was forgotten.
const callTime = 30 * time.Second

// A user is a client that notes all that it gets.
type user struct {
	name string
	*client.Client
	wire *counter

	mu      sync.Mutex
	numbers map[string][]int // that came with a call
	heard   []int            // numbers that belong to no call
	updates int              // of the resource
	calls   []outcome
}

// An outcome is how a call ended.
type outcome struct {
	question
	text string
	err  error
}

// connect connects a client to the server at a URL, by an HTTP client that may be nil.
func connect(ctx context.Context, name, url string, hc *http.Client, rev wire.Revision) (*user, error) {
	u := &user{name: name, numbers: map[string][]int{}}
	u.wire = &counter{ended: map[wire.ID]int{}, Client: httpclient.New(url, &httpclient.Options{
		HTTP:      hc,
		RetryTime: 20 * time.Millisecond,
		Logger:    silent,
	})}
	c, err := client.Connect(ctx, u.wire, &client.Options{
		Info:      mcp.Implementation{Name: name, Version: "1"},
		Revisions: []wire.Revision{rev},
		Logger:    silent,
		Limits:    transport.Limits{Timeout: callTime, MaxNotifications: 100_000},
		Methods: []client.Method{
			methods.Notification(numberMethod, u.number),
			methods.Notification(mcp.MethodLoggingMessageNotification.Name, u.log),
		},
		OnChange: u.updated,
	})
	u.Client = c
	return u, err
}

// number takes a number that came with a call.
func (u *user) number(_ context.Context, params *wire.Raw) {
	var n struct {
		Call   string
		Number int
	}
	if json.Unmarshal(*params, &n) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.numbers[n.Call] = append(u.numbers[n.Call], n.Number)
}

// log takes a number that belongs to no call.
func (u *user) log(_ context.Context, params *mcp.LoggingMessageNotificationParams) {
	var n struct{ Number int }
	if json.Unmarshal(params.Data, &n) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.heard = append(u.heard, n.Number)
}

func (u *user) updated(context.Context, client.Change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.updates++
}

// hears returns how many numbers have come that belong to no call.
func (u *user) hears() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.heard)
}

// ask calls the tool and notes the outcome.
func (u *user) ask(ctx context.Context, q question) error {
	text, err := u.call(ctx, "double", q)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls = append(u.calls, outcome{q, text, err})
	return err
}

func (u *user) call(ctx context.Context, tool string, q question) (string, error) {
	args, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	r, err := u.CallTool(ctx, &mcp.CallToolRequestParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	if text := mcptest.Text(r); r.GetIsError() {
		return "", fmt.Errorf("the tool failed: %s", text)
	} else {
		return text, nil
	}
}

// A counter is the transport of a client. It counts how often a request was answered, or was reported
// as one that will not be.
type counter struct {
	*httpclient.Client
	mu     sync.Mutex
	ended  map[wire.ID]int
	sent   map[wire.ID]bool
	missed int // how often messages may have been lost
}

func (c *counter) Send(ctx context.Context, m transport.Message) error {
	if m.Kind == jsonrpc.Request {
		c.mu.Lock()
		if c.sent == nil {
			c.sent = map[wire.ID]bool{}
		}
		c.sent[m.ID] = true
		c.mu.Unlock()
	}
	return c.Client.Send(ctx, m)
}

func (c *counter) Receive(ctx context.Context) (transport.Message, error) {
	m, err := c.Client.Receive(ctx)
	var id wire.ID
	if lost, ok := err.(*transport.RequestError); ok {
		if id = lost.ID; id.IsZero() && lost.Err == transport.ErrMissed {
			c.mu.Lock()
			c.missed++
			c.mu.Unlock()
		}
	} else if err == nil {
		if msg, _ := jsonrpc.Parse(m.Data); msg.IsResponse() {
			id = msg.ID
		}
	}
	if !id.IsZero() {
		c.mu.Lock()
		c.ended[id]++
		c.mu.Unlock()
	}
	return m, err
}

// expectOnce checks that no request ended twice, and none that was not sent.
func (c *counter) expectOnce(t testing.TB, name string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range c.ended {
		if n > 1 || !c.sent[id] {
			t.Errorf("%s: request %s ended %d times, sent: %t", name, id, n, c.sent[id])
		}
	}
}
