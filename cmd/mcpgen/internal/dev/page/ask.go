package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxAsks is how many requests for input may wait for the person at the same time.
const maxAsks = 32

// asks holds the server's requests for input that wait for the person at a page.
type asks struct {
	feed *feed

	mu   sync.Mutex
	last int
	open map[string]*ask
}

// An ask is a request for input.
type ask struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"` // form, url or sample
	Revision string          `json:"revision"`
	Params   json.RawMessage `json:"params"`

	number int
	schema *mcp.ElicitRequestFormParamsRequestedSchema // of a form
	input  chan input
}

// An input is what the person gives for an ask.
type input struct {
	Ask     string              `json:"ask"`
	Action  string              `json:"action"`            // accept, decline or cancel
	Content map[string]wire.Raw `json:"content,omitempty"` // of a form
	Text    string              `json:"text,omitempty"`    // in place of a model
	Model   string              `json:"model,omitempty"`
}

func newAsks(f *feed) *asks { return &asks{feed: f, open: map[string]*ask{}} }

// wait shows a request for input, and waits for the person.
func (a *asks) wait(ctx context.Context, q *ask, params wire.Encodable) (input, error) {
	text, err := wire.Marshal(wire.Any, params)
	if err != nil {
		return input{}, err
	}
	q.Params, q.input = json.RawMessage(text), make(chan input, 1)
	a.mu.Lock()
	if len(a.open) >= maxAsks {
		a.mu.Unlock()
		return input{}, fmt.Errorf("%d requests for input wait for the person at the page already", maxAsks)
	}
	a.last++
	q.number, q.ID = a.last, strconv.Itoa(a.last)
	a.open[q.ID] = q
	a.show()
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if _, open := a.open[q.ID]; open {
			delete(a.open, q.ID)
			a.show()
		}
	}()
	select {
	case said := <-q.input:
		return said, nil
	case <-ctx.Done():
		return input{}, ctx.Err()
	}
}

// show shows the requests for input that wait, oldest first. It is called with mu held.
func (a *asks) show() {
	open := slices.SortedFunc(maps.Values(a.open), func(x, y *ask) int { return x.number - y.number })
	a.feed.set("asks", append([]*ask{}, open...))
}

// say ends the wait for an input. A form that does not validate stays open.
func (a *asks) say(said input) error {
	switch mcp.ElicitResultAction(said.Action) {
	case mcp.ElicitResultActionAccept, mcp.ElicitResultActionDecline, mcp.ElicitResultActionCancel:
	default:
		return fmt.Errorf("want the action accept, decline or cancel, got %q", said.Action)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.open[said.Ask]
	if q == nil {
		return errors.New("the request for input does not wait any more")
	}
	if q.schema != nil && said.Action == string(mcp.ElicitResultActionAccept) {
		if err := elicit.Check(q.schema, said.Content); err != nil {
			return err
		}
	}
	delete(a.open, said.Ask)
	q.input <- said // has room for one
	a.show()
	return nil
}

// form asks the person to fill in a form.
func (a *asks) form(ctx context.Context, revision string, p *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	said, err := a.wait(ctx, &ask{Kind: "form", Revision: revision, schema: &p.RequestedSchema}, p)
	if err != nil {
		return nil, err
	}
	r := &mcp.ElicitResult{Action: mcp.ElicitResultAction(said.Action)}
	if r.Action == mcp.ElicitResultActionAccept {
		if r.Content = said.Content; r.Content == nil {
			r.Content = map[string]wire.Raw{}
		}
	}
	return r, nil
}

// visit asks the person to visit a URL.
func (a *asks) visit(ctx context.Context, revision string, p *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
	said, err := a.wait(ctx, &ask{Kind: "url", Revision: revision}, p)
	return mcp.ElicitResultAction(said.Action), err
}

// sample asks the person for a message in place of a model.
func (a *asks) sample(ctx context.Context, revision string, p *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	said, err := a.wait(ctx, &ask{Kind: "sample", Revision: revision}, p)
	if err != nil {
		return nil, err
	}
	if said.Action != string(mcp.ElicitResultActionAccept) {
		return nil, client.ErrRejected
	}
	model := said.Model
	if model == "" {
		model = "person"
	}
	return &mcp.CreateMessageResult{
		Role: mcp.RoleAssistant, Model: model, StopReason: mcp.CreateMessageResultStopReasonEndTurn,
		Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: said.Text}},
	}, nil
}
