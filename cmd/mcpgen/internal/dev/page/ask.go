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
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxAsks is how many questions may wait for the person at the same time.
const maxAsks = 32

// asks holds the server's questions that wait for the person at a page.
type asks struct {
	feed *feed

	mu   sync.Mutex
	last int
	open map[string]*ask
}

// An ask is a question of the server.
type ask struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"` // form, url or sample
	Revision string          `json:"revision"`
	Params   json.RawMessage `json:"params"`

	number int
	schema *mcp.ElicitRequestFormParamsRequestedSchema // of a form
	answer chan answer
}

// An answer is the person's response to an ask.
type answer struct {
	Ask     string              `json:"ask"`
	Action  string              `json:"action"`            // accept, decline or cancel
	Content map[string]wire.Raw `json:"content,omitempty"` // of a form
	Text    string              `json:"text,omitempty"`    // in place of a model
	Model   string              `json:"model,omitempty"`
}

func newAsks(f *feed) *asks { return &asks{feed: f, open: map[string]*ask{}} }

// wait shows a question, and waits for its answer.
func (a *asks) wait(ctx context.Context, q *ask, params wire.Encodable) (answer, error) {
	text, err := wire.Marshal(wire.Any, params)
	if err != nil {
		return answer{}, err
	}
	q.Params, q.answer = json.RawMessage(text), make(chan answer, 1)
	a.mu.Lock()
	if len(a.open) >= maxAsks {
		a.mu.Unlock()
		return answer{}, fmt.Errorf("%d questions already wait for an answer", maxAsks)
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
	case said := <-q.answer:
		return said, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// show shows the open questions, oldest first. It is called with mu held.
func (a *asks) show() {
	open := slices.SortedFunc(maps.Values(a.open), func(x, y *ask) int { return x.number - y.number })
	a.feed.set("asks", append([]*ask{}, open...))
}

// say answers a question. A form that does not validate stays open.
func (a *asks) say(said answer) error {
	switch mcp.ElicitResultAction(said.Action) {
	case mcp.ElicitResultActionAccept, mcp.ElicitResultActionDecline, mcp.ElicitResultActionCancel:
	default:
		return fmt.Errorf("want the action accept, decline or cancel, got %q", said.Action)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.open[said.Ask]
	if q == nil {
		return errors.New("the question does not wait for an answer any more")
	}
	if q.schema != nil && said.Action == string(mcp.ElicitResultActionAccept) {
		if err := client.CheckForm(q.schema, said.Content); err != nil {
			return err
		}
	}
	delete(a.open, said.Ask)
	q.answer <- said // has room for one
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

// sample asks the person to answer in place of a model.
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
