package annotated

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/args"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// lenient are tools that are not strict.
var lenient = []struct {
	tool   mcp.Tool
	handle server.ToolHandler
}{
	{mcpToolAdd, mcpAdd},
	{mcpToolCameFreely, mcpCameFreely},
	{mcpToolCounts, mcpCounts},
	{mcpToolFail, mcpFail},
	{mcpToolMaybe, mcpMaybe},
	{mcpToolNamed, mcpNamed},
	{mcpToolText, mcpText},
	{mcpToolWeatherForecast, mcpWeatherForecast(&Weather{})},
}

// TestLenient calls tools that are not strict: they take all that their schemas say, and more only where
// a string holds a scalar, or null stands for what is optional.
func TestLenient(t *testing.T) {
	seed := randomSeed(t)
	for i, tool := range lenient {
		input, schema := compile(t, tool.tool.InputSchema)
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		var valid, more int
		for n := range 3000 {
			text := newSource(r, input, []float64{0, 0.1}[n%2]).value(input, 0)
			_, err := tool.handle(t.Context(), new(server.Call), wire.Raw(text))
			var wrong *args.Error
			taken := !errors.As(err, &wrong)
			doc, invalid := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if invalid == nil {
				invalid = schema.Validate(doc)
			}
			switch {
			case invalid == nil && !taken && slices.ContainsFunc(wrong.Problems, func(p string) bool { return excuse(p, text) < 0 }):
				t.Fatalf("%s %s\nis valid; the tool: %v", tool.tool.Name, text, err)
			case invalid == nil:
				valid++
			case taken && !relaxed(schema, doc, nil):
				t.Fatalf("%s %s\nis accepted; the schema: %v", tool.tool.Name, text, invalid)
			case taken:
				more++
			}
		}
		t.Logf("%s: %d are valid, %d are taken nevertheless", tool.tool.Name, valid, more)
		if valid < 1500 {
			t.Errorf("%s: only %d are valid", tool.tool.Name, valid)
		}
	}
}

// relaxed reports whether arguments are valid once some strings are what they spell, and some nulls are
// left out. Names are the members that have been looked at.
func relaxed(schema *jsonschema.Schema, doc any, names map[string]bool) bool {
	if schema.Validate(doc) == nil {
		return true
	}
	for name, v := range doc.(map[string]any) {
		if names[name] {
			continue
		}
		more := maps.Clone(doc.(map[string]any))
		switch text, _ := v.(string); {
		case v == nil:
			delete(more, name)
		case text != "" && json.Valid([]byte(text)):
			more[name], _ = jsonschema.UnmarshalJSON(strings.NewReader(text))
		default:
			continue
		}
		seen := maps.Clone(names)
		if seen == nil {
			seen = make(map[string]bool)
		}
		seen[name] = true
		if relaxed(schema, more, seen) {
			return true
		}
	}
	return false
}

// TestDepth calls a tool with arguments that nest, as deeply as is allowed, and more deeply.
func TestDepth(t *testing.T) {
	tree := func(levels int) string { // each is an object and an array, the last one only an object
		return `{"tree":` + strings.Repeat(`{"value":1,"kids":[`, levels-1) + `{"value":1}` + strings.Repeat(`]}`, levels-1) + `}`
	}
	j := newJudge(t, mcpToolEchoTree, mcpEchoTree)
	deepest := (wire.MaxDepth-2)/2 + 1
	if v := j.judge(t, tree(deepest)); !v.accepted {
		t.Errorf("%d levels are refused", deepest)
	}
	if v := j.judge(t, tree(deepest+1)); v.accepted {
		t.Errorf("%d levels are accepted", deepest+1)
	}
}
