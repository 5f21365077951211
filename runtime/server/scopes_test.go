package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A holder is an identity with scopes.
type holder struct {
	name   string
	scopes []string
	ends   time.Time
}

func (h *holder) Principal() string  { return h.name }
func (h *holder) Expires() time.Time { return h.ends }
func (h *holder) Missing(scopes []string) (missing []string) {
	for _, scope := range scopes {
		if !slices.Contains(h.scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// split returns the path of "git:owner/name" as variables.
func splitRepo(uri string) (map[string]string, bool) {
	rest, ok := strings.CutPrefix(uri, "git:")
	owner, name, found := strings.Cut(rest, "/")
	return map[string]string{"owner": owner, "name": name}, ok && found
}

// scopedServer returns a server on which everything requires scopes. It counts what its handlers and its
// middleware do.
func scopedServer(t *testing.T, o *Options) (s *Server, ran *int) {
	t.Helper()
	if o == nil {
		o = &Options{}
	}
	ran = new(int)
	o.Middleware = append(o.Middleware, func(next Handler) Handler {
		return func(ctx context.Context, c *Call) (wire.Encodable, error) {
			if c.Method() != "initialize" {
				*ran++
			}
			return next(ctx, c)
		}
	})
	o.OnSubscribe = func(context.Context, *Call, string) error { *ran++; return nil }
	s = newServer(o)
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "t"}, Handler: ToolHandler(func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, "")
		return TextResult(transport.IdentityFrom(ctx).Principal() + c.Identity().Principal() + c.Principal()), nil
	}), Access: Access{Scopes: []string{"tools:run", "tools:t"}}}))
	add(t, s.Add(Item{Definition: &mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}}, Handler: PromptHandler(func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	}), Access: Access{Scopes: []string{"prompts"}}}))
	add(t, s.CompletePrompt("p", "a", func(context.Context, *Call, string, map[string]string) ([]string, error) { return []string{"x"}, nil }))
	add(t, s.Add(Item{Definition: &mcp.Resource{URI: "a:1", Name: "a"}, Handler: ResourceHandler(func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("text/plain", "one"), nil
	}), Access: Access{Scopes: []string{"files"}}}))
	add(t, s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "git:{owner}/{name}", Name: "git"}, Match: splitRepo, Handler: TemplateHandler(func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return TextResource("text/plain", "two"), nil
	}), Access: Access{Scopes: []string{"repo", "repo:{owner}"}}}))
	add(t, s.CompleteTemplate("git:{owner}/{name}", "name", func(context.Context, *Call, string, map[string]string) ([]string, error) { return []string{"x"}, nil }))
	return s, ran
}

