package uritemplate_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
)

var size = limits.Flags()

// TestCost is the table of what it costs to match a hostile URI.
func TestCost(t *testing.T) {
	var cases []limits.Case
	for _, template := range []string{"a:{x}", "a:{x}/{y}/{z}", "a:{+x}{+y}{+z}", "a:{+x}/b/{+y}/b", "a:{x*}", "a:{/x*}/b", "a:b{?x*,y,z}", "a:{x:3}{y:3}{+z}", "a:{x,y,z}"} {
		for _, item := range []string{"a", "%41", "/b", ",", "&x=", "%"} {
			match, err := uritemplate.New(template)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, limits.Case{
				Name: "uritemplate: " + template + " on " + item, Than: limits.Text,
				Input: func(n int) string { return "a:b?x=" + strings.Repeat(item, n/len(item)) },
				Run:   func(in string) string { match(in); return "" },
				Most:  60, // templates of several lists are beyond the fast ways of package regexp
			})
		}
	}
	limits.Check(t, min(*size, 2<<10), cases) // servers refuse URIs of more than 8 KiB
}
