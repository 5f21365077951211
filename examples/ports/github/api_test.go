package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-github/v82/github"
)

// An api is a GitHub of one repository, octo/hello. It keeps the requests that it receives.
type api struct {
	t  *testing.T
	mu sync.Mutex
	// requests are those so far: method, path and query, and the body.
	requests []string
}

// newAPI starts a GitHub, and returns it with a client of it.
func newAPI(t *testing.T) (*api, *github.Client) {
	t.Helper()
	a := &api{t: t}
	mux := http.NewServeMux()
	for pattern, response := range responses() {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.respond(w, r, response) })
	}
	mux.HandleFunc("GET /api/v3/repos/octo/hello/issues", a.issues)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := github.NewClient(server.Client()).WithEnterpriseURLs(server.URL, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return a, client
}

// keep keeps a request.
func (a *api) keep(r *http.Request) {
	text := r.Method + " " + r.URL.RequestURI()
	if r.ContentLength != 0 {
		var body any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			a.t.Errorf("%s: %v", text, err)
		}
		text += " " + encoded(a.t, body)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, text)
}

// last returns the last request.
func (a *api) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.requests) == 0 {
		return ""
	}
	return a.requests[len(a.requests)-1]
}

// respond sends what is the response to all requests of a kind.
func (a *api) respond(w http.ResponseWriter, r *http.Request, response any) {
	a.keep(r)
	if err := json.NewEncoder(w).Encode(response); err != nil {
		a.t.Error(err)
	}
}

// issues sends one of two pages, and says where the other is.
func (a *api) issues(w http.ResponseWriter, r *http.Request) {
	page := r.URL.Query().Get("page")
	if page == "2" {
		a.respond(w, r, []any{issue(2, object{"pull_request": object{"url": "x"}})})
		return
	}
	w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, r.Host, r.URL.Path))
	a.respond(w, r, []any{issue(1, nil)})
}

type object = map[string]any

// responses are the responses by the patterns of requests. They have more than the tools return.
func responses() map[string]any {
	octo := object{"login": "octo", "id": 1, "type": "User", "created_at": "2011-01-25T18:44:36Z"}
	comment := func(id int) object {
		return object{"id": id, "user": octo, "created_at": "2024-05-06T07:08:09Z", "body": "Me, too."}
	}
	file := func(name, content string) object {
		return object{
			"type": "file", "name": name, "path": "docs/" + name, "sha": "abc", "encoding": "base64", "size": len(content),
			"content": base64.StdEncoding.EncodeToString([]byte(content)), "download_url": "https://example.com/" + name,
		}
	}
	const repo = " /api/v3/repos/octo/hello"
	return map[string]any{
		"GET" + repo + "/issues/{number}":           issue(1, nil),
		"POST" + repo + "/issues":                   issue(3, nil),
		"GET" + repo + "/issues/1/comments":         []any{comment(11), comment(12)},
		"POST" + repo + "/issues/1/comments":        comment(13),
		"PUT" + repo + "/pulls/2/merge":             object{"sha": "def", "merged": true, "message": "Pull Request successfully merged"},
		"GET" + repo + "/contents/docs":             []any{object{"type": "dir", "name": "img"}, object{"type": "file", "name": "a.md"}},
		"GET" + repo + "/contents/docs/a.md":        file("a.md", "# Hello\n"),
		"GET" + repo + "/contents/docs/logo.png":    file("logo.png", "\x89PNG\r\n\x1a\n\xff"),
		"GET /api/v3/repos/octo/broken/issues/{n}":  object{"number": "one"},
		"GET /api/v3/search/issues":                 object{"total_count": 1, "incomplete_results": false, "items": []any{issue(1, nil)}},
		"GET" + repo + "/pulls":                     []any{pull(octo)},
		"GET /api/v3/search/repositories":           object{"total_count": 1, "items": []any{hello(octo)}},
		"GET /api/v3/repos/octo/nothing/issues/{n}": object{},
	}
}

func issue(number int, more object) object {
	i := object{
		"id": 100 + number, "number": number, "state": "open", "title": fmt.Sprintf("Issue %d", number), "body": "It does not work.",
		"user": object{"login": "octo"}, "labels": []any{object{"name": "bug"}}, "comments": 2, "locked": false,
		"html_url":   fmt.Sprintf("https://github.com/octo/hello/issues/%d", number),
		"updated_at": "2024-01-02T03:04:05Z", "reactions": object{"total_count": 1},
	}
	for k, v := range more {
		i[k] = v
	}
	return i
}

func pull(user object) object {
	return object{
		"id": 9, "number": 2, "state": "open", "title": "A pull request", "draft": true, "user": user,
		"head": object{"ref": "topic", "sha": "abc"}, "base": object{"ref": "main", "sha": "def"},
		"updated_at": "2024-05-06T07:08:09Z", "html_url": "https://github.com/octo/hello/pull/2",
	}
}

func hello(owner object) object {
	return object{
		"id": 7, "full_name": "octo/hello", "description": "Says hello", "language": "Go", "stargazers_count": 42, "owner": owner,
		"pushed_at": "2012-09-03T08:53:30Z",
	}
}

func encoded(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