// REQ AUTH-06, AUTH11-14, AUTH26-09, SEC-10: what lacks a scope is refused with all scopes of the operation before
// anything sees it or is sent, whatever came before; then it succeeds.
func TestScopes(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		s, ran := scopedServer(t, nil)
		c := newClient(t, s, rev, `{}`)
		c.Address, c.Token = "192.0.2.1:5", "7"
		for _, test := range []struct{ method, params, scopes string }{
			{"tools/call", `{"name":"t"}`, "tools:run tools:t"},
			{"tools/call", `{"n\u0061me":"\u0074"}`, "tools:run tools:t"},
			{"prompts/get", `{"name":"p"}`, "prompts"},
			{"resources/read", `{"uri":"a:1"}`, "files"},
			{"resources/read", `{"uri":"git:ada/x"}`, "repo repo:ada"},
			{"resources/read", `{"uri":"git:/x"}`, "repo repo:"},
			{"resources/subscribe", `{"uri":"a:1"}`, "files"},
			{"resources/subscribe", `{"uri":"git:bob/x"}`, "repo repo:bob"},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, "prompts"},
			{"completion/complete", `{"ref":{"type":"ref/resource","uri":"git:{owner}/{name}"},"argument":{"name":"name","value":""},"context":{"arguments":{"owner":"ada"}}}`, "repo repo:ada"},
			{"completion/complete", `{"ref":{"type":"ref/resource","uri":"git:{owner}/{name}"},"argument":{"name":"owner","value":""}}`, "repo"},
			{"completion/complete", `{"ref":{"type":"ref/resource","uri":"a:1"},"argument":{"name":"owner","value":""}}`, "files"},
		} {
			if rev >= mcp.Modern && test.method == "resources/subscribe" || rev < mcp.V2025_06_18 && strings.Contains(test.params, "context") {
				continue
			}
			all := strings.Fields(test.scopes)
			held := &holder{name: "ada", scopes: append([]string{"tools", "repo:*", ""}, all...)}
			for i := range len(all) + 1 {
				lacks := &holder{name: "ada", scopes: all[:i]}
				if i == len(all) {
					c.Identity = held // between requests that lack scopes
					c.Must(test.method, test.params)
					c.Seen()
					c.Identity = nil
					lacks = &holder{}
				} else {
					c.Identity = lacks
				}
				*ran = 0
				_, err := c.session.ServeRequest(t.Context(), c.Request(test.method, test.params))
				scope, ok := errors.AsType[*transport.ScopeError](err)
				if !ok || fmt.Sprint(scope.Scopes) != fmt.Sprint(all) || fmt.Sprint(scope.Missing) != fmt.Sprint(lacks.Missing(all)) {
					t.Errorf("%s %s with %q: %v", test.method, test.params, lacks.scopes, err)
				}
				rpc, ok := errors.AsType[*jsonrpc.Error](err)
				if !ok || rpc.Code != codeInvalidRequest || !strings.HasSuffix(rpc.Message, "lacks "+strings.Join(lacks.Missing(all), ", ")) {
					t.Errorf("%s %s: the error response %v", test.method, test.params, rpc)
				}
				if *ran > 0 || len(c.Seen()) > 0 {
					t.Errorf("%s %s with %q: it was seen before", test.method, test.params, lacks.scopes)
				}
			}
		}
		c.Identity = &holder{name: "ada", scopes: []string{"tools:run", "tools:t"}}
		contains(t, "the identity", c.Must("tools/call", `{"name":"t"}`), `"adaadaada"`)
	})
}

// Two members of a name never mean two things.
//
// REQ AUTH-06
func TestScopesOfDuplicateMembers(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s, _ := scopedServer(t, nil)
		add(t, s.AddTool(mcp.Tool{Name: "open"}, says("open")))
		c := newClient(t, s, rev, `{}`)
		c.Address = "192.0.2.1:5"
		c.Must("tools/call", `{"name":"open"}`)
		c.Fails("tools/call", `{"name":"open","name":"t"}`, codeInvalidParams)
		c.Fails("tools/call", `{"name":"t","name":"open"}`, codeInvalidRequest)
		c.Fails("tools/call", `{"name":7}`, codeInvalidParams)
	})
}

