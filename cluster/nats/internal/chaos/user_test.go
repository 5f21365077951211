//go:build unix

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var silentLog = log.New(io.Discard, "", 0)

// A user is a client that records everything it receives.
type user struct {
	*client.Client
	site *site
	name string
	rev  wire.Revision
	tap  *tap
	wire *counter
	peer *user // another client of the same era

	mu      sync.Mutex
	numbers map[string][]int // that arrived with a call
	told    map[string][]int // that belong to no call, by teller
	updates int              // of the resource
	wrong   []string         // messages that were meant for somebody else
	calls   []outcome
	jobs    []*job
}

// An outcome is how a call ended.
type outcome struct {
	question
	tool string
	text string
	err  error
	took time.Duration
}

func (s *site) newUser(ctx context.Context, name string, rev wire.Revision) (*user, error) {
	u := &user{site: s, name: name, rev: rev, tap: newTap(), numbers: make(map[string][]int), told: make(map[string][]int)}
	u.wire = &counter{ended: make(map[wire.ID]int), sent: make(map[wire.ID]bool), Client: httpclient.New(s.proxy.url(), &httpclient.Options{
		HTTP:      &http.Client{Transport: u.tap},
		RetryTime: 200 * time.Millisecond,
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
		OnChange: func(context.Context, client.Change) {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.updates++
		},
		Elicit:     elicit.Handler{Form: u.elicit},
		Extensions: []client.Extension{taskclient.Enable(nil)},
	})
	u.Client = c
	return u, err
}

// String names the user, with its sessions.
func (u *user) String() string {
	u.tap.mu.Lock()
	defer u.tap.mu.Unlock()
	return fmt.Sprintf("%s %s %v", u.name, u.rev, slices.Collect(maps.Keys(u.tap.sessions)))
}

// number records a number that arrived with a call.
func (u *user) number(_ context.Context, params *wire.Raw) {
	var n struct {
		Call   string
		Number int
	}
	err := json.Unmarshal(*params, &n)
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil || !u.owns(n.Call) {
		u.wrong = append(u.wrong, string(*params))
		return
	}
	u.numbers[n.Call] = append(u.numbers[n.Call], n.Number)
}

// owns reports whether a call was made by this user.
func (u *user) owns(call string) bool { return strings.HasPrefix(call, u.name+"/") }

// log records a number that belongs to no call.
func (u *user) log(_ context.Context, params *mcp.LoggingMessageNotificationParams) {
	var n struct {
		Teller string
		Number int
	}
	if json.Unmarshal(params.Data, &n) != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.told[n.Teller] = append(u.told[n.Teller], n.Number)
}

// elicit answers with the name of the user.
func (u *user) elicit(_ context.Context, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	if !u.owns(p.Message) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.wrong = append(u.wrong, p.Message)
	}
	return elicit.Accept(map[string]string{"who": u.name})
}

// work makes calls, one after the other, until ctx ends, and waits for the last one.
func (u *user) work(ctx, whole context.Context, random *rand.Rand) {
	for i := 0; ctx.Err() == nil; i++ {
		u.ask(whole, random, i)
		select {
		case <-ctx.Done():
		case <-time.After(between(random, time.Millisecond, 500*time.Millisecond)):
		}
	}
}

// ask calls a tool and records the outcome.
func (u *user) ask(ctx context.Context, random *rand.Rand, i int) {
	o := outcome{question: question{Call: fmt.Sprintf("%s/%d", u.name, i)}, tool: "ask"}
	if random.IntN(4) > 0 {
		o.tool, o.Numbers, o.Pause = "count", random.IntN(5), random.IntN(50)
	}
	args, err := json.Marshal(o.question)
	if err != nil {
		u.site.Errorf("%v", err)
		return
	}
	begin := time.Now()
	r, err := u.CallTool(ctx, &mcp.CallToolRequestParams{Name: o.tool, Arguments: args})
	o.took = time.Since(begin)
	switch {
	case err != nil:
		o.err = err
	case r.GetIsError():
		o.err = fmt.Errorf("the tool failed: %s", text(r))
	default:
		o.text = text(r)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls = append(u.calls, o)
}

// want returns the text that a call should return.
func (u *user) want(o outcome) string {
	if o.tool == "ask" {
		return answerFrom(o.question, u.name)
	}
	return answerTo(o.question)
}

// comeAndGo connects again and again, which often fails. It leaves sessions behind that the client does not know of or
// could not end.
func (s *site) comeAndGo(ctx context.Context, name string, random *rand.Rand) {
	for i := 0; ctx.Err() == nil; i++ {
		u, err := s.newUser(ctx, name, mcp.V2025_11_25)
		if err != nil {
			u.tap.close()
			time.Sleep(10 * time.Millisecond) // as those do who are refused
			continue
		}
		u.ask(ctx, random, i)
		u.close()
	}
}

// close ends the client.
func (u *user) close() {
	u.Close()
	u.tap.close()
}

// text returns the text of a result.
func text(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
