package contract_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestCompareClient has changes of a server's schemas, in testdata/client.txt: a schema before and after, and what that
// means to those who use a client of it, when it is sent and when it is returned.
func TestCompareClient(t *testing.T) {
	of := func(schema string) *contract.Definitions {
		s := wire.Raw(`{"type": "object"` + schema + `}`)
		return &contract.Definitions{Tools: []mcp.Tool{{Name: "t", InputSchema: s, OutputSchema: s}}}
	}
	testTable(t, "client.txt", func(old, new string) []contract.Change {
		all, err := contract.CompareClient(of(old), of(new))
		if err != nil {
			t.Fatalf("%s\n%s\n%v", old, new, err)
		}
		for _, c := range all {
			if c.Breaking != (c.Cure != "") {
				t.Errorf("%s: breaking is %v, cure is %q", c, c.Breaking, c.Cure)
			}
		}
		return all
	})
}

// shop is what a server lists.
func shop() *contract.Definitions {
	yes, no := true, false
	return &contract.Definitions{
		Server: mcp.Implementation{Name: "shop", Title: "Shop", Version: "1.2.3"},
		Tools: []mcp.Tool{
			{Name: "search", Title: "Search", Description: "Searches.\n\nAll shelves.", InputSchema: wire.Raw(`{"$schema":"https://json-schema.org/draft-07/schema#","type":"object","properties":{"query":{"type":"string","description":"What for"},"limit":{"type":"integer","default":10}},"required":["query"]}`),
				OutputSchema: wire.Raw(`{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/definitions/item"}}},"definitions":{"item":{"type":"object","properties":{"id":{"type":["string","null"]}}}}}`),
				Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: &yes, OpenWorldHint: &no}, Icons: []mcp.Icon{{Src: "data:,"}}},
			{Name: "buy", InputSchema: wire.Raw(`{"type":"object"}`), Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}},
		},
		Prompts:           []mcp.Prompt{{Name: "greet", Description: "Greets", Arguments: []mcp.PromptArgument{{Name: "who", Title: "Who", Description: "Whom", Required: &yes}, {Name: "how"}}}},
		ResourceTemplates: []mcp.ResourceTemplate{{Name: "shelf", URITemplate: "shop://shelf/{number}", MIMEType: "text/plain"}},
	}
}

const shopLock = `{
  "version": 1,
  "kind": "client",
  "server": {
    "name": "shop",
    "title": "Shop",
    "version": "1.2.3"
  },
  "tools": {
    "buy": {
      "taskSupport": "required",
      "input": {"type": "object"}
    },
    "search": {
      "title": "Search",
      "description": "Searches.\n\nAll shelves.",
      "annotations": {"readOnlyHint": true, "openWorldHint": false},
      "input": {
        "$schema": "https://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
          "query": {"type": "string", "description": "What for"},
          "limit": {"type": "integer", "default": 10}
        },
        "required": ["query"]
      },
      "output": {
        "type": "object",
        "properties": {
          "items": {"type": "array", "items": {"$ref": "#/definitions/item"}}
        },
        "definitions": {
          "item": {
            "type": "object",
            "properties": {
              "id": {"type": ["string", "null"]}
            }
          }
        }
      }
    }
  },
  "prompts": {
    "greet": {
      "description": "Greets",
      "arguments": {
        "type": "object",
        "properties": {
          "who": {"type": "string", "title": "Who", "description": "Whom"},
          "how": {"type": "string"}
        },
        "required": ["who"],
        "additionalProperties": false
      }
    }
  },
  "resources": {
    "shop://shelf/{number}": {
      "name": "shelf",
      "mimeType": "text/plain"
    }
  },
  "names": {
    "tools/buy": "Buy",
    "tools/search": "Search"
  }
}
`

