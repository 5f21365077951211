package client

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func cacheable1s(result string) func(*received) (string, error) {
	return always(result[:len(result)-1] + `,"resultType":"complete","ttlMs":1000,"cacheScope":"public"}`)
}

// cacheServer has results that stay fresh for a second.
func cacheServer() script {
	return script{
		"tools/list":               cacheable1s(`{"tools":[]}`),
		"prompts/list":             cacheable1s(`{"prompts":[]}`),
		"resources/list":           cacheable1s(`{"resources":[]}`),
		"resources/templates/list": cacheable1s(`{"resourceTemplates":[]}`),
		"resources/read":           cacheable1s(`{"contents":[]}`),
	}
}

// A step is one call, or something else that happens, and whether the server is asked.
type step struct {
	name string
	do   func(ctx context.Context, c *Client, f *fake) error
	asks bool
}

func runSteps(t *testing.T, server script, opts *Options, steps []step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, f := dial(t, server, opts)
		for _, s := range steps {
			f.forget()
			if err := s.do(t.Context(), c, f); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
			if asked := len(f.sent()) > 0; asked != s.asks {
				t.Errorf("%s: asked the server: %v, want %v", s.name, asked, s.asks)
			}
		}
	})
}

func listTools(ctx context.Context, c *Client, _ *fake) error {
	_, err := c.ListTools(ctx, nil)
	return err
}

func listPrompts(ctx context.Context, c *Client, _ *fake) error {
	_, err := c.ListPrompts(ctx, nil)
	return err
}

func listResources(ctx context.Context, c *Client, _ *fake) error {
	_, err := c.ListResources(ctx, nil)
	return err
}

func listTemplates(ctx context.Context, c *Client, _ *fake) error {
	_, err := c.ListResourceTemplates(ctx, nil)
	return err
}

func read(uri string) func(context.Context, *Client, *fake) error {
	return func(ctx context.Context, c *Client, _ *fake) error {
		_, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: uri})
		return err
	}
}

func notice(method, params string) func(context.Context, *Client, *fake) error {
	return func(_ context.Context, _ *Client, f *fake) error { f.notice(method, params); return nil }
}

func sleep(d time.Duration) func(context.Context, *Client, *fake) error {
	return func(context.Context, *Client, *fake) error { time.Sleep(d); return nil }
}

// REQ CACHE-02 CACHE-03 CACHE-08 SUB-12
func TestCache(t *testing.T) {
	t.Parallel()
	page := func(cursor mcp.Cursor) func(context.Context, *Client, *fake) error {
		return func(ctx context.Context, c *Client, _ *fake) error {
			_, err := c.ListTools(ctx, &mcp.PaginatedRequestParams{Cursor: &cursor})
			return err
		}
	}
	extra := func(ctx context.Context, c *Client, _ *fake) error {
		_, err := c.ListTools(ctx, &mcp.PaginatedRequestParams{Extra: wire.Extra{{Name: "x", Value: wire.Raw("1")}}})
		return err
	}
	list := func(p *mcp.PaginatedRequestParams) func(context.Context, *Client, *fake) error {
		return func(ctx context.Context, c *Client, _ *fake) error {
			_, err := c.ListTools(ctx, p)
			return err
		}
	}
	discover := func(p wire.Encodable) func(context.Context, *Client, *fake) error {
		return func(ctx context.Context, c *Client, _ *fake) error {
			return c.Call(ctx, &mcp.MethodDiscover, p, new(mcp.DiscoverResult))
		}
	}
	server := modernServer(cacheServer())
	server["server/discover"] = cacheable1s(`{"supportedVersions":["2026-07-28"],"capabilities":` + allCapabilities + `}`)
	runSteps(t, server, nil, []step{
		{"the first time", listTools, true},
		{"fresh", listTools, false},
		{"another cursor", page("a"), true},
		{"the empty cursor", page(""), true},
		{"the same cursor", page("a"), false},
		{"no params, of their type", func(ctx context.Context, c *Client, _ *fake) error {
			_, err := c.ListTools(ctx, (*mcp.PaginatedRequestParams)(nil))
			return err
		}, false},
		{"with a member that nobody knows", extra, true},
		{"almost a second", sleep(999 * time.Millisecond), false},
		{"still fresh", listTools, false},
		{"a second", sleep(time.Millisecond), false},
		{"stale", listTools, true},
		{"fresh again", listTools, false},

		{"with metadata that says nothing of the result", list(&mcp.PaginatedRequestParams{Meta: &mcp.RequestMetaObject{LogLevel: mcp.LoggingLevelDebug}}), false},
		{"with metadata that nobody knows", list(&mcp.PaginatedRequestParams{Meta: &mcp.RequestMetaObject{Extra: wire.Extra{{Name: "x", Value: wire.Raw("1")}}}}), true},
		{"with other capabilities", list(&mcp.PaginatedRequestParams{Meta: &mcp.RequestMetaObject{ClientCapabilities: new(mcp.ClientCapabilities)}}), true},
		{"what the server says of itself", discover(nil), true},
		{"again", discover(nil), false},
		{"with params", discover(new(mcp.RequestParams)), false},
		{"with a member of params that nobody knows", discover(&mcp.RequestParams{Extra: wire.Extra{{Name: "x", Value: wire.Raw("1")}}}), true},
		{"with metadata of params that nobody knows", discover(&mcp.RequestParams{Meta: &mcp.RequestMetaObject{Extra: wire.Extra{{Name: "x", Value: wire.Raw("1")}}}}), true},

		{"prompts", listPrompts, true},
		{"resources", listResources, true},
		{"templates", listTemplates, true},
		{"read a", read("f:///a"), true},
		{"read a again", read("f:///a"), false},
		{"read b", read("f:///b"), true},

		{"tools change", notice("notifications/tools/list_changed", ""), false},
		{"tools are stale", listTools, true},
		{"prompts are not", listPrompts, false},
		{"prompts change", notice("notifications/prompts/list_changed", "{}"), false},
		{"prompts are stale", listPrompts, true},
		{"resources are not", listResources, false},
		{"resources change", notice("notifications/resources/list_changed", "{}"), false},
		{"resources are stale", listResources, true},
		{"templates, too", listTemplates, true},
		{"a part of a changes", notice("notifications/resources/updated", `{"uri":"f:///a/part"}`), false},
		{"a is stale", read("f:///a"), true},
		{"b is not", read("f:///b"), false},
	})
}

