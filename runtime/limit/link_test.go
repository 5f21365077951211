package limit_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestLinked: a server on standard input that has limits does not link net/http, and of modules from elsewhere only the
// one with rates.
func TestLinked(t *testing.T) {
	list := testenv.Command(t.Context(), ".", "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}} {{end}}{{.ImportPath}}",
		".", "../server", "../transport/stdio")
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rates := false
	for line := range strings.Lines(string(out)) {
		module, path, ours := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case ours && module == "golang.org/x/time":
			rates = true
		case ours && module != "github.com/mcpgen/mcpgen", line == "net/http\n":
			t.Errorf("%s %s is linked", module, path)
		}
	}
	if !rates {
		t.Errorf("golang.org/x/time is not linked: %s", out)
	}
}
