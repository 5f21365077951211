package server_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var size = limits.Flags()

// TestCost is the table of what hostile requests cost a server, and what it says to them and logs.
func TestCost(t *testing.T) {
	var logged strings.Builder
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, &server.Options{
		Logger:       slog.New(slog.NewTextHandler(&logged, nil)),
		Capabilities: mcp.ServerCapabilities{Resources: &mcp.ServerCapabilitiesResources{Subscribe: new(true)}},
		StateKeys:    [][]byte{make([]byte, 32)},
		Logging:      true,
		Setup:        []server.Setup{taskserver.Enable(nil)},
	})
	offer(t, s)
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const modern = `"_meta":` + meta
	request := func(rev wire.Revision, method string, headers http.Header, params string) string {
		logged.Reset()
		r := &transport.Request{ID: wire.IntID(1), Method: method, Params: wire.Raw(params), Out: nowhere{}}
		if headers != nil {
			r.Header = headers
		}
		if rev < mcp.V2026_07_28 {
			r.Revision = rev
		} else {
			r.Meta = wire.Raw(meta)
		}
		result, err := server.NewEndpoint(s).ServeRequest(context.Background(), r)
		if err != nil {
			text := err.Error()
			if e, ok := err.(*jsonrpc.Error); ok {
				text = e.Message + string(e.Data)
			}
			return text + logged.String()
		}
		return string(result) + logged.String()
	}
	// Long is a request with a long value where the params have %s.
	var cases []limits.Case
	long := func(name, method, item, params string) {
		for _, rev := range []wire.Revision{mcp.V2025_06_18, mcp.V2026_07_28} {
			cases = append(cases, limits.Case{
				Name: "server: " + name + ", " + rev.String(),
				Input: func(n int) string {
					value := strings.Repeat(item, n/len(item))
					if rev == mcp.V2026_07_28 {
						return "{" + modern + "," + fmt.Sprintf(params, value)[1:]
					}
					return fmt.Sprintf(params, value)
				},
				Run: func(in string) string { return request(rev, method, nil, in) },
			})
		}
	}
	long("a long name of a tool", "tools/call", "x", `{"name":"%s"}`)
	long("a long name of a prompt", "prompts/get", `\u0000`, `{"name":"%s"}`)
	long("long arguments of a prompt", "prompts/get", `\u0000`, `{"name":"p","arguments":{"x":"%s"}}`)
	long("a long URI", "resources/read", "%41", `{"uri":"a:%s"}`)
	long("a long URI without a scheme", "resources/read", "x", `{"uri":"%s"}`)
	long("a long URI of a file", "resources/read", "é", `{"uri":"file:///%s"}`)
	long("a long URI of a file that leads up", "resources/read", "é", `{"uri":"file:///../%s"}`)
	long("a long URI of a file with a zero byte", "resources/read", "%00é", `{"uri":"file:///%s"}`)
	long("a long URI to subscribe to", "resources/subscribe", "x", `{"uri":"a:%s"}`)
	long("a long cursor", "tools/list", "AAAA", `{"cursor":"%s"}`)
	long("a long level", "logging/setLevel", "x", `{"level":"%s"}`)
	long("a long name of a reference", "completion/complete", "x", `{"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"x","value":""}}`)
	long("a long name of an argument", "completion/complete", "x", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"%s","value":""}}`)
	long("a long type of a reference", "completion/complete", "x", `{"ref":{"type":"%s","name":"p"},"argument":{"name":"x","value":""}}`)
	long("a long template", "completion/complete", "x", `{"ref":{"type":"ref/resource","uri":"%s"},"argument":{"name":"x","value":""}}`)
	long("a long id of a task", "tasks/get", "x", `{"taskId":"%s"}`)
	long("a long unknown argument", "tools/call", "x", `{"name":"t","arguments":{"%s":1}}`)
	long("a long version", "initialize", "x", `{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	long("a long requestState", "tools/call", "AAAA", `{"name":"t","requestState":"%s"}`)
	long("long inputResponses", "tools/call", "x", `{"name":"t","inputResponses":{"%s":{}}}`)
	long("params of no kind", "tools/call", "[],", `{"name":[%s1]}`)
	// What asks binds its state to the arguments, whatever the order of their members. A state that is
	// not the server's is not worth looking at them.
	const asks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	for _, a := range []struct {
		name      string
		arguments func(n int) string
	}{
		{"members in no order around a long text", func(n int) string {
			return strings.Repeat(`{"b":0,"a":`, 100) + `"` + strings.Repeat("x", n) + `"` + strings.Repeat("}", 100)
		}},
		{"many members in no order", func(n int) string {
			return limits.List(n, "{", "}", func(i int) string { return fmt.Sprintf(`"%06d":{}`, i*7919%1_000_003) })
		}},
		{"empty objects", func(n int) string { return `{"a":` + limits.List(n, "[", "]", func(int) string { return "{}" }) + "}" }},
		{"objects in objects", func(n int) string {
			return `{"a":` + limits.List(n, "[", "]", func(int) string { return strings.Repeat(`{"":`, 100) + "0" + strings.Repeat("}", 100) }) + "}"
		}},
	} {
		for _, call := range []struct{ name, meta, format string }{
			{"to bind a state to", asks, `{"name":"ask","arguments":%s,%s}`},
			{"beside a foreign state", modern, `{"name":"t","requestState":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","arguments":%s,%s}`},
		} {
			cases = append(cases, limits.Case{
				Name:  "server: " + a.name + ", " + call.name,
				Input: func(n int) string { return fmt.Sprintf(call.format, a.arguments(n), call.meta) },
				Run: func(in string) string {
					r := &transport.Request{ID: wire.IntID(1), Method: "tools/call", Params: wire.Raw(in), Meta: wire.Raw(strings.TrimPrefix(call.meta, `"_meta":`)), Out: nowhere{}}
					result, err := server.NewEndpoint(s).ServeRequest(context.Background(), r)
					if err != nil {
						return err.Error()
					}
					return string(result)
				},
			})
		}
	}
	for _, item := range []string{"a", "%41", "/b"} {
		cases = append(cases, limits.Case{Name: "server: URIs to listen to, of " + item, Input: func(n int) string {
			return `{` + modern + `,"notifications":{"resourceSubscriptions":` + limits.List(n, "[", "]", func(i int) string {
				return fmt.Sprintf(`"a:%d%s"`, i, strings.Repeat(item, 7000/len(item)))
			}) + "}}"
		}, Run: func(in string) string {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			r := &transport.Request{ID: wire.IntID(1), Method: "subscriptions/listen", Params: wire.Raw(in), Meta: wire.Raw(meta), Out: nowhere{cancel}}
			_, err := server.NewEndpoint(s).ServeRequest(ctx, r)
			return err.Error()
		}})
	}
	headers := func(name string, header func(in string) http.Header) {
		cases = append(cases, limits.Case{
			Name: "server: " + name, Than: limits.Text,
			Input: func(n int) string { return strings.Repeat("x", n) },
			Run: func(in string) string {
				return request(mcp.V2026_07_28, "tools/call", header(in), "{"+modern+`,"name":"t","arguments":{"x":"`+in+`"}}`)
			},
		})
	}
	headers("a long version in a header", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {in}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}}
	})
	headers("a long method in a header", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {in}, "Mcp-Name": {"t"}}
	})
	headers("a long name in a header", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {in}}
	})
	headers("a long coded name in a header", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"=?base64?" + base64.StdEncoding.EncodeToString([]byte(in)) + "?="}}
	})
	headers("a long argument that a header lacks", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}}
	})
	headers("a long argument in a header", func(in string) http.Header {
		return http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}, "Mcp-Param-X": {in + "y"}}
	})
	cases = append(cases, limits.Case{
		Name: "server: a long method", Than: limits.Text,
		Input: func(n int) string { return strings.Repeat("x", n) },
		Run:   func(in string) string { return request(mcp.V2025_06_18, in, nil, `{}`) },
	}, limits.Case{
		Name: "server: a long method of a notification", Than: limits.Text,
		Input: func(n int) string { return strings.Repeat("x", n) },
		Run: func(in string) string {
			if err := server.NewEndpoint(s).ServeNotification(context.Background(), &transport.Request{Method: in, Revision: mcp.V2025_06_18}); err != nil {
				return err.Error()
			}
			return ""
		},
	})
	limits.Check(t, *size, cases)
}

// offer gives a server one thing of each kind.
func offer(t *testing.T, s *server.Server) {
	t.Helper()
	tool := mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"X"}}}`)}
	asks := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "?"})
		return nil, err
	}
	for _, err := range []error{
		s.AddTool(mcp.Tool{Name: "ask", InputSchema: wire.Raw(`{"type":"object"}`)}, asks),
		s.AddTool(tool, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }),
		s.AddPrompt(mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "x"}}}, func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return nil, nil
		}),
		s.CompletePrompt("p", "x", func(context.Context, *server.Call, string, map[string]string) ([]string, error) { return nil, nil }),
		uritemplate.Add(s, mcp.ResourceTemplate{Name: "a", URITemplate: "a:{x}"}, func(context.Context, *server.Call, string, map[string]string) (*mcp.ReadResourceResult, error) {
			return nil, nil
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// nowhere takes what goes to the client, and ends the request with the first of it.
type nowhere struct{ end func() }

func (n nowhere) Notify(context.Context, string, wire.Raw) error {
	if n.end != nil {
		n.end()
	}
	return nil
}

func (nowhere) Call(context.Context, string, wire.Raw) (wire.Raw, error) {
	return nil, context.Canceled
}
