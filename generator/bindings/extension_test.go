package bindings

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/protocol"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// TestExtensions generates code for the tasks extension as it is, and with a change or an addition.
func TestExtensions(t *testing.T) {
	imports := dependencies(t)
	for _, tt := range []struct {
		name     string
		old, new string
		add      string
		err      string // empty: the code compiles
	}{
		{name: "as it is"},
		{name: "params of the base", old: "params: TaskStatusNotificationParams", new: "params: NotificationParams"},
		{name: "a union of the base as params", old: "  Error as JSONRPCErrorObject,", new: "  ContentBlock,\n  Error as JSONRPCErrorObject,",
			add: "export interface More { block: ContentBlock; blocks?: ContentBlock[] }"},
		{name: "a result of the base", add: "export interface UpdateTaskResultResponse { result: Result }"},
		{name: "an arm of the base", old: "  Error as", new: "  TextContent,\n  Error as", add: `export interface Own { type: "own" } export type Either = Own | TextContent;`,
			err: "bindings: Either: its arm TextContent is a type of the base: declare one of the extension"},
		{name: "a new value of an enumeration twice", add: `export type OtherTaskResult = Result & { resultType: "task" };`},
		{name: "an enumeration of its own", add: `export type Mood = "good" | string; export interface Moody { mood: Mood } export interface Bad extends Moody { mood: "bad" }`},
		{name: "another literal beside an enumeration", add: `export interface Odd extends Result { kind: "odd" }`},
		{name: "a value for a closed enumeration", old: "  Result,", new: "  Result,\n  PromptMessage,", add: `export interface Bell extends PromptMessage { role: "bell" }`},
		{name: "a base that is no type", add: `export interface Part extends Partial<Result> { kind: "part" }`},
		{name: "a literal for a string of the base", old: "  Result,", new: "  Result,\n  TextContent,", add: `export interface Hello extends TextContent { text: "hello" }`},
		{name: "a literal that is no text", add: `export interface Yes extends Result { resultType: true }`},
		{name: "a type like the identifier", add: `export interface Extension { a: string }`,
			err: "bindings: the identifier of the extension and type Extension would both be called Extension in Go: rename one in the table of exceptions"},
		{name: "a type like a new value", add: `export interface ResultTypeTask { a: string }`,
			err: "bindings: the value task of ResultType and type ResultTypeTask would both be called ResultTypeTask in Go: rename one in the table of exceptions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := loaded(t, "2026-07-28/schema.ts", nil)
			merged, err := model.Merge(base)
			if err != nil {
				t.Fatal(err)
			}
			files, err := Generate(merged, Options{Package: "base"})
			if err != nil {
				t.Fatal(err)
			}
			const basePath = "example.com/base"
			imports[basePath] = compiles(t, imports, basePath, files)
			x := schema.Extensions()[0]
			own := loaded(t, x.Path(), func(src string) string {
				if !strings.Contains(src, tt.old) {
					t.Fatalf("%s has no %q", x.Path(), tt.old)
				}
				return strings.Replace(src, tt.old, tt.new, 1) + tt.add
			})
			if merged, err = model.MergeExtension(x.ID, merged, own); err != nil {
				t.Fatal(err)
			}
			files, err = Generate(merged, Options{Package: "p", Import: basePath})
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("got error %v\nwant %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			g := newGenerator(merged, Options{Package: "p", Import: basePath})
			for name, want := range map[string]string{"GetTaskResult": "GetTaskResult", "Result": "base.Result", "Result.resultType": "base.Result.ResultType"} {
				if got := g.link(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			pkg := compiles(t, imports, "p", files)
			var values []string // that the extension adds to enumerations of the base
			for _, name := range pkg.Scope().Names() {
				if named, ok := pkg.Scope().Lookup(name).Type().(*types.Named); ok && named.Obj().Pkg() == imports[basePath] {
					if _, ok := pkg.Scope().Lookup(name).(*types.Const); ok {
						values = append(values, name)
					}
				}
			}
			if !slices.Equal(values, []string{"ResultTypeTask"}) {
				t.Errorf("new values %v", values)
			}
			meta := imports[basePath].Scope().Lookup("MetaResult").Type().Underlying().(*types.Interface)
			for _, name := range []string{"GetTaskResult", "CreateTaskResult"} { // the latter answers requests of the base
				if result := pkg.Scope().Lookup(name); !types.Implements(types.NewPointer(result.Type()), meta) {
					t.Errorf("%s is no MetaResult", name)
				}
			}
		})
	}
}

// An extension of several revisions of its base: a union of the base has fewer kinds in the older one, and an older
// type of the base has a name that the extension uses.
func TestExtensionOfRevisions(t *testing.T) {
	const older = `export interface X { kind: "x" } export interface Y { kind: "y" } export interface Z { kind: "z" } export type Either = X | Y;`
	newer := strings.Replace(older, "X | Y", "X | Y | Z", 1) + "export interface T { z: Z; either: Either }"
	base := merged(t, [2]string{"2001-01-01", older + "export type Gone = X | Y; export interface T { z: Z; gone: Gone; either: Either }"}, [2]string{"2002-02-02", newer})
	imports := dependencies(t)
	const basePath = "example.com/base"
	files, err := Generate(base, Options{Package: "base"})
	if err != nil {
		t.Fatal(err)
	}
	imports[basePath] = compiles(t, imports, basePath, files)
	parsed, err := model.Load("ext.ts", func(name string) ([]byte, error) {
		if name == "base.ts" {
			return []byte(newer), nil
		}
		return []byte(`import type { Either } from "./base.js"; export interface L { kind: "l" } export interface M { kind: "m" } export type Gone = L | M;
			export interface Own { either: Either; many: Either[]; gone: Gone }`), nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := model.Lower("2002-02-02", parsed...)
	if err != nil {
		t.Fatal(err)
	}
	if own, err = model.MergeExtension("example.com/own", base, own); err != nil {
		t.Fatal(err)
	}
	if files, err = Generate(own, Options{Package: "p", Import: basePath}); err != nil {
		t.Fatal(err)
	}
	compiles(t, imports, "p", files)
	const want = "if !e.Since(base.V2002_02_02) {\n\t\t\t\te.Lacks(\"Z as Either\", wire.Span{From: base.V2002_02_02})"
	if code := string(files["types_codec.go"]); !strings.Contains(code, want) {
		t.Errorf("want %s in\n%s", want, code)
	}
}

// TestServerCard generates code for the official schema of server cards, which imports nothing and has no methods.
func TestServerCard(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(testenv.NeedsOfficialExtension(t, "experimental-ext-server-card"), "schema.ts"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := model.Load("schema.ts", func(string) ([]byte, error) { return src, nil }, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Lower("2026-07-28", files...)
	if err != nil {
		t.Fatal(err)
	}
	base, err := protocol.Merged()
	if err != nil {
		t.Fatal(err)
	}
	if s, err = model.MergeExtension("io.modelcontextprotocol/server-card", base, s); err != nil {
		t.Fatal(err)
	}
	code, err := Generate(s, Options{Package: "p", Import: "example.com/base"})
	if err != nil {
		t.Fatal(err)
	}
	if compiles(t, dependencies(t), "p", code).Scope().Lookup("ServerCard") == nil {
		t.Error("there is no type ServerCard")
	}
}

// loaded lowers one of mcpgen's own schemas with a change, and what it imports without.
func loaded(t *testing.T, path string, change func(src string) string) *model.Schema {
	t.Helper()
	files, err := model.Load(path, func(name string) ([]byte, error) {
		src, err := schema.Files().ReadFile(name)
		if name == path && change != nil {
			src = []byte(change(string(src)))
		}
		return src, err
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Lower("2026-07-28", files...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
