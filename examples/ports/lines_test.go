package ports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/examples/ports/internal/lines"
)

// TestLines holds docs/from-go-sdk.md to the lines of the servers of go-sdk and of their ports, and these to their ratio.
func TestLines(t *testing.T) {
	var table strings.Builder
	table.WriteString("| lines of code | go-sdk | mcpgen | |\n|---|---:|---:|---:|\n")
	row := func(name string, theirs, ours int) {
		fmt.Fprintf(&table, "| %s | %d | %d | %.2f |\n", name, theirs, ours, float64(ours)/float64(theirs))
	}
	var theirs, ours int
	for _, name := range []string{"memory", "sequentialthinking", "everything", "elicitation"} {
		a := lines.OfPackage(t, "github.com/modelcontextprotocol/go-sdk/examples/server/"+name)
		b := lines.OfPackage(t, "./"+name)
		row("`"+name+"`", a, b)
		theirs, ours = theirs+a, ours+b
	}
	row("together", theirs, ours)
	t.Log("\n" + table.String())
	if !strings.Contains(read(t, "../../docs/from-go-sdk.md"), table.String()) {
		t.Errorf("docs/from-go-sdk.md lacks\n%s", &table)
	}
	if 100*ours > 48*theirs {
		t.Errorf("the ports have %d lines, more than 48%% of %d", ours, theirs)
	}
}
