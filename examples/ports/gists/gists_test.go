package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v82/github"

	"github.com/mcpgen/mcpgen/examples/ports/internal/loopback"
	"github.com/mcpgen/mcpgen/examples/ports/internal/original"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type object = map[string]any

// startAPI starts a GitHub with one gist.
func startAPI(t *testing.T) *loopback.Service {
	t.Helper()
	gist := object{
		"id": "abc", "description": "Greetings", "public": true, "html_url": "https://gist.example.com/abc", "owner": object{"login": "octo"},
		"files": object{"hello.txt": object{"filename": "hello.txt", "size": 5, "content": "Hello"}}, "updated_at": "2026-01-02T03:04:05Z",
	}
	return loopback.Start(t, map[string]any{
		"GET /api/v3/gists":              []any{gist},
		"GET /api/v3/users/nobody/gists": []any{},
		"GET /api/v3/gists/abc":          gist,
		"POST /api/v3/gists":             loopback.Created{Body: gist},
		"PATCH /api/v3/gists/abc":        gist,
	})
}

// connect returns a client of a new server, and the GitHub behind it.
func connect(t *testing.T) (*mcptest.Client, *loopback.Service) {
	t.Helper()
	api := startAPI(t)
	client, err := github.NewClient(nil).WithEnterpriseURLs(api.URL, api.URL)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewServer(&Gists{client.Gists}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, s, nil), api
}

const (
	gist = `{"id":"abc","description":"Greetings","public":true,"owner":{"login":"octo"},"files":{"hello.txt":{"size":5,"filename":"hello.txt","content":"Hello"}},"html_url":"https://gist.example.com/abc","updated_at":"2026-01-02T03:04:05Z"}`
	at   = `{"id":"abc","url":"https://gist.example.com/abc"}`
)

// A call is a call of a tool, and what comes of it.
type call struct {
	tool, arguments string
	request         string // "" for none
	want            string // the text, or with an ellipsis at the end how it begins
	outcome         outcome
}

// An outcome is what becomes of a call.
type outcome int

const (
	succeeds outcome = iota
	fails
	stricter // it fails, but not that of the original, which does not check its schema
)

// calls are one with and one without success of each tool, and more.
var calls = []call{
	{"list_gists", `{}`, `GET /gists?page=1&per_page=30`, "[" + gist + "]", succeeds},
	{"list_gists", `{"page":2,"perPage":5,"since":"2026-01-02"}`, `GET /gists?page=2&per_page=5&since=2026-01-02T00%3A00%3A00Z`, "[" + gist + "]", succeeds},
	{"list_gists", `{"username":"nobody","since":"2026-01-02T03:04:05+01:00"}`, `GET /users/nobody/gists?page=1&per_page=30&since=2026-01-02T03%3A04%3A05%2B01%3A00`, "[]", succeeds},
	{"list_gists", `{"username":"octo"}`, `GET /users/octo/gists?page=1&per_page=30`, "GET …", fails},
	{"list_gists", `{"since":"yesterday"}`, ``, `since: want a time such as 2006-01-02T15:04:05Z, or a date, got "yesterday"`, fails},
	{"list_gists", `{"page":0,"perPage":101}`, ``, "page: want a number of at least 1, got 0\nperPage: want a number of at most 100, got 101", stricter},
	{"get_gist", `{"gist_id":"abc"}`, `GET /gists/abc`, gist, succeeds},
	{"get_gist", `{"gist_id":"xyz"}`, `GET /gists/xyz`, "GET …", fails},
	{"get_gist", `{"gist_id":""}`, ``, "gist_id: want at least 1 character, got 0", fails},
	{"get_gist", `{"id":"abc"}`, ``, "gist_id: required", fails},
	{
		"create_gist", `{"filename":"hello.txt","content":"Hello","unknown":1}`,
		`POST /gists {"description":"","files":{"hello.txt":{"content":"Hello"}},"public":false}`, at, succeeds,
	},
	{
		"create_gist", `{"filename":"a","content":"b","description":"c","public":true}`,
		`POST /gists {"description":"c","files":{"a":{"content":"b"}},"public":true}`, at, succeeds,
	},
	{"create_gist", `{"filename":"","content":"Hello"}`, ``, "filename: want at least 1 character, got 0", fails},
	{"create_gist", `{"filename":"a","content":""}`, ``, "content: want at least 1 character, got 0", fails},
	{"update_gist", `{"gist_id":"abc","filename":"a","content":"b"}`, `PATCH /gists/abc {"files":{"a":{"content":"b","filename":"a"}}}`, at, succeeds},
	{"update_gist", `{"gist_id":"abc","filename":"a","content":"b","description":""}`, `PATCH /gists/abc {"description":"","files":{"a":{"content":"b","filename":"a"}}}`, at, succeeds},
	{"update_gist", `{"gist_id":"xyz","filename":"a","content":"b"}`, `PATCH /gists/xyz {"files":{"a":{"content":"b","filename":"a"}}}`, "PATCH …", fails},
	{"update_gist", `{"gist_id":"","filename":"a","content":"b"}`, ``, "gist_id: want at least 1 character, got 0", fails},
	{"update_gist", `{"gist_id":"abc","filename":"a","content":""}`, ``, "content: want at least 1 character, got 0", fails},
}

