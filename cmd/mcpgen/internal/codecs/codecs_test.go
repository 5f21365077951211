package codecs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/codecs"
	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

// TestCompare compares packages that are generated from small schemas.
func TestCompare(t *testing.T) {
	const call = "interface AskRequest { jsonrpc: \"2.0\"; id: string; method: \"ask\"; params: P }\ninterface AskResult { r: string }\n"
	const server = "type ClientRequest = AskRequest;\n"
	for _, test := range []struct {
		name, older, newer string
		want               []string
	}{
		{"the same", "interface P { a: string }", "interface P { a: string }", nil},
		{"documentation", "interface P { a: string }", "interface P {\n/** An a. */ a: string }", nil},
		{"a member more", "interface P { a: string }", "interface P { a: string; b?: number }", []string{"added type P member b"}},
		{"a member less", "interface P { a: string; b?: number }", "interface P { a: string }", []string{"removed type P member b"}},
		{"a member required", "interface P { a?: string }", "interface P { a: string }", []string{"changed type P member a"}},
		{"a member retyped", "interface P { a: string }", "interface P { a: boolean }", []string{"changed type P member a"}},
		{"a type more", "interface P { a: string }", "interface P { a: string }\ninterface Q { b: string }", []string{"added type Q "}},
		{"a kind more", "interface P { a: U }\ninterface X { t: \"x\" }\ninterface Y { t: \"y\" }\ninterface Z { t: \"z\" }\ntype U = X | Y;",
			"interface P { a: U }\ninterface X { t: \"x\" }\ninterface Y { t: \"y\" }\ninterface Z { t: \"z\" }\ntype U = X | Y | Z;", []string{`added code DecodeU case "z"`}},
		{"another direction", "interface P { a: string }\n" + call + server, "interface P { a: string }\n" + call + server + "type ServerRequest = AskRequest;",
			[]string{"added method ask ToClient"}},
		{"a method more", "interface P { a: string }\ninterface AskResult { r: string }", "interface P { a: string }\n" + call + server, []string{"added method ask "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range codecs.Compare(facts(t, test.older), facts(t, test.newer)) {
				got = append(got, c.Kind+" "+c.What+" "+c.Name+" "+c.Part)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func facts(t *testing.T, src string) codecs.Facts {
	t.Helper()
	f, err := parser.Parse("2001-01-01/schema.ts", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := model.Lower("2001-01-01", f)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := model.Merge(lowered)
	if err != nil {
		t.Fatal(err)
	}
	files, err := bindings.Generate(merged, bindings.Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := codecs.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("the code says nothing")
	}
	return all
}

func TestReadErrors(t *testing.T) {
	if _, err := codecs.Read(map[string][]byte{"p.go": []byte("<<<<<<< HEAD")}); err == nil {
		t.Error("what is no Go code was read")
	}
}