// REQ CACHE-03 CACHE-01
func TestCacheHints(t *testing.T) {
	t.Parallel()
	for hint, kept := range map[string]bool{
		`,"ttlMs":5,"cacheScope":"public"`:                    true,
		`,"ttlMs":9223372036854775807,"cacheScope":"private"`: true,
		`,"ttlMs":1e3,"cacheScope":"public"`:                  true, // an integer in another form
		`,"ttlMs":10.0,"cacheScope":"public"`:                 true,
		`,"ttlMs":5`:                                          true, // private
		`,"ttlMs":5,"cacheScope":"unheard"`:                   true, // private
		`,"ttlMs":0,"cacheScope":"public"`:                    false,
		`,"ttlMs":-5,"cacheScope":"public"`:                   false,
		`,"cacheScope":"public"`:                              false,
		``:                                                    false,
	} {
		server := modernServer(script{"tools/list": always(`{"tools":[]` + hint + `}`)})
		runSteps(t, server, nil, []step{{hint, listTools, true}, {hint + " again", listTools, !kept}})
	}
}

// What is kept belongs to one client, which has one authorization, whatever its scope.
//
// REQ CACHE-06 CACHE-07
func TestCachePrivate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, scope := range []string{`"private"`, `"public"`, `null`, `"unheard"`} {
			server := modernServer(script{"tools/list": always(`{"tools":[],"ttlMs":1000,"cacheScope":` + scope + `}`)})
			for range 2 {
				c, f := dial(t, server, nil)
				for range 2 {
					if err := listTools(t.Context(), c, f); err != nil {
						t.Fatal(err)
					}
				}
				if n := f.count("tools/list"); n != 1 {
					t.Errorf("%s: each client asked %d times, want once", scope, n)
				}
			}
		}
	})
}

// REQ AMB-03 STATE-06
func TestCacheDiscover(t *testing.T) {
	t.Parallel()
	discover := func(ctx context.Context, c *Client, _ *fake) error {
		r, err := c.Discover(ctx, nil)
		if err == nil && r.SupportedVersions[0] != "2026-07-28" {
			err = fmt.Errorf("got %v", r)
		}
		return err
	}
	server := modernServer(script{"server/discover": cacheable1s(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)})
	runSteps(t, server, nil, []step{
		{"fresh from the beginning", discover, false},
		{"a second", sleep(time.Second), false},
		{"stale", discover, true},
	})
}

func TestCacheOff(t *testing.T) {
	t.Parallel()
	runSteps(t, modernServer(cacheServer()), &Options{CacheBytes: -1}, []step{
		{"the first time", listTools, true},
		{"the second time", listTools, true},
	})
	runSteps(t, legacyServer(cacheServer()), nil, []step{
		{"legacy", listTools, true},
		{"legacy, the second time", listTools, true},
	})
}

// The cache is bounded, and what was used last stays.
func TestCacheBound(t *testing.T) {
	t.Parallel()
	entry := len(`{"contents":[],"resultType":"complete","ttlMs":1000,"cacheScope":"public"}`)
	runSteps(t, modernServer(cacheServer()), &Options{CacheBytes: 2*entry + 1}, []step{
		{"read a", read("f:///a"), true},
		{"read b", read("f:///b"), true},
		{"a is there", read("f:///a"), false},
		{"read c", read("f:///c"), true},
		{"a is still there", read("f:///a"), false},
		{"b is not", read("f:///b"), true},
	})
	runSteps(t, modernServer(cacheServer()), &Options{CacheBytes: entry - 1}, []step{
		{"too large", read("f:///a"), true},
		{"not kept", read("f:///a"), true},
	})
}

// A list that was on its way when the list changed is not kept.
func TestCacheRace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := cacheServer()
		list := server["tools/list"]
		server["tools/list"] = func(r *received) (string, error) {
			if r.server.count("tools/list") == 1 {
				r.server.tell("notifications/tools/list_changed", "")
				time.Sleep(time.Nanosecond) // until the client has heard it
			}
			return list(r)
		}
		c, f := dial(t, modernServer(server), nil)
		for range 3 {
			if err := listTools(t.Context(), c, f); err != nil {
				t.Fatal(err)
			}
		}
		if n := f.count("tools/list"); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}

// What a caller does with a result does not change what is kept.
func TestCacheCopies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, _ := dial(t, modernServer(script{"tools/list": cacheable1s(`{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`)}), nil)
		for range 3 {
			r, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.Tools[0].InputSchema); got != `{"type":"object"}` {
				t.Fatalf("got %s", got)
			}
			clear(r.Tools[0].InputSchema)
		}
	})
}
