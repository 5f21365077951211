package client

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// noting is middleware that notes what passes it, under a name.
func noting(name string, got *[]string) (Middleware, transport.Middleware) {
	calls := func(next SendFunc) SendFunc {
		return func(ctx context.Context, c *Call) error {
			*got = append(*got, name+" calls "+c.Method.Name)
			err := next(ctx, c)
			*got = append(*got, name+" called "+c.Method.Name)
			return err
		}
	}
	messages := func(next transport.MessageFunc) transport.MessageFunc {
		return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
			*got = append(*got, name+" handles "+m.Method+" "+string(m.Params))
			return next(ctx, m)
		}
	}
	return calls, messages
}

// Middleware is around everything that is sent and received, the first outermost; also around what the
// client sends by itself, and around requests for input in every revision.
func TestMiddleware(t *testing.T) {
	more := script{
		"tools/call": func(r *received) (string, error) {
			if r.server.revision == mcp.V2026_07_28 && r.params.StringAt("requestState") == "" {
				return `{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"roots/list"}}}`, nil
			}
			if r.server.revision != mcp.V2026_07_28 {
				if _, err := r.server.request("roots/list", `{}`); err != nil {
					return "", err
				}
			}
			return emptyResult, nil
		},
	}
	both(t, more, func(t *testing.T, server script, opts Options) {
		var got []string
		for _, name := range []string{"outer", "inner"} {
			calls, messages := noting(name, &got)
			opts.Send = append(opts.Send, calls)
			opts.Receive = append(opts.Receive, messages)
		}
		opts.Roots = []mcp.Root{}
		c, f, err := connectTo(t, server, &opts)
		if err != nil {
			t.Fatal(err)
		}
		f.revision = c.Revision()
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"}); err != nil {
			t.Fatal(err)
		}
		f.notice("notifications/tools/list_changed", "")
		sent, params := []string{"initialize", "notifications/initialized"}, "{}"
		if c.modern() {
			sent, params = []string{"server/discover"}, ""
		}
		var want []string
		for _, m := range sent {
			want = append(want, "outer calls "+m, "inner calls "+m, "inner called "+m, "outer called "+m)
		}
		want = append(want,
			"outer calls tools/call", "inner calls tools/call",
			"outer handles roots/list "+params, "inner handles roots/list "+params,
			"inner called tools/call", "outer called tools/call",
			"outer handles notifications/tools/list_changed ", "inner handles notifications/tools/list_changed ")
		if !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

// Send can change params, look at results, call again, and return without a call.
func TestSend(t *testing.T) {
	more := script{
		"tools/call": func(r *received) (string, error) {
			return `{"resultType":"complete","content":[{"type":"text","text":"` + r.params.StringAt("name") + `"}]}`, nil
		},
		"prompts/get": fails(-32603, ""),
	}
	both(t, more, func(t *testing.T, server script, opts Options) {
		errDenied := errors.New("denied")
		tries := 0
		opts.Send = []Middleware{func(next SendFunc) SendFunc {
			return func(ctx context.Context, c *Call) error {
				switch p := c.Params.(type) {
				case *mcp.CallToolRequestParams:
					if p.Name == "forbidden" {
						return errDenied
					}
					other := *p
					other.Name = strings.ToUpper(p.Name)
					c.Params = &other
					err := next(ctx, c)
					box, ok := c.Result.(*wire.Box[mcp.CallToolResponse])
					if !ok {
						t.Errorf("the result is a %T", c.Result)
						return err
					}
					box.Value.(*mcp.CallToolResult).IsError = new(true)
					return err
				case *mcp.GetPromptRequestParams:
					err := next(ctx, c)
					for tries++; err != nil && tries < 3; tries++ {
						err = next(ctx, c)
					}
					return err
				case *mcp.CompleteRequestParams:
					return wire.Decode([]byte(`{"completion":{"values":["x"]}}`), c.Result)
				}
				return next(ctx, c)
			}
		}}
		c, f := dial(t, server, &opts)
		r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "t"})
		if err != nil || r.Content[0].(*mcp.TextContent).Text != "T" || !r.GetIsError() {
			t.Errorf("%+v, %v", r, err)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "forbidden"}); err != errDenied {
			t.Errorf("%v is not the error of the middleware", err)
		}
		if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptRequestParams{Name: "p"}); err == nil || f.count("prompts/get") != 3 {
			t.Errorf("%v, after %d requests", err, f.count("prompts/get"))
		}
		completion, err := c.Complete(t.Context(), &mcp.CompleteRequestParams{Ref: &mcp.PromptReference{Name: "p"}})
		if err != nil || len(completion.Completion.Values) != 1 || f.count("completion/complete") != 0 {
			t.Errorf("%+v, %v", completion, err)
		}
	})
}

