package observe_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

// TestLinked: a server on standard input that is observed links neither net/http nor modules from elsewhere.
func TestLinked(t *testing.T) {
	list := testenv.Command(t.Context(), ".", "go", "list", "-deps", "-f", "{{if not .Standard}}{{.Module.Path}} {{end}}{{.ImportPath}}",
		".", "../server", "../transport/stdio", "../../mcp")
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := 0
	for line := range strings.Lines(string(out)) {
		lines++
		module, path, ours := strings.Cut(strings.TrimSpace(line), " ")
		if ours && module != "github.com/mcpgen/mcpgen" {
			t.Errorf("%s of %s is linked", path, module)
		}
		if line == "net/http\n" || line == "expvar\n" {
			t.Errorf("%s is linked", strings.TrimSpace(line))
		}
	}
	if lines < 20 {
		t.Errorf("there are %d packages: %s", lines, out)
	}
}
