package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A shop is a server that may be changed before it is made.
type shop struct {
	info         mcp.Implementation
	instructions string
	tools        []mcp.Tool
	prompts      []mcp.Prompt
	resources    []mcp.Resource
	capabilities mcp.ServerCapabilities
	revisions    []wire.Revision
	respond      func(tool string, args map[string]any) (*mcp.CallToolResult, error)
	hangUp       func() // ends the connection
	connected    func() // is called for each connection; it may be nil
}

func yes() *bool { v := true; return &v }

// newShop returns a server with whatever recordings are about.
func newShop() *shop {
	s := &shop{info: mcp.Implementation{Name: "shop", Version: "1.0.0"}, instructions: "Ask first."}
	reads := func() *mcp.ToolAnnotations { return &mcp.ToolAnnotations{ReadOnlyHint: yes()} }
	s.tools = []mcp.Tool{
		{
			Name: "find", Title: "Find goods", Description: "Finds goods.", Annotations: reads(),
			InputSchema: wire.Raw(`{"type":"object","properties":{"query":{"type":"string","minLength":1,"title":"Query"},
				"limit":{"type":"integer","minimum":1,"maximum":50,"default":10},"kind":{"enum":["book","toy"]}},"required":["query"]}`),
			OutputSchema: wire.Raw(`{"type":"object","properties":{"hits":{"type":"array","items":{"type":"string"}},"next":{"type":["string","null"]}},"required":["hits","next"]}`),
		},
		{Name: "logo", Annotations: reads(), InputSchema: wire.Raw(`{"type":"object"}`)},
		{Name: "buy", Description: "Buys.", InputSchema: wire.Raw(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)},
	}
	s.prompts = []mcp.Prompt{{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who", Required: yes()}}}}
	s.resources = []mcp.Resource{{URI: "shop://a", Name: "a", MIMEType: "text/plain"}}
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		switch tool {
		case "find":
			query, ok := args["query"].(string)
			if !ok {
				return nil, errors.New("query: want a text")
			}
			for name := range args {
				if name != "query" && name != "limit" && name != "kind" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such argument"}
				}
			}
			text := fmt.Sprintf(`{"hits":[%q,"b"],"next":null}`, query)
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{server.Text(text)}, StructuredContent: wire.Raw(text)}, nil
		case "logo":
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{server.Text("The logo:"), server.Image("image/png", []byte("PNG"))}}, nil
		}
		return server.TextResult("bought"), nil
	}
	return s
}

func (s *shop) tool(name string) *mcp.Tool {
	return &s.tools[slices.IndexFunc(s.tools, func(t mcp.Tool) bool { return t.Name == name })]
}

// edit replaces a part of the input schema of a tool, or of its output schema.
func (s *shop) edit(tool, old, new string) {
	t := s.tool(tool)
	before := len(t.InputSchema) + len(t.OutputSchema)
	was := string(t.InputSchema) + string(t.OutputSchema)
	t.InputSchema = wire.Raw(strings.Replace(string(t.InputSchema), old, new, 1))
	t.OutputSchema = wire.Raw(strings.Replace(string(t.OutputSchema), old, new, 1))
	if was == string(t.InputSchema)+string(t.OutputSchema) && before > 0 {
		panic("nothing is edited: " + old)
	}
}

// reply changes the successful results of a tool.
func (s *shop) reply(tool string, change func(r *mcp.CallToolResult)) {
	respond := s.respond
	s.respond = func(name string, args map[string]any) (*mcp.CallToolResult, error) {
		r, err := respond(name, args)
		if err == nil && name == tool {
			change(r)
		}
		return r, err
	}
}

func (s *shop) server() (*server.Server, error) {
	made := server.New(s.info, &server.Options{
		Instructions: s.instructions, Revisions: s.revisions, Capabilities: s.capabilities, Logger: slog.New(slog.DiscardHandler),
	})
	for _, t := range s.tools {
		err := made.AddTool(t, func(_ context.Context, _ *server.Call, text wire.Raw) (*mcp.CallToolResult, error) {
			var args map[string]any
			if err := json.Unmarshal(text, &args); text != nil && err != nil {
				return nil, err
			}
			return s.respond(t.Name, args)
		})
		if err != nil {
			return nil, err
		}
	}
	for _, p := range s.prompts {
		if err := made.AddPrompt(p, func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		}); err != nil {
			return nil, err
		}
	}
	for _, r := range s.resources {
		if err := made.AddResource(r, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		}); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// recorder returns a recorder of a server.
