package limit_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestLinked: a server on standard input that has limits links neither net/http nor modules from elsewhere.
func TestLinked(t *testing.T) {
	list := testenv.Command(t.Context(), ".", "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}} {{end}}{{.ImportPath}}",
		".", "../server", "../transport/stdio")
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if module, path, ours := strings.Cut(strings.TrimSpace(line), " "); ours && module != "github.com/mcpgen/mcpgen" || line == "net/http\n" {
			t.Errorf("%s %s is linked", module, path)
		}
	}
}
