package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "rewrite the transcript")

// connect returns a client of a new server, whose user answers questions in the same way, and the GitHub behind it.
func connect(t *testing.T, selection toolset.Selection, answer mcp.ElicitResultAction) (*mcptest.Client, *api) {
	t.Helper()
	a, client := newAPI(t)
	s, err := newServer(client, selection, &server.Options{Revisions: []wire.Revision{mcp.V2026_07_28}}) // that of the transcript
	if err != nil {
		t.Fatal(err)
	}
	opts := &mcptest.Options{Revision: mcp.V2026_07_28}
	if answer != "" {
		opts.Client.Elicit = elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: answer}, nil
		}}
	}
	return mcptest.Connect(t, s, opts), a
}

// call calls a tool. The arguments are JSON.
func call(t *testing.T, c *mcptest.Client, tool, arguments string) *mcp.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return r
}

// TestTools calls each tool, and compares what it asks of GitHub, and in testdata/calls.txtar what it answers.
func TestTools(t *testing.T) {
	c, a := connect(t, toolset.Selection{}, mcp.ElicitResultActionAccept)
	schemas := outputSchemas(t)
	for _, test := range []struct{ tool, arguments, request string }{
		{"list_issues", `{"owner":"octo","repo":"hello"}`, `GET /repos/octo/hello/issues`},
		{
			"list_issues", `{"owner":"octo","repo":"hello","page":{"Page":2,"PerPage":10},"opts":{"State":"all","Labels":["bug","ui"],"Since":"2024-01-01T00:00:00Z"}}`,
			`GET /repos/octo/hello/issues?labels=bug%2Cui&page=2&per_page=10&since=2024-01-01T00%3A00%3A00Z&state=all`,
		},
		{"search_issues", `{"query":"repo:octo/hello is:open","opts":{"Sort":"updated","PerPage":"5"}}`, `GET /search/issues?per_page=5&q=repo%3Aocto%2Fhello+is%3Aopen&sort=updated`},
		{"get_issue", `{"owner":"octo","repo":"hello","number":1}`, `GET /repos/octo/hello/issues/1`},
		{"create_issue", `{"owner":"octo","repo":"hello","issue":{"title":"Broken","labels":["bug"]}}`, `POST /repos/octo/hello/issues {"labels":["bug"],"title":"Broken"}`},
		{"list_comments", `{"owner":"octo","repo":"hello","number":1,"opts":{"Sort":"created","Page":1}}`, `GET /repos/octo/hello/issues/1/comments?page=1&sort=created`},
		{"add_comment", `{"owner":"octo","repo":"hello","number":1,"body":"Me, too."}`, `POST /repos/octo/hello/issues/1/comments {"body":"Me, too."}`},
		{"list_pull_requests", `{"owner":"octo","repo":"hello","opts":{"Base":"main"}}`, `GET /repos/octo/hello/pulls?base=main`},
		{
			"merge_pull_request", `{"owner":"octo","repo":"hello","number":2,"opts":{"MergeMethod":"squash","SHA":"abc"}}`,
			`PUT /repos/octo/hello/pulls/2/merge {"merge_method":"squash","sha":"abc"}`,
		},
		{"get_file", `{"owner":"octo","repo":"hello","path":"docs/a.md","opts":{"Ref":"v1"}}`, `GET /repos/octo/hello/contents/docs/a.md?ref=v1`},
		{"get_file", `{"owner":"octo","repo":"hello","path":"docs"}`, `GET /repos/octo/hello/contents/docs`},
		{"search_repositories", `{"query":"hello"}`, `GET /search/repositories?q=hello`},
	} {
		r := call(t, c, test.tool, test.arguments)
		if got := strings.Replace(a.last(), "/api/v3", "", 1); got != test.request {
			t.Errorf("%s %s sends\n%s, want\n%s", test.tool, test.arguments, got, test.request)
		}
		if r.GetIsError() {
			t.Errorf("%s %s: %s", test.tool, test.arguments, mcptest.Text(r))
		} else if err := schemas[test.tool].Validate(instance(t, r.StructuredContent)); err != nil {
			t.Errorf("%s %s returns %s\n%v", test.tool, test.arguments, r.StructuredContent, err)
		}
	}
	c.CompareTranscript("testdata/calls.txtar", *update)
}

// outputSchemas returns the output schemas of all tools. A client of its own lists them: what is generated is in mcp_gen.go,
// and need not be in the transcript as well.
func outputSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c, _ := connect(t, toolset.Selection{}, "")
	schemas := make(map[string]*jsonschema.Schema)
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource(tool.Name, instance(t, tool.OutputSchema)); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = compiler.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

