package contract_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
)

// weatherLock is the lock file of a package with one of everything. The tests of terms use it, too.
//
//go:embed testdata/weather.lock.json
var weatherLock string

// TestWide has integers whose bounds are those of their types, which a lock file says in a word.
func TestWide(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807, "default": 3`, `"type": "integer", "x-go-int": "int64", "default": 3`},
		{`"type": "integer", "minimum": 1, "maximum": 9223372036854775807`, `"type": "integer", "x-go-int": "int64", "minimum": 1`},
		{`"type": "integer", "minimum": -9223372036854775808, "maximum": 1`, `"type": "integer", "x-go-int": "int64", "maximum": 1`},
		{`"type": "integer", "minimum": 0, "maximum": 18446744073709551615`, `"type": "integer", "x-go-int": "uint64"`},
		{`"type": "integer", "minimum": 2, "maximum": 18446744073709551615`, `"type": "integer", "x-go-int": "uint64", "minimum": 2`},
		{`"type": "integer", "minimum": 0, "maximum": 255`, ""},
		{`"type": "integer", "minimum": 0`, ""},
		{`"type": "integer", "maximum": 9223372036854775807`, ""},
		{`"type": "integer"`, ""},
		{`"type": "number", "minimum": -9223372036854775808, "maximum": 9223372036854775807`, ""},
	} {
		if test.want == "" {
			test.want = test.schema
		}
		c := lock(t, `, "properties": {"a": {`+test.schema+`}}`, "")
		text := string(c.Format())
		if !strings.Contains(text, `"a": {`+test.want+"}\n") {
			t.Errorf("%s is written as\n%s", test.schema, text)
		}
		if again := string(parse(t, text).Format()); again != text {
			t.Errorf("%s is read and written as\n%s", text, again)
		}
		if got := lines(contract.Compare(c, parse(t, text))) + lines(contract.Compare(parse(t, text), c)); got != "" {
			t.Errorf("%s: changes to itself:\n%s", test.schema, got)
		}
	}
}

func parse(t *testing.T, text string) *contract.Contract {
	t.Helper()
	c, err := contract.Parse("mcp.lock.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseErrors(t *testing.T) {
	tool := func(entry string) string { return `{"version": 2, "tools": {"t": ` + entry + `}}` }
	input := func(members string) string { return tool(`{"input": {"type": "object", ` + members + `}}`) }
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", `mcp.lock.json:1:1: not JSON: unexpected end of JSON input: mend it, or take the file from version control`},
		{"nothing but a mistake", "x", `mcp.lock.json:1:1: not JSON: invalid character 'x' looking for beginning of value: mend it, or take the file from version control`},
		{"cut off", "{\n  \"version\": 1,", `mcp.lock.json:2:15: not JSON: unexpected end of JSON input: mend it, or take the file from version control`},
		{"comma missing", "{\n  \"version\": 1\n  \"tools\": {}\n}", `mcp.lock.json:3:3: not JSON: invalid character '"' after object key:value pair: mend it, or take the file from version control`},
		{"no token", "{\n  \"version\": tru,", `mcp.lock.json:2:17: not JSON: invalid character ',' in literal true (expecting 'e'): mend it, or take the file from version control`},
		{"member twice", "{\"version\": 1, \"tools\": {\n  \"é\": {}, \"é\": {}\n}}", `mcp.lock.json:2:15: "é" occurs twice in one object`},
		{"more after the end", "{}\n{}", `mcp.lock.json:2:1: not JSON: invalid character '{' after top-level value: mend it, or take the file from version control`},
		{"too deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), `mcp.lock.json:1:257: nested more than 256 levels deep`},
		{"objects too deep", strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), `mcp.lock.json:1:1281: nested more than 256 levels deep`},
		{"large number", input(`"minProperties": 1e9999`), `mcp.lock.json:1:82: a number with more than 1000 digits, or an exponent of more than 3`},
		{"long number", input(`"minProperties": ` + strings.Repeat("1", 1003)), `mcp.lock.json:1:1079: a number with more than 1000 digits, or an exponent of more than 3`},
		{"conflict", "{\n<<<<<<< HEAD\n  \"version\": 1\n=======\n", `mcp.lock.json:2: a conflict of a merge (<<<<<<<): take the file of either side, then run mcpgen tools, which adds what the other side added`},
		{"half a conflict", "{\n}\n>>>>>>> other\n", `mcp.lock.json:3: a conflict of a merge (>>>>>>>): take the file of either side, then run mcpgen tools, which adds what the other side added`},
		{"no object", "[]", `mcp.lock.json: the file: want an object`},
		{"no version", "{}", `mcp.lock.json: it has no version: it is no lock file of mcpgen`},
		{"other version", `{"version": 5}`, `mcp.lock.json: its version is 5, and this mcpgen knows 2 to 4: use the mcpgen that wrote it`},
		{"older version", `{"version": 1}`, `mcp.lock.json: an older mcpgen wrote it, which did not record all that callers depend on: remove it, and run mcpgen tools`},
		{"unknown member", `{"version": 2, "tool": {}}`, `mcp.lock.json: the file: unknown member "tool"; known: version, tools, prompts, resources`},
		{"section", `{"version": 2, "tools": []}`, `mcp.lock.json: tools: want an object`},
		{"entry", tool(`3`), `mcp.lock.json: tools.t: want an object`},
		{"entry's member", tool(`{"inpt": {}}`), `mcp.lock.json: tools.t: unknown member "inpt"; known: description, promises, demands, scopes, needs, minRevision, input, result, output`},
		{"no input", tool(`{}`), `mcp.lock.json: tools.t.input: missing`},
		{"input is no object", tool(`{"input": {"type": "string"}}`), `mcp.lock.json: tools.t.input: want a schema with "type": "object"`},
		{"output is no object", tool(`{"input": {"type": "object"}, "output": []}`), `mcp.lock.json: tools.t.output: want a schema with "type": "object"`},
		{"promises", tool(`{"input": {"type": "object"}, "promises": ["safe"]}`), `mcp.lock.json: tools.t.promises: "safe" is none; known: readonly, nondestructive, idempotent, closedworld, tasks`},
		{"promises are no list", tool(`{"input": {"type": "object"}, "promises": "readonly"}`), `mcp.lock.json: tools.t.promises: want an array`},
		{"scopes are no list", tool(`{"input": {"type": "object"}, "scopes": "a"}`), `mcp.lock.json: tools.t.scopes: want an array`},
		{"scopes of a prompt", `{"version": 2, "prompts": {"p": {"arguments": {"type": "object"}, "scopes": [3]}}}`, `mcp.lock.json: prompts.p.scopes: 3 is no scope; want a string`},
		{"scopes of a resource", `{"version": 2, "resources": {"a://b": {"name": "b", "scopes": ["a", ""]}}}`, `mcp.lock.json: resources.a://b.scopes: "" is no scope; want a string`},
		{"no result", tool(`{"input": {"type": "object"}}`), `mcp.lock.json: tools.t.result: missing; known: content, none, text, whole`},
		{"result", tool(`{"input": {"type": "object"}, "result": "blob"}`), `mcp.lock.json: tools.t.result: "blob" is none; known: content, none, text, whole`},
		{"result beside an output", tool(`{"input": {"type": "object"}, "output": {"type": "object"}, "result": "text"}`), `mcp.lock.json: tools.t.result: want "content" or nothing beside an output, got "text"`},
		{"output of a resource", `{"version": 2, "resources": {"a://b": {"name": "b", "result": "json"}}}`, `mcp.lock.json: resources.a://b.output: want a schema`},
		{"duration", input(`"properties": {"a": {"x-go-min": "1x"}}`), `mcp.lock.json: tools.t.input.properties.a: "x-go-min" cannot be "1x"`},
		{"properties", input(`"properties": []`), `mcp.lock.json: tools.t.input: "properties" cannot be []`},
		{"property", input(`"properties": {"a": 3}`), `mcp.lock.json: tools.t.input.properties.a: want a schema`},
		{"required", input(`"required": ["a", 3]`), `mcp.lock.json: tools.t.input: "required" cannot be ["a", 3]`},
		{"items", input(`"properties": {"a": {"items": [{}]}}`), `mcp.lock.json: tools.t.input.properties.a: "items" cannot be [{}]`},
		{"oneOf", input(`"oneOf": [null]`), `mcp.lock.json: tools.t.input.oneOf: want a schema`},
		{"bound", input(`"minProperties": "3"`), `mcp.lock.json: tools.t.input: "minProperties" cannot be "3"`},
		{"reference", input(`"properties": {"a": {"$ref": "#/$defs/Nod"}}, "$defs": {"Node": {}}`), `mcp.lock.json: tools.t.input.properties.a: $ref "#/$defs/Nod" leads nowhere`},
		{"integer", input(`"properties": {"a": {"type": "integer", "x-go-int": "int128"}}`), `mcp.lock.json: tools.t.input.properties.a: "x-go-int" cannot be "int128"`},
		{"prompt", `{"version": 2, "prompts": {"p": {}}}`, `mcp.lock.json: prompts.p.arguments: missing`},
		{"resource", `{"version": 2, "resources": {"a://b": {"name": 3}}}`, `mcp.lock.json: resources.a://b.name: want a string`},
		{"MIME type", `{"version": 2, "resources": {"a://b": {"name": "b", "mimeType": null, "variables": 3}}}`, `mcp.lock.json: resources.a://b.variables: want a schema with "type": "object"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := contract.Parse("mcp.lock.json", []byte(test.text))
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(weatherLock))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := contract.Parse("mcp.lock.json", data)
		if err != nil {
			return
		}
		text := c.Format()
		again, err := contract.Parse("mcp.lock.json", text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
		if got := lines(contract.Compare(c, again)); got != "" {
			t.Fatalf("changes to itself:\n%s\n%s", got, text)
		}
		contract.Compare(parse(t, weatherLock), contract.Update(parse(t, weatherLock), c, contract.Compare(parse(t, weatherLock), c)))
	})
}

// TestClosedResults compares with a release from when the objects of results were closed: that they are open breaks nobody,
// and a member more does, even if the lock file has been written anew since.
func TestClosedResults(t *testing.T) {
	parse := func(version int, more, end string) *contract.Contract {
		c, err := contract.Parse("mcp.lock.json", fmt.Appendf(nil, `{"version": %d, "tools": {"none": {"input": {"type": "object"}, "result": "text"}, "t": {"input": {"type": "object", "additionalProperties": false},
			"output": {"type": "object", "properties": {"a": {"type": "object"%s}, "b": {"type": "array", "items": {"type": "object"%s, "properties": {%s}}}}%s}}},
			"resources": {"a://b": {"name": "b", "result": "json", "output": {"type": "object", "properties": {"x": {}%s}%s}}}}`, version, end, end, more, end, more2(more), end))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const closed = `, "additionalProperties": false`
	released, rewritten := parse(3, "", closed), parse(4, "", "")
	if got := contract.Compare(released, rewritten); len(got) > 0 {
		t.Errorf("rewriting changes %v", got)
	}
	more := parse(4, `"c": {}`, "")
	for name, accepted := range map[string]*contract.Contract{"as released": released, "rewritten": rewritten} {
		got := contract.Pending(released, accepted, more)
		if len(got) != 2 || got[0].Path != "output.b[].c" || got[1].Path != "contents.c" {
			t.Errorf("%s: pending: %v", name, got)
		}
	}
	if got := contract.Pending(rewritten, rewritten, more); len(got) > 0 {
		t.Errorf("since results are open, pending: %v", got)
	}
}

func more2(more string) string {
	if more == "" {
		return ""
	}
	return ", " + more
}

// TestOldEnums reads results from before they could have other values: their enums are values that are known.
func TestOldEnums(t *testing.T) {
	const text = `{"version": 2, "tools": {"t": {"input": {"type": "object", "properties": {"a": {"enum": ["x"]}}}, "output": {"type": "object", "properties": {"b": {"type": "string", "enum": ["y"]}}}}},
		"resources": {"a://b": {"name": "b", "result": "json", "output": {"type": "string", "enum": ["z"]}}}}`
	got := string(parse(t, text).Format())
	for _, want := range []string{`"a": {"enum": ["x"]}`, `"b": {"type": "string", "x-known": ["y"]}`, `"output": {"type": "string", "x-known": ["z"]}`} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	if got := string(parse(t, strings.Replace(text, "2", "3", 1)).Format()); strings.Contains(got, "x-known") {
		t.Errorf("what is closed becomes open:\n%s", got)
	}
}

// TestWhatIsClosed compares results of version 3, whose objects were closed unless they said otherwise, with those of now.
func TestWhatIsClosed(t *testing.T) {
	of := func(version int, output string) *contract.Contract {
		return parse(t, fmt.Sprintf(`{"version": %d, "tools": {"t": {"input": {"type": "object"}, "output": {"type": "object", "properties": {"a": %s}}}}}`, version, output))
	}
	for _, output := range []string{
		`{"type": "object", "additionalProperties": {"type": "string"}}`, `{"type": "object", "additionalProperties": true}`, `{"type": "string"}`,
	} {
		old := of(3, output)
		if got := contract.Compare(old, old); len(got) > 0 {
			t.Errorf("%s: changes to itself: %v", output, got)
		}
		for _, c := range contract.Compare(old, of(4, output)) {
			if c.Breaking || c.Path != "output" {
				t.Errorf("%s: %s", output, c)
			}
		}
	}
}
