package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/client/expand"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	maxBody       = 4 << 20
	listTime      = time.Minute // for a request that needs no person
	bytesPerToken = 4           // as in mcpgen budget
)

// A request is what a page sends. Each kind of request uses some of the members.
type request struct {
	Revision  string              `json:"revision"` // empty for the build's
	Name      string              `json:"name"`     // of a tool or a prompt
	URI       string              `json:"uri"`      // of a resource, or a URI template
	Arguments map[string]wire.Raw `json:"arguments"`
	Task      bool                `json:"task"`     // run the call as a task, if the server can
	Argument  string              `json:"argument"` // the one to complete
	Value     string              `json:"value"`    // what was typed of it
	On        bool                `json:"on"`       // subscribe; unsubscribe if false
	Key       string              `json:"key"`      // of a task
}

// A line is a line of the response to a call.
type line struct {
	Progress *mcp.ProgressNotificationParams `json:"progress,omitempty"`
	Task     string                          `json:"task,omitempty"` // its id
	Key      string                          `json:"key,omitempty"`  // the name of the task to pages
	Result   wire.Raw                        `json:"result,omitempty"`
	Error    *callError                      `json:"error,omitempty"`
	Revision string                          `json:"revision,omitempty"`
	Took     float64                         `json:"took,omitempty"` // milliseconds
	Schema   *verdict                        `json:"schema,omitempty"`
}

// A callError says why there is no result: an error object, or an error of the client, which has no code.
type callError struct {
	Code    int      `json:"code,omitempty"` // of JSON-RPC
	Message string   `json:"message"`
	Data    wire.Raw `json:"data,omitempty"`
}

// A verdict says whether a result validates against the output schema.
type verdict struct {
	Problem string `json:"problem,omitempty"`
}

// definitions is everything that the server says about itself, and what its tools cost a model.
type definitions struct {
	Revision     string                  `json:"revision"`
	Revisions    []string                `json:"revisions"`
	Build        string                  `json:"build,omitempty"` // the revision of the serving build
	Info         *mcp.Implementation     `json:"info,omitempty"`
	Instructions string                  `json:"instructions,omitempty"`
	Capabilities *mcp.ServerCapabilities `json:"capabilities,omitempty"`
	Tools        []wire.Raw              `json:"tools"`
	Prompts      []wire.Raw              `json:"prompts"`
	Resources    []wire.Raw              `json:"resources"`
	Templates    []wire.Raw              `json:"templates"`
	Costs        []cost                  `json:"costs"`
	Endpoint     string                  `json:"endpoint"`
}

type cost struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// decode reads the body of a request.
func decode[T any](w http.ResponseWriter, r *http.Request, into *T) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "want a body of application/json", http.StatusUnsupportedMediaType)
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		http.Error(w, "cannot read the body: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

// respond writes a value as JSON.
func (p *Page) respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		p.opts.Logger.Debug("cannot send a response to a page", "error", err)
	}
}

// failed returns the callError for an error.
func failed(err error) *callError {
	f := &callError{Message: err.Error()}
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		f.Code, f.Message, f.Data = int(rpc.Code), rpc.Message, rpc.Data
	}
	return f
}

// definitions lists everything that the server offers in a revision. An error is a part of the response, for the page to show: the
// server may be at fault, and the request of the page was valid.
func (p *Page) definitions(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	s, err := p.sessions.of(ctx, r.URL.Query().Get("revision"))
	if err != nil {
		p.respond(w, http.StatusOK, line{Error: failed(err)})
		return
	}
	d := definitions{Revision: s.Revision().String(), Endpoint: p.opts.Endpoint}
	for _, revision := range client.Revisions() {
		d.Revisions = append(d.Revisions, revision.String())
	}
	if about, revision, ok := p.opts.About(); ok {
		d.Build, d.Info, d.Instructions, d.Capabilities = revision.String(), about.Info, about.Instructions, &about.Capabilities
	}
	outputs := map[string]wire.Raw{}
	d.Tools, err = listed(s.Tools(ctx), func(t *mcp.Tool, text wire.Raw) {
		outputs[t.Name] = t.OutputSchema
		d.Costs = append(d.Costs, cost{t.Name, len(text), (len(text) + bytesPerToken - 1) / bytesPerToken})
	})
	if err == nil {
		s.learn(outputs)
		d.Prompts, err = listed(s.Prompts(ctx), nil)
	}
	if err == nil {
		d.Resources, err = listed(s.Resources(ctx), nil)
	}
	if err == nil {
		d.Templates, err = listed(s.ResourceTemplates(ctx), nil)
	}
	if err != nil {
		p.respond(w, http.StatusOK, line{Error: failed(err)})
		return
	}
	p.respond(w, http.StatusOK, d)
}

