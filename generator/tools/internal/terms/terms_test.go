package terms_test

import (
	"bytes"
	"go/constant"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/terms"
)

// weatherLock returns the lock file of the package weather, which the tests of contract use, too.
func weatherLock(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../../internal/contract/testdata/weather.lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t *testing.T, text string) *contract.Contract {
	t.Helper()
	c, err := contract.Parse("mcp.lock.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines returns changes as text, those that break callers with ! in front.
func lines(all []contract.Change) string {
	var b strings.Builder
	for _, c := range all {
		mark := "  "
		if c.Breaking {
			mark = "! "
		}
		b.WriteString(mark + c.String() + "\n")
	}
	return b.String()
}

// weather is a package with one of everything.
func weather() *ir.Package {
	text := &ir.Type{Kind: ir.String}
	number := &ir.Type{Kind: ir.Float, Bits: 64}
	node := &ir.Type{Kind: ir.Struct, Name: "Node", Recursive: true}
	node.Fields = []*ir.Property{{Name: "description", Type: text, Required: true}, {Name: "next", Type: &ir.Type{Kind: ir.Pointer, Elem: node}}}
	return &ir.Package{
		Tools: []*ir.Tool{
			{Name: "forecast", Coerce: true, Title: "Forecast", Description: "Predicts.", ReadOnly: new(true), OpenWorld: new(true), Input: []*ir.Property{
				{Name: "city", Description: "the city's name", Type: text, Required: true, Examples: []*ir.Literal{{JSON: `"Oslo"`}}},
				{Name: "days", Type: &ir.Type{Kind: ir.Int, Bits: 64}, Default: &ir.Literal{JSON: "3"},
					Constraints: &ir.Constraints{Min: constant.MakeInt64(1), Max: constant.MakeInt64(14)}},
			}, Output: ir.Output{Kind: ir.NamedOutput, Members: []*ir.Property{{Name: "celsius", Type: number, Required: true}}}},
			{Name: "clear", Coerce: true, Destructive: new(false), Idempotent: new(true), OpenWorld: new(false), Access: ir.Access{Scopes: []string{"weather:write", "weather:clear"}}},
			{Name: "plan", Coerce: true, Input: []*ir.Property{{Name: "route", Type: node, Required: true}}},
		},
		Prompts: []*ir.Prompt{{Name: "dress", Access: ir.Access{Scopes: []string{"weather:read"}}, Arguments: []*ir.Property{{Name: "days", Type: &ir.Type{Kind: ir.Uint, Bits: 8}}}}},
		Resources: []*ir.Resource{
			{URI: "weather://stations", Name: "stations", MIMEType: "application/json"},
			{URI: "weather://{station}/now", Name: "now", Template: true, Access: ir.Access{Scopes: []string{"station:{station}"}}, Variables: []*ir.Property{{Name: "station", Type: text, Required: true}}},
		},
	}
}

// olderLock is what mcpgen wrote before lock files had digests of descriptions.
const olderLock = `{
  "version": 2,
  "tools": {
    "clear": {
      "promises": ["nondestructive", "idempotent", "closedworld"],
      "scopes": ["weather:clear", "weather:write"],
      "input": {"type": "object", "additionalProperties": false},
      "result": "none"
    },
    "forecast": {
      "promises": ["readonly"],
      "input": {
        "type": "object",
        "properties": {
          "city": {"type": "string"},
          "days": {"type": "integer", "minimum": 1, "maximum": 14, "default": 3}
        },
        "required": ["city"],
        "additionalProperties": false
      },
      "output": {
        "type": "object",
        "properties": {"celsius": {"type": "number"}},
        "required": ["celsius"],
        "additionalProperties": false
      }
    },
    "plan": {
      "input": {
        "type": "object",
        "properties": {"route": {"$ref": "#/$defs/Node"}},
        "required": ["route"],
        "additionalProperties": false,
        "$defs": {
          "Node": {
            "type": "object",
            "properties": {"description": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["description"],
            "additionalProperties": false
          }
        }
      },
      "result": "none"
    }
  },
  "prompts": {
    "dress": {
      "scopes": ["weather:read"],
      "arguments": {
        "type": "object",
        "properties": {"days": {"type": "integer", "minimum": 0, "maximum": 255}},
        "additionalProperties": false
      },
      "result": "text"
    }
  },
  "resources": {
    "weather://stations": {
      "name": "stations",
      "mimeType": "application/json",
      "result": "text"
    },
    "weather://{station}/now": {
      "name": "now",
      "scopes": ["station:{station}"],
      "variables": {
        "type": "object",
        "properties": {"station": {"type": "string"}},
        "required": ["station"],
        "additionalProperties": false
      },
      "result": "text"
    }
  }
}
`

func TestFormat(t *testing.T) {
	c := terms.Of(weather())
	if diff := cmp.Diff(weatherLock(t), string(c.Format())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again := parse(t, weatherLock(t))
	if diff := cmp.Diff(weatherLock(t), string(again.Format())); diff != "" {
		t.Errorf("parsed and written: -want +got:\n%s", diff)
	}
	if got := lines(contract.Compare(c, again)); got != "" {
		t.Errorf("changes to itself:\n%s", got)
	}
	empty := terms.Of(&ir.Package{})
	if got := string(empty.Format()); got != "{\n  \"version\": 4\n}\n" {
		t.Errorf("nothing is written as %s", got)
	}
	if c.Empty() || !empty.Empty() {
		t.Error("Empty is wrong")
	}
}

// TestOlder reads an older lock file. The code that it was written for is no change of it.
func TestOlder(t *testing.T) {
	older, now := parse(t, olderLock), terms.Of(weather())
	if got := lines(contract.Compare(older, now)); got != "" {
		t.Errorf("changes:\n%s", got)
	}
	if diff := cmp.Diff(weatherLock(t), string(contract.Update(older, now, contract.Pending(older, older, now)).Format())); diff != "" {
		t.Errorf("rewritten: -want +got:\n%s", diff)
	}
}

// TestWording changes what is no part of the contract: titles, descriptions and examples.
func TestWording(t *testing.T) {
	p := weather()
	p.Tools[0].Title, p.Tools[0].Description = "Other", "Other."
	p.Tools[0].Input[0].Description, p.Tools[0].Input[0].Examples = "other", nil
	p.Tools[0].Input[1].Description = "how many"
	p.Tools[2].Input[0].Type.Doc = "A Node leads to others."
	p.Prompts[0].Description = "Advises."
	old, now := terms.Of(weather()), terms.Of(p)
	if got := lines(contract.Compare(old, now)); got != "" {
		t.Errorf("changes:\n%s", got)
	}
	if diff := cmp.Diff(string(old.Format()), string(now.Format())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	digests := strings.NewReplacer(`"type": "string"`, `"type": "string", "x-description": "80da2a75"`, `"input": {`, `"description": "80da2a75", "input": {`)
	described := parse(t, digests.Replace(string(old.Format())))
	if diff := cmp.Diff(string(old.Format()), string(described.Format())); diff != "" || contract.Compare(described, now) != nil {
		t.Errorf("with digests of descriptions, as files had once: -want +got:\n%s", diff)
	}
}

// TestLines has a line of the lock file for each property, however long it is.
func TestLines(t *testing.T) {
	p := weather()
	p.Tools[0].Input = append(p.Tools[0].Input, &ir.Property{Name: "country", Type: &ir.Type{Kind: ir.String}, Description: strings.Repeat("a long word ", 50)})
	p.Tools[0].Input[1].Constraints.Max = constant.MakeInt64(10)
	before, after := strings.Split(weatherLock(t), "\n"), strings.Split(string(terms.Of(p).Format()), "\n")
	fresh := slices.DeleteFunc(slices.Clone(after), func(line string) bool { return slices.Contains(before, line) })
	gone := slices.DeleteFunc(slices.Clone(before), func(line string) bool { return slices.Contains(after, line) })
	if len(fresh) != 2 || len(gone) != 1 || len(after) != len(before)+1 {
		t.Errorf("removed:\n%s\nadded:\n%s", strings.Join(gone, "\n"), strings.Join(fresh, "\n"))
	}
	for _, test := range []struct {
		kind, name string
		want       int
	}{{"tool", "clear", 4}, {"prompt", "dress", 53}, {"resource", "weather://stations", 66}, {"tool", "dress", 0}, {"tool", "tools", 0}} {
		if got := contract.Line([]byte(weatherLock(t)), test.kind, test.name); got != test.want {
			t.Errorf("%s %s: line %d, want %d", test.kind, test.name, got, test.want)
		}
	}
}

// TestPending has what was released, what was accepted since, and what the code is now.
func TestPending(t *testing.T) {
	with := func(names ...string) *contract.Contract {
		p := &ir.Package{}
		for _, name := range names {
			tool := &ir.Tool{Name: name}
			if tool.Name, name, _ = strings.Cut(name, ":"); name != "" {
				for _, argument := range strings.Split(name, ",") {
					name, optional := strings.CutSuffix(argument, "?")
					tool.Input = append(tool.Input, &ir.Property{Name: name, Type: &ir.Type{Kind: ir.String}, Required: !optional})
				}
			}
			p.Tools = append(p.Tools, tool)
		}
		return terms.Of(p)
	}
	is := func(names ...string) []string { return names }
	for _, test := range []struct {
		name                     string
		released, accepted, next []string
		want, kept               string // the tools that keep their accepted form
	}{
		{"never released", is(), is("t:a"), is("t:b"), "", ""},
		{"released", is("t:a"), is("t:a"), is("t:b"), "! tool t: input.a: renamed to b\n", "t"},
		{"released and accepted", is("t:a"), is("t:b"), is("t:b"), "", ""},
		{"added since the release", is("t:a"), is("t:a,b?"), is("t:a"), "", ""},
		{"added since the release, with another break", is("t:a"), is("t:a,b?"), is("t"), "! tool t: input.a: removed\n", "t"},
		{"renamed again", is("t:a"), is("t:b"), is("t:c"), "", ""},
		{"tool renamed", is("t:a"), is("t:a"), is("u:a"), "! tool t: renamed to u\n", "t"},
		{"tool renamed, and the new one recorded", is("t:a"), is("t:a", "u:a"), is("u:a"), "! tool t: renamed to u\n", "t"},
		{"removal accepted", is("t:a"), is(), is(), "", ""},
		{"one of two", is("t:a", "u:a"), is("t:b", "u:a"), is("t:b", "u"), "! tool u: input.a: removed\n", "u"},
	} {
		t.Run(test.name, func(t *testing.T) {
			released, accepted, next := with(test.released...), with(test.accepted...), with(test.next...)
			pending := contract.Pending(released, accepted, next)
			if diff := cmp.Diff(test.want, lines(pending)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			updated := contract.Update(accepted, next, pending)
			for name := range updated.Tools {
				want := next.Tools[name]
				if name == test.kept {
					want = accepted.Tools[name]
				}
				if updated.Tools[name] != want {
					t.Errorf("tool %s is not kept as wanted", name)
				}
			}
			if again := contract.Pending(released, updated, next); lines(again) != test.want {
				t.Errorf("after an update, pending:\n%s", lines(again))
			}
		})
	}
}

// TestCures has the advice that comes with a breaking change.
func TestCures(t *testing.T) {
	type cured struct{ change, cure string }
	cures := func(all []contract.Change) (out []cured) {
		for _, c := range all {
			if c.Breaking != (c.Cure != "") {
				t.Errorf("%s: breaking is %v, cure is %q", c, c.Breaking, c.Cure)
			}
			if c.Breaking {
				out = append(out, cured{c.String(), c.Cure})
			}
		}
		return out
	}
	p := weather()
	p.Tools[0].Input[0].Name = "town"
	p.Tools[0].Input[1].Constraints.Max = constant.MakeInt64(7)
	p.Tools[0].Input = append(p.Tools[0].Input, &ir.Property{Name: "country", Type: &ir.Type{Kind: ir.Bool}, Required: true})
	p.Tools[0].Output.Members[0].Required = false
	p.Tools[1].Name, p.Tools[2].Scopes, p.Tools[2].Task = "reset", []string{"plan"}, "required"
	p.Resources = p.Resources[:1]
	if diff := cmp.Diff([]cured{
		{"tool clear: renamed to reset", "keep the name, by //mcp:tool name=clear"},
		{"tool forecast: input.city: renamed to town", "keep the name city, by name= in //mcp:param or a json tag"},
		{"tool forecast: input.days: maximum lowered from 14 to 7", "take all that it took before"},
		{"tool forecast: input.country: added, required", "give it a default, or make it optional"},
		{"tool forecast: output.celsius: optional now", "always return it"},
		{"tool plan: task now", "use task=optional"},
		{"tool plan: scope plan added", "require only scopes that callers have, or offer another tool for it"},
		{"resource weather://{station}/now: removed", "keep it, perhaps beside a new one"},
	}, cures(contract.Compare(terms.Of(weather()), terms.Of(p))), cmp.AllowUnexported(cured{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCompareEntries has the second half of the table in the package's documentation.
func TestCompareEntries(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(p *ir.Package)
		want   string
	}{
		{"added", func(p *ir.Package) {
			p.Tools = append(p.Tools, &ir.Tool{Name: "alert"})
			p.Prompts = append(p.Prompts, &ir.Prompt{Name: "warn"})
			p.Resources = append(p.Resources, &ir.Resource{URI: "weather://maps"})
		}, "  tool alert: added\n  prompt warn: added\n  resource weather://maps: added\n"},
		{"removed", func(p *ir.Package) { p.Tools, p.Prompts, p.Resources = p.Tools[:2], nil, p.Resources[:1] },
			"! tool plan: removed\n! prompt dress: removed\n! resource weather://{station}/now: removed\n"},
		{"renamed", func(p *ir.Package) { p.Tools[0].Name, p.Resources[0].URI = "predict", "weather://posts" },
			"! tool forecast: renamed to predict\n! resource weather://stations: renamed to weather://posts\n"},
		{"changed and renamed", func(p *ir.Package) { p.Tools[0].Name, p.Tools[0].Input = "predict", nil },
			"! tool forecast: removed\n  tool predict: added\n"},
		{"output schema added", func(p *ir.Package) { p.Tools[1].Output = p.Tools[0].Output }, "  tool clear: output: result changed from none to structured\n"},
		{"output schema removed", func(p *ir.Package) { p.Tools[0].Output = ir.Output{} }, "! tool forecast: output: result changed from structured to none\n"},
		{"promises given", func(p *ir.Package) { p.Tools[2].ReadOnly, p.Tools[2].OpenWorld = new(true), new(false) },
			"  tool plan: readonly now\n  tool plan: closedworld now\n"},
		{"strict", func(p *ir.Package) { p.Tools[0].Coerce = false }, "! tool forecast: strict now\n"},
		{"strict without arguments", func(p *ir.Package) { p.Tools[1].Coerce = false }, ""},
		{"tasks", func(p *ir.Package) { p.Tools[0].Task, p.Tools[1].Task = "optional", "required" },
			"  tool clear: tasks now\n! tool clear: task now\n  tool forecast: tasks now\n"},
		{"scopes added", func(p *ir.Package) {
			p.Tools[0].Scopes, p.Resources[0].Scopes = []string{"weather:read", "weather:all"}, []string{"weather:read"}
			p.Prompts[0].Scopes = append(p.Prompts[0].Scopes, "weather:dress")
		}, "! tool forecast: scope weather:all added\n! tool forecast: scope weather:read added\n! prompt dress: scope weather:dress added\n! resource weather://stations: scope weather:read added\n"},
		{"scopes removed", func(p *ir.Package) {
			p.Tools[1].Scopes, p.Prompts[0].Scopes, p.Resources[1].Scopes = []string{"weather:clear"}, nil, nil
		}, "  tool clear: scope weather:write removed: callers need it no longer\n  prompt dress: scope weather:read removed: callers need it no longer\n" +
			"  resource weather://{station}/now: scope station:{station} removed: callers need it no longer\n"},
		{"other scopes", func(p *ir.Package) { p.Resources[1].Scopes = []string{"stations"} },
			"  resource weather://{station}/now: scope station:{station} removed: callers need it no longer\n! resource weather://{station}/now: scope stations added\n"},
		{"needs", func(p *ir.Package) {
			p.Tools[0].Needs, p.Tools[0].MinRevision, p.Prompts[0].Needs = []string{"roots", "elicitation"}, "2025-06-18", []string{"sampling"}
			p.Tools[0].Groups, p.Tools[0].Features, p.Tools[0].Rate, p.Tools[0].Timeout = []string{"a"}, []string{"b"}, 1, 1
			p.Tools[1].Confirm = []ir.Part{{Text: "?"}}
		}, "! tool clear: confirm now\n! tool forecast: needs elicitation now\n! tool forecast: needs roots now\n! tool forecast: only since revision 2025-06-18\n! prompt dress: needs sampling now\n"},
		{"scopes in another order", func(p *ir.Package) { slices.Reverse(p.Tools[1].Scopes) }, ""},
		{"promises taken back", func(p *ir.Package) {
			p.Tools[1].Destructive, p.Tools[1].Idempotent, p.Tools[1].OpenWorld = nil, new(false), new(true)
		},
			"! tool clear: no longer nondestructive\n! tool clear: no longer idempotent\n! tool clear: no longer closedworld\n"},
		{"no longer readonly", func(p *ir.Package) { p.Tools[0].ReadOnly = nil },
			"! tool forecast: no longer readonly\n"},
		{"no longer readonly, but harmless", func(p *ir.Package) {
			p.Tools[0].ReadOnly, p.Tools[0].Destructive, p.Tools[0].Idempotent = new(false), new(false), new(true)
		}, "! tool forecast: no longer readonly\n"},
		{"harmless and more", func(p *ir.Package) {
			p.Tools[1].ReadOnly, p.Tools[1].Destructive, p.Tools[1].Idempotent = new(true), nil, nil
		},
			"  tool clear: readonly now\n"},
		{"the contrary of a promise is none", func(p *ir.Package) { p.Tools[2].Destructive, p.Tools[2].OpenWorld = new(true), new(true) }, ""},
		{"text becomes nothing", func(p *ir.Package) {
			p.Tools[0].Output = ir.Output{Kind: ir.TextOutput}
			p.Tools[1].Output.Kind = ir.TextOutput
		},
			"  tool clear: output: result changed from none to text\n! tool forecast: output: result changed from structured to text\n"},
		{"strict with the first argument", func(p *ir.Package) {
			p.Tools[1].Coerce, p.Tools[1].Input = false, []*ir.Property{{Name: "a", Type: &ir.Type{Kind: ir.Int, Bits: 64}}}
		}, "  tool clear: strict now\n  tool clear: input.a: added, optional\n"},
		{"result of a prompt", func(p *ir.Package) { p.Prompts[0].Output = ir.PromptMessages },
			"! prompt dress: result: result changed from text to messages\n"},
		{"result of a resource", func(p *ir.Package) { p.Resources[0].Output = ir.ResourceWhole; p.Resources[1].Output = ir.ResourceBlob },
			"! resource weather://stations: contents: result changed from text to whole\n! resource weather://{station}/now: contents: result changed from text to blob\n"},
		{"argument of a tool", func(p *ir.Package) { p.Tools[0].Input[1].Constraints.Max = constant.MakeInt64(7) },
			"! tool forecast: input.days: maximum lowered from 14 to 7\n"},
		{"member of a result", func(p *ir.Package) { p.Tools[0].Output.Members[0].Required = false }, "! tool forecast: output.celsius: optional now\n"},
		{"argument of a prompt", func(p *ir.Package) { p.Prompts[0].Arguments[0].Required = true }, "! prompt dress: arguments.days: required now\n"},
		{"variable of a template", func(p *ir.Package) { p.Resources[1].Variables[0].Type = &ir.Type{Kind: ir.Int, Bits: 8} },
			"! resource weather://{station}/now: variables.station: type changed from string to integer\n"},
		{"MIME type changed", func(p *ir.Package) { p.Resources[0].MIMEType, p.Resources[1].MIMEType = "text/csv", "text/plain" },
			"! resource weather://stations: MIME type: changed from application/json to text/csv\n  resource weather://{station}/now: MIME type: added: text/plain\n"},
		{"MIME type removed", func(p *ir.Package) { p.Resources[0].MIMEType = "" },
			"! resource weather://stations: MIME type: removed, was application/json\n"},
		{"name of a resource", func(p *ir.Package) { p.Resources[0].Name = "posts" },
			"  resource weather://stations: name: changed from stations to posts\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := weather()
			test.change(p)
			if diff := cmp.Diff(test.want, lines(contract.Compare(terms.Of(weather()), terms.Of(p)))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestOldResults compares with a lock file from before results could have values that are not known: nothing breaks.
func TestOldResults(t *testing.T) {
	old, err := contract.Parse("mcp.lock.json", []byte(`{"version": 2, "tools": {"t": {
		"input": {"type": "object", "properties": {"u": {"type": "string", "enum": ["c", "f"]}}, "additionalProperties": false},
		"output": {"type": "object", "properties": {"u": {"type": "string", "enum": ["c", "f"]},
			"by": {"type": "object", "propertyNames": {"enum": ["c", "f"]}, "additionalProperties": {"type": "boolean"}}}, "required": ["u", "by"], "additionalProperties": false}}},
		"resources": {"a://b": {"name": "b", "result": "json", "output": {"type": "string", "enum": ["c", "f"]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	unit := func(more bool) *ir.Type {
		return &ir.Type{Kind: ir.String, Name: "Unit", MoreValues: more, Enum: []*ir.EnumValue{{JSON: `"c"`}, {JSON: `"f"`}, {JSON: `"k"`}}}
	}
	by := &ir.Type{Kind: ir.Map, Key: unit(true), Elem: &ir.Type{Kind: ir.Bool}}
	p := &ir.Package{
		Tools: []*ir.Tool{{Name: "t", Coerce: true, Func: &ir.Func{}, Input: []*ir.Property{{Name: "u", Type: unit(false)}}, Output: ir.Output{
			Kind: ir.NamedOutput, Members: []*ir.Property{{Name: "u", Type: unit(true), Required: true}, {Name: "by", Type: by, Required: true}},
		}}},
		Resources: []*ir.Resource{{URI: "a://b", Name: "b", Output: ir.ResourceJSON, Func: &ir.Func{Results: []*ir.Result{{Type: unit(true)}}}}},
	}
	want := "  tool t: input.u: value \"k\" added\n  tool t: output.by (names): known value \"k\" added\n  tool t: output.u: known value \"k\" added\n  resource a://b: contents: known value \"k\" added\n"
	if diff := cmp.Diff(want, lines(contract.Compare(old, terms.Of(p)))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOwnContent adds content of a tool's own to what it returns, and takes it away.
func TestOwnContent(t *testing.T) {
	of := func(o ir.Output) *contract.Contract {
		p := weather()
		if o.Kind == ir.ObjectOutput || o.Kind == ir.NamedOutput {
			o.Members, o.Type = p.Tools[0].Output.Members, p.Tools[0].Output.Type
		}
		p.Tools[0].Output = o
		c := terms.Of(p)
		again, err := contract.Parse("mcp.lock.json", c.Format())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(c.Format()), string(again.Format())); diff != "" {
			t.Errorf("read again: -want +got:\n%s", diff)
		}
		return again
	}
	kind := weather().Tools[0].Output.Kind
	plain, both, content := of(ir.Output{Kind: kind}), of(ir.Output{Kind: kind, Content: true}), of(ir.Output{Kind: ir.ContentOutput})
	text, whole := of(ir.Output{Kind: ir.TextOutput}), of(ir.Output{Kind: ir.WholeOutput})
	for _, test := range []struct {
		old, new *contract.Contract
		want     string
	}{
		{both, both, ""},
		{plain, both, "  tool forecast: output: result changed from structured to structured with content\n"},
		{both, plain, "  tool forecast: output: result changed from structured with content to structured\n"},
		{content, both, "  tool forecast: output: result changed from content to structured with content\n"},
		{content, plain, "! tool forecast: output: result changed from content to structured\n"},
		{both, content, "! tool forecast: output: result changed from structured with content to content\n"},
		{text, both, "! tool forecast: output: result changed from text to structured with content\n"},
		{whole, both, "  tool forecast: output: result changed from whole to structured with content\n"},
	} {
		if diff := cmp.Diff(test.want, lines(contract.Compare(test.old, test.new))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestUpdate changes all at once: what breaks is kept as it was, everything else is taken.
func TestUpdate(t *testing.T) {
	p := weather()
	p.Tools[0].Input = append(p.Tools[0].Input, &ir.Property{Name: "unit", Type: &ir.Type{Kind: ir.String}}) // compatible
	p.Tools[1].Idempotent = nil
	p.Tools[2].Name = "route"
	p.Prompts[0].Arguments = nil
	p.Resources = p.Resources[:1]
	p.Resources[0].Name = "posts"
	old, next := terms.Of(weather()), terms.Of(p)
	pending := contract.Pending(old, old, next)
	kept := contract.Update(old, next, pending)
	if diff := cmp.Diff(`  tool forecast: input.unit: added, optional
  tool route: added
  resource weather://stations: name: changed from stations to posts
`, lines(contract.Compare(old, kept))); diff != "" {
		t.Errorf("recorded: -want +got:\n%s", diff)
	}
	want := `! tool clear: no longer idempotent
! tool plan: renamed to route
! prompt dress: arguments.days: removed
! resource weather://{station}/now: removed
`
	if diff := cmp.Diff(strings.Replace(want, "plan: renamed to route", "plan: removed", 1), lines(contract.Compare(kept, next))); diff != "" {
		t.Errorf("left: -want +got:\n%s", diff)
	}
	if again := contract.Update(kept, next, contract.Pending(old, kept, next)); string(again.Format()) != string(kept.Format()) {
		t.Errorf("a second update changes the lock to\n%s", again.Format())
	}
}

// Whom something is for comes back from a lock file as it went in.
func TestAccessInLock(t *testing.T) {
	p := weather()
	p.Tools[0].Needs, p.Tools[0].MinRevision = []string{"sampling", "roots"}, "2025-06-18"
	p.Tools[0].Confirm = []ir.Part{{Text: "?"}}
	p.Prompts[0].Needs, p.Resources[0].MinRevision = []string{"roots"}, "2025-11-25"
	c := terms.Of(p)
	again, err := contract.Parse("mcp.lock.json", c.Format())
	if err != nil {
		t.Fatal(err)
	}
	if changes := contract.Compare(c, again); len(changes) > 0 || !bytes.Equal(c.Format(), again.Format()) {
		t.Errorf("it differs: %v\n%s", changes, again.Format())
	}
	if !strings.Contains(string(c.Format()), `"needs": ["roots", "sampling"],`+"\n"+`      "minRevision": "2025-06-18"`) {
		t.Errorf("%s", c.Format())
	}
}
