package bindings

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/model"
	schemaparser "github.com/mcpgen/mcpgen/parser"
)

// TestHostileSchemas generates code from schemas that are odd but legal, or nearly so. Each is refused
// by one line with a place or a name in it, or gives code that compiles, in files that belong to
// every build.
func TestHostileSchemas(t *testing.T) {
	imports := dependencies(t)
	const methods = `export interface Result { _meta?: { [key: string]: unknown } } export type EmptyResult = Result;
		export interface A { a: string } export interface B { b: string }
		export interface DoRequest { method: "do"; params: A } export type ClientRequest = DoRequest;
		export interface AskRequest { method: "ask"; params: A } export type ServerRequest = AskRequest;
		export interface DoneNotification { method: "done"; params: A } export type ServerNotification = DoneNotification;
		`
	const input = `export interface AskResult { c: string } export interface DoResult { d: string }
		export type InputRequest = AskRequest | DoRequest; export type InputResponse = AskResult | DoResult; `
	const meta = `export interface Meta { a: string } export interface R { b: string } export interface RRequest { method: "r" } export type ClientRequest = RRequest;
		export interface RResult extends Result { c: string } `
	const kinds = `export interface X { kind: "x" } export interface Y { kind: "y" } export type U = X | Y; `
	members := func(doc string) string { return "export interface T {\n/** " + doc + " */\na: string;\n}" }
	for _, tt := range []struct {
		name, schema string
		err          string // what the error contains; empty if there is none
	}{
		{name: "a comment like a build constraint", schema: members("+build ignore")},
		{name: "with white space", schema: members("\t +build\tignore")},
		{name: "in the second paragraph", schema: members("Text.\n *\n * +build ignore")},
		{name: "in a list", schema: members("Text:\n *  - one\n * +build ignore\n")},
		{name: "in code", schema: members("\n * ```\n * +build ignore\n * ```\n")},
		{name: "where a line is broken", schema: members(strings.Repeat("a ", 48) + "+build ignore")},
		{name: "in a tag", schema: members("@deprecated +build ignore")},
		{name: "alone", schema: members("+build")},
		{name: "of a type", schema: "/** +build ignore */\nexport type T = string;\n/** +build ignore */\nexport type E = \"a\" | \"b\";"},
		{name: "of a value", schema: "export type E =\n/** +build ignore */\n| \"a\"\n/** +build ignore */\n| \"b\";"},
		{name: "of a constant", schema: "/** +build ignore */\nexport const X_Y = 3;\nexport type T = string;"},
		{name: "of a category", schema: "/** @category +build ignore */\nexport interface T { a: string }"},
		{name: "in a default", schema: "export interface T {\n/** @default \"+build ignore\" */\na?: string }"},
		{name: "//go:build", schema: members("//go:build ignore")},
		{name: "go:build", schema: members("go:build ignore\n * go:embed x\n * line x.go:1\n *line x.go:2\n *export T\n *go:build ignore")},
		{name: "a preamble of C", schema: "/** #include <stdio.h>\n import \"C\" */\nexport interface T { a: string }"},
		{name: "an end of a comment", schema: members("* / *\\/ // /* ")},
		{name: "control characters", schema: members("a\x00b\x01\x7f\u0085\u2028c\u202e\ufeffd\vd\fe\rf")},
		{name: "NUL in a type's comment", schema: "/** \x00 */\nexport interface T { a: string }"},
		{name: "NUL in strings", schema: "export type E = \"a\\0\" | \"b\x00c\\ufeff\"; export interface T { \"x\\0y\": E; kind: \"\\0`\" }"},
		{name: "NUL in a default", schema: "export interface T {\n/** @default \"a\x00b\" */\na?: string }"},
		{name: "_", schema: "export interface _ { a: string } export interface T { a: _ }", err: "_"},
		{name: "$", schema: "export interface $ { a: string } export interface T { a: $ }", err: "$"},
		{name: "$ in a name", schema: "export interface A$B { a: string } export interface T { a: A$B }", err: "A$B"},
		{name: "a digit behind _", schema: "export interface _1 { a: string }", err: "_1"},
		{name: "letters without case", schema: "export interface 型 { 名: 型[]; \"名前/é\": string } export type 色 = \"赤\" | \"青\";"},
		{name: "names joined by a joiner", schema: "export interface A\u200dB { a\u200cb: string }", err: "A"},
		{name: "keywords", schema: "export interface type { func: string; go: type[]; String: string; error: string; nil: string; v: string; e: string; d: string; o: string }"},
		{name: "predeclared names", schema: "export interface error { a: string[] } export interface bool { a: error } export interface string_ { a: bool }"},
		{name: "names of generated code", schema: "export interface Revisions { a: string } export interface Client { a: string }", err: "Revisions"},
		{name: "limits", schema: "export interface T {\n/** @maxItems 3 */\na: string[];\n/** @maxItems 4 */\nb?: string[];\n/** @maxItems 5 */\nc: \"x\" } export interface MaxT { a: string }"},
		{name: "limits that are no integers", schema: "export interface T {\n/** @maxItems 1; var x = 2 */\na: string[] }", err: "1; var x = 2"},
		{name: "a type like a limit", schema: "export interface T {\n/** @maxItems 3 */\na: string[] } export interface MaxTA { a: string }", err: "MaxTA"},
		{name: "methods", schema: methods},
		{name: "a type like the handler of servers", schema: methods + "export interface ServerHandler { a: string }", err: "ServerHandler"},
		{name: "of clients", schema: methods + "export interface ClientHandler { a: string }", err: "ClientHandler"},
		{name: "like its default", schema: methods + "export interface UnimplementedServerHandler { a: string }", err: "UnimplementedServerHandler"},
		{name: "like the dispatcher", schema: methods + "export interface ServerDispatcher { a: string }", err: "ServerDispatcher"},
		{name: "like the calls", schema: methods + "export interface ClientCalls { a: string }", err: "ClientCalls"},
		{name: "like the lookup of methods", schema: methods + "export interface ClientMethod { a: string }", err: "ClientMethod"},
		{name: "like a method", schema: methods + "export interface MethodDo { a: string }", err: "MethodDo"},
		{name: "like a notification", schema: methods + "export interface MethodDoneNotification { a: string }", err: "MethodDoneNotification"},
		{name: "calls like those of the caller", schema: "export interface EmptyResult {} export interface CallRequest { method: \"call\" } export type ClientRequest = CallRequest;", err: "Call"},
		{name: "a request like the handler of a notification", schema: methods + "export interface OnDoneRequest { method: \"onDone\" } export type InputRequest = OnDoneRequest; export type InputResponse = EmptyResult;", err: "OnDone"},
		{name: "members like methods of results", schema: "export interface Meta { a: string } export interface Result { _meta?: Meta } export interface R extends Result { resultMeta: string }\n" +
			"export interface S extends Result { withMeta: string } export interface T { resultMeta: string; withMeta: string }\n" +
			"export interface RRequest { method: \"r\" } export interface SRequest { method: \"s\" } export type ClientRequest = RRequest | SRequest;" +
			"export interface RResult extends R {} export interface SResult extends S {}", err: "ResultMeta"},
		{name: "params that are a union", schema: methods + "export type P = A | B; export type Q = P; export interface PRequest { method: \"p\"; params: Q } export type ServerRequest2 = PRequest;" +
			"export type Q1 = Q; export interface QNotification { method: \"q\"; params: Q1 } export type ClientNotification = PRequest | QNotification;"},
		{name: "params of several kinds", schema: methods + "export interface PNotification { method: \"p\"; params: string | A } export type ClientNotification = PNotification", err: "params"},
		{name: "named params of several kinds", schema: methods + "export type P = string | A; export interface PNotification { method: \"p\"; params: P } export type ClientNotification = PNotification", err: "params"},
		{name: "params that are a string", schema: methods + "export type P = string; export interface PNotification { method: \"p\"; params: P } export type ClientNotification = PNotification", err: "params"},
		{name: "params that are a map", schema: methods + "export type P = { [key: string]: string }; export interface PNotification { method: \"p\"; params: P } export type ClientNotification = PNotification"},
		{name: "a result that is a union", schema: methods + "export type DoResult = A | B;", err: "DoResult"},
		{name: "a result that is an alias", schema: methods + "export type DoResult = A;"},
		{name: "a result that is a string", schema: methods + "export type DoResult = string;", err: "DoResult"},
		{name: "a type like a revision", schema: "export interface V2001_01_01 { a: string }", err: "V2001"},
		{name: "like the function for batches", schema: "export interface JSONRPCBatchRequest { a: string } export interface HasBatches { a: string }", err: "HasBatches"},
		{name: "like the unknown arm", schema: kinds + "export interface UnknownU { a: string }", err: "UnknownU"},
		{name: "like a decoder", schema: kinds + "export interface DecodeU { a: string }", err: "DecodeU"},
		{name: "like a JSON decoder", schema: kinds + "export interface UnmarshalU { a: string }", err: "UnmarshalU"},
		{name: "kinds told by a member like the text", schema: "export interface X { raw: \"x\" } export interface Y { raw: \"y\" } export type U = X | Y;"},
		{name: "kinds told by a member without a name", schema: "export interface X { \"--\": \"x\" } export interface Y { \"--\": \"y\" } export type U = X | Y;"},
		{name: "like an error code", schema: "export const X = 3; export interface CodeX { a: string }", err: "CodeX"},
		{name: "like the function for error codes", schema: "export const X = 3; export interface HasCode { a: string }", err: "HasCode"},
		{name: "like the function for new ones", schema: "export const X = 3; export interface HasCodeSince { a: string }", err: "HasCodeSince"},
		{name: "without error codes", schema: "export const X = 1.5; export const Y = \"y\"; export interface HasCode { a: string } export interface CodeX { a: string } export interface CodeY { a: string }"},
		{name: "like the decoder of input responses", schema: methods + input + "export interface DecodeInputResponseTo { a: string }", err: "DecodeInputResponseTo"},
		{name: "requests for input and responses", schema: methods + input + "export interface T { ask: InputRequest; answer: InputResponse }"},
		{name: "requests for input without params", schema: "export interface A { a: string } export interface AskResult { a: string } export interface TellResult { b: string }" +
			"export interface AskRequest { method: \"ask\" } export interface TellRequest { method: \"tell\" } export type InputRequest = AskRequest | TellRequest; export type InputResponse = AskResult | TellResult;"},
		{name: "one request for input", schema: methods + "export type InputRequest = AskRequest; export type InputResponse = A | B;", err: "InputRequest must be a union"},
		{name: "one input response", schema: methods + "export type InputRequest = AskRequest | DoRequest; export type InputResponse = A;", err: "InputResponse must be a union"},
		{name: "requests for input without responses", schema: methods + "export type InputRequest = AskRequest;"},
		{name: "a result that is not among the input responses", schema: methods + "export interface AskResult { c: string } export interface DoResult { d: string } export type InputRequest = AskRequest | DoRequest; export type InputResponse = AskResult | A;", err: "do: its result DoResult must be one of InputResponse"},
		{name: "input responses without requests for input", schema: methods + "export interface InputResponse { a: string }"},
		{name: "members like methods of results elsewhere", schema: "export interface Result { _meta?: { [key: string]: unknown } } export interface T { resultMeta: string; withMeta: string }"},
		{name: "without results", schema: "export interface T { resultMeta: string; withMeta: string }"},
		{name: "metadata that is a map", schema: "export interface Result { _meta?: Open } export type Open = { [key: string]: unknown };" + meta},
		{name: "metadata that is required", schema: "export interface Result { _meta: Meta }" + meta},
		{name: "metadata of one result", schema: "export interface Result { d: string }" + strings.Replace(meta, "c: string", "_meta?: Meta", 1)},
		{name: "like the interface of results", schema: "export interface Result { _meta?: Meta } export interface MetaResult { a: string }" + meta, err: "MetaResult"},
		{name: "like a key of metadata", schema: "export interface T { \"a/b\": string } export interface KeyB { a: string }", err: "KeyB"},
		{name: "requests without params", schema: methods + strings.Replace(input, "AskRequest | DoRequest", "AskRequest | DoRequest | BareRequest", 1) +
			"export interface BareRequest { method: \"bare\" } export type BareResult = DoResult;"},
		{name: "a request like the results of another", schema: strings.Replace(methods, "ClientRequest = ", "ClientRequest = DoResponseRequest | ", 1) +
			"export interface DoResultResponse { result: A | B } export interface DoResponseRequest { method: \"doResponse\" }", err: "the call for results of all types of do"},
		{name: "results of which one is a map", schema: methods + "export interface DoResultResponse { result: M | B } export type M = { [key: string]: unknown }", err: "no interface"},
		{name: "like a capability", schema: methods + "export interface ServerCapabilities { do?: {} } export interface ServerCapabilityDo { a: string }", err: "ServerCapabilityDo"},
		{name: "defaults of what may be null", schema: "export interface T {\n/** @default 5 */\na: number | null;\n/** @default 5 */\nb?: number | null }"},
		{name: "ids that may be null", schema: "export interface T { a: string | number | null; b?: string | number | null; c: (string | number | null)[] }"},
		{name: "one or many by name", schema: "export type Names = string | string[]; export interface T { a: Names; b?: Names; c: Names[] }"},
		{name: "values by name", schema: "export type Two = 2; export type Yes = true; export type X = \"x\"; export interface T { a: Two; b: Yes; c: X; d: X[] }"},
		{name: "Base64 with a default", schema: "export interface T {\n/** @format byte\n * @default \"aGk=\" */\na?: string }"},
		{name: "a name for objects or a string", schema: "export type M = X | Y | string; " + kinds + "export interface T { m: M; u: U }"},
		{name: "numbers too large", schema: "export interface T { a: 1e999 }", err: "number"},
		{name: "numbers too small", schema: "export interface T { a: 1e-999 }", err: "number"},
		{name: "negative ones", schema: "export interface T { a: -1e999 }", err: "number"},
		{name: "huge exponents", schema: "export interface T { a: 1e99999999999999999999 }", err: "number"},
		{name: "hexadecimal ones", schema: "export interface T { a: 0x" + strings.Repeat("f", 400) + " }", err: "number"},
		{name: "the largest", schema: "export interface T { a: 1.7976931348623157e308; b: 5e-324; c: 0e999; d: -0; e: 9223372036854775808; f: 0.00 }"},
		{name: "huge defaults", schema: "export interface T {\n/** @default 1e999 */\na?: number }", err: "1e999"},
		{name: "fractions as defaults of integers", schema: "export interface T {\n/** @TJS-type integer\n * @default 1.5 */\na?: number }", err: "1.5"},
		{name: "large defaults of integers", schema: "export interface T {\n/** @TJS-type integer\n * @default 9223372036854775808 */\na?: number }", err: "9223372036854775808"},
		{name: "integers with exponents", schema: "export interface T {\n/** @TJS-type integer\n * @default 1e3 */\na?: number }", err: "1e3"},
		{name: "constants", schema: "export const A = 1e999; export type T = string;", err: "number"},
		{name: "categories for files that are left out", schema: "/** @category _x */\nexport interface A { a: string }\n/** @category _ y */\nexport interface B { a: string }\n" +
			"/** @category z_test */\nexport interface C { a: string }\n/** @category .. */\nexport interface D { a: string }\n/** @category windows */\nexport interface E { a: string }\n" +
			"/** @category a/../b */\nexport interface F { a: string }\n/** @category testdata_wasm */\nexport interface G { a: string }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := generated(tt.schema)
			if tt.err != "" || err != nil {
				text := fmt.Sprint(err)
				if first, _, _ := strings.Cut(text, "\n"); err == nil || tt.err == "" || !strings.Contains(first, tt.err) || len(first) > 1000 || strings.Contains(text, "formatting") {
					t.Fatalf("got %.2000s, want an error with %q", text, tt.err)
				}
				return
			}
			compiles(t, imports, "p", files)
		})
	}
}

