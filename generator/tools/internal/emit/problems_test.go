package emit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// TestProblems generates code for packages for which that cannot be done.
func TestProblems(t *testing.T) {
	const header = "package p\n\n"
	cases := map[string]struct {
		source string
		target tools.Target
		want   string
	}{
		"predeclared": {header + `
func len(x string) int { return 0 }

//mcp:tool
func F() {}
`, tools.Runtime, "package p declares len, which hides the predeclared identifier that generated code needs"},
		"unexported": {header + `
import "example.com/cases/other"

//mcp:tool
func F(list other.List) {}
`, tools.Runtime, "generated code cannot name the type other.item, which is not exported"},
		"omitzero": {header + `
import "example.com/cases/other"

type R struct {
	Hidden other.Hidden ` + "`json:\"hidden,omitzero\"`" + `
}

//mcp:tool
func F() R { return R{} }
`, tools.Runtime, "omitzero: generated code cannot see whether the field list of example.com/cases/other.Hidden is zero; use a pointer to that type"},
		"internal": {header + `
import "example.com/cases/other"

//mcp:tool
func F(s other.Secrets) {}
`, tools.Runtime, "generated code cannot name the type secret.Secret of the internal package example.com/cases/other/internal/secret"},
		"gosdk": {header + `
import "github.com/mcpgen/mcpgen/runtime/server"

//mcp:tool
func F(c *server.Call) {}
`, tools.GoSDK, "parameter c: a server of the Go SDK has no value of this type; take *mcp.CallToolRequest of its package mcp"},
		"gosdksearch": {`
//mcp:server name=p search
package p

//mcp:tool
func F() {}
`, tools.GoSDK, "a server of the Go SDK lists all tools; remove search from //mcp:server"},
		"gosdkapp": {header + `
//mcp:tool
//mcp:app visibility=app
func F() {}
`, tools.GoSDK, "the tool f: pages are for servers of mcpgen; add the page by hand as a resource, and say //mcp:meta instead of //mcp:app"},
		"gosdktask": {header + `
//mcp:tool task=optional
func F() {}
`, tools.GoSDK, "the tool f: a server of the Go SDK runs no tasks; remove task=optional"},
		"gosdkscope": {header + `
//mcp:tool scope=a,b
func F(x int) {}
`, tools.GoSDK, "p.go:4:1: a server of the Go SDK checks no scopes; remove scope=a,b, and check in the function"},
		"gosdkscopeprompt": {header + `
//mcp:prompt scope=a
func F(x string) string { return x }
`, tools.GoSDK, "p.go:4:1: a server of the Go SDK checks no scopes; remove scope=a, and check in the function"},
		"gosdkscopetemplate": {header + `
//mcp:resource a://{x} scope=a:{x}
func F(x string) string { return "" }
`, tools.GoSDK, "p.go:4:1: a server of the Go SDK checks no scopes; remove scope=a:{x}, and check in the function"},
		"gosdkneeds": {header + `
//mcp:tool needs=roots,sampling
func F() {}
`, tools.GoSDK, "p.go:4:1: a server of the Go SDK hides nothing from clients; remove needs=roots,sampling, and check in the function"},
		"gosdkgroup": {header + `
//mcp:prompt group=a
func F(x string) string { return x }
`, tools.GoSDK, "p.go:4:1: a server of the Go SDK offers everything that it has to all; remove group=a"},
		"gosdkconfirm": {header + `
//mcp:tool confirm=Sure?
func F() {}
`, tools.GoSDK, "p.go:4:1: the tool f: a server of the Go SDK asks nobody by itself; remove confirm, and ask in the function by the request's session"},
		"gosdktimeout": {header + `
//mcp:tool timeout=30s
func F() {}
`, tools.GoSDK, "p.go:4:1: the tool f: a server of the Go SDK cancels no calls; remove timeout=30s, and limit the context in the function"},
		"gosdkrate": {header + `
//mcp:tool rate=5/s
func F() {}
`, tools.GoSDK, "p.go:4:1: the tool f: a server of the Go SDK counts no calls; remove rate, and limit calls by middleware"},
		"gosdkcompletions": {header + `
func CompletionHandler() {}

//mcp:prompt
func P(a string) string { return a }

//mcp:complete P a
func F(value string) []string { return nil }
`, tools.GoSDK, "the generated function CompletionHandler would have the name of something that the package declares"},
		"gosdkresult": {header + `
import "github.com/mcpgen/mcpgen/mcp"

//mcp:tool
func F() *mcp.CallToolResult { return nil }
`, tools.GoSDK, "F returns a type of github.com/mcpgen/mcpgen/mcp, but the target needs one of github.com/modelcontextprotocol/go-sdk/mcp"},
		"gosdktwo": {header + `
//mcp:resource files:///{a}{b}
func F(a, b string) string { return a }
`, tools.GoSDK, "those of files:///{a}{b} take more than {name}"},
		"gosdkletter": {header + `
//mcp:resource files:///{a}z
func F(a string) string { return a }
`, tools.GoSDK, "those of files:///{a}z take more than {name}"},
		"gosdkupper": {header + `
//mcp:resource files:///{a}Q
func F(a string) string { return a }
`, tools.GoSDK, "those of files:///{a}Q take more than {name}"},
		"gosdkdigit": {header + `
//mcp:resource files:///{a}9
func F(a string) string { return a }
`, tools.GoSDK, "those of files:///{a}9 take more than {name}"},
		"gosdktemplate": {header + `
//mcp:resource files:///{+path}
func F(path string) string { return path }
`, tools.GoSDK, "the Go SDK does not give the values of a template, and those of files:///{+path} take more than {name}"},
	}
	m := newModule(t)
	m.write(t, "other/internal/secret/secret.go", "package secret\n\ntype Secret struct{ X int }\n")
	m.write(t, "other/other.go", `package other

import "example.com/cases/other/internal/secret"

type item struct{ X int }

type List struct{ Items []item }

type Hidden struct {
	list []int
	N    int
}

type Secrets struct{ All []secret.Secret }
`)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		m.write(t, name+"/p.go", cases[name].source)
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		packages, err := tools.Load(t.Context(), &tools.Config{Dir: m.dir}, "./"+name)
		if err == nil {
			_, err = packages[0].Generate(c.target)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", name, err, c.want)
		}
	}
}
