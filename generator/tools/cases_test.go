package tools

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestCases compares what annotated code means, or what is wrong with it, case by case. What is
// generated for the good ones must compile.
//
// REQ TOOL-05, TOOL-21, XHDR-03, XHDR-04, XHDR-05
func TestCases(t *testing.T) {
	for _, dir := range []string{"good", "mistakes"} {
		paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no test cases in %s: %v", dir, err)
		}
		for _, p := range paths {
			t.Run(dir+"/"+strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
				archive, err := txtar.ParseFile(p)
				if err != nil {
					t.Fatal(err)
				}
				runCase(t, p, archive, dir == "good")
			})
		}
	}
}

func runCase(t *testing.T, name string, archive *txtar.Archive, good bool) {
	got, wrong := analyzeCase(t, archive)
	var revisions []string
	for _, r := range mcp.Revisions() {
		revisions = append(revisions, r.String())
	}
	got = strings.ReplaceAll(got, strings.Join(revisions, ", "), "REVISIONS") // whose number grows
	if wrong == good {
		t.Errorf("the case stands in the wrong folder; it says:\n%s", got)
	}
	var sources []txtar.File
	want := ""
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
		} else {
			sources = append(sources, f)
		}
	}
	if *update {
		archive.Files = append(sources, txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("-want +got (run with -update to accept):\n%s", diff)
	}
}

// analyzeCase analyzes the package of a case, which is example.com/p. Files in a folder are of a
// package that it imports: example.com/p/folder, or the folder itself if it looks like a path.
func analyzeCase(t *testing.T, archive *txtar.Archive) (result string, wrong bool) {
	c := newImporter(t)
	text := make(map[string][]byte)
	root := "/"
	for _, f := range archive.Files { // files that are no code lie on disk, where directives name them
		if f.Name == "want" || strings.HasSuffix(f.Name, ".go") {
			continue
		}
		if root == "/" {
			root = filepath.ToSlash(t.TempDir()) + "/"
		}
		if err := os.MkdirAll(filepath.Dir(root+f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(root+f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".go") {
			pkg := "example.com/p"
			switch dir := path.Dir(f.Name); {
			case strings.Contains(dir, ".") && dir != ".":
				pkg = dir
			case dir != ".":
				pkg += "/" + dir
			}
			f.Name = root + f.Name
			text[f.Name] = f.Data
			c.files[pkg] = append(c.files[pkg], f)
		}
	}
	syntax, pkg, info, errs := c.check("example.com/p")
	for _, err := range errs {
		t.Fatalf("the case does not type-check: %v", err)
	}
	sources := source.NewFiles(c.fset, func(name string) ([]byte, error) {
		if src, ok := text[name]; ok {
			return src, nil
		}
		return os.ReadFile(name)
	}, nil)
	p, problems := analyze.Package(&source.Package{Files: syntax, Types: pkg, Info: info, Dir: root, Module: "example.com/p", Sources: sources})
	if len(problems) > 0 {
		var b strings.Builder
		for _, p := range problems {
			pos := c.fset.Position(p.Pos)
			pos.Filename = strings.TrimPrefix(pos.Filename, root)
			fmt.Fprintln(&b, &Error{Pos: pos, Msg: p.Msg})
			if p.Old != "" && !bytes.HasPrefix(text[root+pos.Filename][pos.Offset:], []byte(p.Old)) {
				t.Errorf("%s: there is no %q there, which is to become %q", pos, p.Old, p.New)
			}
		}
		return b.String(), true
	}
	if p == nil {
		return "no directives\n", false
	}
	if len(c.files[pathGoSDK]) == 0 { // which a case can only imitate
		c.compile(t, &Package{ir: p})
	}
	return describe(t, p), false
}

// pathGoSDK is the other library that code can be generated for.
const pathGoSDK = "github.com/modelcontextprotocol/go-sdk/mcp"

// compile type-checks what is generated for a case together with the case.
func (c *caseImporter) compile(t *testing.T, p *Package) {
	t.Helper()
	generated, err := p.Generate(Runtime)
	if err != nil {
		t.Errorf("no code can be generated: %v", err)
		return
	}
	for name, src := range generated {
		if path.Ext(name) != ".go" {
			continue
		}
		c.files["example.com/p"] = append(c.files["example.com/p"], txtar.File{Name: "/" + name, Data: src})
		if _, _, _, errs := c.check("example.com/p"); len(errs) > 0 {
			t.Errorf("the generated code does not compile: %v\n%s", errs, src)
		}
	}
}

// A caseImporter type-checks the packages of a case from their sources, and imports all others from
// export data.
type caseImporter struct {
	fset   *token.FileSet
	files  map[string][]txtar.File
	done   map[string]*types.Package
	export types.Importer
}

// What is read from export data is shared by all cases.
var exports struct {
	fset *token.FileSet
	types.Importer
}

func newImporter(t *testing.T) *caseImporter {
	t.Helper()
	if exports.fset == nil {
		exports.fset = token.NewFileSet()
		exports.Importer = importer.ForCompiler(exports.fset, "gc", lookup(t))
	}
	return &caseImporter{exports.fset, make(map[string][]txtar.File), make(map[string]*types.Package), exports.Importer}
}

func (c *caseImporter) Import(path string) (*types.Package, error) {
	if len(c.files[path]) == 0 {
		return c.export.Import(path)
	}
	if c.done[path] == nil {
		_, pkg, _, errs := c.check(path)
		if len(errs) > 0 {
			return nil, errs[0]
		}
		c.done[path] = pkg
	}
	return c.done[path], nil
}

func (c *caseImporter) check(path string) (syntax []*ast.File, pkg *types.Package, info *types.Info, errs []error) {
	for _, f := range c.files[path] {
		file, err := parser.ParseFile(c.fset, f.Name, f.Data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, nil, []error{err}
		}
		syntax = append(syntax, file)
	}
	info = newInfo()
	config := types.Config{Importer: c, Error: func(err error) { errs = append(errs, err) }}
	pkg, _ = config.Check(path, c.fset, syntax, info)
	return syntax, pkg, info, errs
}

func newInfo() *types.Info {
	return &types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance)}
}