// generated returns the code for a schema of one revision.
func generated(schema string) (map[string][]byte, error) {
	f, err := schemaparser.Parse("schema.ts", []byte(schema))
	if err != nil {
		return nil, err
	}
	lowered, err := model.Lower("2001-01-01", f)
	if err != nil {
		return nil, err
	}
	merged, err := model.Merge(lowered)
	if err != nil {
		return nil, err
	}
	return Generate(merged, Options{Package: "p"})
}

// compiles checks that files are a package for every build, and returns it.
func compiles(t *testing.T, imports importer, pkgPath string, files map[string][]byte) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s would be left out", name)
		}
		f, err := parser.ParseFile(fset, name, files[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
					t.Errorf("%s: %s", name, c.Text)
				}
			}
		}
		if strings.Contains(f.Name.Name, "\x00") || f.Name.Name != path.Base(pkgPath) {
			t.Errorf("%s is of the package %s", name, f.Name.Name)
		}
		parsed = append(parsed, f)
	}
	config := types.Config{Importer: imports}
	pkg, err := config.Check(pkgPath, fset, parsed, nil)
	if err != nil {
		t.Error(err)
	}
	return pkg
}

// dependencies returns the packages that generated code imports.
func dependencies(t *testing.T) importer {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedExportFile, Context: t.Context(), Fset: token.NewFileSet(),
	}, wirePath, "context", "encoding/json", "strconv", "errors", "fmt")
	if err != nil {
		t.Fatal(err)
	}
	imports := importer{}
	for _, p := range loaded {
		imports[p.PkgPath] = p.Types
	}
	return imports
}

// An importer has packages by their paths.
type importer map[string]*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("the test does not have the package %s", path)
}
