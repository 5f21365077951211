package toolsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// structured returns a tool that always has this structured content.
func structured(content string) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: wire.Raw(content)}, nil
	}
}

// echo returns a tool whose structured content is its arguments.
func echo(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{StructuredContent: args}, nil
}

func add(t testing.TB, s *server.Server, name, in, out string, h server.ToolHandler) {
	t.Helper()
	servertest.Check(t, s.AddTool(mcp.Tool{Name: name, Description: "It is " + name + ".", InputSchema: wire.Raw(in), OutputSchema: wire.Raw(out)}, h))
}

const (
	userOut = `{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"},"nick":{"type":"string"},"a/b":{"type":"string"},` +
		`"ages":{"type":"array","items":{"type":"integer","minimum":0}},"best":{"$ref":"#/$defs/friend"},"mood":{"enum":["good","bad"]},` +
		`"friends":{"type":"array","items":{"$ref":"#/$defs/friend"}}},"required":["id","name","ages","best","mood","friends","a/b"],` +
		`"$defs":{"friend":{"type":"object","properties":{"id":{"type":"integer"},"kind":{"type":"string"}},"required":["id","kind"],"additionalProperties":false}}}`
	user = `{"id":7,"name":"Ada","a/b":"c","ages":[3,4],"best":{"id":8,"kind":"old"},"mood":"good","friends":[{"id":8,"kind":"old"},{"id":9,"kind":"new"},{"id":10,"kind":"old"}]}`
	open = `{"type":"object"}`
)

// of returns an input schema that requires x to satisfy a schema.
func of(x string) string {
	return `{"type":"object","properties":{"x":` + x + `},"required":["x"],"additionalProperties":false}`
}