func recorder(t *testing.T, s *shop, secrets *Secrets) *Recorder {
	t.Helper()
	made, err := s.server()
	if err != nil {
		t.Fatal(err)
	}
	return &Recorder{Secrets: secrets, Notes: func(note string) { t.Log(note) }, Connect: func(ctx context.Context, r wire.Revision) (*client.Client, func() error, error) {
		a, b := inmem.Pair(0)
		s.hangUp = func() { a.Close() }
		if s.connected != nil {
			s.connected()
		}
		done := make(chan error, 1)
		ctx, cancel := context.WithCancel(ctx)
		go func() { done <- made.Serve(ctx, a) }()
		c, err := client.Connect(ctx, b, &client.Options{Revisions: []wire.Revision{r}, Logger: slog.New(slog.DiscardHandler)})
		end := func() error {
			if c != nil {
				c.Close()
			}
			cancel()
			<-done
			return nil
		}
		if err != nil {
			end()
			return nil, nil, err
		}
		return c, end, nil
	}}
}

func record(t *testing.T, s *shop, secrets *Secrets) *Recording {
	t.Helper()
	rec, err := recorder(t, s, secrets).Record(t.Context(), []Call{
		{Tool: "buy", Arguments: json.RawMessage(`{"id":"1"}`), Case: Given}, {Tool: "find", Arguments: json.RawMessage(`{"query":null}`), Case: Given},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// compare compares a server with a recording.
func compare(t *testing.T, old *Recording, s *shop, secrets *Secrets) []Difference {
	t.Helper()
	now, err := recorder(t, s, secrets).Replay(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	return Compare(old, now)
}

// TestRecord records the same server twice, which gives the same bytes, and compares it with itself.
func TestRecord(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	first, err := record(t, newShop(), nil).Format(nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := record(t, newShop(), nil).Format(nil)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("the second recording differs, %v: %s", err, cmp.Diff(string(first), string(second)))
	}
	rec, err := Parse("shop.json", first)
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for _, c := range rec.Calls {
		cases = append(cases, c.Tool+" "+c.Case+" "+string(compacted(c.Arguments)))
	}
	want := []string{
		`buy given {"id":"1"}`, `find given {"query":null}`, `find valid {"query":"example"}`, `find missing query {}`, `find wrong type of query {"query":{}}`,
		`find unknown argument {"mcpgen_unknown_argument":true,"query":"example"}`, `logo valid {}`, `logo unknown argument {"mcpgen_unknown_argument":true}`,
	}
	if diff := cmp.Diff(want, cases); diff != "" {
		t.Errorf("calls, -want +got:\n%s", diff)
	}
	if len(rec.Revisions) != len(client.Revisions()) {
		t.Errorf("%d revisions, want %d", len(rec.Revisions), len(client.Revisions()))
	}
	var kinds []string
	for _, o := range rec.Revisions[len(rec.Revisions)-1].Outcomes {
		kinds = append(kinds, o.Kind)
	}
	if diff := cmp.Diff([]string{Result, ToolError, Result, ToolError, ToolError, Refused, Result, Result}, kinds); diff != "" {
		t.Errorf("outcomes, -want +got:\n%s", diff)
	}
	if all := compare(t, rec, newShop(), nil); len(all) > 0 {
		t.Errorf("the same server differs: %+v", all)
	}
}

// TestChanges makes one change after another to a server: each is found, and nothing else.
func TestChanges(t *testing.T) {
	old := record(t, newShop(), nil)
	newest := mcp.V2026_07_28.String()
	for _, test := range []struct {
		name   string
		change func(s *shop)
		want   string // of what is found; a first ! says that it breaks clients
		more   int    // how many other differences are of the same change
	}{
		{"argument renamed", func(s *shop) {
			s.edit("buy", `"id":{"type":"string"}},"required":["id"]`, `"key":{"type":"string"}},"required":["key"]`)
		}, "!tool buy: input.id: renamed to key", 0},
		{"argument required", func(s *shop) { s.edit("find", `"required":["query"]`, `"required":["query","kind"]`) }, "!tool find: input.kind: ", 0},
		{"range narrowed", func(s *shop) { s.edit("find", `"maximum":50`, `"maximum":20`) }, "!tool find: input.limit: ", 0},
		{"range widened", func(s *shop) { s.edit("find", `"maximum":50`, `"maximum":60`) }, "tool find: input.limit: ", 0},
		{"default changed", func(s *shop) { s.edit("find", `"default":10`, `"default":20`) }, "tool find: input.limit: default", 0},
		{"value of an enum gone", func(s *shop) { s.edit("find", `["book","toy"]`, `["book"]`) }, "!tool find: input.kind: ", 0},
		{"title of an argument", func(s *shop) { s.edit("find", `"title":"Query"`, `"title":"What"`) }, "tool find: input.query.title: changed", 0},
		{"type of a result", func(s *shop) { s.edit("find", `"next":{"type":["string","null"]}`, `"next":{"type":"null"}`) }, "tool find: output.next: ", 0},
		{"output schema gone", func(s *shop) { s.tool("find").OutputSchema = nil }, "!tool find: output: ", 0},
		{"description", func(s *shop) { s.tool("find").Description = "Finds things." }, "tool find: description changed", 0},
		{"title", func(s *shop) { s.tool("find").Title = "Search" }, `tool find: title: changed from "Find goods" to "Search"`, 0},
		{"annotation", func(s *shop) { s.tool("logo").Annotations = nil }, "!tool logo: no longer readonly", 0},
		{"tool gone", func(s *shop) { s.tools = s.tools[:2] }, "!tool buy: removed", 1},
		{"tool added", func(s *shop) {
			s.tools = append(s.tools, mcp.Tool{Name: "sell", InputSchema: wire.Raw(`{"type":"object"}`)})
		}, "tool sell: added", 0},
		{"prompt argument", func(s *shop) { s.prompts[0].Arguments[0].Required = nil }, "prompt greet: arguments.who: ", 0},
		{"resource gone", func(s *shop) { s.resources[0].URI = "shop://b" }, "!resource shop://a: removed", 1},
		{"MIME type", func(s *shop) { s.resources[0].MIMEType = "text/html" }, "!resource shop://a: MIME type: changed", 1},
		{"instructions", func(s *shop) { s.instructions = "" }, `instructions: removed, was "Ask first."`, 0},
		{"name of the server", func(s *shop) { s.info.Name = "store" }, `server: name: changed from "shop" to "store"`, 0},
		{"capability gone", func(s *shop) { s.resources = nil }, "!capabilities.resources: removed", 1},
		{"capability", func(s *shop) { s.capabilities.Completions = mcp.JSONObject{} }, "capabilities.completions: added", 0},
		{"revision gone", func(s *shop) { s.revisions = []wire.Revision{mcp.V2026_07_28} }, "!the server does not speak revision 2024-11-05", len(server.Revisions()) - 2},
		{"other error text", func(s *shop) {
			respond := s.respond
			s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
				r, err := respond(tool, args)
				if err != nil && err.Error() == "query: want a text" {
					err = errors.New("query is missing")
				}
				return r, err
			}
		}, `tool find: call with {"query":null} (given): content[0].text: changed from "query: want a text" to "query is missing"`, 0},
		{"other kind of error", func(s *shop) {
			respond := s.respond
			s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
				r, err := respond(tool, args)
				if err != nil {
					err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such argument"}
				}
				return r, err
			}
		}, "!tool find: call with {} (missing query): from tool error to error response: ", 2},
		{"other code", func(s *shop) {
			respond := s.respond
			s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
				r, err := respond(tool, args)
				if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
					err = &jsonrpc.Error{Code: -32000, Message: e.Message}
				}
				return r, err
			}
		}, `!tool find: call with {"mcpgen_unknown_argument":true,"query":"example"} (unknown argument): code: changed from -32602 to -32000`, 0},
		{"mistake accepted", func(s *shop) {
			respond := s.respond
			s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
				delete(args, unknownArgument)
				return respond(tool, args)
			}
		}, `tool find: call with {"mcpgen_unknown_argument":true,"query":"example"} (unknown argument): from error response to result`, 0},
		{"success fails", func(s *shop) { s.reply("buy", func(r *mcp.CallToolResult) { r.IsError = yes() }) },
			`!tool buy: call with {"id":"1"} (given): from result to tool error: {"content":[{"text":"bought","type":"text"}],"isError":true}`, 0},
		{"lost null", func(s *shop) {
			s.tool("find").OutputSchema = nil
			s.reply("find", func(r *mcp.CallToolResult) {
				r.StructuredContent = wire.Raw(strings.Replace(string(r.StructuredContent), `,"next":null`, "", 1))
				r.Content[0] = server.Text(string(r.StructuredContent))
			})
		}, `!tool find: call with {"query":"example"} (valid): structuredContent.next: removed, was null`, 2},
		{"order of items", func(s *shop) {
			s.reply("find", func(r *mcp.CallToolResult) {
				r.StructuredContent = wire.Raw(`{"hits":["b","example"],"next":null}`)
				r.Content[0] = server.Text(string(r.StructuredContent))
			})
		}, `!tool find: call with {"query":"example"} (valid): structuredContent.hits: the items are in another order`, 1},
		{"no structured content", func(s *shop) {
			s.tool("find").OutputSchema = nil
			s.reply("find", func(r *mcp.CallToolResult) { r.StructuredContent = nil })
		}, `!tool find: call with {"query":"example"} (valid): structuredContent: removed`, 1},
		{"same JSON, other text", func(s *shop) {
			s.reply("find", func(r *mcp.CallToolResult) {
				r.Content[0] = server.Text(strings.ReplaceAll(string(r.StructuredContent), ",", ", "))
			})
		}, `tool find: call with {"query":"example"} (valid): content[0].text: the same JSON, written in another way`, 1},
		{"other order of content", func(s *shop) { s.reply("logo", func(r *mcp.CallToolResult) { slices.Reverse(r.Content) }) },
			`!tool logo: call with {} (valid): content: the blocks are in another order`, 1},
		{"block gone", func(s *shop) { s.reply("logo", func(r *mcp.CallToolResult) { r.Content = r.Content[:1] }) },
			`!tool logo: call with {} (valid): content: 1 blocks, was 2`, 1},
		{"other bytes", func(s *shop) {
			s.reply("logo", func(r *mcp.CallToolResult) { r.Content[1] = server.Image("image/png", []byte("PNg")) })
		}, `!tool logo: call with {} (valid): content[1].data: changed from "UE5H" to "UE5n"`, 1},
		{"other text", func(s *shop) {
			s.reply("buy", func(r *mcp.CallToolResult) { r.Content[0] = server.Text("Bought") })
		}, `!tool buy: call with {"id":"1"} (given): content[0].text: changed from "bought" to "Bought"`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop()
			test.change(s)
			all := compare(t, old, s, nil)
			want, breaking := strings.CutPrefix(test.want, "!")
			at := slices.IndexFunc(all, func(d Difference) bool { return strings.HasPrefix(d.What, want) && d.Breaking == breaking })
			if at < 0 || len(all) != test.more+1 {
				t.Fatalf("want %q, breaking %t, and %d others, got %+v", want, breaking, test.more, all)
			}
			if d := all[at]; d.Revisions != nil && !slices.Contains(d.Revisions, newest) && test.name != "revision gone" {
				t.Errorf("%q is of %v alone", d.What, d.Revisions)
			}
		})
	}
}

