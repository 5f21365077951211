package adopt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestOnce makes the user's own calls once in each revision, and those that change nothing twice.
func TestOnce(t *testing.T) {
	s := newShop()
	calls := map[string]int{}
	respond := s.respond
	s.respond = func(tool string, args map[string]any) (*mcp.CallToolResult, error) {
		calls[tool]++
		return respond(tool, args)
	}
	old := record(t, s, nil)
	n := len(client.Revisions())
	if diff := cmp.Diff(map[string]int{"buy": n, "find": n + 4*2*n, "logo": 2 * 2 * n}, calls); diff != "" {
		t.Errorf("calls while recording, -want +got:\n%s", diff)
	}
	clear(calls)
	compare(t, old, s, nil)
	if diff := cmp.Diff(map[string]int{"buy": n, "find": 5 * n, "logo": 2 * n}, calls); diff != "" {
		t.Errorf("calls while checking, -want +got:\n%s", diff)
	}
}

// with returns a recording of one tool in one revision.
func with(revision string, t mcp.Tool) *Recording {
	if t.Name == "" {
		t.Name = "t"
	}
	if t.InputSchema == nil {
		t.InputSchema = wire.Raw(`{"type":"object"}`)
	}
	return &Recording{Revisions: []Revision{{Revision: revision, Tools: []mcp.Tool{t}}}}
}

// TestKnown compares nothing that a revision does not define.
func TestKnown(t *testing.T) {
	annotated := mcp.Tool{Title: "T", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: yes(), Title: "A"}, OutputSchema: wire.Raw(`{"type":"object"}`)}
	for revision, want := range map[string]int{"2024-11-05": 0, "2025-03-26": 2, "2025-06-18": 3} {
		if all := Compare(with(revision, annotated), with(revision, mcp.Tool{})); len(all) != want {
			t.Errorf("in %s there are %d differences, want %d: %+v", revision, len(all), want, all)
		}
	}
	titled := mcp.Tool{Annotations: &mcp.ToolAnnotations{Title: "A"}}
	if all := Compare(with("2025-06-18", titled), with("2025-06-18", mcp.Tool{Title: "A"})); len(all) != 0 {
		t.Errorf("the same title in another place differs: %+v", all)
	}
}