// TestTools calls each tool with and without success.
func TestTools(t *testing.T) {
	c, api := connect(t)
	for _, test := range calls {
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: test.tool, Arguments: wire.Raw(test.arguments)})
		if err != nil {
			t.Fatalf("%s %s: %v", test.tool, test.arguments, err)
		}
		got := mcptest.Text(r)
		start, cut := strings.CutSuffix(test.want, "…")
		if r.GetIsError() != (test.outcome != succeeds) || got != test.want && !(cut && strings.HasPrefix(got, start)) {
			t.Errorf("%s %s: isError=%t\n%s\nwant\n%s", test.tool, test.arguments, r.GetIsError(), got, test.want)
		}
		if r.StructuredContent != nil {
			t.Errorf("%s %s returns structured content, which the original does not", test.tool, test.arguments)
		}
		var want []string
		if test.request != "" {
			want = []string{strings.Replace(test.request, " /", " /api/v3/", 1)}
		}
		if got := api.Requests(); !slices.Equal(got, want) {
			t.Errorf("%s %s requests\n%q, want\n%q", test.tool, test.arguments, got, want)
		}
	}
}

// What cannot be created says so, too.
func TestCreateFails(t *testing.T) {
	api := loopback.Start(t, nil)
	client, err := github.NewClient(nil).WithEnterpriseURLs(api.URL, api.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Gists{client.Gists}).CreateGist(t.Context(), "", "a", "b", false); err == nil || !strings.Contains(err.Error(), "POST ") {
		t.Errorf("got %v", err)
	}
}

// TestDefinitions compares the definitions with what those of the original say beside descriptions and titles.
func TestDefinitions(t *testing.T) {
	c, _ := connect(t)
	const want = `create_gist
	content! type=string
	description type=string
	filename! type=string
	public default=false type=boolean
get_gist readonly
	gist_id! type=string
list_gists readonly
	page minimum=1 type=number
	perPage maximum=100 minimum=1 type=number
	since type=string
	username type=string
update_gist
	content! type=string
	description type=string
	filename! type=string
	gist_id! type=string
`
	if got := original.Facts(t, original.Tools(t, c.Client)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestOriginal compares the definitions with the snapshots in a checkout of github/github-mcp-server, and what the tools request
// of GitHub and return, as JSON, with what those of that server do. The texts of errors are each server's own.
func TestOriginal(t *testing.T) {
	dir := original.Checkout(t, "MCPGEN_GITHUB_MCP_SERVER")
	c, api := connect(t)
	snapshots := filepath.Join(dir, "pkg/github/__toolsnaps__")
	var files []string
	for _, name := range []string{"create_gist", "get_gist", "list_gists", "update_gist"} {
		files = append(files, filepath.Join(snapshots, name+".snap"))
	}
	original.Compare(t, original.Snapshots(t, files...), original.Tools(t, c.Client))

	theirs := startAPI(t)
	old := original.Start(t, dir, "./cmd/github-mcp-server", []string{"GITHUB_HOST=" + theirs.URL, "GITHUB_PERSONAL_ACCESS_TOKEN=none"}, "stdio", "--toolsets", "gists")
	theirs.Requests()
	for _, test := range calls {
		params := &mcp.CallToolRequestParams{Name: test.tool, Arguments: wire.Raw(test.arguments)}
		was, err := old.CallTool(t.Context(), params)
		if err != nil {
			t.Fatalf("%s %s: %v", test.tool, test.arguments, err)
		}
		is, err := c.CallTool(t.Context(), params)
		if err != nil {
			t.Fatalf("%s %s: %v", test.tool, test.arguments, err)
		}
		if test.outcome == stricter {
			if was.GetIsError() {
				t.Errorf("%s %s: the original fails, too", test.tool, test.arguments)
			}
			theirs.Requests()
			continue
		}
		a, b := mcptest.Text(was), mcptest.Text(is)
		if was.GetIsError() != is.GetIsError() || !is.GetIsError() && !reflect.DeepEqual(value(t, a), value(t, b)) {
			t.Errorf("%s %s: isError=%t\n%s\nthe original: isError=%t\n%s", test.tool, test.arguments, is.GetIsError(), b, was.GetIsError(), a)
		}
		if was, is := theirs.Requests(), api.Requests(); !slices.Equal(was, is) {
			t.Errorf("%s %s requests\n%q, the original\n%q", test.tool, test.arguments, is, was)
		}
	}
}

// value returns the value of a JSON text.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	return v
}