// REQ AUTH-03: who started the process may do everything, but nobody over a network.
func TestScopesOfNobody(t *testing.T) {
	free, _ := scopedServer(t, nil)
	newClient(t, free, mcp.V2026_07_28, `{}`).Must("resources/read", `{"uri":"git:ada/x"}`)

	// What the program says of those over a pipe is not for others.
	s, _ := scopedServer(t, &Options{Identity: func(context.Context) transport.Identity {
		return &holder{name: "me", scopes: []string{"files"}}
	}})
	read := func(c *client, change func(*transport.Request)) error {
		r := c.Request("resources/read", `{"uri":"a:1"}`)
		change(r)
		_, err := c.session.ServeRequest(t.Context(), r)
		return err
	}
	c := newClient(t, s, mcp.V2025_06_18, `{}`)
	if err := read(c, func(*transport.Request) {}); err != nil {
		t.Errorf("over a pipe: %v", err)
	}
	if scopes, err := c.session.Scopes(t.Context(), c.Request("prompts/get", `{"name":"p"}`)); fmt.Sprint(scopes) != "[prompts]" || err == nil {
		t.Errorf("over a pipe: scopes %v, %v", scopes, err)
	}
	for name, change := range map[string]func(*transport.Request){
		"an address": func(r *transport.Request) { r.Address = "@" },
		"a header":   func(r *transport.Request) { r.Header = http.Header{} },
		"an identity that has ended": func(r *transport.Request) {
			r.Identity = &holder{name: "ada", scopes: []string{"files"}, ends: time.Now()}
		},
	} {
		if err, ok := errors.AsType[*transport.ScopeError](read(c, change)); !ok || fmt.Sprint(err.Missing) != "[files]" {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// REQ AUTH-03: over a pipe the program says who its client is, for each request.
func TestIdentityOfOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ada := &holder{name: "ada"}
		s, _ := scopedServer(t, &Options{Anonymous: true, Identity: func(context.Context) transport.Identity { return ada }})
		near, far := inmem.Pair(0)
		served := make(chan error, 1)
		go func() { served <- s.Serve(t.Context(), far) }()
		say := func(text string) string {
			t.Helper()
			if err := near.Send(t.Context(), transport.Message{Data: []byte(text)}); err != nil {
				t.Fatal(err)
			}
			m, err := near.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return string(m.Data)
		}
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`
		equal(t, "without scopes", say(call), `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"insufficient scope: the request requires tools:run, tools:t; the sender lacks tools:run, tools:t"}}`)
		ada = &holder{name: "ada", scopes: []string{"tools:run", "tools:t"}}
		equal(t, "with scopes", say(call), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"adaadaada"}]}}`)

		// A subscription ends when the identity does.
		ada = &holder{name: "ada", ends: time.Now().Add(time.Minute)}
		contains(t, "acknowledged", say(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},`+modernMeta+`}}`), "acknowledged")
		began := time.Now()
		for _, want := range []string{
			`{"jsonrpc":"2.0","id":2,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"resultType":"complete"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"the authorization of the request has expired"}}`,
		} {
			m, err := near.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "ended", string(m.Data), want)
		}
		if d := time.Since(began); d != time.Minute {
			t.Errorf("it ended after %v, want 1m", d)
		}
		near.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// REQ STATE-13, STATE-14, CACHE-09, CACHE-11: lists show what the caller may use or could ask for, to everybody the same,
// so that pages are kept for all.
func TestListsOfScopes(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(&Options{PageSize: 2, Cache: Cache{Tools: CacheHint{Public: true, TTL: time.Second}}})
		for i := range 5 {
			add(t, s.Add(Item{Definition: &mcp.Tool{Name: fmt.Sprint("t", i)}, Handler: says(""), Access: Access{Scopes: []string{"all", fmt.Sprint("s", i)}}}))
		}
		for _, identity := range []*holder{{name: "all", scopes: []string{"all", "s0", "s1", "s2", "s3", "s4"}}, {name: "some", scopes: []string{"all", "s3"}}, nil} {
			c := newClient(t, s, rev, `{}`)
			c.Address = "192.0.2.1:5"
			if identity != nil {
				c.Identity = identity
			}
			var pages []string
			for params := `{}`; params != ""; {
				result := c.Must("tools/list", params)
				var page struct {
					Tools      []struct{ Name string }
					NextCursor string
					CacheScope string
				}
				if err := json.Unmarshal([]byte(result), &page); err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range page.Tools {
					names = append(names, tool.Name[1:])
				}
				pages = append(pages, fmt.Sprint(names))
				if params = ""; page.NextCursor != "" {
					params = `{"cursor":"` + page.NextCursor + `"}`
				}
				if rev >= mcp.Modern && page.CacheScope != "public" {
					t.Errorf("the scope of the cache is %q", page.CacheScope)
				}
			}
			equal(t, fmt.Sprintf("%+v", identity), strings.Join(pages, " "), "[0 1] [2 3] [4]")
			if n := len(s.tools.pages); n != 3 {
				t.Errorf("%d pages are kept, want 3", n)
			}
		}
	})
}

// A template is in the list for everybody, and what is read by it is private.
//
// REQ STATE-14, CACHE-09, CACHE-11
func TestScopesOfTemplates(t *testing.T) {
	public := CacheHint{Public: true}
	s, _ := scopedServer(t, &Options{Cache: Cache{Read: public, Templates: public}})
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	c.Identity = &holder{name: "ada", scopes: []string{"repo:a%2C%C3%A9", "repo", "files"}}
	list := c.Must("resources/templates/list", `{}`)
	contains(t, "the list", list, `"git:{owner}/{name}"`)
	contains(t, "the list", list, `"cacheScope":"public"`)
	contains(t, "a resource", c.Must("resources/read", `{"uri":"a:1"}`), `"cacheScope":"private"`)
	contains(t, "of the template", c.Must("resources/read", `{"uri":"git:a,é/x"}`), `"cacheScope":"private"`)
}

// REQ AUTH11-14, SEC-18: what a scope is, and what is put into one.
func TestScopeNames(t *testing.T) {
	s := newServer(nil)
	read := func(context.Context, *Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
		return nil, nil
	}
	for scope, want := range map[string]string{
		"": "must not be empty", "a b": "got ' '", `a"`: `got '"'`, `a\`: `got '\\'`, "a\n": `got '\n'`, "é": "visible ASCII",
		"a:{b}": "must be a variable", "{": "must be a variable", "}": "must be a variable",
	} {
		for kind, err := range map[string]error{
			"tool":     s.Add(Item{Definition: &mcp.Tool{Name: "t"}, Handler: says(""), Access: Access{Scopes: []string{"ok", scope}}}),
			"prompt":   s.Add(Item{Definition: &mcp.Prompt{Name: "p"}, Handler: PromptHandler(func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }), Access: Access{Scopes: []string{scope}}}),
			"resource": s.Add(Item{Definition: &mcp.Resource{URI: "a:1", Name: "a"}, Handler: ResourceHandler(func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) { return nil, nil }), Access: Access{Scopes: []string{scope}}}),
			"template": s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "a:{x}", Name: "a"}, Match: prefix("a:"), Handler: TemplateHandler(read), Access: Access{Scopes: []string{scope}}}),
		} {
			if err == nil || !strings.Contains(err.Error(), kind) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with scope %q: %v", kind, scope, err)
			}
		}
	}
	if NewEndpoint(s).Scoped("tools/call") {
		t.Error("nothing was added, but something requires scopes")
	}
	template := mcp.ResourceTemplate{URITemplate: "a:{+x}/{y*}{?q,r:3}", Name: "a"}
	for scope, ok := range map[string]bool{"{x}": true, "a:{y}:{q}": true, "{r}": true, "{+x}": false, "{x}}": false, "{{x}}": false, "{x": false, "}x{": false, "{X}": false, "{}": false} {
		if err := s.Add(Item{Definition: &template, Match: prefix("a:"), Handler: TemplateHandler(read), Access: Access{Scopes: []string{scope}}}); (err == nil) != ok {
			t.Errorf("scope %q: %v", scope, err)
		}
		s.RemoveTemplates(template.URITemplate)
	}
	for _, test := range [][3]string{
		{"a", "", "a"}, {"r:{x}", "ada", "r:ada"}, {"r:{x}:{x}!", "a-._~9Z", "r:a-._~9Z:a-._~9Z!"}, {"{x}", `*:/ "\%é` + "\n", "%2A%3A%2F%20%22%5C%25%C3%A9%0A"}, {"{x}", "{x}", "%7Bx%7D"},
	} {
		got, complete := expandScope(test[0], map[string]string{"x": test[1]})
		if got != test[2] || !complete {
			t.Errorf("%q with %q: %q", test[0], test[1], got)
		}
	}
	if got, complete := expandScope("r:{x}:{y}", map[string]string{"x": "1"}); got != "r:1:" || complete {
		t.Errorf("without a value: %q, complete %v", got, complete)
	}
}