// TestClientLock writes the lock file of a client, and reads it: nothing is lost but icons.
func TestClientLock(t *testing.T) {
	goNames := map[string]string{"tools/search": "Search", "tools/buy": "Buy"}
	text, err := contract.FormatClient(shop(), goNames)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shopLock, string(text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, names, err := contract.ParseClient("mcp.client.lock.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goNames, names); diff != "" {
		t.Errorf("names: -want +got:\n%s", diff)
	}
	if changes, err := contract.CompareClient(shop(), again); err != nil || len(changes) > 0 {
		t.Errorf("changes to itself: %v\n%s", err, lines(changes))
	}
	if more, err := contract.FormatClient(again, names); err != nil || string(more) != shopLock {
		t.Errorf("read and written: %v\n%s", err, cmp.Diff(shopLock, string(more)))
	}
	if !contract.IsClient(text) || contract.IsClient([]byte(weatherLock)) || contract.IsClient([]byte("{")) || contract.IsClient([]byte(`{"kind": "client", "kind": 1}`)) {
		t.Error("IsClient is wrong")
	}
}

// TestClientLockOfLittle writes what has few members, and one name.
func TestClientLockOfLittle(t *testing.T) {
	d := &contract.Definitions{Tools: []mcp.Tool{{Name: "t"}}, Prompts: []mcp.Prompt{{Name: "p"}, {Name: "q", Arguments: []mcp.PromptArgument{{Name: "a"}}}}}
	text, err := contract.FormatClient(d, map[string]string{"tools/t": "T"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 1,
  "kind": "client",
  "tools": {
    "t": {}
  },
  "prompts": {
    "p": {
      "arguments": {"type": "object", "additionalProperties": false}
    },
    "q": {
      "arguments": {
        "type": "object",
        "properties": {
          "a": {"type": "string"}
        },
        "additionalProperties": false
      }
    }
  },
  "names": {
    "tools/t": "T"
  }
}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text, err := contract.FormatClient(&contract.Definitions{}, nil); err != nil || string(text) != "{\n  \"version\": 1,\n  \"kind\": \"client\"\n}\n" {
		t.Errorf("of nothing: %s, %v", text, err)
	}
}

// TestClientEntries changes more than schemas.
func TestClientEntries(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(d *contract.Definitions)
		want   string
	}{
		{"descriptions, titles and version", func(d *contract.Definitions) {
			d.Server.Version, d.Tools[0].Title, d.Tools[0].Description, d.Prompts[0].Arguments[0].Description = "2", "", "", ""
		}, ""},
		{"tool removed and added", func(d *contract.Definitions) {
			d.Tools[0].Name, d.Tools[0].InputSchema = "find", wire.Raw(`{"type":"object"}`)
		}, "  tool find: added\n! tool search: removed; use another tool\n"},
		{"tool renamed", func(d *contract.Definitions) { d.Tools[0].Name = "find" }, "! tool search: renamed to find; regenerate, and use find\n"},
		{"no longer readonly", func(d *contract.Definitions) { d.Tools[0].Annotations = nil },
			"! tool search: no longer readonly; see whether it may still be called without asking\n! tool search: no longer closedworld; see whether it may still be called without asking\n"},
		{"only as a task", func(d *contract.Definitions) {
			d.Tools[0].Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}
		}, "  tool search: tasks now\n! tool search: task now; let calls run as tasks, by Tasks in client.Options\n"},
		{"output schema removed", func(d *contract.Definitions) { d.Tools[0].OutputSchema = nil },
			"! tool search: output: result changed from structured with content to content; regenerate, and read the result as it is now\n"},
		{"output schema added", func(d *contract.Definitions) { d.Tools[1].OutputSchema = wire.Raw(`{"type":"object"}`) },
			"  tool buy: output: result changed from content to structured with content\n"},
		{"prompt", func(d *contract.Definitions) {
			yes := true
			d.Prompts[0].Arguments = []mcp.PromptArgument{{Name: "who"}, {Name: "where", Required: &yes}}
		}, "! prompt greet: arguments.how: removed; regenerate, and do not send it\n  prompt greet: arguments.who: optional now\n! prompt greet: arguments.where: added, required; regenerate, and send it\n"},
		{"template", func(d *contract.Definitions) { d.ResourceTemplates[0].MIMEType = "text/csv" },
			"! resource shop://shelf/{number}: MIME type: changed from text/plain to text/csv; read contents of the new type\n"},
		{"template of another name", func(d *contract.Definitions) { d.ResourceTemplates[0].Name = "case" },
			"  resource shop://shelf/{number}: name: changed from shelf to case\n"},
		{"template without a type", func(d *contract.Definitions) { d.ResourceTemplates[0].MIMEType = "" },
			"! resource shop://shelf/{number}: MIME type: removed, was text/plain; be ready for contents of any type\n"},
		{"the contrary of promises", func(d *contract.Definitions) {
			yes, no := true, false
			d.Tools[0].Annotations = &mcp.ToolAnnotations{ReadOnlyHint: &no, DestructiveHint: &yes, IdempotentHint: &no, OpenWorldHint: &yes}
		}, "! tool search: no longer readonly; see whether it may still be called without asking\n! tool search: no longer closedworld; see whether it may still be called without asking\n"},
		{"other promises", func(d *contract.Definitions) {
			yes, no := true, false
			d.Tools[1].Annotations = &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: &yes}
		}, "  tool buy: nondestructive now\n  tool buy: idempotent now\n"},
		{"a task if one likes", func(d *contract.Definitions) {
			d.Tools[1].Execution = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
		}, "  tool buy: no longer task\n"},
		{"no task", func(d *contract.Definitions) { d.Tools[1].Execution = nil },
			"! tool buy: no longer tasks; see whether it may still be called without asking\n  tool buy: no longer task\n"},
		{"output schema of anything", func(d *contract.Definitions) { d.Tools[0].OutputSchema = wire.Raw(`true`) },
			"! tool search: output: no longer limited to type object; be ready for what it may be now\n! tool search: output.items: removed; regenerate, and do without it\n"},
		{"input schema of anything", func(d *contract.Definitions) { d.Tools[1].InputSchema = wire.Raw(`true`) },
			"  tool buy: input: no longer limited to type object\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := shop()
			test.change(now)
			all, err := contract.CompareClient(shop(), now)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, c := range all {
				if c.Breaking {
					got.WriteString("! " + c.String() + "; " + c.Cure + "\n")
				} else {
					got.WriteString("  " + c.String() + "\n")
				}
			}
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestClosedArguments: check and client -check say the same about arguments, unless their objects do not say whether they
// are open. Those are open to check, and to client -check they are closed: a client sends what they declare.
func TestClosedArguments(t *testing.T) {
	const was, is = `"properties": {"a": {"type": "string"}}`, `"properties": {"a": {"type": "string"}, "b": {"type": "string"}}`
	for more, want := range map[string][2]bool{
		``:                                {true, false},
		`, "additionalProperties": false`: {false, false},
		`, "additionalProperties": true`:  {true, true},
		`, "additionalProperties": {}`:    {true, true},
		`, "additionalProperties": {"type": "string"}`:  {false, false},
		`, "additionalProperties": {"type": "integer"}`: {true, true},
	} {
		for _, form := range []string{`, %s`, `, "properties": {"c": {"type": "object", %s}}, "additionalProperties": false`} {
			old, new := fmt.Sprintf(form, was+more), fmt.Sprintf(form, is+more)
			breaks := func(all []contract.Change) bool {
				return slices.ContainsFunc(all, func(c contract.Change) bool { return c.Breaking })
			}
			of := func(schema string) *contract.Definitions {
				return &contract.Definitions{Tools: []mcp.Tool{{Name: "t", InputSchema: wire.Raw(`{"type": "object"` + schema + `}`)}}}
			}
			client, err := contract.CompareClient(of(old), of(new))
			if err != nil {
				t.Fatal(err)
			}
			if got := [2]bool{breaks(contract.Compare(lock(t, old, ""), lock(t, new, ""))), breaks(client)}; got != want {
				t.Errorf("%s: check and client -check say that it breaks: %v, want %v", old, got, want)
			}
		}
	}
}

// TestServerDefinitions makes definitions of the lock file of a server.
func TestServerDefinitions(t *testing.T) {
	d := parse(t, weatherLock).Definitions()
	text, err := contract.FormatClient(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"annotations": {"destructiveHint": false, "idempotentHint": true, "openWorldHint": false}`,
		`"days": {"type": "integer", "minimum": 1, "maximum": 14, "default": 3}`,
		`"weather://{station}/now": {`,
		`"city": {"type": "string"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "x-") || strings.Contains(string(text), "weather://stations") {
		t.Errorf("there is what only the lock file of a server has:\n%s", text)
	}
}

func TestParseClientErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"{\n<<<<<<< a\n}", `l.json:2: a conflict of a merge (<<<<<<<): take the file of either side, then run mcpgen client, which adds what the other side added`},
		{"[]", `l.json: the file: want an object`},
		{"{", `l.json:1:1: not JSON: unexpected end of JSON input: mend it, or take the file from version control`},
		{`{"version": 1, "kind": "client", "tools": {"t": {"input": {}, "annotations": {"readOnlyHint": 3}}}}`, `l.json: tools.t.annotations: ToolAnnotations: readOnlyHint: want boolean, got number`},
		{`{"version": 1, "kind": "client", "server": {"names": "n"}}`, `l.json: server: unknown member "names"; known: name, title, version`},
		{`{"version": 1, "kind": "client", "server": {"title": 3}}`, `l.json: server.title: want a string`},
		{`{"version": 1, "kind": "client", "resources": {"a://{b}": {"description": "d"}}}`, `l.json: resources.a://{b}.name: want a string`},
		{weatherLock, `l.json: kind: want "client"`},
		{`{"version": 9, "kind": "client"}`, `l.json: version: want 1, got 9: use the mcpgen that wrote it, or remove the file`},
		{`{"version": 1, "kind": "client", "tools": {"t": {}}}`, `l.json: tools.t.input: missing`},
		{`{"version": 1, "kind": "client", "tools": {"t": {"input": {}, "inputs": 1}}}`, `l.json: tools.t: unknown member "inputs"; known: title, description, annotations, taskSupport, input, output`},
		{`{"version": 1, "kind": "client", "names": {"t": 1}}`, `l.json: names.t: want a string`},
		{`{"version": 1, "kind": "client", "prompts": {"t": {"arguments": []}}}`, `l.json: prompts.t.arguments: want a schema with "type": "object"`},
	} {
		if _, _, err := contract.ParseClient("l.json", []byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// TestListedBooleans: what a server lists does not change what the schemas true and false mean elsewhere.
func TestListedBooleans(t *testing.T) {
	of := func(schema string) *contract.Definitions {
		return &contract.Definitions{Tools: []mcp.Tool{{Name: "t", InputSchema: wire.Raw(schema)}}}
	}
	for _, test := range []struct{ was, is, want string }{
		{`{"type": "object"}`, `true`, "  tool t: input: no longer limited to type object\n"},
		{`{"type": "object"}`, `false`, "! tool t: input: no longer allowed\n"},
		{`false`, `{"type": "object"}`, "  tool t: input: allowed now\n"},
		{`{"properties": {"a": true, "b": false, "c": {}}}`, `{"properties": {"a": {"type": "object", "properties": {"x": {}}}, "b": {"type": "string"}, "c": true}}`,
			"! tool t: input.a: limited to type object\n  tool t: input.a.x: added, optional\n! tool t: input.a: other members are no longer allowed\n  tool t: input.b: allowed now\n"},
	} {
		all, err := contract.CompareClient(of(test.was), of(test.is))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, lines(all)); diff != "" {
			t.Errorf("%s, %s: -want +got:\n%s", test.was, test.is, diff)
		}
	}
}

// TestListedErrors has what a server may list, and what neither a comparison nor a lock file takes.
func TestListedErrors(t *testing.T) {
	tools := func(schemas ...string) *contract.Definitions {
		d := &contract.Definitions{}
		for _, s := range schemas {
			d.Tools = append(d.Tools, mcp.Tool{Name: "a", InputSchema: wire.Raw(`{}`), OutputSchema: wire.Raw(s)})
		}
		return d
	}
	prompt, template := mcp.Prompt{Name: "p"}, mcp.ResourceTemplate{URITemplate: "a://{b}"}
	for _, test := range []struct {
		d                *contract.Definitions
		compared, format string
	}{
		{tools(`{}`, `{}`), `the tool "a" is listed twice`, ""},
		{&contract.Definitions{Prompts: []mcp.Prompt{prompt, prompt}}, `the prompt "p" is listed twice`, ""},
		{&contract.Definitions{ResourceTemplates: []mcp.ResourceTemplate{template, template}}, `the resource template "a://{b}" is listed twice`, ""},
		{tools(`{"a": 1, "a": 2}`), `tool "a": outputSchema:1:13: "a" occurs twice in one object`, `tool "a": output:1:13: "a" occurs twice in one object`},
		{tools(`3`), `tool "a": outputSchema: want a schema, got 3`, ""},
		{&contract.Definitions{Tools: []mcp.Tool{{Name: "a", InputSchema: wire.Raw(`[]`)}}}, `tool "a": inputSchema: want a schema, got []`, ""},
	} {
		say := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		_, err := contract.CompareClient(shop(), test.d)
		_, turned := contract.CompareClient(test.d, shop())
		_, words := contract.ClientDescriptions(shop(), test.d)
		_, format := contract.FormatClient(test.d, nil)
		got := []string{say(err), say(turned), say(words), say(format)}
		if want := []string{test.compared, test.compared, test.compared, test.format}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzParseClient(f *testing.F) {
	f.Add([]byte(shopLock))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, names, err := contract.ParseClient("l.json", data)
		if err != nil {
			return
		}
		text, err := contract.FormatClient(d, names)
		if err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		again, _, err := contract.ParseClient("l.json", text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
		if changes, err := contract.CompareClient(d, again); err == nil && len(changes) > 0 {
			t.Fatalf("changes to itself:\n%s\n%s", lines(changes), text)
		}
		_, _ = contract.CompareClient(shop(), d)
	})
}

// A client is made of the tools that everybody has.
func TestDefinitionsOfVariants(t *testing.T) {
	c := parse(t, weatherLock)
	before := len(c.Definitions().Tools)
	for name, tool := range maps.Clone(c.Tools) {
		c.Tools[name+contract.VariantMark+"beta"] = tool
	}
	if d := c.Definitions(); len(d.Tools) != before || before == 0 {
		t.Errorf("got %d tools, want %d", len(d.Tools), before)
	}
}
