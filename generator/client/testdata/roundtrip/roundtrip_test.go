// Package roundtrip tests what is generated for the contracts in testdata/corpus, by calls to a server that keeps what
// it receives. The generated file is here only while TestCorpus of package client runs these tests.
package roundtrip

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	cases = flag.Int("cases", 500, "how many calls are made")
	seed  = flag.Uint64("seed", 14, "of the random values")
	which = flag.String("corpus", "*", "the name of a file of the corpus")
	names = flag.String("names", "", "the file with the names of the methods")
)

// A tool is one of the corpus.
type tool struct {
	mcp.Tool
	in, out *schema
	newer   *schema // of the results of a newer server
	method  reflect.Value

	received wire.Raw // the arguments of the last call
	result   wire.Raw // the structured content of the next one
}

// A schema makes values and validates them.
type schema struct {
	maker maker
	valid *jsonschema.Schema
}

func newSchema(t *testing.T, raw wire.Raw, r *rand.Rand) *schema {
	t.Helper()
	if raw == nil {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if bytes.Contains(raw, []byte(`"items":[`)) {
		c.DefaultDraft(jsonschema.Draft7) // the form of tuples that 2020-12 does not have
	}
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	valid, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return &schema{maker{r, doc.(map[string]any)}, valid}
}

// value makes a valid value, nil if it fails.
func (s *schema) value() wire.Raw {
	for range 100 {
		v := s.maker.value(map[string]any(s.maker.root), 0)
		if s.valid.Validate(v) == nil {
			text, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			return text
		}
	}
	return nil
}

// TestRoundTrip sends random valid arguments through the generated methods, and random valid results back.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 0))
	tools := corpus(t, r)
	ctx := t.Context()
	api := reflect.ValueOf(New(connect(t, tools)))
	methods := make(map[string]string)
	if text, err := os.ReadFile(*names); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &methods); err != nil {
		t.Fatal(err)
	}
	made := make(map[string]int)
	others := 0
	for i := range *cases {
		c := tools[i%len(tools)]
		if c.method = api.MethodByName(methods["tools/"+c.Name]); !c.method.IsValid() {
			t.Fatal("no method for", c.Name)
		}
		sent := c.in.value()
		if sent == nil {
			continue
		}
		if c.out != nil {
			out := c.out
			if r.IntN(2) == 0 {
				out = c.newer
			}
			if c.result = out.value(); c.result == nil {
				continue
			}
		}
		made[c.Name]++
		others += c.call(ctx, t, sent)
		if t.Failed() {
			return
		}
	}
	total := 0
	for _, n := range slices.Collect(maps.Values(made)) {
		total += n
	}
	t.Logf("%d calls of %d tools, seed %d", total, len(made), *seed)
	if others > 0 {
		t.Errorf("%d valid values were none of the alternatives of their type", others)
	}
	if len(made) < len(tools) && *cases >= len(tools) {
		for _, c := range tools {
			if made[c.Name] == 0 && *cases > 10*len(tools) {
				t.Errorf("no valid values were made for %s", c.Name)
			}
		}
	}
}

// call makes one call, and compares what arrives with what was sent. It returns how many values had no alternative.
func (c *tool) call(ctx context.Context, t *testing.T, sent wire.Raw) (others int) {
	t.Helper()
	args := reflect.New(c.method.Type().In(1))
	if err := json.Unmarshal(sent, args.Interface()); err != nil {
		t.Errorf("%s: arguments: %v\n%s", c.Name, err, sent)
		return
	}
	results := c.method.Call([]reflect.Value{reflect.ValueOf(ctx), args.Elem()})
	if err, _ := results[1].Interface().(error); err != nil {
		t.Errorf("%s: %v\narguments %s\nresult %s", c.Name, err, sent, c.result)
		return
	}
	if diff := differ(sent, c.received); diff != "" {
		t.Errorf("%s: %s\nsent     %s\nreceived %s", c.Name, diff, sent, c.received)
	}
	if err := c.in.valid.Validate(parse(c.received)); err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
	others = count(args)
	if c.out == nil {
		return others
	}
	got, err := json.Marshal(results[0].Interface())
	if err != nil {
		t.Errorf("%s: result: %v", c.Name, err)
	}
	if diff := differ(c.result, got); diff != "" {
		t.Errorf("%s: result: %s\nsent     %s\nreceived %s", c.Name, diff, c.result, got)
	}
	if c.out.valid.Validate(parse(c.result)) != nil {
		return others // the result of a newer server may be an alternative that the client does not know
	}
	return others + count(results[0])
}