// What the caller cannot see does not exist, whatever scopes it has. What panics is contained.
//
// REQ STATE-13, TOOL-26
func TestScopesAndVisible(t *testing.T) {
	s := newServer(&Options{Filters: visible(func(_ context.Context, _ *Call, item any) bool {
		tool := item.(*mcp.Tool)
		if tool.Name == "panics" {
			panic("broken")
		}
		return tool.Name != "hidden"
	})})
	for _, name := range []string{"hidden", "panics", "seen"} {
		add(t, s.Add(Item{Definition: &mcp.Tool{Name: name}, Handler: says(""), Access: Access{Scopes: []string{"scope"}}}))
	}
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	c.Identity = &holder{name: "ada"}
	contains(t, "hidden", c.Fails("tools/call", `{"name":"hidden"}`, codeInvalidParams).Message, "unknown tool")
	c.Fails("tools/call", `{"name":"panics"}`, codeInternal)
	c.Fails("tools/call", `{"name":"seen"}`, codeInvalidRequest)

	// The same where a transport asks beforehand.
	for name, want := range map[string]string{"hidden": "[] <nil>", "panics": "[] <nil>", "seen": "[scope] insufficient scope"} {
		scopes, err := c.session.Scopes(t.Context(), c.Request("tools/call", `{"name":"`+name+`"}`))
		if got := fmt.Sprint(scopes, " ", err); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// REQ STATE-14, AUTH26-09: a subscription requires the scopes of all that it names.
func TestScopesOfListening(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s, _ := scopedServer(t, nil)
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		c.Address = "192.0.2.1:5"
		c.Identity = &holder{name: "ada", scopes: []string{"repo", "repo:ada"}}
		listen := func(uris ...string) string {
			list, _ := json.Marshal(uris)
			return `{"notifications":{"resourceSubscriptions":` + string(list) + `}}`
		}
		contains(t, "refused", c.Fails("subscriptions/listen", listen("git:ada/x", "git:bob/x", "a:1", "git:ada/y", "none:"), codeInvalidRequest).Message,
			"requires repo, repo:ada, repo:bob, files; the sender lacks repo:bob, files")
		open := func(uris ...string) (acknowledged string) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", listen(uris...)))
			synctest.Wait()
			return strings.Join(c.Seen(), " ")
		}
		contains(t, "acknowledged", open("git:ada/x", "git:ada/y"), `["git:ada/x","git:ada/y"]`)

		// Of very many scopes those beyond some are left out.
		var many []string
		all := &holder{name: "ada", scopes: []string{"repo"}}
		for i := range 200 {
			many = append(many, fmt.Sprintf("git:%d/x", i))
			if i < 150 {
				all.scopes = append(all.scopes, fmt.Sprint("repo:", i))
			}
		}
		c.Identity = all
		if got := open(many...); !strings.Contains(got, `"git:149/x"]`) || strings.Contains(got, `"git:150/x"`) {
			t.Errorf("granted %s", got)
		}
		c.Identity = &holder{name: "ada"}
		if _, err := c.session.ServeRequest(t.Context(), c.Request("subscriptions/listen", listen(many...))); len(err.(*transport.ScopeError).Scopes) != maxListenScopes {
			t.Errorf("refused with %v", err)
		}
	})
}

