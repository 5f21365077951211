package tools

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/example"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// TestRehearse compares servers of generated code with what is said without it: what they list, and what they make of
// arguments.
func TestRehearse(t *testing.T) {
	packages, err := Load(t.Context(), nil, "./internal/example")
	if err != nil {
		t.Fatal(err)
	}
	served, rehearsed := server.New(mcp.Implementation{Name: "a"}, nil), server.New(mcp.Implementation{Name: "a"}, nil)
	for _, err := range []error{
		example.Register(served), example.RegisterWeather(served, &example.Weather{City: "Oslo", High: []float64{3}}),
		example.RegisterStation(served, &example.Station{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	called := ""
	for _, item := range packages[0].Rehearse(func(tool string, unread []string) (*mcp.CallToolResult, error) {
		called = tool + strings.Join(unread, " ")
		return server.TextResult(""), nil
	}) {
		if err := rehearsed.Add(item); err != nil {
			t.Fatal(err)
		}
	}
	clients := []mcp.ServerCalls{{Caller: mcptest.Caller(served, nil)}, {Caller: mcptest.Caller(rehearsed, nil)}}
	var lists [2]string
	for i, c := range clients {
		result, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range result.Tools {
			text, err := tool.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			lists[i] += string(text) + "\n"
		}
	}
	if lists[0] != lists[1] || strings.Count(lists[0], "\n") != 3 {
		t.Errorf("generated code lists\n%swithout it\n%s", lists[0], lists[1])
	}
	call := func(c mcp.ServerCalls, tool, arguments string) (text string, valid bool) {
		t.Helper()
		r, err := c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: tool, Arguments: []byte(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return mcptest.Text(r), r.IsError == nil || !*r.IsError
	}
	valid := 0
	for _, q := range []struct{ tool, arguments string }{
		{"add", `{"a":1,"b":2}`}, {"add", `{"a":"1","b":2.0}`}, {"add", `{"a":1.5,"c":2}`}, {"add", `{"a":1e99,"a":2,"b":null}`},
		{"forecast", `{"city":"Oslo"}`}, {"forecast", `{"city":"Oslo","days":null,"unit":"fahrenheit"}`},
		{"forecast", `{}`}, {"forecast", `{"city":1,"days":20,"unit":"kelvin","day":1}`}, {"forecast", `{"city":"Oslo","days":0}`},
		{"calibrate", `{"celsius":1}`}, {"calibrate", `{"celsius":1e999}`}, {"calibrate", `{"celsius":[]}`},
	} {
		called = ""
		want, ok := call(clients[0], q.tool, q.arguments)
		got, rehearsedOK := call(clients[1], q.tool, q.arguments)
		if ok != rehearsedOK || !ok && got != want || ok != (called == q.tool) {
			t.Errorf("%s %s: generated code says\n%s\nwithout it\n%s\nand %q is called", q.tool, q.arguments, want, got, called)
		}
		if ok {
			valid++
		}
	}
	if valid != 5 {
		t.Errorf("%d calls are valid, want 5", valid)
	}
}

// TestCanGenerate asks whether code can be generated for what Generate refuses.
func TestCanGenerate(t *testing.T) {
	for of, want := range map[string]string{
		"big.Rat":  "m.go:6:2: omitzero: generated code cannot see whether the field a of math/big.Rat is zero; use a pointer to that type",
		"*big.Rat": "",
	} {
		dir := module(t, "-- m.go --\npackage m\n\nimport \"math/big\"\n\ntype R struct {\n\tN "+of+" `json:\"n,omitzero\"`\n}\n\n//mcp:tool\nfunc F() R { return R{} }\n")
		packages, err := Load(t.Context(), &Config{Dir: dir}, ".")
		if err != nil {
			t.Fatal(err)
		}
		_, generateErr := packages[0].Generate(Runtime)
		var got []string
		for _, err := range []error{packages[0].CanGenerate(), generateErr} {
			if err != nil {
				got = append(got, err.Error())
			} else {
				got = append(got, "")
			}
		}
		if !slices.Equal(got, []string{want, want}) {
			t.Errorf("%s: got %q, want %q", of, got, want)
		}
	}
}
