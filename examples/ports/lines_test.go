package ports

import (
	"fmt"
	"os"
	"path/filepath"
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

// toolsets are what README.md compares: files of a port with those of the original, and how many lines these have: of code, and
// with comments.
var toolsets = []struct {
	name         string
	ours, theirs []string
	variable     string // of the environment, which names a checkout of the original
	lines        [2]int
}{
	{
		"gists: the tools", []string{"gists/tools.go"},
		[]string{"pkg/github/gists.go"}, "MCPGEN_GITHUB_MCP_SERVER", [2]int{328, 336},
	},
	{
		"gists: the tools, and main of the port", []string{"gists/tools.go", "gists/main.go"},
		[]string{"pkg/github/gists.go"}, "MCPGEN_GITHUB_MCP_SERVER", [2]int{328, 336},
	},
	{
		"terraform: the tools", []string{"terraform/modules.go", "terraform/policies.go", "terraform/providers.go", "terraform/texts.go"},
		registry, "MCPGEN_TERRAFORM_MCP_SERVER", [2]int{1017, 1051},
	},
	{
		"terraform: the tools, the client of the registry, and main of the port",
		[]string{"terraform/modules.go", "terraform/policies.go", "terraform/providers.go", "terraform/texts.go", "terraform/registry.go", "terraform/main.go"},
		append([]string{"pkg/client/common.go", "pkg/client/registry.go", "pkg/client/types.go"}, registry...), "MCPGEN_TERRAFORM_MCP_SERVER", [2]int{1624, 1700},
	},
}

// registry are the files of the tools in the toolset of terraform-mcp-server.
var registry = []string{
	"pkg/tools/registry/errors.go", "pkg/tools/registry/get_latest_module_version.go", "pkg/tools/registry/get_latest_provider_version.go",
	"pkg/tools/registry/get_module_details.go", "pkg/tools/registry/get_policy_details.go", "pkg/tools/registry/get_provider_capabilities.go",
	"pkg/tools/registry/get_provider_details.go", "pkg/tools/registry/search_modules.go", "pkg/tools/registry/search_policies.go",
	"pkg/tools/registry/search_providers.go",
}

// TestToolsets holds README.md to the lines of the toolsets of others and of their ports, and these to their ratio.
func TestToolsets(t *testing.T) {
	var table strings.Builder
	table.WriteString("| lines | code of the original | of the port | | with comments | of the port | |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, s := range toolsets {
		ours := [2]int{lines.Of(t, s.ours...), lines.WithComments(t, s.ours...)}
		fmt.Fprintf(&table, "| %s | %d | %d | %.2f | %d | %d | %.2f |\n", s.name, s.lines[0], ours[0], float64(ours[0])/float64(s.lines[0]),
			s.lines[1], ours[1], float64(ours[1])/float64(s.lines[1]))
		if 100*ours[0] > 40*s.lines[0] {
			t.Errorf("%s: the port has %d lines, more than 40%% of %d", s.name, ours[0], s.lines[0])
		}
		dir := os.Getenv(s.variable)
		if dir == "" {
			continue // what the original has is a fact then
		}
		var files []string
		for _, file := range s.theirs {
			files = append(files, filepath.Join(dir, file))
		}
		if got := [2]int{lines.Of(t, files...), lines.WithComments(t, files...)}; got != s.lines {
			t.Errorf("%s: the original has %d lines, want %d", s.name, got, s.lines)
		}
	}
	if !strings.Contains(read(t, "README.md"), table.String()) {
		t.Errorf("README.md lacks\n%s", &table)
	}
	text := strings.Join(strings.Fields(read(t, "../../docs/moving-over.md")), " ")
	for _, s := range toolsets {
		want := fmt.Sprintf("%d of %d lines of code remained", lines.Of(t, s.ours...), s.lines[0])
		if strings.HasSuffix(s.name, ": the tools") && !strings.Contains(text, want) {
			t.Errorf("docs/moving-over.md lacks %q", want)
		}
	}
}