// TestNormal compares schemas that are written in different ways.
func TestNormal(t *testing.T) {
	for _, test := range []struct {
		was, is string // the schema of an argument
		same    bool
	}{
		{`{"type":["string","null"],"minLength":2}`, `{"anyOf":[{"type":"null"},{"type":"string","minLength":2}]}`, true},
		{`{"type":["string","null"],"minLength":2}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, false},
		{`{"type":["string"]}`, `{"type":"string"}`, true},
		{`{"type":["integer","array"],"items":{"type":"string"},"minimum":1}`, `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"integer","minimum":1}]}`, true},
		{`{"const":"a"}`, `{"type":"string","enum":["a"]}`, true},
		{`{"enum":[null,"a"]}`, `{"type":"string","enum":[null,"a"]}`, false},
		{`{"enum":[true]}`, `{"type":"boolean","enum":[true]}`, true},
		{`{"enum":[1,2]}`, `{"type":"integer","enum":[1,2]}`, true},
		{`{"enum":[1,"a"]}`, `{"type":"string","enum":[1,"a"]}`, false},
		{`{"enum":[1,"a"]}`, `{"type":"integer","enum":[1]}`, false},
		{`{"$ref":"#/$defs/Point"}`, `{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}`, true},
		{`{"$ref":"#/$defs/Point"}`, `{"type":"object","properties":{"x":{"type":"number"}}}`, false},
		{`{"type":"array","items":{"oneOf":[{"$ref":"#/$defs/Point"},{"type":"null"}]}}`, `{"type":"array","items":{"oneOf":[{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]},{"type":"null"}]}}`, true},
		{`{"$ref":"#/$defs/Tree"}`, `{"$ref":"#/$defs/Tree"}`, true},
		{`{"$ref":"#/$defs/Tree"}`, `{"type":"object"}`, false},
	} {
		tool := func(s string) mcp.Tool {
			return mcp.Tool{InputSchema: wire.Raw(fmt.Sprintf(`{"type":"object","properties":{"a":%s},"$defs":{"Point":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]},
				"Tree":{"type":"object","properties":{"in":{"$ref":"#/$defs/Tree"}}}}}`, s))}
		}
		if all := Compare(with("2025-06-18", tool(test.was)), with("2025-06-18", tool(test.is))); (len(all) == 0) != test.same {
			t.Errorf("%s and %s: want the same %t, got %+v", test.was, test.is, test.same, all)
		}
	}
}

// TestNormalDefinitions compares no definitions that are left over.
func TestNormalDefinitions(t *testing.T) {
	was := mcp.Tool{InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"$ref":"#/definitions/A"}},"definitions":{"A":{"$ref":"#/$defs/B"}},"$defs":{"B":{"type":"string"}}}`)}
	is := mcp.Tool{InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"type":"string"}}}`)}
	if n := normal(&was); string(n.InputSchema) != `{"properties":{"a":{"type":"string"}},"type":"object"}` || n.OutputSchema != nil {
		t.Errorf("the normal form is %s, %s", n.InputSchema, n.OutputSchema)
	}
	if all := Compare(with("2025-06-18", was), with("2025-06-18", is)); len(all) != 0 {
		t.Errorf("a schema without its definitions differs: %+v", all)
	}
}

// TestOutcomes compares responses.
func TestOutcomes(t *testing.T) {
	made := func(kind, value string, varies bool) *Recording {
		r := with("2025-06-18", mcp.Tool{})
		r.Calls = []Call{{Tool: "t", Case: Given}}
		o := Outcome{Kind: kind, Value: json.RawMessage(value), Varies: varies}
		if strings.HasPrefix(value, "sha256") {
			o.Value, o.Digest = nil, value
		}
		r.Revisions[0].Outcomes = []Outcome{o}
		return r
	}
	digest := (&Outcome{Value: json.RawMessage(`{"content":[]}`)}).digest()
	for _, test := range []struct {
		kind, was, is string
		varies        bool
		want          string // a first ! says that it breaks
	}{
		{Result, `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1.0}}`, false, "structuredContent.a: the same number, written as 1.0, was 1"},
		{Result, `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":2}}`, false, "!structuredContent.a: changed from 1 to 2"},
		{Result, `{"structuredContent":{"a":[1]}}`, `{"structuredContent":{"a":[1,2]}}`, false, "!structuredContent.a: 2 items, was 1"},
		{Result, `{"structuredContent":{"a":[{"b":1},2]}}`, `{"structuredContent":{"a":[{"b":1},"2"]}}`, false, `!structuredContent.a[1]: changed from 2 to "2"`},
		{Result, `{"structuredContent":[]}`, `{"structuredContent":{}}`, false, "!structuredContent: changed from [] to {}"},
		{Result, `{"content":[]}`, `{"content":[],"structuredContent":null}`, false, "structuredContent: added"},
		{Result, `{"content":[{"type":"text","text":"{\"a\":1}"}]}`, `{"content":[{"type":"text","text":"{\"a\":null}"}]}`, false, "!content[0].text.a: changed from 1 to null"},
		{Result, `{"content":[{"type":"text","text":"1"}]}`, `{"content":[{"type":"text","text":"1.0"}]}`, false, `!content[0].text: changed from "1" to "1.0"`},
		{Result, `{"content":[],"_meta":{"a":1}}`, `{"content":[]}`, false, `_meta: removed, was {"a":1}`},
		{Result, digest, `{"content":[]}`, false, ""},
		{Result, digest, `{"content":[{}]}`, false, "!the large result is another"},
		{Result, `{"content":["text"]}`, `{"content":[{"type":"text","text":"other"}]}`, true, ""},
		{Result, `{"content":["text"],"structuredContent":{"a":"number"}}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":null}}`, true, "!the kinds of values: changed"},
		{Result, `{"structuredContent":{"a":"number","b":["string"],"c":"array","d":"boolean"}}`, `{"structuredContent":{"a":1,"b":["x","y"],"c":[],"d":true}}`, true, ""},
		{Result, `{"structuredContent":1e400}`, `{"structuredContent":1e500}`, false, "!structuredContent: changed from 1e400 to 1e500"},
		{Result, `{"structuredContent":0}`, `{"structuredContent":""}`, false, `!structuredContent: changed from 0 to ""`},
		{Result, `{"content":[{"type":"text","text":"{}"}]}`, `{"content":[{"type":"text"}]}`, false, `!content[0].text: removed, was "{}"`},
		{Result, `{"structuredContent":"number"}`, `{"structuredContent":2}`, true, ""},
		{Result, `{"structuredContent":9007199254740993}`, `{"structuredContent":9007199254740992}`, false, "!structuredContent: changed from 9007199254740993 to 9007199254740992"},
		{Result, `{"structuredContent":1}`, `{"structuredContent":1.0000000000000001}`, false, "!structuredContent: changed from 1 to 1.0000000000000001"},
		{Result, `{"structuredContent":1}`, `{"structuredContent":"<b>"}`, false, `!structuredContent: changed from 1 to "<b>"`},
		{Refused, `{"code":1,"message":"a"}`, `{"code":1,"message":"b"}`, false, `message: changed from "a" to "b"`},
		{Refused, `{"code":1,"message":"a"}`, `{"code":2,"message":"a"}`, false, "!code: changed from 1 to 2"},
	} {
		all := Compare(made(test.kind, test.was, test.varies), made(test.kind, test.is, false))
		want, breaking := strings.CutPrefix(test.want, "!")
		if want == "" && len(all) > 0 || want != "" && (len(all) != 1 || all[0].Breaking != breaking || (all[0].Cure != "") != breaking || !strings.HasPrefix(all[0].What, "tool t: call with {} (given): "+want)) {
			t.Errorf("%s and %s: want %q, got %+v", test.was, test.is, test.want, all)
		}
	}
	if all := Compare(made(Result, `{"content":["text"]}`, true), made(Result, `{"content":["text"]}`, true)); len(all) > 0 {
		t.Errorf("what varies in both has another shape: %+v", all)
	}
	many := Compare(made(Result, `{"structuredContent":[1,2,3,4,5,6]}`, false), made(Result, `{"structuredContent":[0,1,2,3,4,5]}`, false))
	if len(many) != maxPlaces {
		t.Errorf("of six places, %d are reported", len(many))
	}
	// Clients of older revisions read no structured content.
	for _, varies := range []bool{false, true} {
		was := made(Result, `{"content":["text"],"structuredContent":{"a":"number"}}`, varies)
		is := made(Result, `{"content":["text"]}`, varies)
		for i, want := range []int{1, 0} {
			revision := []string{"2025-06-18", "2025-03-26"}[i]
			was.Revisions[0].Revision, is.Revisions[0].Revision = revision, revision
			if all := Compare(was, is); len(all) != want {
				t.Errorf("in %s: want %d differences, got %+v", revision, want, all)
			}
		}
	}
	gone := made(Result, `{}`, false)
	gone.Revisions[0].Outcomes = nil
	if all := Compare(made(Result, `{}`, false), gone); len(all) != 1 || !all[0].Breaking {
		t.Errorf("a call that was not made: %+v", all)
	}
}