// imported are the packages that cases may import.
var imported = sync.OnceValues(func() (map[string]string, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedExportFile | packages.NeedImports | packages.NeedDeps},
		"bytes", "context", "encoding/json", "errors", "io", "io/fs", "iter", "log/slog", "math/big", "net/http", "net/netip", "net/url", "time", "unsafe",
		"embed", "github.com/mcpgen/mcpgen/mcp", "github.com/mcpgen/mcpgen/mcp/ui", "github.com/mcpgen/mcpgen/runtime/apps", "github.com/mcpgen/mcpgen/runtime/args", "github.com/mcpgen/mcpgen/runtime/args/jsonschema", "github.com/mcpgen/mcpgen/runtime/config", "github.com/mcpgen/mcpgen/runtime/server",
		"github.com/mcpgen/mcpgen/runtime/server/ask", "github.com/mcpgen/mcpgen/runtime/limit", "github.com/mcpgen/mcpgen/runtime/server/typed",
		"github.com/mcpgen/mcpgen/runtime/server/uritemplate", "github.com/mcpgen/mcpgen/runtime/toolsearch", "github.com/mcpgen/mcpgen/runtime/wire")
	files := make(map[string]string)
	packages.Visit(loaded, nil, func(p *packages.Package) { files[p.PkgPath] = p.ExportFile })
	return files, err
})

func lookup(t *testing.T) func(string) (io.ReadCloser, error) {
	files, err := imported()
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("cases cannot import %s; add it to imported", path)
		}
		return os.Open(files[path])
	}
}

