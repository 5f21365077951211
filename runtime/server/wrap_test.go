package server

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Wrappers see a definition as Define left it, the first is outermost, and those that return next add nothing.
func TestToolWrapper(t *testing.T) {
	var calls []string
	trace := func(name string) ToolWrapper {
		return func(def *mcp.Tool, next ToolHandler) (ToolHandler, error) {
			switch def.Description {
			case "plain":
				return next, nil
			case "refused":
				return nil, errors.New(name + " does not like it")
			}
			return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
				calls = append(calls, name)
				r, err := next(ctx, c, args)
				calls = append(calls, fmt.Sprint(name, " ", err))
				return r, err
			}, nil
		}
	}
	s := newServer(&Options{
		WrapTools: []ToolWrapper{trace("outer"), trace("inner")},
		Define: func(item any) {
			if def := item.(*mcp.Tool); def.Name != "wrapped" {
				def.Description = def.Name
			}
		},
	})
	add(t, s.AddTool(mcp.Tool{Name: "wrapped"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("no")
	}))
	add(t, s.AddTool(mcp.Tool{Name: "plain"}, says("done")))
	err := s.AddTool(mcp.Tool{Name: "refused"}, says(""))
	equal(t, "refused", fmt.Sprint(err), `server: AddTool: tool "refused": inner does not like it`)
	eras(t, func(t *testing.T, rev wire.Revision) {
		calls = nil
		c := newClient(t, s, rev, `{}`)
		contains(t, "result", c.Must("tools/call", `{"name":"wrapped"}`), `"text":"no"}],"isError":true`)
		c.Must("tools/call", `{"name":"plain"}`)
		equal(t, "calls", fmt.Sprint(calls), "[outer inner inner no outer no]")
	})
}

// What Respond was given is sent, whatever the handler returns.
func TestRespond(t *testing.T) {
	s := newServer(&Options{WrapTools: []ToolWrapper{func(def *mcp.Tool, next ToolHandler) (ToolHandler, error) {
		return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
			_, err := next(ctx, c, args)
			return nil, cmpOr(c.Respond(&mcp.UnknownCallToolResponse{Raw: wire.Raw(`{"resultType":"mail","to":"ada"}`)}), err)
		}, nil
	}}})
	add(t, s.AddTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.Elicit(ctx, form("?", "x"))
		return nil, err
	}))
	c := newClient(t, s, mcp.V2026_07_28, allCaps)
	equal(t, "result", bare(c.Must("tools/call", `{"name":"asks"}`)), `{"resultType":"mail","to":"ada"}`)
}

func cmpOr(err, other error) error {
	if !errors.Is(err, ErrResponded) {
		return other
	}
	return err
}

// Waiting is told while the client gives input, and a handler may have several that listen.
func TestOnWait(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		var told []string
		s := newServer(nil)
		add(t, s.AddTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for _, name := range []string{"a", "b"} {
				c.OnWait(func(waiting bool) { told = append(told, fmt.Sprint(name, waiting)) })
			}
			_, err := c.Elicit(ctx, form("?", "x"))
			return nil, err
		}))
		newClient(t, s, rev, allCaps).Complete("tools/call", `{"name":"asks"}`, func(string, wire.Raw) string {
			return `{"action":"decline"}`
		})
		want := "[atrue btrue afalse bfalse]"
		if rev >= mcp.Modern { // the handler ran twice
			want = "[atrue btrue afalse bfalse atrue btrue afalse bfalse]"
		}
		equal(t, "told", fmt.Sprint(told), want)
	})
}
