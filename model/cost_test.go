package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/parser"
)

var size = limits.Flags()

// TestCosts has the worst schemas that are known for the model. What is made of a few bytes can be much,
// but no more than grows with the bytes, and the list of mistakes ends. Members that bases, intersections
// and utility types copy are not here: maxCopies bounds them.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures costs, which -short does without")
	}
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
	run := func(in string) string {
		f, err := parser.Parse("schema.ts", []byte(in))
		if err != nil {
			return err.Error()
		}
		s, err := Lower("2001-01-01", f)
		if err != nil {
			return err.Error()
		}
		if _, err := merge(nil, []*Schema{s}); err != nil {
			return err.Error()
		}
		return ""
	}
	var cases []limits.Case
	for _, c := range []struct {
		name  string
		input func(n int) string
	}{
		{"constants", lines("", "", func(i int) string { return fmt.Sprintf("const A%d=1;", i) })},
		{"members", lines("interface T {", "}", func(i int) string { return fmt.Sprintf("a%d:1;", i) })},
		{"values", lines("type T = \"\"", ";", func(i int) string { return fmt.Sprintf("|\"%d\"", i) })},
		{"values twice", lines("type T = \"\"", ";", func(i int) string { return "|\"a\"" })},
		{"enum members", lines("enum E {", "}", func(i int) string { return fmt.Sprintf("A%d=\"%[1]d\",", i) })},
		{"numbers", lines("type T = 0", ";", func(i int) string { return fmt.Sprintf("|%d", i) })},
		{"mistakes on a line", lines("interface T {", "}", func(i int) string { return fmt.Sprintf("a%d:B%[1]d;", i) })},
		{"aliases", lines("type A0 = string;", "", func(i int) string { return fmt.Sprintf("type A%d = A%d;", i+1, i/900*900) })},
		{"interfaces", lines("", "", func(i int) string { return fmt.Sprintf("interface T%d { a?: T%[1]d }", i) })},
		{"generic types", lines("interface G<T> { a: T } interface T {", "}", func(i int) string { return fmt.Sprintf("a%d: G<G<string>>;", i) })},
		{"tags", lines("/** @category x\n", "*/ interface T {}", func(i int) string { return " * @category y\n" })},
	} {
		cases = append(cases, limits.Case{
			Name: "model: " + c.name, Input: c.input, Run: run, Than: limits.Text, Most: 600, Memory: 1000, Fixed: 30 * time.Millisecond,
		})
	}
	limits.Check(t, *size, cases)
}