// listed returns the items of a list, as the server sent them.
func listed[T wire.Encodable](items iter.Seq2[T, error], each func(T, wire.Raw)) ([]wire.Raw, error) {
	all := []wire.Raw{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		text, err := wire.Marshal(wire.Any, item)
		if err != nil {
			return nil, err
		}
		if each != nil {
			each(item, text)
		}
		all = append(all, text)
	}
	return all, nil
}

// learn stores the output schemas of tools.
func (s *session) learn(outputs map[string]wire.Raw) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outputs = outputs
}

// output returns the output schema of a tool, nil if it has none.
func (s *session) output(tool string) wire.Raw {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs[tool]
}

// do handles a request that may take long: the response consists of lines of progress, and then the result. The request
// is cancelled when the page goes away, and fails when dev ends, which ends its session.
func (p *Page) do(w http.ResponseWriter, r *http.Request, call func(ctx context.Context, s *session, q *request, say func(line)) (wire.Encodable, *verdict, error)) {
	var q request
	if !decode(w, r, &q) {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	say := p.sayer(w, cancel)
	s, err := p.sessions.of(ctx, q.Revision)
	if err != nil {
		say(line{Error: failed(err)})
		return
	}
	last := line{Revision: s.Revision().String()}
	begun := time.Now()
	ctx = client.WithProgress(ctx, func(n *mcp.ProgressNotificationParams) { say(line{Progress: n}) })
	result, schema, err := call(ctx, s, &q, say)
	last.Took = float64(time.Since(begun).Microseconds()) / 1000
	if err == nil {
		last.Schema = schema
		last.Result, err = wire.Marshal(wire.Any, result)
	}
	if err != nil {
		last.Error = failed(err)
	}
	say(last)
}

// sayer returns a function that writes lines of a response, which several goroutines may call. It calls gone when the page
// is gone. A line that is not JSON becomes one that says so.
func (p *Page) sayer(w http.ResponseWriter, gone func()) func(line) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	var writes sync.Mutex // progress arrives at any time
	return func(l line) {
		text, err := json.Marshal(l)
		if err != nil {
			p.opts.Logger.Warn("a line of a response cannot be encoded for a page", "error", err)
			if text, err = json.Marshal(line{Error: failed(err)}); err != nil {
				panic(err) // it is a text
			}
		}
		out.SetWriteDeadline(time.Now().Add(writeTime)) // only connections in tests have no deadline
		writes.Lock()
		defer writes.Unlock()
		if _, err := w.Write(append(text, '\n')); err != nil || out.Flush() != nil {
			gone()
		}
	}
}

// call calls a tool, as a task if the page wants that, and validates the result against the output schema that the page last
// listed.
func (p *Page) call(w http.ResponseWriter, r *http.Request) {
	p.do(w, r, func(ctx context.Context, s *session, q *request, say func(line)) (wire.Encodable, *verdict, error) {
		arguments := q.Arguments
		if arguments == nil {
			arguments = map[string]wire.Raw{}
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			return nil, nil, err
		}
		params := &mcp.CallToolRequestParams{Name: q.Name, Arguments: text}
		if q.Task {
			result, schema, err := p.begin(ctx, s, params, say)
			if err != nil {
				return nil, nil, err
			}
			return result, schema, nil
		}
		result, err := s.CallTool(ctx, params)
		if err != nil {
			return nil, nil, err
		}
		return result, p.sessions.verdict(ctx, s.output(q.Name), result), nil
	})
}

// verdict validates a result against a schema. It returns nil if there is no schema, or if the tool failed.
func (s *sessions) verdict(ctx context.Context, schema wire.Raw, result *mcp.CallToolResult) *verdict {
	switch {
	case schema == nil || result.GetIsError():
		return nil
	case result.StructuredContent == nil:
		return &verdict{"the structured content that the tool's output schema promises is missing"}
	}
	if err := s.checker.Check(ctx, schema, result.StructuredContent); err != nil {
		return &verdict{err.Error()}
	}
	return &verdict{}
}

