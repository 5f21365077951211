package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestLarge generates a file that is formatted in parts.
func TestLarge(t *testing.T) {
	m := newModule(t)
	var src strings.Builder
	src.WriteString("package large\n")
	for i := range 100 {
		fmt.Fprintf(&src, "\n// Tool%d does something with\n// lines of \"text\".\n//\n//mcp:tool\nfunc Tool%[1]d(a []string, b map[string]int) (sum int) { return 0 }\n", i)
	}
	m.write(t, "large/large.go", src.String())
	m.generate(t, tools.Runtime) // compares with gofmt
}