// describe writes everything that a package offers, for review.
func describe(t *testing.T, p *ir.Package) string {
	var b strings.Builder
	if p.Register != "Register" {
		fmt.Fprintf(&b, "registered by %s\n", p.Register)
	}
	if s := p.Server; s != nil {
		fmt.Fprintf(&b, "server %q version %q title %q instructions %q\n", s.Name, s.Version, s.Title, s.Instructions)
		if s.Search {
			b.WriteString("search\n")
		}
		texts(&b, "", strings.TrimSpace(s.Description+" "+s.Website))
		extras(&b, &ir.Extras{Icons: s.Icons})
	}
	for _, page := range p.Pages {
		fmt.Fprintf(&b, "page %s %q of %s, which is the page: %t\n", page.URI, page.Name, page.File, page.HTML == nil)
		fmt.Fprintf(&b, "  connect %q resource %q frame %q permissions %q", page.Connect, page.Resource, page.Frame, page.Permissions)
		if page.Border != nil {
			fmt.Fprintf(&b, " border %t", *page.Border)
		}
		b.WriteString("\n")
	}
	for _, tool := range p.Tools {
		fmt.Fprintf(&b, "tool %s = %s%s\n", tool.Name, signature(tool.Func), hints(tool))
		texts(&b, tool.Title, tool.Description)
		guards(&b, tool)
		if tool.OnlyApps {
			b.WriteString("  for apps alone\n")
		}
		extras(&b, &tool.Extras)
		for _, p := range tool.Func.Params {
			if p.Property != nil && p.Property.Constraints != nil && p.Property.Constraints.Regexp != p.Property.Constraints.Pattern {
				fmt.Fprintf(&b, "  %s matches %s in Go\n", p.Name, p.Property.Constraints.Regexp)
			}
		}
		fmt.Fprintf(&b, "  input %s\n", pretty(t, schema.Input(tool)))
		if out := schema.Output(tool); out != "" {
			fmt.Fprintf(&b, "  output %s\n", pretty(t, out))
			if tool.Output.Content {
				b.WriteString("  output: content as well\n")
			}
		} else {
			fmt.Fprintf(&b, "  output: %s\n", map[ir.OutputKind]string{
				ir.NoOutput: "none", ir.TextOutput: "text", ir.ContentOutput: "content", ir.WholeOutput: "whole",
			}[tool.Output.Kind])
		}
	}
	for _, prompt := range p.Prompts {
		fmt.Fprintf(&b, "prompt %s = %s: %s%s\n", prompt.Name, signature(prompt.Func), []string{"text", "messages", "whole"}[prompt.Output], access(&prompt.Access))
		texts(&b, prompt.Title, prompt.Description)
		extras(&b, &prompt.Extras)
		properties(&b, prompt.Arguments, prompt.Completions)
	}
	for _, r := range p.Resources {
		fmt.Fprintf(&b, "resource %s %s %s = %s: %s%s\n", r.URI, r.Name, r.MIMEType, signature(r.Func), []string{"text", "blob", "JSON", "contents", "whole"}[r.Output], access(&r.Access))
		texts(&b, r.Title, r.Description)
		if r.Audience != nil {
			fmt.Fprintf(&b, "  audience: %s\n", r.Audience)
		}
		if r.Priority != nil {
			fmt.Fprintf(&b, "  priority: %v\n", *r.Priority)
		}
		extras(&b, &r.Extras)
		properties(&b, r.Variables, r.Completions)
	}
	for _, f := range p.Forms {
		fmt.Fprintf(&b, "form %s %s\n", f.Go.Obj().Name(), pretty(t, schema.Form(f)))
	}
	return b.String()
}

func texts(b *strings.Builder, title, description string) {
	if title != "" {
		fmt.Fprintf(b, "  title: %s\n", title)
	}
	if description != "" {
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(description, "\n", "\n  "))
	}
}