// count returns how many unions hold a value that is none of their alternatives.
func count(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return count(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Other" && v.Type().Field(i).Type == reflect.TypeFor[wire.Raw]() && v.Field(i).Len() > 0 {
				n++
			}
			n += count(v.Field(i))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[wire.Raw]() {
			return 0
		}
		for i := range v.Len() {
			n += count(v.Index(i))
		}
	case reflect.Map:
		for _, e := range v.Seq2() {
			n += count(e)
		}
	}
	return n
}

func corpus(t *testing.T, r *rand.Rand) []*tool {
	files, err := filepath.Glob("../corpus/" + *which + ".json")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	var tools []*tool
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c struct{ Tools []mcp.Tool }
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		for _, one := range c.Tools {
			tools = append(tools, &tool{Tool: one, in: newSchema(t, one.InputSchema, r), out: newSchema(t, one.OutputSchema, r), newer: newSchema(t, newer(one.OutputSchema), r)})
		}
	}
	return tools
}

// connect returns a client of a server that keeps arguments, and returns results.
func connect(t *testing.T, tools []*tool) *client.Client {
	s := server.New(mcp.Implementation{Name: "echo", Version: "1"}, nil)
	for _, c := range tools {
		err := s.AddTool(mcp.Tool{Name: c.Name, InputSchema: c.InputSchema}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			c.received = bytes.Clone(args)
			return &mcp.CallToolResult{StructuredContent: c.result}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dial(t, s)
}

// newer returns the output schema that a newer server may have: objects have members more, and tuples elements.
func newer(schema wire.Raw) wire.Raw {
	if schema == nil {
		return nil
	}
	v := parse(schema)
	widen(v)
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func widen(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, w := range v {
			widen(w)
		}
		for keyword, of := range map[string]string{"additionalProperties": "properties", "unevaluatedProperties": "", "items": "prefixItems", "additionalItems": "items", "unevaluatedItems": ""} {
			if v[keyword] == false && (of == "" || v[of] != nil || v["patternProperties"] == nil) {
				v[keyword] = true
			}
		}
		if v["prefixItems"] != nil {
			delete(v, "maxItems")
		}
		if one, ok := v["oneOf"]; ok { // which may now be several
			v["anyOf"] = one
			delete(v, "oneOf")
		}
		if list, ok := v["enum"].([]any); ok && len(list) > 1 && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok }) {
			v["enum"] = append(list, "a value of a newer server")
		}
	case []any:
		for _, w := range v {
			widen(w)
		}
	}
}

func parse(raw wire.Raw) any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, raw))
	}
	return v
}

// differ says how two JSON texts differ in what they mean, empty if they do not.
func differ(a, b wire.Raw) string { return differAt("", parse(a), parse(b)) }

func differAt(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return path + ": the members differ"
		}
		for name, v := range a {
			w, ok := b[name]
			if !ok {
				return path + "/" + name + " is missing"
			}
			if diff := differAt(path+"/"+name, v, w); diff != "" {
				return diff
			}
		}
		return ""
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path + ": the elements differ"
		}
		for i, v := range a {
			if diff := differAt(fmt.Sprintf("%s/%d", path, i), v, b[i]); diff != "" {
				return diff
			}
		}
		return ""
	case json.Number:
		b, ok := b.(json.Number)
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b))
		if !ok || x == nil || y == nil || x.Cmp(y) != 0 {
			return fmt.Sprintf("%s: want %s, got %v", path, a, b)
		}
		return ""
	}
	if a != b {
		return fmt.Sprintf("%s: want %v, got %v", path, a, b)
	}
	return ""
}