// newServer returns a server with tools whose names say what they take.
func newServer(t testing.TB, opts *server.Options, o *Options) *server.Server {
	s := roomtest.NewServer(Enable(opts, o))
	add(t, s, "user", open, userOut, structured(user))
	add(t, s, "liar", open, `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`, structured(`{"x":1}`))
	add(t, s, "fails", open, "", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("it is broken")
	})
	add(t, s, "text", open, "", roomtest.Says("hello"))
	for name, x := range map[string]string{
		"string": `{"type":"string"}`, "integer": `{"type":"integer"}`, "number": `{"type":"number"}`, "positive": `{"type":"integer","minimum":1}`,
		"strings": `{"type":"array","items":{"type":"string"}}`, "integers": `{"type":"array","items":{"type":"integer"}}`, "short": `{"type":"string","maxLength":3}`,
		"friend":  `{"type":"object","properties":{"id":{"type":"number"},"kind":{"type":"string"}},"required":["id"]}`,
		"nothing": `{"type":"null"}`, "maybe": `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, "mood": `{"enum":["good","bad","none"]}`, "sad": `{"enum":["bad"]}`,
		"not": `{"not":{"type":"null"}}`, "any": `{}`,
	} {
		add(t, s, name, of(x), of(x), echo)
	}
	return s
}

// call calls a tool, and returns its structured content, or the text of its error.
func call(c *servertest.Client, name, args string) (structured, failed string) {
	c.T.Helper()
	var r struct {
		StructuredContent json.RawMessage
		IsError           bool
		Content           []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(c.Must("tools/call", `{"name":"`+name+`","arguments":`+args+`}`)), &r); err != nil {
		c.T.Fatal(err)
	}
	if r.IsError {
		return "", r.Content[0].Text
	}
	return string(r.StructuredContent), ""
}

// listed returns the names in tools/list.
func listed(t testing.TB, c *servertest.Client) (names []string) {
	var r struct{ Tools []mcp.Tool }
	if err := json.Unmarshal([]byte(c.Must("tools/list", `{}`)), &r); err != nil {
		t.Fatal(err)
	}
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// A client sees the two tools, from the first revision with structured content on, and can call all.
func TestList(t *testing.T) {
	s := newServer(t, nil, nil)
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		c := roomtest.NewClient(t, s, rev, `{}`)
		names := listed(t, c)
		if rev < since {
			if len(names) != 18 || slices.Contains(names, planTool) {
				t.Errorf("got %q", names)
			}
			return
		}
		if !slices.Equal(names, []string{planTool, searchTool}) {
			t.Errorf("got %q", names)
		}
		if got, failed := call(c, "string", `{"x":"a"}`); got != `{"x":"a"}` {
			t.Errorf("got %s, error %s", got, failed)
		}
	})
}

// REQ TOOL-08
func TestPlan(t *testing.T) {
	const steps = `{"id":"u","tool":"user"},`
	s := newServer(t, nil, nil)
	for _, test := range []struct{ steps, want string }{
		// what is proved runs
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u","pointer":"/name"}}}`, `{"a":{"x":"Ada"}}`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u","pointer":"/a~1b"}}}`, `{"a":{"x":"c"}}`},
		{`{"id":"a","tool":"number","args":{"x":{"$from":"u","pointer":"/id"}}}`, `{"a":{"x":7}}`},
		{`{"id":"a","tool":"maybe","args":{"x":{"$from":"u","pointer":"/id"}}}`, `{"a":{"x":7}}`},
		{`{"id":"a","tool":"integers","args":{"x":{"$from":"u","pointer":"/ages"}}}`, `{"a":{"x":[3,4]}}`},
		{`{"id":"a","tool":"integers","args":{"x":[1,{"$from":"u","pointer":"/id"},{"$from":"u","pointer":"/best/id"}]}}`, `{"a":{"x":[1,7,8]}}`},
		{`{"id":"a","tool":"friend","args":{"x":{"$from":"u","pointer":"/best"}}}`, `{"a":{"x":{"id":8,"kind":"old"}}}`},
		{`{"id":"a","tool":"friend","args":{"x":{"id":1.5,"kind":{"$from":"u","pointer":"/name"},"more":1}}}`, `{"a":{"x":{"id":1.5,"kind":"Ada","more":1}}}`},
		{`{"id":"a","tool":"mood","args":{"x":{"$from":"u","pointer":"/mood"}}}`, `{"a":{"x":"good"}}`},
		{`{"id":"a","tool":"any","args":{"x":{"$from":"u","pointer":""}}}`, `{"a":{"x":` + user + `}}`},
		{`{"id":"a","tool":"integer","forEach":{"$from":"u","pointer":"/ages"},"args":{"x":{"$from":"item","pointer":""}}}`, `{"a":[{"x":3},{"x":4}]}`},
		{`{"id":"a","tool":"integer","forEach":{"$from":"u","pointer":"/friends"},"where":{"pointer":"/kind","equals":"old"},"args":{"x":{"$from":"item","pointer":"/id"}}}`,
			`{"a":[{"x":8},{"x":10}]}`},
		{`{"id":"a","tool":"integer","forEach":{"$from":"u","pointer":"/friends"},"where":{"pointer":"/kind","equals":"old"},"limit":1,"args":{"x":{"$from":"item","pointer":"/id"}}},` +
			`{"id":"b","tool":"number","forEach":{"$from":"a","pointer":""},"args":{"x":{"$from":"item","pointer":"/x"}}}`, `{"b":[{"x":8}]}`},
		{`{"id":"a","tool":"text"}`, `{"a":{"content":[{"type":"text","text":"hello"}]}}`},

		// what is not is refused
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u","pointer":"/id"}}}`, `steps[1].args.x: want string, got integer`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u","pointer":"/nick"}}}`, `steps[1].args.x: pointer /nick: "nick" may be absent: the output schema does not require it`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u","pointer":"/name/x"}}}`, `steps[1].args.x: pointer /name/x: want an object around "x", got string`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"v","pointer":"/id"}}}`, `steps[1].args.x: there is no step "v" before this one`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"a","pointer":"/id"}}}`, `steps[1].args.x: there is no step "a" before this one`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"item","pointer":""}}}`, `steps[1].args.x: "item" is there only in args of a step with forEach`},
		{`{"id":"a","tool":"string","args":{"x":{"$from":"u"}}}`, `steps[1].args.x: want {"$from": "STEP", "pointer": "/a/b"}`},
		{`{"id":"a","tool":"positive","args":{"x":{"$from":"u","pointer":"/id"}}}`, `steps[1].args.x: want minimum 1, which what is bound here may not satisfy`},
		{`{"id":"a","tool":"short","args":{"x":{"$from":"u","pointer":"/name"}}}`, `steps[1].args.x: want maxLength 3`},
		{`{"id":"a","tool":"strings","args":{"x":{"$from":"u","pointer":"/ages"}}}`, `steps[1].args.x[]: want string, got integer`},
		{`{"id":"a","tool":"strings","args":{"x":["a",{"$from":"u","pointer":"/id"}]}}`, `steps[1].args.x[1]: want string, got integer`},
		{`{"id":"a","tool":"friend","args":{"x":{"kind":{"$from":"u","pointer":"/name"}}}}`, `steps[1].args.x: id is required, and may be absent`},
		{`{"id":"a","tool":"string","args":{"x":"","y":{"$from":"u","pointer":"/name"}}}`, `steps[1].args.y: there is no such member`},
		{`{"id":"a","tool":"sad","args":{"x":{"$from":"u","pointer":"/mood"}}}`, `steps[1].args.x: value must be 'bad'`},
		{`{"id":"a","tool":"sad","args":{"x":{"$from":"u","pointer":"/name"}}}`, `steps[1].args.x: want one of certain values`},
		{`{"id":"a","tool":"maybe","args":{"x":{"$from":"u","pointer":"/name"}}}`, `steps[1].args.x: none of the alternatives`},
		{`{"id":"a","tool":"not","args":{"x":{"$from":"u","pointer":"/name"}}}`, `steps[1].args.x: it cannot be proved that what is bound here satisfies "not"`},
		{`{"id":"a","tool":"string","args":{"x":1}}`, `steps[1].args.x: got number, want string`},
		{`{"id":"a","tool":"string"}`, `steps[1].args: missing property 'x'`},
		{`{"id":"a","tool":"nosuch"}`, `steps[1].tool: there is no tool "nosuch"; find one with search_tools`},
		{`{"id":"a","tool":"run_plan","args":{"steps":[]}}`, `steps[1].tool: run_plan is called by itself`},
		{`{"id":"u","tool":"user"}`, `steps[1].id: want one that no other step has`},
		{`{"id":"item","tool":"user"}`, `steps[1].id: want one that no other step has`},
		{`{"id":"a","tool":"user","limit":1}`, `steps[1]: where and limit are about the items of forEach`},
		{`{"id":"a","tool":"user","limit":0}`, `steps[1].limit: minimum: got 0, want 1`},
		{`{"id":"a","tool":"user","forEach":{"$from":"u","pointer":"/name"}}`, `steps[1].forEach: want an array of items with one schema, got string`},
		{`{"id":"a","tool":"user","forEach":{"$from":"u","pointer":"/friends"},"where":{"pointer":"/kin","equals":1}}`, `steps[1].where: pointer /kin: "kin" may be absent`},
		{`{"id":"a","tool":"user","forEach":{"$from":"u","pointer":"/friends"},"where":{"pointer":"/kind","equals":1}}`, `steps[1].where.equals: got number, want string`},
		{`{"id":"a","tool":"text"},{"id":"b","tool":"string","args":{"x":{"$from":"a","pointer":""}}}`, `steps[2].args.x: nothing is known of the result of "a": text has no output schema`},

		// what happens while it runs
		{`{"id":"a","tool":"fails"},{"id":"b","tool":"text"}`, "steps[1]: fails: it is broken\nThe plan has ended here; calls that have succeeded: 1"},
		{`{"id":"a","tool":"liar"}`, `steps[1]: liar: its result.x: got number, want string`},
	} {
		servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
			if rev < since {
				return
			}
			got, failed := call(roomtest.NewClient(t, s, rev, `{}`), planTool, `{"steps":[`+steps+test.steps+`]}`)
			right := failed != "" && strings.Contains(failed, test.want)
			if strings.HasPrefix(test.want, "{") {
				right = same(t, got) == same(t, `{"results":`+test.want+`}`)
			}
			if !right {
				t.Errorf("%s\ngot  %s%s\nwant %s", test.steps, got, failed, test.want)
			}
		})
	}
	c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
	got, failed := call(c, planTool, `{"steps":[{"id":"a","tool":"string","args":{"x":"1"}},{"id":"b","tool":"string","args":{"x":"2"}}],"return":["b","a"]}`)
	if want := `{"results":{"a":{"x":"1"},"b":{"x":"2"}}}`; got != want {
		t.Errorf("got %s%s, want %s", got, failed, want)
	}
	if _, failed = call(c, planTool, `{"steps":[{"id":"a","tool":"text"}],"return":["c"]}`); !strings.Contains(failed, `return[0]: there is no step "c"`) {
		t.Errorf("got %q", failed)
	}
}

func same(t *testing.T, text string) string {
	if text == "" {
		return ""
	}
	v, err := decode([]byte(text))
	servertest.Check(t, err)
	raw, _ := json.Marshal(v)
	return string(raw)
}
