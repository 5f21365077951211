package httpclient_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const deepSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},` +
	`"n":{"type":"integer","x-mcp-header":"Count"},"dry":{"type":"boolean","x-mcp-header":"Dry"},"free":{"type":"string"},` +
	`"deep":{"type":"object","properties":{"er":{"type":"string","x-mcp-header":"Deeper"}}}}}`

func toolList(schemas ...string) string {
	var tools []string
	for i, schema := range schemas {
		tools = append(tools, fmt.Sprintf(`{"name":"tool%d","inputSchema":%s}`, i, schema))
	}
	return `{"resultType":"complete","tools":[` + strings.Join(tools, ",") + `],"ttlMs":60000,"cacheScope":"private"}`
}

// What the schema of a tool asks for is repeated in headers, coded where that is necessary.
//
// REQ XHDR-02, XHDR-05, XHDR-08, XHDR-09, XHDR-12, HDR-09, HDR-10, HDR-13
func TestClientMirrorsArguments(t *testing.T) {
	for arguments, want := range map[string]string{
		`{}`: ``,
		`{"region":"us-west1","n":42,"dry":true,"free":"x"}`:             ` Count="42" Dry="true" Region="us-west1"`,
		`{"region":"","n":-9007199254740991,"dry":false}`:                ` Count="-9007199254740991" Dry="false" Region=""`,
		`{"region":null,"n":null,"deep":null}`:                           ``,
		`{"deep":{"er":"a b","region":"no"}}`:                            ` Deeper="a b"`,
		`{"region":"Hello, 世界"}`:                                         ` Region="=?base64?SGVsbG8sIOS4lueVjA==?="`,
		`{"region":" padded "}`:                                          ` Region="=?base64?IHBhZGRlZCA=?="`,
		`{"region":"line1\nline2"}`:                                      ` Region="=?base64?bGluZTEKbGluZTI=?="`,
		`{"region":"=?base64?literal?="}`:                                ` Region="=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="`,
		`{"region":"a\tb"}`:                                              ` Region="=?base64?YQli?="`,
		`{"other":{"region":"x"},"deep":{"deep":{"er":"x"}},"list":[1]}`: ``,
	} {
		bubbleOf(t, arguments, func(t *testing.T) {
			s := &site{on: map[string]func(*visit){
				"tools/list": func(v *visit) { v.answer(toolList(deepSchema)) },
				"tools/call": func(v *visit) { v.answer(textResult) },
			}}
			c := dial(t, s, mcp.V2026_07_28, nil, nil)
			tool := func(params wire.Encodable) string {
				t.Helper()
				var r mcp.CallToolResult
				if err := c.Call(t.Context(), &mcp.MethodCallTool, params, &r); err != nil {
					t.Fatal(err)
				}
				return s.took()
			}
			typed := &mcp.CallToolRequestParams{Name: "tool0", Arguments: wire.Raw(arguments)}
			const plain = "POST tools/call 2026-07-28 tools/call tool0"
			if got := tool(typed); got != plain {
				t.Errorf("before the tool is known: %s", got)
			}
			for range c.Tools(t.Context()) {
			}
			s.took()
			if got := tool(typed); got != plain+want {
				t.Errorf("got  %s\nwant %s%s", got, plain, want)
			}
			if got := tool(wire.Raw(`{"name":"tool0","arguments":` + arguments + `}`)); got != plain+want {
				t.Errorf("raw params: got  %s\nwant %s%s", got, plain, want)
			}
		})
	}
}

// Through 2025-11-25, nothing is repeated.
//
// REQ SEED-02
func TestClientMirrorsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{on: map[string]func(*visit){
			"tools/list": func(v *visit) { v.answer(toolList(deepSchema, `{"type":"object","x-mcp-header":"A"}`)) },
			"tools/call": func(v *visit) { v.answer(textResult) },
		}}
		c := dial(t, s, mcp.V2025_11_25, nil, nil)
		r, err := c.ListTools(t.Context(), nil)
		if err != nil || len(r.Tools) != 2 {
			t.Error(r, err)
		}
		s.took()
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "tool0", Arguments: wire.Raw(`{"region":"x"}`)}); err != nil {
			t.Error(err)
		}
		if got, want := s.took(), "POST tools/call 2025-11-25 s1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// The header of each method that is about something by name, whatever the name.
//
// REQ HDR-02, HDR-03, HDR-04, HDR-09, SEED-03, VER-01, HDR-01
func TestClientNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &site{}
		c := dial(t, s, mcp.V2026_07_28, nil, nil)
		ctx := t.Context()
		c.ListTools(ctx, nil)
		c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "näme"})
		c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: "file:///path/to/file%20name.txt"})
		c.GetPrompt(ctx, &mcp.GetPromptRequestParams{Name: " p"})
		c.Call(ctx, &wire.Method{Name: "tasks/cancel"}, wire.Raw(`{"taskId":"7"}`), new(mcp.EmptyResult))
		c.Notify(ctx, &wire.Method{Name: "notifications/own", Notification: true}, nil)
		want := []string{
			"POST tools/list 2026-07-28 tools/list",
			"POST tools/call 2026-07-28 tools/call =?base64?bsOkbWU=?=",
			"POST resources/read 2026-07-28 resources/read file:///path/to/file%20name.txt",
			"POST prompts/get 2026-07-28 prompts/get =?base64?IHA=?=",
			"POST tasks/cancel 2026-07-28 tasks/cancel 7",
			"POST notifications/own 2026-07-28 notifications/own",
		}
		if got := s.took(); got != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	})
}

// A server that misses a header makes the client look at the tool again; it calls a second time if
// that has brought something new, and never a third time.
//
// REQ XHDR-12, HDR-07
func TestClientHeaderMismatch(t *testing.T) {
	for name, schema := range map[string]string{"new": deepSchema, "nothing new": `{"type":"object"}`, "never right": deepSchema} {
		bubbleOf(t, name, func(t *testing.T) {
			s := &site{}
			s.does("tools/list", func(v *visit) { v.answer(toolList(`{}`)) })
			s.does("tools/call", func(v *visit) {
				if v.req.Header.Get("Mcp-Param-Region") != "x" || name == "never right" {
					v.fail(mcp.CodeHeaderMismatch, http.StatusBadRequest)
					return
				}
				v.answer(textResult)
			})
			c := dial(t, s, mcp.V2026_07_28, nil, nil)
			for range c.Tools(t.Context()) {
			}
			s.took()
			s.does("tools/list", func(v *visit) { v.answer(toolList(schema)) })
			_, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "tool0", Arguments: wire.Raw(`{"region":"x"}`)})
			first := "POST tools/call 2026-07-28 tools/call tool0\nPOST tools/list 2026-07-28 tools/list"
			second := "\nPOST tools/call 2026-07-28 tools/call tool0 Region=\"x\""
			want, text := first+second, ""
			switch name {
			case "nothing new":
				want, text = first, "error (-32020)"
			case "never right":
				text = "error (-32020)"
			}
			if got := s.took(); got != want || errorText(err) != text {
				t.Errorf("got %v,\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

// Tools whose schemas ask for what cannot be are left out of the list, each with one line in the log.
//
// REQ XHDR-03, XHDR-04, XHDR-05, XHDR-06, XHDR-07, SEED-06, SEED-07, SEED-10
func TestClientInvalidTools(t *testing.T) {
	property := func(kind, header string) string {
		return `{"type":"object","properties":{"a":{"type":` + kind + `,"x-mcp-header":` + header + `}}}`
	}
	invalid := []string{
		property(`"string"`, `""`), property(`"object"`, `"A"`), property(`"array"`, `"A"`), property(`"null"`, `"A"`),
		property(`"number"`, `"A"`), property(`"string"`, `"A B"`), property(`"string"`, `"A:B"`), property(`"string"`, `"Ä"`),
		property(`"string"`, `"A\n"`), property(`"string"`, `3`), property(`["string"]`, `"A"`),
		`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		`{"type":"object","anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`,
		`{"type":"object","$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`,
	}
	bubble(t, func(t *testing.T) {
		s := &site{on: map[string]func(*visit){"tools/list": func(v *visit) { v.answer(toolList(slices.Concat(invalid, []string{deepSchema})...)) }}}
		var log bytes.Buffer
		opts := &client.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
		c := dial(t, s, mcp.V2026_07_28, nil, opts)
		for range 3 { // the second time from the cache
			r, err := c.ListTools(t.Context(), nil)
			if err != nil || len(r.Tools) != 1 || r.Tools[0].Name != fmt.Sprintf("tool%d", len(invalid)) {
				t.Fatalf("got %+v, %v", r, err)
			}
		}
		if n := strings.Count(s.took(), "tools/list"); n == 0 {
			t.Error("nothing was listed")
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != len(invalid) || !strings.Contains(lines[0], `tool=tool0 error="/a: x-mcp-header: want a header name, got "`) {
			t.Errorf("the log:\n%s", log.String())
		}
	})
}

// Headers of the program's go with every request, but do not replace those of the protocol.
func TestClientOwnHeaders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen []string
		s := &site{}
		for _, key := range []string{"initialize", "GET", "DELETE"} {
			s.does(key, func(v *visit) {
				seen = append(seen, v.req.Method+" "+v.req.Header.Get("X-Key")+" "+v.req.Header.Get("Accept"))
				if key == "initialize" {
					v.Header().Set("Mcp-Session-Id", "s1")
					v.answer(initialized("2025-11-25"))
					return
				}
				v.WriteHeader(405)
				io.WriteString(v, "no")
			})
		}
		h := http.Header{"X-Key": {"k"}, "Accept": {"text/plain"}}
		c := dial(t, s, mcp.V2025_11_25, &httpclient.Options{Header: h}, nil)
		c.Close()
		want := []string{"POST k application/json, text/event-stream", "GET k text/event-stream", "DELETE k text/plain"}
		if !slices.Equal(seen, want) {
			t.Errorf("got %q, want %q", seen, want)
		}
	})
}
