package annotated

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// TestLines counts what Add and Forecast need beyond Go itself: the lines of their doc comments,
// directives included, and of that of the type that Forecast takes.
func TestLines(t *testing.T) {
	lines := make(map[string]int)
	for _, name := range []string{"forecast.go", "enums.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				lines[d.Name.Name] = len(d.Doc.List)
			case *ast.GenDecl:
				if spec, ok := d.Specs[0].(*ast.TypeSpec); ok && d.Doc != nil {
					lines[spec.Name.Name] = len(d.Doc.List)
				}
			}
		}
	}
	if got := lines["Add"]; got != 1 {
		t.Errorf("Add takes %d lines, want 1", got)
	}
	if got := lines["Forecast"] + lines["Unit"]; got != 9 {
		t.Errorf("Forecast takes %d lines, want 9", got)
	}
}

// TestForecast compares what a client sees of them. How they answer is in testdata/calls.txt.
func TestForecast(t *testing.T) {
	const unit = `{"type":"string","description":"A temperature unit.\n- celsius: degrees Celsius\n- fahrenheit: degrees Fahrenheit"`
	const values = `["celsius","fahrenheit","kelvin"]`
	const integer = `{"type":"integer"}`
	want := map[string][3]string{
		"add": {
			"",
			`{"type":"object","properties":{"a":` + integer + `,"b":` + integer + `},"required":["a","b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"sum":` + integer + `},"required":["sum"]}`,
		},
		"forecast": {
			"Predicts the weather of a city.",
			`{"type":"object","properties":{"city":{"type":"string","description":"the city's English name"},` +
				`"days":{"type":"integer","description":"how many days ahead","minimum":1,"maximum":14,"default":3},` +
				`"unit":` + unit + `,"enum":` + values + `,"default":"celsius"}},"required":["city"],"additionalProperties":false}`,
			`{"type":"object","description":"The weather to come.","properties":{"city":{"type":"string"},"unit":` + unit + `,"examples":` + values + `},` +
				`"days":{"type":"array","items":{"type":"object","description":"The weather of one day.",` +
				`"properties":{"high":{"type":"number"},"rain":{"type":"number","description":"the chance of it, from 0 to 1"}},` +
				`"required":["high","rain"]}}},"required":["city","unit","days"]}`,
		},
	}
	c := mcptest.Connect(t, newServer(t), nil)
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[tool.Name]; ok {
			if got := [3]string{tool.Description, string(tool.InputSchema), string(tool.OutputSchema)}; got != w {
				t.Errorf("%s:\n got %s\nwant %s", tool.Name, strings.Join(got[:], "\n     "), strings.Join(w[:], "\n     "))
			}
			delete(want, tool.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}
