// Package playground answers what the playground of the site asks about a Go file with annotated functions.
package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Name and Path are the names of the file and its package.
const (
	Name = "tools.go"
	Path = "example.com/tools"
)

// A Question is a Go file, perhaps with a call of one of its tools.
type Question struct {
	Source string `json:"source"`
	Call   *Call  `json:"call,omitempty"`
}

// A Call is the params of tools/call.
type Call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // JSON
}

// An Answer is what mcpgen says about the file.
type Answer struct {
	Problems []Problem `json:"problems,omitempty"`
	Contents string    `json:"contents,omitempty"` // 2 tools, 1 prompt
	Tools    []Tool    `json:"tools,omitempty"`
	Tokens   int       `json:"tokens"`           // of all tools
	Opaque   []string  `json:"opaque,omitempty"` // lines of mcpgen budget about types whose schemas say nothing
	Result   *Result   `json:"result,omitempty"` // of the call, if there is the tool
}

// A Problem is one that mcpgen tools prints.
type Problem struct {
	Text   string `json:"text"`           // as it prints it
	Line   int    `json:"line,omitempty"` // 0 if it is about no place
	Column int    `json:"column,omitempty"`
}

// A Tool is a tool of the file.
type Tool struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output,omitempty"`
	Bytes  int             `json:"bytes,omitempty"` // 0 if models do not see it
	Tokens int             `json:"tokens,omitempty"`
	Listed []Listed        `json:"listed"`
}

// Listed is a tool as the result of tools/list has it in a revision.
type Listed struct {
	Revision   string          `json:"revision"`
	Definition json.RawMessage `json:"definition,omitempty"` // absent if the tool is not listed
}

// A Result is what a model reads as the result of a call. The function of the tool is not called.
type Result struct {
	Valid    bool     `json:"valid"`              // the arguments are
	Text     string   `json:"text,omitempty"`     // what is wrong with them
	Protocol bool     `json:"protocol,omitempty"` // the client reads that, and no model: an error of the protocol
	Unread   []string `json:"unread,omitempty"`   // types that read their part of the arguments by methods that are not called here
}

// Packages are the packages that files can import.
type Packages struct {
	Importer types.Importer
	Fset     *token.FileSet // of Importer
	Sources  fs.FS          // as in [tools.File]
	Go       string         // the version
}

// Answer answers a question.
func (p *Packages) Answer(q *Question) *Answer {
	a := &Answer{}
	pkg, err := (&tools.File{Name: Name, Text: []byte(q.Source), Path: Path, Go: p.Go, Imports: p.Importer, Fset: p.Fset, Sources: p.Sources}).Load()
	if err == nil {
		err = pkg.CanGenerate()
	}
	if err != nil {
		a.problems(err)
		return a
	}
	a.Contents = pkg.Contents()
	costs := map[string]tools.Cost{}
	for _, c := range pkg.Budget() {
		costs[c.Tool] = c
		a.Tokens += c.Tokens
	}
	for _, o := range pkg.Opaque() {
		a.Opaque = append(a.Opaque, fmt.Sprintf("the schema of %s says nothing; write %s (%s)", o.Type, o.Advice, strings.Join(o.Tools, ", ")))
	}
	r, err := rehearse(pkg)
	if err != nil {
		a.problems(err)
		return a
	}
	for _, t := range r.definitions {
		cost := costs[t.Name]
		a.Tools = append(a.Tools, Tool{
			Name: t.Name, Input: json.RawMessage(t.InputSchema), Output: json.RawMessage(t.OutputSchema),
			Bytes: cost.Bytes, Tokens: cost.Tokens, Listed: r.listed(t.Name),
		})
		if q.Call != nil && q.Call.Tool == t.Name {
			a.Result = r.call(q.Call)
		}
	}
	return a
}

func (a *Answer) problems(err error) {
	list := (tools.ErrorList)(nil)
	if !errors.As(err, &list) {
		a.Problems = append(a.Problems, Problem{Text: err.Error()})
	}
	for _, e := range list {
		a.Problems = append(a.Problems, Problem{e.Error(), e.Pos.Line, e.Pos.Column})
	}
}

// A rehearsal has servers with the tools of a package, whose functions they do not call.
type rehearsal struct {
	lists       []list           // of the revisions, oldest first
	calls       *server.Endpoint // without tasks, so that calls have results at once
	definitions []*mcp.Tool
	unread      []string
}

// A list is the result of tools/list in a revision.
type list struct {
	revision wire.Revision
	tools    map[string]wire.Raw
}

