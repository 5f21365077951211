package tools

import (
	"errors"
	"strings"
	"testing"
)

// TestGenerateFault has the place of something that can be looked at, also where the code is wrong that
// the generator writes.
func TestGenerateFault(t *testing.T) {
	for _, source := range []string{
		"//mcp:tool\nfunc F() {}\n",
		"//mcp:prompt\nfunc F() string { return \"\" }\n",
		"//mcp:resource x://y\nfunc F() string { return \"\" }\n",
	} {
		p := newBench(t).analyze(source)
		p.Name = "func" // no package has such a name
		_, err := (&Package{ir: p, base: "/"}).Generate(Runtime)
		var list ErrorList
		if !errors.As(err, &list) || len(list) != 1 || !strings.HasPrefix(err.Error(), "a.go:2:1: the code that mcpgen writes for this package is wrong: ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestGenerateForms has forms for our own servers alone: those of the Go SDK ask in another way.
func TestGenerateForms(t *testing.T) {
	p := newBench(t).analyze("import \"context\"\nimport \"github.com/mcpgen/mcpgen/runtime/server/ask\"\n" +
		"type Guest struct { Name string }\n" +
		"//mcp:tool\nfunc F() {}\n" +
		"func who(ctx context.Context, by ask.Elicitor) (Guest, error) { return ask.Form[Guest](ctx, by, \"?\") }\n")
	for target, want := range map[Target]bool{"": true, Runtime: true, GoSDK: false} {
		files, err := (&Package{ir: p, base: "/"}).Generate(target)
		if err != nil || strings.Contains(string(files[GoFile]), "MCPForm") != want {
			t.Errorf("%s: want a form: %t; got %v\n%s", target, want, err, files[GoFile])
		}
	}
}