// TestRevisions proves nothing by a revision that is not in a recording.
func TestRevisions(t *testing.T) {
	r := recorder(t, newShop(), nil)
	r.Revisions = []wire.Revision{mcp.V2025_06_18}
	rec, err := r.Record(t.Context(), nil)
	if err != nil || len(rec.Revisions) != 1 {
		t.Fatalf("recording %+v, %v", rec, err)
	}
	r.Revisions = []wire.Revision{mcp.V2025_11_25}
	if _, err := r.Replay(t.Context(), rec); err == nil {
		t.Error("there is nothing to compare, and no error")
	}
	s := newShop()
	s.revisions = []wire.Revision{mcp.V2026_07_28}
	if all := compare(t, rec, s, nil); len(all) != 1 || !all[0].Breaking || all[0].Revisions != nil {
		t.Errorf("no revision in common: %+v", all)
	}
}

// TestOrder finds lists in another order.
func TestOrder(t *testing.T) {
	old, now := record(t, newShop(), nil), record(t, newShop(), nil)
	slices.Reverse(now.Revisions[0].Tools)
	want := []Difference{{What: "tools: listed in another order", Revisions: []string{"2024-11-05"}}}
	if diff := cmp.Diff(want, Compare(old, now)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestVaries compares what varies by the kinds of its values.
func TestVaries(t *testing.T) {
	var n atomic.Int64
	varying := func() *shop {
		s := newShop()
		s.reply("logo", func(r *mcp.CallToolResult) { r.Content[0] = server.Text(fmt.Sprint("Call ", n.Add(1))) })
		return s
	}
	old := record(t, varying(), nil)
	if all := compare(t, old, varying(), nil); len(all) > 0 {
		t.Errorf("what varies differs: %+v", all)
	}
	s := varying()
	s.reply("logo", func(r *mcp.CallToolResult) { r.Content = r.Content[1:] })
	if all := compare(t, old, s, nil); len(all) != 2 || !all[0].Breaking || !strings.Contains(all[0].What, "the kinds of values") {
		t.Errorf("want a block less found in two calls, got %+v", all)
	}
}

// TestAccepted accepts differences by a file.
func TestAccepted(t *testing.T) {
	s := newShop()
	s.reply("buy", func(r *mcp.CallToolResult) { r.Content[0] = server.Text("Bought") })
	s.reply("logo", func(r *mcp.CallToolResult) { r.Content = r.Content[:1] })
	all := compare(t, record(t, newShop(), nil), s, nil)
	if len(all) != 3 {
		t.Fatalf("want 3 differences, got %+v", all)
	}
	a := ParseAccepted([]byte("# ours\n\n" + all[0].What + "\ntool logo: call with *: content*\ntool other: *\n"))
	a.Mark(all)
	for _, d := range all {
		if !d.Accepted {
			t.Errorf("not accepted: %+v", d)
		}
	}
	if got := a.Unused(); !slices.Equal(got, []int{5}) {
		t.Errorf("unused lines: %v, want 5", got)
	}
}