// Middleware can handle requests and notifications itself, and change the results of others.
func TestReceive(t *testing.T) {
	more := script{"tools/call": func(r *received) (string, error) {
		if r.server.revision != mcp.V2026_07_28 {
			return r.server.request("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
		}
		if answer := r.params.StringAt("inputResponses", "k", "action"); answer != "" {
			return `{"resultType":"complete","content":[],"structuredContent":{"action":"` + answer + `"}}`, nil
		}
		return `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":` +
			`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}}}`, nil
	}}
	both(t, more, func(t *testing.T, server script, opts Options) {
		told := false
		opts.Elicit = elicit.Handler{Form: noElicit}
		opts.OnChange = func(context.Context, Change) { told = true }
		opts.Receive = []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				switch {
				case m.Method == "elicitation/create" && m.Params.StringAt("message") == "m":
					return wire.Raw(`{"action":"decline"}`), nil
				case m.Notification:
					return nil, nil
				}
				return next(ctx, m)
			}
		}}
		c, f := dial(t, server, &opts)
		f.revision = c.Revision()
		var result wire.Raw
		err := c.Call(t.Context(), &mcp.MethodCallTool, &mcp.CallToolRequestParams{Name: "t"}, &result)
		if err != nil || !strings.Contains(string(result), `"action":"decline"`) {
			t.Errorf("%s, %v", result, err)
		}
		f.tell("notifications/tools/list_changed", "")
		synctest.Wait()
		if told {
			t.Error("a notification was handled that the middleware kept")
		}
	})
}

// Middleware sees the errors of what it is around, and these are returned.
func TestMiddlewareErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var sent, handled []string
		opts := Options{
			Revisions: []wire.Revision{mcp.V2025_11_25},
			Methods:   []Method{handleNotification("notifications/x", func(context.Context, *mcp.SubscribeRequestParams) {})},
			Send: []Middleware{func(next SendFunc) SendFunc {
				return func(ctx context.Context, c *Call) error {
					err := next(ctx, c)
					sent = append(sent, c.Method.Name+" "+errorText(err))
					return err
				}
			}},
			Receive: []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
				return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
					result, err := next(ctx, m)
					if err != nil {
						handled = append(handled, m.Method)
					}
					return result, err
				}
			}},
		}
		if _, _, err := connectTo(t, script{"initialize": fails(-32603, "")}, &opts); !errors.Is(err, jsonrpc.ErrInternal) {
			t.Errorf("the error of the handshake is %v", err)
		}
		if want := []string{"initialize error (-32603)"}; !slices.Equal(sent, want) {
			t.Errorf("got %q", sent)
		}
		_, f := dial(t, legacyServer(nil), &opts)
		f.notice("notifications/resources/updated", `{"uri":7}`)
		f.notice("notifications/x", `{"uri":7}`)
		f.notice("notifications/x", `{"uri":"a:b"}`)
		if want := []string{"notifications/resources/updated", "notifications/x"}; !slices.Equal(handled, want) {
			t.Errorf("got %q", handled)
		}
	})
}
