package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// TestRules has findings of each rule, and what is near to one.
func TestRules(t *testing.T) {
	long := strings.Repeat("é", 1025)
	property := func(schema string) string {
		return `{"type":"object","properties":{"a":` + schema + `},"additionalProperties":false}`
	}
	tool := func(name, description string) *ir.Tool { return &ir.Tool{Name: name, Description: description} }
	for _, test := range []struct {
		name          string
		tool          *ir.Tool
		input, output string
		want          []string // rule: path: text (profiles)
	}{
		{"nothing", tool("a_b-C9", "Adds."), property(`{"type":"string","format":"date-time","minLength":1}`), `{"type":"object"}`, nil},
		{"long name", tool(strings.Repeat("a", 65), "Adds."), "", "", []string{"name: 65 characters, at most 64 are taken (claude, gemini, openai)"}},
		{"64 characters", tool(strings.Repeat("a", 64), "Adds."), "", "", nil},
		{"2048 characters", tool("a", long+long[:2046]), "", "", []string{"description: 2048 characters, at most 1024 are taken (openai)"}},
		{"open union", tool("a", "Adds."), property(`{"type":"object","oneOf":[{"properties":{"kind":{"const":"x"}},"additionalProperties":false}]}`), "", []string{"keyword: input.a: oneOf (gemini, openai)"}},
		{"a constant", tool("a", "Adds."), property(`{"const":"x"}`), "", []string{"keyword: input.a: const (gemini)"}},
		{"a keyword of a union, and of all", tool("a", "Adds."), `{"type":"object","additionalProperties":false,"uniqueItems":true,"properties":{"a":{"oneOf":[{"multipleOf":2}]}}}`, "", []string{
			"keyword: input: uniqueItems (gemini, openai)", "keyword: input.a: oneOf (gemini, openai)", "keyword: input.a(oneOf 1): multipleOf (gemini)",
		}},
		{"a tuple", tool("a", "Adds."), property(`{"type":"array","prefixItems":[{"type":"string"}]}`), "", nil},
		{"dot", tool("a.b", "Adds."), "", "", []string{"name: only letters, digits, _ and - are taken (claude, vscode)"}},
		{"digit first", tool("2add", "Adds."), "", "", []string{"name: it must begin with a letter or _ (gemini)"}},
		{"no description", tool("a", ""), "", "", []string{"description: there is none (claude, gemini, openai, vscode)"}},
		{"1024 characters", tool("a", long[2:]), "", "", nil},
		{"1025 characters", tool("a", long), "", "", []string{"description: 1025 characters, at most 1024 are taken (openai)"}},
		{"2050 characters", tool("a", long+long), "", "", []string{
			"description: 2050 characters, at most 1024 are taken (openai)", "description: 2050 characters, the model sees the first 2048 (claude)",
		}},
		{"union", tool("a", "Adds."), `{"type":"object","additionalProperties":false,"oneOf":[{"required":["a"]}]}`, "", []string{"union: input: oneOf (claude, openai)"}},
		{"intersection", tool("a", "Adds."), `{"type":"object","additionalProperties":false,"allOf":[]}`, "", []string{"union: input: allOf (claude, openai)"}},
		{"names of arguments", tool("a", "Adds."), `{"type":"object","properties":{"é":{},"a.b":{},"2":{},"a-b":{},"ok":{"type":"object","properties":{"2":{},"$":{}},"additionalProperties":false}},"additionalProperties":false}`, "", []string{
			"argument: input.2: only 64 letters, digits and _ are taken, and no digit first (gemini)",
			"argument: input.a-b: only 64 letters, digits and _ are taken, and no digit first (gemini)",
			"argument: input.a.b: only 64 letters, digits and _ are taken, and no digit first (gemini)",
			"argument: input.é: only 64 letters, digits, _, . and - are taken (claude, vscode)",
			"argument: input.é: only 64 letters, digits and _ are taken, and no digit first (gemini)",
			"argument: input.ok.$: only 64 letters, digits, _, . and - are taken (claude, vscode)",
		}},
		{"map", tool("a", "Adds."), property(`{"type":"object","additionalProperties":{"type":"string"}}`), "", []string{"open: input.a: it takes members that are not named in the schema (gemini, openai)"}},
		{"bare", tool("a", "Adds."), property(`{"type":"object","additionalProperties":true}`), "", []string{"open: input.a: it takes members that are not named in the schema (gemini, openai)"}},
		{"open", tool("a", "Adds."), `{"type":"object"}`, "", []string{"open: input: it takes members that are not named in the schema (openai)"}},
		{"formats", tool("a", "Adds."), property(`{"type":"array","items":{"type":"string","format":"uri"}}`), "", []string{"format: input.a[]: uri (gemini, openai)"}},
		{"format of one", tool("a", "Adds."), property(`{"type":"string","format":"email"}`), "", []string{"format: input.a: email (gemini)"}},
		{"keywords", tool("a", "Adds."), property(`{"type":"array","items":{"type":"integer","exclusiveMinimum":0},"uniqueItems":true}`), "", []string{
			"keyword: input.a: uniqueItems (gemini, openai)", "keyword: input.a[]: exclusiveMinimum (gemini)",
		}},
		{"more keywords", tool("a", "Adds."), property(`{"type":"number","multipleOf":0.5,"examples":[1]}`), "", []string{"keyword: input.a: examples (gemini)", "keyword: input.a: multipleOf (gemini)"}},
		{"keys", tool("a", "Adds."), property(`{"type":"object","additionalProperties":false,"propertyNames":{"maxLength":3}}`), "", []string{"keyword: input.a: propertyNames (gemini, openai)"}},
		{"arms", tool("a", "Adds."), property(`{"oneOf":[{"type":"object","properties":{"kind":{"const":"x"}},"additionalProperties":false}]}`), "", []string{"keyword: input.a: oneOf (gemini, openai)"}},
		{"recursion", tool("a", "Adds."), `{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"items":{"$ref":"#/$defs/A"}}}}`, "", []string{"recursion: input: A (gemini)"}},
		{"no recursion", tool("a", "Adds."), `{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"type":"string"}}}`, "", nil},
		{"items", tool("a", "Adds."), property(`{"type":"array","items":{"type":"array"}}`), "", []string{"items: input.a[]: they have no type (openai)", "items: input.a[]: they have no schema (vscode)"}},
		{"items of any type", tool("a", "Adds."), property(`{"type":"array","items":{}}`), "", []string{"items: input.a: they have no type (openai)"}},
		{"output", tool("a", "Adds."), "", `{"type":"array"}`, []string{`output: output: it has no "type": "object" (claude)`}},
		{"formats of results", tool("a", "Adds."), "", `{"type":"object","properties":{"a":{"format":"uri"}}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &checker{profiles: Profiles}
			c.check(false, &subject{tool: test.tool, input: parse(test.input), output: parse(test.output)})
			var got []string
			for _, f := range c.found {
				line, cure, _ := strings.Cut(f.String(), "; ")
				if cure == "" {
					t.Errorf("%s: no cure", f)
				}
				got = append(got, strings.Replace(line, "tool "+test.tool.Name+": ", "", 1))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestProfiles asks for some clients only.
func TestProfiles(t *testing.T) {
	p := &ir.Package{}
	for i := range 3 {
		p.Tools = append(p.Tools, &ir.Tool{Name: fmt.Sprintf("a.%d", i), Description: "Adds.", Func: &ir.Func{Name: "Add"}})
	}
	for _, test := range []struct {
		profiles []string
		maxTools int
		want     []string
	}{
		{nil, 2, nil},
		{[]string{"gemini"}, 2, nil},
		{[]string{"claude"}, 2, []string{"name [claude]", "name [claude]", "name [claude]"}},
		{[]string{"vscode"}, 2, []string{"tools [vscode]", "name [vscode]", "name [vscode]", "name [vscode]"}},
		{[]string{"vscode"}, 3, []string{"name [vscode]", "name [vscode]", "name [vscode]"}},
	} {
		var got []string
		for _, f := range Check(p, test.profiles, test.maxTools) {
			got = append(got, fmt.Sprint(f.Rule, " ", f.Profiles))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v, %d: -want +got:\n%s", test.profiles, test.maxTools, diff)
		}
	}
	if found := Check(&ir.Package{}, Profiles, 0); found != nil {
		t.Errorf("no tools: %v", found)
	}
}

// TestModel asks for what a model cannot make out, which nobody is told who does not ask for it.
func TestModel(t *testing.T) {
	text := func(doc string) *ir.Property {
		return &ir.Property{Name: "a", Description: doc, Type: &ir.Type{Kind: ir.String}}
	}
	unit := &ir.Type{Kind: ir.String, Enum: []*ir.EnumValue{{JSON: `"c"`, Doc: "Celsius."}, {JSON: `"f"`}, {JSON: `"k"`}}}
	tool := func(name, description string, input ...*ir.Property) *ir.Tool {
		return &ir.Tool{Name: name, Description: description, Func: &ir.Func{}, Input: input}
	}
	const long = "Searches the pages of the manual for words and returns the ten that fit best"
	for _, test := range []struct {
		name  string
		tools []*ir.Tool
		want  []string
	}{
		{"described", []*ir.Tool{tool("get", "Gets.", text("What to get."))}, nil},
		{"an argument", []*ir.Tool{tool("get", "Gets.", text(""))}, []string{"undescribed: tool get: input.a: it has no description"}},
		{"a member", []*ir.Tool{tool("get", "Gets.", &ir.Property{Name: "in", Description: "Where.", Type: &ir.Type{Kind: ir.Struct, Fields: []*ir.Property{text("")}}})},
			[]string{"undescribed: tool get: input.in.a: it has no description"}},
		{"a named type", []*ir.Tool{tool("get", "Gets.", &ir.Property{Name: "in", Type: &ir.Type{Kind: ir.String, Name: "City", Doc: "A city."}})}, nil},
		{"values", []*ir.Tool{tool("get", "Gets.", &ir.Property{Name: "units", Description: "In which.", Type: &ir.Type{Kind: ir.Slice, Elem: unit}})},
			[]string{`undescribed: tool get: input.units: values have no description: "f", "k"`}},
		{"names", []*ir.Tool{tool("get_label", "Gets one."), tool("list_labels", "Lists."), tool("labelGet", "Finds it.")},
			[]string{"alike: tool labelGet: its name has the words of get_label"}},
		{"descriptions", []*ir.Tool{tool("find", long+"."), tool("search", long+"!"), tool("grep", long+", by a regular expression.")},
			[]string{"alike: tool search: its description has the words of that of find"}},
		{"variants", []*ir.Tool{variant(tool("find", long+"."), "!x"), variant(tool("find", long+"!"), "x")}, nil},
		{"no descriptions", []*ir.Tool{tool("find", ""), tool("search", "")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range Check(&ir.Package{Tools: test.tools}, []string{Model}, 9) {
				line, _, _ := strings.Cut(f.String(), " (model); ")
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, f := range Check(&ir.Package{Tools: test.tools}, Profiles, 9) {
				if f.Rule != "description" {
					t.Errorf("without the profile: %s", f)
				}
			}
		})
	}
}

// TestSources checks that every rule has a source for each client, and a date.
func TestSources(t *testing.T) {
	date := regexp.MustCompile(`^20\d\d(-\d\d-\d\d)?$`)
	for _, r := range Rules() {
		if r.Meaning == "" || r.Cure == "" || len(r.Sources) == 0 {
			t.Errorf("%s: %+v", r.Name, r)
		}
		for _, s := range r.Sources {
			for profile := range strings.FieldsSeq(s.Profiles) {
				if !slices.Contains(Profiles, profile) && profile != Model {
					t.Errorf("%s: there is no profile %s", r.Name, profile)
				}
			}
			if !date.MatchString(s.Date) || s.Document == "" || s.Profiles == "" {
				t.Errorf("%s: %+v", r.Name, s)
			}
		}
	}
}

// TestSilences leaves out what directives silence, whatever the profile, and reports those that silence nothing.
func TestSilences(t *testing.T) {
	silence := func(rule string) *ir.Silence { return &ir.Silence{Rule: rule} }
	shared := silence("name")
	p := &ir.Package{
		Silences: []*ir.Silence{silence("description"), silence("tools"), silence("recursion")},
		Tools: []*ir.Tool{
			{Name: "a.1", Func: &ir.Func{}, Silences: []*ir.Silence{shared}},
			{Name: "a.2", Func: &ir.Func{}, Silences: []*ir.Silence{shared}},
			{Name: "a.3", Func: &ir.Func{}, Silences: []*ir.Silence{silence("tools")}},
			{Name: "b", Func: &ir.Func{}, Silences: []*ir.Silence{silence("name")}},
		},
	}
	const unused = "nolint: //mcp:nolint recursion silences nothing; remove it\n" +
		"nolint: tool a.3: //mcp:nolint tools silences nothing; remove it\nnolint: tool b: //mcp:nolint name silences nothing; remove it\n"
	const name = "name: tool a.3: only letters, digits, _ and - are taken (claude); give it another name, by //mcp:tool name=\n"
	for profile, want := range map[string]string{"claude": name + unused, "gemini": unused, "": ""} {
		var got strings.Builder
		for _, f := range Check(p, strings.Fields(profile), 3) {
			fmt.Fprintln(&got, f)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", profile, diff)
		}
	}
}

// variant returns a tool with features.
func variant(t *ir.Tool, features ...string) *ir.Tool {
	t.Features = features
	return t
}
