package directive

import (
	"flag"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestExamples parses the example of every directive in every place that it may stand in.
func TestExamples(t *testing.T) {
	for _, s := range All() {
		place := s.Places[0]
		d, problems := Parse(&ast.Comment{Slash: 1, Text: s.Example}, place, "")
		if d == nil || d.Name != s.Name || len(problems) > 0 {
			t.Errorf("%s: %v", s.Example, problems)
		}
		if d, problems := Parse(&ast.Comment{Slash: 1, Text: s.Example}, "", "nowhere"); d != nil || len(problems) != 1 {
			t.Errorf("%s is accepted where nothing is", s.Example)
		}
		for _, f := range s.Flags {
			if f.Excludes != "" && s.flag(f.Excludes) == nil {
				t.Errorf("%s: %s excludes %s, which there is not", s.Name, f.Name, f.Excludes)
			}
		}
	}
}

func TestHelp(t *testing.T) { golden(t, "testdata/help.txt", Help()) }

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		"": {""}, "a": {"a"}, "a,b": {"a", "b"}, "a,,b": {"a", "", "b"}, `a\,b,c`: {"a,b", "c"}, `a\\,b`: {`a\`, "b"}, `a\b\`: {`a\b\`}, "a b, c": {"a b", " c"},
	} {
		if got := Split(in); !slices.Equal(got, want) {
			t.Errorf("Split(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestNearMisses tells comments that were meant as directives from those that mention them.
func TestNearMisses(t *testing.T) {
	for text, want := range map[string]string{
		"// mcp:tool":                   "//mcp:tool",
		"//  mcp:tool readonly":         "//mcp:tool",
		"//mcp: tool":                   "//mcp:tool",
		"//MCP:tool":                    "//mcp:tool",
		"//Mcp:Tool":                    "//mcp:tool",
		"// mcp : tool":                 "//mcp:tool",
		"//mcp:tol":                     "//mcp:tool",
		"//mcp:params x":                "//mcp:param",
		"//mpc:tool":                    "//mcp:tool",
		"//mcpgen:prompt":               "//mcp:prompt",
		"/* mcp:tool */":                "//mcp:tool",
		"/* //mcp:tool */":              "//mcp:tool",
		"// +mcp:tool":                  "//mcp:tool",
		"//+mcp:tool":                   "//mcp:tool",
		"///mcp:tool":                   "//mcp:tool",
		"////mcp:tool":                  "",
		"// //mcp:tool":                 "",
		"// mcp: the protocol":          "",
		"// mcp:// is no scheme":        "",
		"// the directive //mcp:tool":   "",
		"//	//mcp:tool":                 "",
		"// See mcp:tool":               "",
		"//go:generate mcpgen tools":    "",
		"//nolint:mcp":                  "",
		"// model context protocol: it": "",
	} {
		d, problems := Parse(&ast.Comment{Slash: 1, Text: text}, Function, "")
		if d != nil {
			t.Errorf("%s is a directive", text)
		}
		got := ""
		if len(problems) > 0 {
			got = problems[0].New
			if got == "" && strings.HasPrefix(text, "/*") {
				_, got, _ = strings.Cut(strings.TrimSuffix(problems[0].Msg, "?"), "did you mean ")
			}
			if old := problems[0].Old; !strings.HasPrefix(text, old) {
				t.Errorf("%s does not begin with %q", text, old)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q (%v)", text, got, want, problems)
		}
	}
}