// prompt gets a prompt.
func (p *Page) prompt(w http.ResponseWriter, r *http.Request) {
	p.do(w, r, func(ctx context.Context, s *session, q *request, _ func(line)) (wire.Encodable, *verdict, error) {
		arguments, err := texts(q.Arguments)
		if err != nil {
			return nil, nil, err
		}
		result, err := s.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: q.Name, Arguments: arguments})
		return result, nil, err
	})
}

// texts returns arguments that are strings.
func texts(arguments map[string]wire.Raw) (map[string]string, error) {
	all := map[string]string{}
	for name, raw := range arguments {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fmt.Errorf("the argument %s: want a string, got %s", name, raw)
		}
		all[name] = text
	}
	return all, nil
}

// read reads a resource, by its URI, or by a template, of which each argument is one value.
func (p *Page) read(w http.ResponseWriter, r *http.Request) {
	p.do(w, r, func(ctx context.Context, s *session, q *request, _ func(line)) (wire.Encodable, *verdict, error) {
		uri := q.URI
		if q.Arguments != nil {
			arguments, err := texts(q.Arguments)
			if err != nil {
				return nil, nil, err
			}
			vars := map[string][]string{}
			for name, text := range arguments {
				vars[name] = []string{text}
			}
			uri = expand.URI(q.URI, vars)
		}
		result, err := s.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: uri})
		return result, nil, err
	})
}

// complete completes an argument of a prompt or of a template.
func (p *Page) complete(w http.ResponseWriter, r *http.Request) {
	p.do(w, r, func(ctx context.Context, s *session, q *request, _ func(line)) (wire.Encodable, *verdict, error) {
		settled, err := texts(q.Arguments)
		if err != nil {
			return nil, nil, err
		}
		params := &mcp.CompleteRequestParams{
			Ref:      &mcp.PromptReference{Name: q.Name},
			Argument: mcp.CompleteRequestParamsArgument{Name: q.Argument, Value: q.Value},
			Context:  &mcp.CompleteRequestParamsContext{Arguments: settled},
		}
		if q.URI != "" {
			params.Ref = &mcp.ResourceTemplateReference{URI: q.URI}
		}
		ctx, cancel := context.WithTimeout(ctx, listTime)
		defer cancel()
		result, err := s.Complete(ctx, params)
		return result, nil, err
	})
}

// subscribe begins or ends the subscription to a resource.
func (p *Page) subscribe(w http.ResponseWriter, r *http.Request) {
	p.do(w, r, func(ctx context.Context, s *session, q *request, _ func(line)) (wire.Encodable, *verdict, error) {
		ctx, cancel := context.WithTimeout(ctx, listTime)
		defer cancel()
		return &mcp.EmptyResult{}, nil, s.watch(ctx, q.URI, q.On)
	})
}

// watch begins or ends the subscription of a session to a resource. A subscription that there was ends first, so that each
// resource has one. A server that agrees to nothing has refused.
func (s *session) watch(ctx context.Context, uri string, on bool) error {
	s.mu.Lock()
	last := s.subscriptions[uri]
	delete(s.subscriptions, uri)
	s.mu.Unlock()
	if last != nil {
		last.Close() // its error is that of a connection which Subscribe needs, too
	}
	if !on {
		return nil
	}
	next, err := s.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}})
	if err != nil {
		return err
	}
	if s.Revision().Since(mcp.Modern) && len(next.Filter().ResourceSubscriptions) == 0 {
		return errors.Join(fmt.Errorf("the server does not notify of changes of %s", uri), next.Close())
	}
	s.mu.Lock()
	s.subscriptions[uri] = next
	s.mu.Unlock()
	return nil
}

// answer receives the person's input for a request of the server. What is wrong with a form is told by field, and the form can
// be sent again.
func (p *Page) answer(w http.ResponseWriter, r *http.Request) {
	var said input
	if !decode(w, r, &said) {
		return
	}
	err := p.asks.say(said)
	if err == nil {
		p.respond(w, http.StatusOK, struct{}{})
		return
	}
	problems := struct {
		Message string            `json:"message"`
		Fields  map[string]string `json:"fields,omitempty"` // what is wrong, by field
	}{Message: err.Error()}
	if form, ok := errors.AsType[*elicit.FormError](err); ok {
		problems.Fields = map[string]string{}
		for _, problem := range form.Problems {
			problems.Fields[problem.Field] = problem.Msg
		}
	}
	p.respond(w, http.StatusUnprocessableEntity, problems)
}
