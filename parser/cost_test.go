package parser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
)

var size = limits.Flags()

// TestCosts has the worst schemas that are known for the parser. A tree is made of a few bytes at times,
// which costs more than the text of a JSON string, but no more than grows with the bytes.
func TestCosts(t *testing.T) {
	// lines writes an item in many lines between a head and a tail.
	lines := func(head, tail string, item func(i int) string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			b.WriteString(head)
			for i := 0; b.Len() < n; i++ {
				b.WriteString(item(i))
			}
			b.WriteString(tail)
			return b.String()
		}
	}
	repeat := func(head, text, tail string) func(n int) string {
		return func(n int) string { return head + strings.Repeat(text, n/len(text)) + tail }
	}
	run := func(in string) string {
		f, err := Parse("schema.ts", []byte(in))
		if err != nil {
			return err.Error()
		}
		Format(f)
		return ""
	}
	var cases []limits.Case
	for _, c := range []struct {
		name  string
		input func(n int) string
	}{
		{"parentheses", repeat("type T = ", "(", "")},
		{"brackets", repeat("type T = string", "[]", ";")},
		{"tuples", repeat("type T = ", "[", "")},
		{"objects in objects", repeat("type T = ", "{a:", "")},
		{"arguments in arguments", repeat("type T = ", "A<", "")},
		{"templates in templates", repeat("type T = ", "`${", "")},
		{"keyof", repeat("type T = ", "keyof ", "string;")},
		{"readonly", repeat("type T = ", "readonly ", "string[];")},
		{"bars", repeat("type T = ", "|", "string;")},
		{"arms", repeat("type T = 1", "|1", ";")},
		{"parts", repeat("type T = A", "&A", ";")},
		{"elements", repeat("type T = [", "1,", "];")},
		{"named elements", repeat("type T = [", "a?:1,", "];")},
		{"members", lines("interface T {", "}", func(i int) string { return fmt.Sprintf("a%d:1;", i) })},
		{"members twice", repeat("interface T {", "a:1;", "}")},
		{"index signatures", repeat("interface T {", "[a:string]:1;", "}")},
		{"keys of index signatures", func(n int) string {
			return "interface T { [a:" + strings.Repeat("string|", n/7) + "string]: 1 }"
		}},
		{"interfaces", lines("", "", func(i int) string { return fmt.Sprintf("interface T%d{}\n", i) })},
		{"interfaces on a line", lines("", "", func(i int) string { return fmt.Sprintf("interface T%d{}", i) })},
		{"names declared twice on a line", repeat("", "type A=1;", "")},
		{"enum members twice on a line", repeat("enum E {", `A="a",`, "}")},
		{"bases", repeat("interface T extends A", ",A", "{}")},
		{"type parameters", lines("type T<A", "> = 1;", func(i int) string { return fmt.Sprintf(",A%d", i) })},
		{"imports", repeat("import {", "A as B,", `} from "./x";`)},
		{"semicolons", repeat("", ";", "")},
		{"a comment", repeat("/*", "*", "*/ type T = 1;")},
		{"comments behind a word", repeat("interface T { readonly ", "/**/", " a: 1 }")},
		{"comments behind words", repeat("interface T {", "get/*--*/:1;set/*--*/:1;", "}")},
		{"a comment behind export", repeat("export ", "/*-*/", "type T = 1;")},
		{"comments behind elements", repeat("type T = [", "a/*-----*/,", "];")},
		{"doc comments", repeat("type T = ", "/** @a b */|1", ";")},
		{"lines of a doc comment", repeat("/**\n", " * a\n", " */ type T = 1;")},
		{"tags on a line", repeat("/**", " @a", " */ type T = 1;")},
		{"tags without an end", repeat("/**", " @a{", " */ type T = 1;")},
		{"tags in backquotes", repeat("/** @a `", " @a", " */ type T = 1;")},
		{"stars before a tag", repeat("/**\n *", "*", "@a\n */ type T = 1;")},
		{"fences", repeat("/**", " ```", " */ type T = 1;")},
		{"line breaks of all kinds", repeat("", "\r\r\n\u2028\u2029", "type T = 1;")},
		{"an open string", repeat("type T = \"", "a", "")},
		{"an open comment", repeat("/*", "*", "")},
		{"an open template", repeat("type T = `", "$", "")},
		{"escapes", repeat("type T = \"", `\u0041`, "\";")},
		{"a name", repeat("type ", "a", " = 1;")},
		{"a number", repeat("type T = ", "1", ";")},
		{"a hexadecimal number", repeat("type T = 0x", "f", ";")},
		{"a fraction", repeat("type T = 0.", "0", "1;")},
		{"no UTF-8 at the end", repeat("// ", "é", "\xff")},
		{"a mistake behind a long statement", repeat("interface T {", "a:1;", "] }")},
		{"comparisons where no value is", repeat("const a = b", "<b", "")},
		{"arrow functions", repeat("const a = ", "(a = ", "")},
		{"conditional types", repeat("type T = ", "A extends B ? ", "")},
		{"calls", repeat("const a = ", "a(", "")},
		{"classes", repeat("", "class A { a(", "")},
		{"decorators", repeat("", "@a(", "")},
		{"regular expressions", repeat("const a = ", "/[", "")},
		{"templates where no value is", repeat("const a = ", "`${", "")},
		{"type arguments where no value is", repeat("const a = ", "a<(", "")},
		{"angle brackets", repeat("const a = ", "<a>(", "")},
		{"conditions", repeat("const a = ", "a?(b):", "")},
		{"conditions of functions", repeat("const a = ", "a?(b,", "")},
	} {
		cases = append(cases, limits.Case{
			Name: "schema.ts: " + c.name, Input: c.input, Run: run, Than: limits.Text, Most: 250, Memory: 300, Fixed: 20 * time.Millisecond,
		})
	}
	limits.Check(t, *size, cases)
}