// rehearse returns the lists of a package's tools in all revisions, and a server for calls. A server without support
// for tasks refuses tools that may be one, and in the server for calls they are not.
func rehearse(pkg *tools.Package) (*rehearsal, error) {
	r := &rehearsal{}
	items := pkg.Rehearse(func(_ string, unread []string) (*mcp.CallToolResult, error) {
		r.unread = unread
		return &mcp.CallToolResult{}, nil
	})
	var setup []server.Setup
	plain := slices.Clone(items)
	for i := range items {
		d := items[i].Definition.(*mcp.Tool)
		r.definitions = append(r.definitions, d)
		if d.Execution != nil {
			setup = []server.Setup{taskserver.Enable(nil)}
			d := *d
			d.Execution, plain[i].Definition = nil, &d
		}
	}
	listing, err := serve(items, setup)
	if err != nil {
		return nil, err
	}
	if r.calls, err = serve(plain, nil); err != nil {
		return nil, err
	}
	for _, revision := range listing.Revisions() {
		raw, err := request(listing, revision, mcp.MethodListTools.Name, nil)
		if err != nil {
			return nil, err
		}
		var result struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(raw, &result); err != nil {
			return nil, err
		}
		l := list{revision, map[string]wire.Raw{}}
		for _, t := range result.Tools {
			l.tools[wire.Raw(t).StringAt("name")] = wire.Raw(t)
		}
		r.lists = append(r.lists, l)
	}
	return r, nil
}

// serve returns a server with these tools.
func serve(items []server.Item, setup []server.Setup) (*server.Endpoint, error) {
	s := server.New(mcp.Implementation{Name: "tools", Version: "0.0.0"}, &server.Options{
		Logger: slog.New(slog.DiscardHandler), Setup: setup,
		Filters: []server.Filter{{Admit: func(context.Context, *server.Call, *server.Item) (bool, error) { return true, nil }, Static: true}}, // any feature
	})
	for _, i := range items {
		if err := s.Add(i); err != nil {
			return nil, err
		}
	}
	return server.NewEndpoint(s), nil
}

// listed returns a tool in all revisions, newest first.
func (r *rehearsal) listed(tool string) []Listed {
	var all []Listed
	for i := len(r.lists) - 1; i >= 0; i-- {
		all = append(all, Listed{r.lists[i].revision.String(), json.RawMessage(r.lists[i].tools[tool])})
	}
	return all
}

// call calls a tool in the newest revision.
func (r *rehearsal) call(c *Call) *Result {
	revisions := r.calls.Revisions()
	if !json.Valid([]byte(c.Arguments)) {
		return &Result{Text: "the arguments are no JSON", Protocol: true}
	}
	raw, err := request(r.calls, revisions[len(revisions)-1], mcp.MethodCallTool.Name, map[string]any{"name": c.Tool, "arguments": json.RawMessage(c.Arguments)})
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &Result{Text: rpc.Message, Protocol: true}
	}
	var result mcp.CallToolResult
	if err == nil {
		err = wire.Decode(raw, &result)
	}
	if err != nil {
		return &Result{Text: err.Error(), Protocol: true}
	}
	if result.IsError == nil || !*result.IsError {
		return &Result{Valid: true, Unread: r.unread}
	}
	var texts []string
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	return &Result{Text: strings.Join(texts, "\n")}
}

// capabilities are those of a client that has everything a tool may need.
const capabilities = `{"elicitation":{"form":{},"url":{}},"roots":{},"sampling":{}}`

// request makes a request in a revision.
func request(e *server.Endpoint, revision wire.Revision, method string, params map[string]any) (wire.Raw, error) {
	var to transport.Handler = e
	request := func(method string, params map[string]any) (wire.Raw, error) {
		q := &transport.Request{ID: wire.IntID(1), Method: method, Revision: revision}
		if params == nil {
			params = map[string]any{}
		}
		if revision >= mcp.Modern {
			meta := fmt.Sprintf(`{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s}`, revision, capabilities)
			params["_meta"], q.Meta = json.RawMessage(meta), wire.Raw(meta)
		}
		raw, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		q.Params = raw
		return to.ServeRequest(context.Background(), q)
	}
	if revision < mcp.Modern {
		session := e.NewSession(nil, "")
		defer session.Close()
		to = session
		if _, err := request(mcp.MethodInitialize.Name, map[string]any{
			"protocolVersion": revision.String(), "capabilities": json.RawMessage(capabilities),
			"clientInfo": map[string]string{"name": "playground", "version": "0.0.0"},
		}); err != nil {
			return nil, err
		}
	}
	return request(method, params)
}
