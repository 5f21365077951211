package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/parser"
)

// each writes a line for each number from 0 up to n.
func each(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(line, "%next", fmt.Sprint(i+1))+"\n", i)
	}
	return b.String()
}

// TestLimits checks that schemas which would grow or go on without end are refused, fast, and with
// one message.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures costs, which -short does without")
	}
	doubled := func(utility string) string { // each type has the one before it twice
		return "interface T0 { a: { x: string }; b: { x: string } }\n" +
			strings.ReplaceAll(each(40, "interface T%next { a: UTILITY<T%[1]d>; b: UTILITY<T%[1]d> }"), "UTILITY", utility)
	}
	tests := []struct{ name, src, want string }{
		{"chain of bases", each(20_000, "interface T%d extends T%next {}") + "interface T20000 { x: string }",
			"schema.ts:1001:11: too many declarations must each be known before the next one"},
		{"chain of aliases", each(10_000, "type T%d = T%next;") + "type T10000 = string;",
			"schema.ts:1:6: T0 stands for another type over more than 1000 steps"},
		{"chain of aliases as a base", each(20_000, "type T%d = T%next;") + "type T20000 = {};\ninterface A extends T0 {}",
			"schema.ts:1:6: T0 stands for another type over more than 1000 steps"},
		{"chain of enums", each(20_000, `type T%d = T%next | "a%[1]d";`) + `type T20000 = "x";`,
			"schema.ts:1:6: T0 stands for another type over more than 1000 steps"},
		{"inheritance", "interface T0 { x: string }\n" + each(2000, "interface T%next extends T%[1]d { x%[1]d: string }"),
			"schema.ts:725:24: inheritance and utility types make this schema too large"},
		{"doubling with Partial", doubled("Partial"),
			"schema.ts:16:28: inheritance and utility types make this schema too large"},
		{"doubling with Required", doubled("Required"),
			"schema.ts:16:29: inheritance and utility types make this schema too large"},
		{"doubling with indexes", `interface T0 { v: string }` + "\n" +
			each(40, `interface T%next { v: { a: T%[1]d["v"]; b: T%[1]d["v"] } }`),
			"schema.ts:18:29: inheritance and utility types make this schema too large"},
		{"doubling with intersections", "type T0 = { a: { x: string }; b: { x: string } };\n" +
			each(40, `type T%next = { a: T%[1]d & { y%[1]d: 1 }; b: T%[1]d & { z%[1]d: 1 } };`),
			"inheritance and utility types make this schema too large"},
		{"records of records", `type K = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j";` + "\ntype R = " +
			strings.Repeat("Record<K, ", 20) + "string" + strings.Repeat(">", 20) + ";",
			"schema.ts:2:157: inheritance and utility types make this schema too large"},
		{"mapped types of mapped types", `type K = "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j";` + "\ntype R = " +
			strings.Repeat("{ [k in K]: ", 20) + "k" + strings.Repeat(" }", 20) + ";",
			"inheritance and utility types make this schema too large"},
		{"doubling text", "type T0 = `x${string}`;\n" + each(40, "type T%next = `${T%[1]d}${T%[1]d}`;"),
			"schema.ts:12:12: the template literal type is too long"},
		{"instances", "interface Box<T> { a: Box<T[]>; b: Box<T | null>; c: Box<Record<string, T>> }\ninterface A { a: Box<string> }",
			"Box is instantiated with itself without end"},
		{"two generics", "interface F<T> { g: G<T[]> }\ninterface G<T> { f: F<T | null> }\ninterface A { a: F<string> }",
			"is instantiated with itself without end"},
		{"unknown names", "interface A {\n" + each(5000, "x%d: Missing%[1]d;") + "}\n" + each(5000, "interface Missin%d {}"),
			"schema.ts:2:5: Missing0 is not declared; did you mean Missin0?"},
		{"long names", "interface A { a: " + strings.Repeat("x", 100_000) + " }\ninterface " + strings.Repeat("y", 100_000) + " {}",
			"schema.ts:1:18: " + strings.Repeat("x", 100_000) + " is not declared"},
		{"alternatives", `type U = { a: 1 } | { b: 1 } | { c: 1 } | { d: 1 };` + "\ntype X = U" + strings.Repeat(" & U", 20) + ";",
			"schema.ts:2:10: the intersection has too many alternatives"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := parser.Parse("schema.ts", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Lower("2026-07-28", f)
			if err == nil {
				t.Fatal("Lower accepts it")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if !strings.HasSuffix(first, test.want) {
				t.Errorf("got %s\nwant %s", first, test.want)
			}
		})
	}
}

// TestWide checks that what is only large is taken, and in good time.
func TestWide(t *testing.T) {
	tests := []struct{ name, src string }{
		{"union of literals", "type U =\n" + each(10_000, `| "v%d"`) + ";"},
		{"union of objects", each(500, `interface T%d { type: "t%[1]d"; x%[1]d?: string }`) + "type U =\n" + each(500, "| T%d") + ";"},
		{"union by keys", each(300, "interface T%d { x%[1]d: string }") + "type U =\n" + each(300, "| T%d") + ";"},
		{"members", "interface A {\n" + each(10_000, "x%d: string;") + "}"},
		{"declarations", each(10_000, "interface T%d { next?: T%[1]d }")},
		{"recursion", each(2000, `interface T%d { kind: "%[1]d"; a: T%[1]d | T0; b: T0[]; c: { d: T%[1]d } }`)},
		{"unions of unions", "interface A { a: string }\ninterface B { b: string }\ntype T0 = A | B;\ntype V0 = B | A;\n" +
			each(100, "type T%next = T%[1]d | V%[1]d;\ntype V%next = V%[1]d | T%[1]d;")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := parser.Parse("schema.ts", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			start := limits.CPUTime()
			s, err := Lower("2026-07-28", f)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := merge(nil, []*Schema{s}); err != nil {
				t.Fatalf("%.500s", err.Error())
			}
			if took := limits.CPUTime() - start; took > 10*time.Second {
				t.Errorf("it took %v of the processor's time", took)
			}
		})
	}
}

// TestUndecidedIsFast checks that a union is given up without trying every order of its tests.
func TestUndecidedIsFast(t *testing.T) {
	src := each(30, "interface T%d { x%[1]d: string }") +
		"interface P { a?: string }\ninterface Q { b?: string }\ntype U = P | Q |\n" + each(29, "T%d |") + "T29;"
	f, err := parser.Parse("schema.ts", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Lower("2026-07-28", f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = merge(nil, []*Schema{s})
	const want = "schema.ts:33:6: U: a reader cannot tell P and Q apart: " +
		"give one of them a required member that no other has, or each a literal"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