// guards writes what stands between a call and a function.
func guards(b *strings.Builder, t *ir.Tool) {
	if t.Confirm != nil {
		b.WriteString("  confirm: ")
		for _, part := range t.Confirm {
			if part.Property != nil {
				b.WriteString("{" + part.Property.Go + "}")
			}
			b.WriteString(part.Text)
		}
		b.WriteString("\n")
	}
	if t.Timeout > 0 {
		fmt.Fprintf(b, "  timeout: %s\n", t.Timeout)
	}
	if t.Rate > 0 {
		fmt.Fprintf(b, "  rate: %d in %s\n", t.Rate, t.RatePeriod)
	}
}

// extras writes icons and _meta.
func extras(b *strings.Builder, x *ir.Extras) {
	for _, icon := range x.Icons {
		fmt.Fprintf(b, "  icon: %s %s %s %s\n", icon.Src, icon.MIMEType, icon.Sizes, icon.Theme)
	}
	for _, m := range x.Meta {
		fmt.Fprintf(b, "  _meta: %s: %s\n", m.Key, m.JSON)
	}
}

func properties(b *strings.Builder, ps []*ir.Property, cs []*ir.Completion) {
	for _, p := range ps {
		fmt.Fprintf(b, "  %s %s", p.Name, schema.Of(p.Type))
		if !p.Required {
			b.WriteString(", optional")
		}
		if d := schema.Description(p); d != "" {
			fmt.Fprintf(b, ": %s", strings.ReplaceAll(d, "\n", "\n    "))
		}
		b.WriteString("\n")
		for _, c := range cs {
			if c.Argument == p.Name {
				fmt.Fprintf(b, "    completed by %s\n", signature(c.Func))
			}
		}
	}
}

var injected = map[ir.Injected]string{
	ir.Context: "context", ir.Call: "call", ir.Progress: "progress", ir.Logger: "logger", ir.GoSDKRequest: "request", ir.Value: "value", ir.Settled: "settled",
}

// signature writes how a function is called: injected parameters in brackets.
func signature(f *ir.Func) string {
	short := func(p *types.Package) string { return "" }
	var params []string
	for _, p := range f.Params {
		switch {
		case p.Injected != ir.NotInjected:
			params = append(params, "["+injected[p.Injected]+"]")
		case p.Whole != nil:
			params = append(params, types.TypeString(p.Go, short)+"{…}")
		case p.Variadic:
			params = append(params, p.Name+"…")
		default:
			params = append(params, p.Name)
		}
	}
	name := f.Name
	if f.Recv != nil {
		name = "(" + types.TypeString(f.Recv, short) + ")." + name
	}
	if f.Recv == nil && len(f.TypeArgs) > 0 {
		var args []string
		for _, a := range f.TypeArgs {
			args = append(args, types.TypeString(a, short))
		}
		name += "[" + strings.Join(args, ", ") + "]"
	}
	name += "(" + strings.Join(params, ", ") + ")"
	if f.Error {
		name += " or error"
	}
	return name
}

func hints(t *ir.Tool) string {
	said := map[string]*bool{"read-only": t.ReadOnly, "destructive": t.Destructive, "idempotent": t.Idempotent, "open world": t.OpenWorld}
	out := ""
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if v := said[name]; v != nil {
			out += fmt.Sprintf(", %s: %v", name, *v)
		}
	}
	if t.Open {
		out += ", open"
	}
	if !t.Coerce {
		out += ", strict"
	}
	if t.Task != "" {
		out += ", task " + t.Task
	}
	return out + access(&t.Access)
}

func access(a *ir.Access) (out string) {
	if len(a.Scopes) > 0 {
		out += fmt.Sprintf(", scopes %q", a.Scopes)
	}
	if len(a.Needs) > 0 {
		out += fmt.Sprintf(", needs %q", a.Needs)
	}
	for _, word := range [][2]string{{"since", a.MinRevision}, {"group", strings.Join(a.Groups, ",")}, {"feature", strings.Join(a.Features, ",")}} {
		if word[1] != "" {
			out += ", " + word[0] + " " + word[1]
		}
	}
	return out
}

func pretty(t *testing.T, compact string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(compact), "  ", "  "); err != nil {
		t.Fatalf("%v: %s", err, compact)
	}
	return b.String()
}
