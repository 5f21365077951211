package ask

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type guest struct {
	Name   string   `json:"name" form:"minlen=1"`
	Nights int      `json:"nights" form:"min=1 default=2"`
	Wishes []string `json:"wishes,omitempty" form:"enum=quiet,view"`
}

// asks returns a tool that asks for a guest.
func asks(by func(*server.Call) Elicitor) server.ToolHandler {
	return func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		g, err := Form[guest](ctx, by(c), "Who is coming?")
		switch {
		case errors.Is(err, ErrDeclined):
			return server.TextResult("declined: " + err.Error()), nil
		case errors.Is(err, ErrCancelled):
			return server.TextResult("cancelled: " + err.Error()), nil
		case err != nil:
			return nil, err
		}
		return server.TextResult(fmt.Sprintf("%+v", g)), nil
	}
}

// REQ ELIC-08, ELIC-12: a form from a struct, and its response in one, in both eras.
func TestAsk(t *testing.T) {
	servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
		for _, test := range []struct{ response, want string }{
			{`{"action":"accept","content":{"name":"Ada","nights":3.0,"wishes":["view"]}}`, `{Name:Ada Nights:3 Wishes:[view]}`},
			{`{"action":"accept","content":{"name":"Ada"}}`, `{Name:Ada Nights:2 Wishes:[]}`},
			{`{"action":"decline"}`, `declined: the user declined`},
			{`{"action":"cancel"}`, `cancelled: the user cancelled`},
		} {
			s := roomtest.NewServer(nil)
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "invite"}, asks(func(c *server.Call) Elicitor { return c })))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "key"}, asks(func(c *server.Call) Elicitor { return c.WithKey("guest") })))
			c := roomtest.NewClient(t, s, rev, servertest.AllCaps)
			for _, tool := range []string{"invite", "key"} {
				result, _ := c.Complete("tools/call", `{"name":"`+tool+`"}`, func(method string, params wire.Raw) string {
					servertest.Equal(t, "params", string(params), `{"mode":"form","message":"Who is coming?","requestedSchema":{"type":"object","properties":{`+
						`"name":{"type":"string","minLength":1},"nights":{"type":"integer","minimum":1,"default":2},`+
						`"wishes":{"type":"array","items":{"type":"string","enum":["quiet","view"]}}},"required":["name"]}}`)
					return test.response
				})
				servertest.Contains(t, "result", result, test.want)
			}
		}
	})
}

// A made is a struct whose form was generated.
type made struct{ Name string }

func (made) MCPForm() args.Form[made] {
	return args.Form[made]{Schema: `{"type":"object","properties":{"name":{"type":"string"}}}`, Read: func(d *args.Decoder) (m made, err error) {
		for o := d.Object(&args.Type{Members: []args.Member{{Name: "name", Required: true}}}); o.Next(); {
			m.Name = d.String()
		}
		return m, d.Finish()
	}}
}

// A broken is a struct whose form was generated, and spoilt since.
type broken struct{}

func (broken) MCPForm() args.Form[broken] { return args.Form[broken]{Schema: `7`} }

// A generated form takes what it has of the response, and says what is wrong with that.
func TestGenerated(t *testing.T) {
	for content, want := range map[string]string{
		`{"name":"Ada","unknown":[{}]}`: "Ada", `{}`: "form: ",
	} {
		s := roomtest.NewServer(nil)
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			m, err := Form[made](ctx, c, "?")
			return server.TextResult(m.Name), err
		}))
		c := roomtest.NewClient(t, s, mcp.V2025_11_25, servertest.AllCaps)
		result, _ := c.Complete("tools/call", `{"name":"a"}`, func(_ string, params wire.Raw) string {
			servertest.Contains(t, "params", string(params), `"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}`)
			return `{"action":"accept","content":` + content + `}`
		})
		servertest.Contains(t, "result", result, want)
	}
	if _, err := Form[broken](t.Context(), nil, "?"); err == nil {
		t.Error("a form that is broken is sent")
	}
}

