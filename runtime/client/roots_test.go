package client

import (
	"errors"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ ROOT-02 ROOT-05
func TestSetRoots(t *testing.T) {
	t.Parallel()
	both(t, nil, func(t *testing.T, server script, opts Options) {
		opts.Roots = []mcp.Root{}
		c, f := dial(t, server, &opts)
		if err := c.SetRoots(t.Context(), []mcp.Root{{URI: "file:///a", Name: "A"}}); err != nil {
			t.Fatal(err)
		}
		var want []string
		if !c.modern() {
			want = []string{"notifications/roots/list_changed"}
		}
		if got := f.sent(); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		h := builtin{client: c}
		if r, err := h.ListRoots(t.Context(), nil); err != nil || len(r.Roots) != 1 || r.Roots[0].Name != "A" {
			t.Errorf("%v, %v", r, err)
		}
	})
}

// The server is notified of changes only if the client has declared that it does so.
//
// REQ ROOT-05 LIFE-10 LIFE-11
func TestSetRootsUndeclared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, rev := range []wire.Revision{mcp.V2024_11_05, mcp.V2025_03_26, mcp.V2025_06_18, mcp.V2025_11_25} {
			for name, roots := range map[string]*mcp.ClientCapabilitiesRoots{
				"nothing said": {}, "not declared": {ListChanged: new(false)}, "declared": {ListChanged: new(true)},
			} {
				opts := &Options{Revisions: []wire.Revision{rev}, Roots: []mcp.Root{}}
				opts.Capabilities.Roots = roots
				c, f := dial(t, legacyServer(nil), opts)
				if err := c.SetRoots(t.Context(), []mcp.Root{{URI: "file:///a"}}); err != nil {
					t.Fatal(err)
				}
				if sent := f.sent(); len(sent) > 0 != (name == "declared") {
					t.Errorf("%v, %s: sent %q", rev, name, sent)
				}
				if got, err := f.request("roots/list", ""); err != nil || got != `{"roots":[{"uri":"file:///a"}]}` {
					t.Errorf("%v, %s: roots %s, %v", rev, name, got, err)
				}
			}
		}
	})
}

// REQ ROOT-04 ROOT-07
func TestRootsChecked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for uri, want := range map[string]string{
			"file:///a":   "",
			"file:///C:/": "",
			"FILE:///a":   "",
			"file:/a":     `client: roots[0]: want a URI of file:// and a path, got "file:/a"`,
			"https://a/b": `client: roots[0]: want a URI of file:// and a path, got "https://a/b"`,
			"/a":          `client: roots[0]: want a URI of file:// and a path, got "/a"`,
			"file://":     `client: roots[0]: want a URI of file:// and a path, got "file://"`,
			"file:a":      `client: roots[0]: want a URI of file:// and a path, got "file:a"`,
			"file:///%zz": `client: roots[0]: parse "file:///%zz": invalid URL escape "%zz"`,
		} {
			roots := []mcp.Root{{URI: uri}}
			if _, err := newClient(t.Context(), &Options{Roots: roots}); errorText(err) != want {
				t.Errorf("%s: %v", uri, err)
			}
			c, _ := dial(t, modernServer(nil), &Options{Roots: []mcp.Root{}})
			if err := c.SetRoots(t.Context(), roots); errorText(err) != want {
				t.Errorf("SetRoots(%s): %v", uri, err)
			}
		}
		c, f := dial(t, legacyServer(nil), nil)
		if err := c.SetRoots(t.Context(), nil); err == nil || len(f.sent()) > 0 {
			t.Errorf("roots that were not declared: %v, sent %q", err, f.sent())
		}
		if _, _, err := connectTo(t, modernServer(nil), &Options{Roots: []mcp.Root{{}}}); errors.Unwrap(err) != nil || err == nil {
			t.Errorf("got %v", err)
		}
	})
}