// TestCapabilities compares what servers declare.
func TestCapabilities(t *testing.T) {
	made := func(text string) *Recording {
		r := with("2025-06-18", mcp.Tool{})
		if err := json.Unmarshal([]byte(text), &r.Revisions[0].Capabilities); err != nil {
			t.Fatal(err)
		}
		return r
	}
	want := []Difference{
		{Breaking: true, What: "capabilities.resources.subscribe: changed from true to false", Cure: "declare the same"},
		{Breaking: true, What: "capabilities.tools: removed", Cure: "declare it"},
		{What: "capabilities.logging: added"},
	}
	if diff := cmp.Diff(want, Compare(made(`{"tools":{},"resources":{"subscribe":true}}`), made(`{"logging":{},"resources":{"subscribe":false}}`))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestArguments makes arguments from schemas.
func TestArguments(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                                        `"example"`,
		`{"type":"string","minLength":9}`:                                          `"examplexx"`,
		`{"type":"string","maxLength":3}`:                                          `"exa"`,
		`{"type":"string","format":"date"}`:                                        `"2026-01-02"`,
		`{"type":"string","enum":["b","a"]}`:                                       `"b"`,
		`{"type":"integer"}`:                                                       `1`,
		`{"type":"integer","minimum":5,"multipleOf":4}`:                            `8`,
		`{"type":"integer","exclusiveMinimum":1}`:                                  `2`,
		`{"type":"integer","maximum":-3}`:                                          `-3`,
		`{"type":"number","exclusiveMaximum":1,"minimum":0.5}`:                     `0.75`,
		`{"type":"number","minimum":0.5}`:                                          `1`,
		`{"type":"number","minimum":0.25,"maximum":0.5}`:                           `0.375`,
		`{"type":"integer","multipleOf":4,"maximum":3}`:                            `0`,
		`{"type":"integer","exclusiveMaximum":1}`:                                  `0`,
		`{"type":"string","maxLength":7,"minLength":7}`:                            `"example"`,
		`{"type":"string","items":{"type":"integer"},"minItems":1}`:                `"example"`,
		`{"type":"string","properties":{"a":{}}}`:                                  `"example"`,
		`{"type":"integer","multipleOf":0.5,"minimum":1.2}`:                        `2`,
		`{"type":"string","maxLength":0}`:                                          `""`,
		`{"type":"boolean"}`:                                                       `true`,
		`{"type":["null","string"]}`:                                               `null`,
		`{"type":"array","minItems":2,"items":{"type":"integer"}}`:                 `[1,1]`,
		`{"items":{"type":"integer"},"minItems":1}`:                                `[1]`,
		`{"type":"array","minItems":1}`:                                            `["example"]`,
		`{"type":"object","required":["a"],"properties":{"a":{"const":3},"b":{}}}`: `{"a":3}`,
		`{"type":"object","required":["a"]}`:                                       `{"a":"example"}`,
		`{"$ref":"#/$defs/a~1b"}`:                                                  `{"c":"x"}`,
		`{"anyOf":[{"type":"null"},{"type":"string"}]}`:                            `null`,
		`{"allOf":[{"type":"object","properties":{"a":{"const":1}},"required":["a"]},{"type":"object","properties":{"b":{"const":2}},"required":["b"]}]}`:                              `{"a":1,"b":2}`,
		`{"anyOf":[{"type":"array","items":false,"minItems":1},{"properties":{"a":{"const":1}},"required":["a"]},{"required":["c"]}],"properties":{"b":{"const":2}},"required":["b"]}`: `{"a":1,"b":2}`,
		`{"examples":[7],"type":"integer"}`: `7`,
		`{"default":"d","type":"string"}`:   `"d"`,
	} {
		tool := &mcp.Tool{Name: "t", InputSchema: wire.Raw(fmt.Sprintf(`{"type":"object","properties":{"v":%s},"required":["v"],"$defs":{"a/b":{"type":"object","properties":{"c":{"const":"x"}},"required":["c"]}}}`, schema))}
		calls, why := callsOf(tool, new(outputcheck.Checker))
		if why != "" || string(calls[0].Arguments) != `{"v":`+want+`}` {
			t.Errorf("%s: got %+v, %s, want %s", schema, calls, why, want)
		}
	}
	for _, schema := range []string{`{"type":"string","pattern":"^[0-9]$"}`, `{"type":"string","maxLength":-1}`, `{"not":{}}`, `false`, `{"$ref":"#/$defs/none"}`, `{"$ref":"x"}`, `{"$ref":"#a"}`, `{"$ref":"#/type/a"}`,
		`{"type":"object","properties":{"a":{"not":{}}},"required":["a"]}`, `{"type":"array","items":false,"minItems":1}`,
		`{"allOf":[{"type":"object"},{"type":"string"}]}`, `{"allOf":[{"type":"object"},{"$ref":"#/$defs/none"}]}`} {
		tool := &mcp.Tool{Name: "t", InputSchema: wire.Raw(fmt.Sprintf(`{"type":"object","properties":{"v":%s},"required":["v"]}`, schema))}
		if calls, why := callsOf(tool, new(outputcheck.Checker)); why == "" {
			t.Errorf("%s: got %+v, want none", schema, calls)
		}
	}
}