// A form without fields asks for consent.
func TestAskConsent(t *testing.T) {
	servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
		s := roomtest.NewServer(nil)
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "clean"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if _, err := Form[struct{}](ctx, c, "Delete 12 files?"); err != nil {
				return nil, err
			}
			return server.TextResult("deleted"), nil
		}))
		c := roomtest.NewClient(t, s, rev, servertest.AllCaps)
		for response, want := range map[string]string{
			`{"action":"accept"}`: "deleted", `{"action":"accept","content":{}}`: "deleted", `{"action":"decline"}`: "the user declined",
		} {
			result, _ := c.Complete("tools/call", `{"name":"clean"}`, func(_ string, params wire.Raw) string {
				servertest.Equal(t, "params", string(params), `{"mode":"form","message":"Delete 12 files?","requestedSchema":{"type":"object","properties":{}}}`)
				return response
			})
			servertest.Contains(t, "result", result, want)
		}
	})
}

// Errors of Ask: a type that is no form, a client without forms, and a response that is not valid.
func TestAskErrors(t *testing.T) {
	servertest.Eras(t, func(t *testing.T, rev wire.Revision) {
		s := roomtest.NewServer(nil)
		var got error
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "nested"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, got = Form[struct{ Inner struct{} }](ctx, c, "?")
			return nil, got
		}))
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "big"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, got = Form[struct{ N int }](ctx, c, "?")
			return nil, got
		}))
		c := roomtest.NewClient(t, s, rev, `{"elicitation":{"form":{}}}`)
		c.Must("tools/call", `{"name":"nested"}`)
		servertest.Equal(t, "error", fmt.Sprint(got), "ask: Form: struct { Inner struct {} }: field Inner: "+
			"a form has texts, numbers, booleans, times and lists of choices; struct {} is none of them")
		result, _ := c.Complete("tools/call", `{"name":"big"}`, func(string, wire.Raw) string {
			return `{"action":"accept","content":{"N":9223372036854775808}}`
		})
		servertest.Contains(t, "result", result, `the client's response to elicitation/create: form: \"N\": want a number of type int, got 9223372036854775808`)
		without := roomtest.NewClient(t, s, rev, `{}`)
		without.Call("tools/call", `{"name":"big"}`)
		if missing := (*server.MissingCapabilityError)(nil); !errors.As(got, &missing) {
			t.Errorf("got %v, want a missing capability", got)
		}
	})
}

// Where a form has what a revision lacks, or the revision has no forms.
//
// REQ ELIC-07, ELIC-08
func TestAskRevisions(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		var got error
		s := roomtest.NewServer(nil)
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "choices"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, got = Form[guest](ctx, c, "?")
			return nil, got
		}))
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "default"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			var v struct {
				Nights int `form:"default=2"`
			}
			v, got = Form[struct {
				Nights int `form:"default=2"`
			}](ctx, c, "?")
			return server.TextResult(fmt.Sprint(v.Nights)), got
		}))
		c := roomtest.NewClient(t, s, rev, servertest.AllCaps)
		accept := func(string, wire.Raw) string { return `{"action":"accept","content":{"name":"Ada"}}` }
		c.Answer = func(method string, params wire.Raw) (wire.Raw, error) { return wire.Raw(accept(method, params)), nil }
		switch {
		case rev < mcp.V2025_06_18:
			c.Must("tools/call", `{"name":"default"}`)
			if missing := (*server.MissingCapabilityError)(nil); !errors.As(got, &missing) {
				t.Errorf("got %v, want a missing capability", got)
			}
			return
		case rev < mcp.V2025_11_25:
			c.Must("tools/call", `{"name":"choices"}`)
			servertest.Contains(t, "error", fmt.Sprint(got), `wishes`)
		}
		result, _ := c.Complete("tools/call", `{"name":"default"}`, accept)
		servertest.Contains(t, "result", result, `"text":"2"`)
	})
}