// REQ STATE-14, SEC-12, SEC-13, MRTR-11: sealed state is good for the principal that it was made for, with whatever
// token, as long as that has the scopes.
func TestStateOfAnotherIdentity(t *testing.T) {
	s := newServer(nil)
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "ask"}, Handler: ToolHandler(func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "?"})
		if err != nil {
			return nil, err
		}
		return TextResult(string(r.Action)), nil
	}), Access: Access{Scopes: []string{"ask"}}}))
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	c.Address = "192.0.2.1:5"
	answer := func(string, wire.Raw) string { return `{"action":"decline"}` }
	c.Identity = &holder{name: "ada", scopes: []string{"ask"}}
	retry := c.Retry(`{"name":"ask"}`, c.Must("tools/call", `{"name":"ask"}`), answer)
	c.Identity = &holder{name: "eve", scopes: []string{"ask"}}
	contains(t, "of another", c.Fails("tools/call", retry, codeInvalidParams).Message, "was not made for this request")
	c.Identity = &holder{name: "ada"}
	contains(t, "with another token", c.Fails("tools/call", retry, codeInvalidRequest).Message, "lacks ask")
	c.Identity = &holder{name: "ada", scopes: []string{"ask", "more"}}
	contains(t, "with the scope", c.Must("tools/call", retry), "decline")
}