// instance returns a JSON value as package jsonschema reads it.
func instance(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// TestMistakes has what a model reads about wrong arguments, and about what GitHub does not have.
func TestMistakes(t *testing.T) {
	c, a := connect(t, toolset.Selection{}, "")
	const in = `"owner":"octo","repo":"hello"`
	for _, test := range []struct{ tool, arguments, want string }{
		{"list_issues", `{"repo":"hello","opts":{"State":"merged","sort":"updated"},"page":{"PerPage":1000}}`, `opts.State: want one of "open", "closed", "all", got "merged"
opts.sort: unknown member; did you mean Sort?
page.PerPage: want an integer of at most 100, got 1000
owner: required`},
		{"list_issues", `{` + in + `,"opts":{"First":3}}`, `opts.First: unknown member`},
		{"list_issues", `{` + in + `,"opts":{"Since":"yesterday"}}`, `opts.Since: want a date and time such as 2006-01-02T15:04:05Z, got "yesterday"`},
		{"create_issue", `{` + in + `,"issue":{"body":"It does not work."}}`, `issue.title: required`},
		{"create_issue", `{` + in + `,"issue":{"title":"","state":"closed"}}`, "issue.title: want at least 1 character, got 0\nissue.state: unknown member"},
		{"get_issue", `{` + in + `,"number":"first"}`, `number: want an integer, got "first"`},
		{"merge_pull_request", `{` + in + `,"number":0,"opts":{"MergeMethod":"fast"}}`, "number: want an integer of at least 1, got 0\n" + `opts.MergeMethod: want one of "merge", "squash", "rebase", got "fast"`},
	} {
		r := call(t, c, test.tool, test.arguments)
		if got := mcptest.Text(r); !r.GetIsError() || got != test.want {
			t.Errorf("%s %s: isError=%v\n%s\nwant\n%s", test.tool, test.arguments, r.GetIsError(), got, test.want)
		}
	}
	if got := a.last(); got != "" {
		t.Errorf("wrong arguments reach GitHub: %s", got)
	}
	for _, test := range []struct{ tool, arguments, want string }{
		{"get_issue", `{"owner":"octo","repo":"elsewhere","number":1}`, `/repos/octo/elsewhere/issues/1: 404`},
		{"get_issue", `{"owner":"octo","repo":"broken","number":1}`, `cannot unmarshal string into Go struct field Issue.number of type int`},
		{"get_file", `{` + in + `,"path":"docs/logo.png"}`, `docs/logo.png is no text; it can be downloaded from https://example.com/logo.png`},
	} {
		r := call(t, c, test.tool, test.arguments)
		if got := mcptest.Text(r); !r.GetIsError() || !strings.Contains(got, test.want) {
			t.Errorf("%s %s: isError=%v, %s; want %s", test.tool, test.arguments, r.GetIsError(), got, test.want)
		}
	}
}

// A merge needs a person who agrees to it.
func TestConfirm(t *testing.T) {
	for answer, want := range map[mcp.ElicitResultAction]string{
		mcp.ElicitResultActionDecline: "not confirmed: the user declined",
		"":                            "not confirmed: a person must confirm this, and this client cannot ask them",
	} {
		t.Run(fmt.Sprintf("%q", answer), func(t *testing.T) {
			c, a := connect(t, toolset.Selection{}, answer)
			r := call(t, c, "merge_pull_request", `{"owner":"octo","repo":"hello","number":2}`)
			if got := mcptest.Text(r); !r.GetIsError() || !strings.HasPrefix(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			if got := a.last(); got != "" {
				t.Errorf("GitHub received %s", got)
			}
		})
	}
}

// Who runs the server can leave out what writes, and groups.
func TestToolset(t *testing.T) {
	for want, tools := range map[string]toolset.Selection{
		"get_file get_issue list_comments list_issues list_pull_requests search_issues search_repositories": {ReadOnly: true},
		"add_comment create_issue get_issue list_comments list_issues search_issues":                        {Groups: []string{"issues"}},
		"list_pull_requests": {Groups: []string{"pulls"}, ReadOnly: true},
		"get_file list_pull_requests merge_pull_request search_repositories": {Groups: []string{"pulls", "repositories"}},
	} {
		c, _ := connect(t, tools, "")
		var names []string
		for tool, err := range c.Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%+v: %s, want %s", tools, got, want)
		}
	}
}

// TestCost holds the definitions, which a model has before it all the time, to what they cost now.
func TestCost(t *testing.T) {
	c, _ := connect(t, toolset.Selection{}, "")
	bytes := 0
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := wire.Marshal(mcp.V2026_07_28, tool)
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(data)
	}
	const most = 16_000
	if bytes > most {
		t.Errorf("the definitions are %d bytes long, want at most %d", bytes, most)
	}
}
