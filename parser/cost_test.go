package parser_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/parser"
)

var size = limits.Flags()

// TestCost is the table of what a hostile schema.ts costs the parser.
func TestCost(t *testing.T) {
	var cases []limits.Case
	for name, c := range map[string][3]string{
		"interfaces": {"", "interface A { a: B }\n", ""}, "members": {"interface A {", "a?: string;\n", "}"}, "unions": {"type A = B", " | B", ";"},
		"arrays": {"type A = B", "[]", ";"}, "brackets": {"type A = ", "(", ";"}, "objects in each other": {"type A = ", "{a:", ";"},
		"intersections": {"type A = B", " & {a: 1}", ";"}, "literals": {"type A = 'a'", " | 'b'", ";"}, "comments": {"", "/** a\n * @b\n */\n", ""},
		"a long comment": {"/**", " * x\n", "*/"}, "an open comment": {"/*", "*", ""}, "an open string": {`type A = "`, `\"`, ""}, "a number": {"const A = 1", "9", ";"},
		"a name": {"type ", "x", " = 1;"}, "type parameters": {"type A<B", ", B", "> = 1;"}, "arguments": {"type A = B<C", "<C", ";"}, "mistakes": {"", "@ ", ""},
		"semicolons": {"", ";", ""}, "carriage returns": {"", "\r", ""}, "bytes that are no UTF-8": {"", "\xff", ""},
	} {
		cases = append(cases, limits.Case{
			Name: "parser: " + name, Than: limits.Text, Most: 80, Memory: 200, // a tree of small parts, beside one string
			Input: func(n int) string { return c[0] + strings.Repeat(c[1], n/len(c[1])) + c[2] },
			Run: func(in string) string {
				if _, err := parser.Parse("schema.ts", []byte(in)); err != nil {
					return err.Error()
				}
				return ""
			},
		})
	}
	limits.Check(t, *size, cases)
}