// REQ AUTH11-14, AUTH26-09: what is registered, or selected, after a request was accepted requires its scopes of that
// request, too. Middleware changes the server at that very moment.
func TestScopesOfLateItems(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		var change func(s *Server)
		var s *Server
		var enabled atomic.Bool
		ran := false
		s = newServer(&Options{Filters: []Filter{{
			Concerns: func(i *Item) bool { return slices.Contains(i.Access.Features, "late") },
			Admit:    func(context.Context, *Call, *Item) (bool, error) { return enabled.Load(), nil },
		}}, Middleware: []Middleware{func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				change(s)
				return next(ctx, c)
			}
		}}})
		guarded := Access{Scopes: []string{"admin"}}
		late := Access{Scopes: []string{"admin"}, Features: []string{"late"}}
		addTool := func(name string, a Access) {
			add(t, s.Add(Item{Definition: &mcp.Tool{Name: name}, Access: a, Handler: ToolHandler(func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
				ran = true
				return TextResult("ran"), nil
			})}))
		}
		addPrompt := func(a Access) {
			add(t, s.Add(Item{Definition: &mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}}, Access: a, Handler: PromptHandler(func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) {
				ran = true
				return &mcp.GetPromptResult{}, nil
			})}))
		}
		read := func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
			ran = true
			return TextResource("text/plain", "one"), nil
		}
		change = func(*Server) {}
		addTool("selected", late)
		addTool("t", Access{})
		addPrompt(Access{})
		add(t, s.CompletePrompt("p", "a", func(context.Context, *Call, string, map[string]string) ([]string, error) {
			ran = true
			return nil, nil
		}))
		add(t, s.AddResource(mcp.Resource{URI: "a:1", Name: "a"}, read))
		add(t, s.Add(Item{Definition: &mcp.ResourceTemplate{URITemplate: "git:{owner}/{name}", Name: "git"}, Match: splitRepo, Handler: TemplateHandler(func(ctx context.Context, c *Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
			return read(ctx, c, uri)
		}), Access: Access{Scopes: []string{"repo:{owner}"}, Features: []string{"late"}}}))
		c := newClient(t, s, rev, `{}`)
		c.Address, c.Identity = "192.0.2.1:5", &holder{name: "ada"}
		for _, test := range []struct {
			method, params string
			change         func(s *Server)
		}{
			{"tools/call", `{"name":"t"}`, func(s *Server) { s.RemoveTools("t"); addTool("t", guarded) }},
			{"prompts/get", `{"name":"p"}`, func(s *Server) { s.RemovePrompts("p"); addPrompt(guarded) }},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`, func(s *Server) {
				s.RemovePrompts("p")
				addPrompt(guarded)
			}},
			{"resources/read", `{"uri":"a:1"}`, func(s *Server) {
				s.RemoveResources("a:1")
				add(t, s.Add(Item{Definition: &mcp.Resource{URI: "a:1", Name: "a"}, Handler: ResourceHandler(read), Access: guarded}))
			}},
			{"tools/call", `{"name":"selected"}`, func(*Server) { enabled.Store(true) }},
			{"resources/read", `{"uri":"git:ada/x"}`, func(*Server) { enabled.Store(true) }},
		} {
			if test.method == "prompts/get" || test.method == "completion/complete" {
				s.RemovePrompts("p")
				addPrompt(Access{})
			}
			enabled.Store(false)
			ran, change = false, test.change
			_, err := c.session.ServeRequest(t.Context(), c.Request(test.method, test.params))
			change = func(*Server) {}
			if err == nil || !strings.Contains(err.Error(), "lacks ") || ran {
				t.Errorf("%s %s: got %v, want an error about a scope; it ran: %t", test.method, test.params, err, ran)
			}
		}
	})
}
