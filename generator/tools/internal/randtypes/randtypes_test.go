package randtypes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/generator/tools/internal/randtypes/check"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var (
	typesFlag  = flag.Int("types", 0, "how many random types are tested; 300 and more use all differences; 0: 20 if MCPGEN_FULL is set")
	seedFlag   = flag.Uint64("seed", 8, "of the random types")
	valuesFlag = flag.Int("values", 100, "how many random values each type has; with 0 what is generated is type-checked, and not run")
)

// perPackage is how many types stand in one package, and perBatch in one program.
const (
	perPackage = 10
	perBatch   = 300
)

// TestTypes makes tools of random types and compares what they read and write with encoding/json and
// with their schemas.
func TestTypes(t *testing.T) {
	if *typesFlag == 0 {
		testenv.Long(t)
		*typesFlag = 20
	}
	total := tally{used: make(map[string]int)}
	for first := 0; first < *typesFlag; first += perBatch {
		b := newBatch(t, first, min(perBatch, *typesFlag-first))
		for _, p := range b.packages {
			b.prepare(p)
		}
		if *valuesFlag > 0 {
			b.run()
		}
		total.add(&b.tally)
		t.Logf("seed %d, %d of %d types: %s", *seedFlag, first+b.tally.types, *typesFlag, &b.tally)
	}
	t.Logf("seed %d: %s", *seedFlag, &total)
	for _, name := range slices.Sorted(maps.Keys(total.used)) {
		t.Logf("%8d %s", total.used[name], name)
		if total.used[name] == 0 && *typesFlag >= 300 && *valuesFlag > 0 {
			t.Errorf("the difference %q was not met; remove it", name)
		}
	}
	if total.types-total.refused-total.invalid < *typesFlag/2 {
		t.Errorf("only %d types were tested", total.types-total.refused-total.invalid)
	}
}

// A tally counts what was tested.
type tally struct {
	types, invalid, refused, values, texts, textsRefused, never int
	rehearsed, notWhole                                         int
	used                                                        map[string]int
}

func (a *tally) add(b *tally) {
	a.types += b.types
	a.invalid += b.invalid
	a.refused += b.refused
	a.values += b.values
	a.texts += b.texts
	a.textsRefused += b.textsRefused
	a.never += b.never
	a.rehearsed += b.rehearsed
	a.notWhole += b.notWhole
	for name, n := range b.used {
		a.used[name] += n
	}
}

func (a *tally) String() string {
	return fmt.Sprintf("%d types (%d are no Go, %d refused), %d values written, %d texts read (%d refused), %d types that no value was read of, %d texts read without generated code (%d not wholly)",
		a.types, a.invalid, a.refused, a.values, a.texts, a.textsRefused, a.never, a.rehearsed, a.notWhole)
}

// A batch is the packages of one program.
type batch struct {
	t        *testing.T
	dir      string
	packages []*randomPackage
	left     map[*randomType]bool // they are no Go, or are refused
	broken   map[string]bool      // packages that do not compile
	analyzed map[string]*tools.Package
	tally    tally
}

func newBatch(t *testing.T, first, n int) *batch {
	t.Helper()
	b := &batch{t: t, dir: t.TempDir(), left: make(map[*randomType]bool), broken: make(map[string]bool), analyzed: make(map[string]*tools.Package)}
	b.tally.types = n
	for i := 0; i < n; i += perPackage {
		b.packages = append(b.packages, newPackage(*seedFlag, "p"+strconv.Itoa((first+i)/perPackage), min(perPackage, n-i)))
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const ours = "github.com/mcpgen/mcpgen"
	b.write("go.mod", strings.Replace(string(mod), "module "+ours, "module "+module, 1)+"\nrequire "+ours+" v0.0.0\nreplace "+ours+" => "+root+"\n")
	b.write("go.sum", string(sum))
	return b
}

func (b *batch) write(name, content string) {
	b.t.Helper()
	file := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		b.t.Fatal(err)
	}
}

// typeAt returns the type whose file has a name: p3/t7.go.
func (b *batch) typeAt(file string) *randomType {
	for _, p := range b.packages {
		for _, t := range p.types {
			if file == p.name+"/"+strings.ToLower(t.name)+".go" {
				return t
			}
		}
	}
	return nil
}

// subject is the type that a message is about.
var subject = regexp.MustCompile(`\b[TtF](\d+)`)

// refuse leaves out the types that an error is about.
func (b *batch) refuse(err error) {
	b.t.Helper()
	var list tools.ErrorList
	if !errors.As(err, &list) {
		b.t.Fatal(err)
	}
	for t, messages := range b.subjects(list) {
		b.left[t] = true
		b.tally.refused++
		if t.fault && len(messages) != 1 {
			b.t.Errorf("seed %d: several messages:\n%s\n%s", *seedFlag, strings.Join(messages, "\n"), t.text)
		}
		if testing.Verbose() {
			b.t.Logf("refused: %s", strings.Join(messages, "\n"))
		}
	}
}

// subjects returns the types that errors are about, with their errors.
func (b *batch) subjects(list tools.ErrorList) map[*randomType][]string {
	b.t.Helper()
	of := make(map[*randomType][]string)
	for _, e := range list {
		file := b.relative(e.Pos.Filename)
		t := b.typeAt(file)
		if name := subject.FindStringSubmatch(e.Msg); t == nil && name != nil { // at a field of a shared type
			t = b.typeAt(path.Dir(file) + "/t" + name[1] + ".go")
		}
		if t == nil {
			b.t.Fatalf("seed %d: a refusal that belongs to no type: %v", *seedFlag, e)
		}
		if e.Pos.Line == 0 || e.Pos.Column == 0 || len(e.Msg) > 600 {
			b.t.Errorf("seed %d: a message without a place, or that is too long: %v\n%s", *seedFlag, e, t.text)
		}
		of[t] = append(of[t], e.Error())
	}
	return of
}

// run compiles and runs the program.
func (b *batch) run() {
	b.compile()
	cmd := exec.CommandContext(b.t.Context(), filepath.Join(b.dir, "driver.exe"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err != nil {
		b.t.Fatalf("seed %d: %v\n%s", *seedFlag, err, errs.String()[:min(errs.Len(), 8000)])
	}
	var result check.Result
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		b.t.Fatal(err)
	}
	b.tally.values, b.tally.texts, b.tally.textsRefused, b.tally.used = result.Values, result.Texts, result.Refused, result.Used
	b.tally.never = len(result.Never)
	for _, f := range result.Findings {
		pkg, name, _ := strings.Cut(f.Type, ".")
		source := qualifier.ReplaceAllString(b.typeAt(pkg+"/"+strings.ToLower(name)+".go").text, "$1")
		b.t.Errorf("seed %d, %s: %s:\n%s\ninput: %s\n%s", *seedFlag, f.Type, f.What, f.Detail, f.Input, source)
	}
	b.rehearse(result.Reads)
	b.t.Logf("the program took %v", cmd.ProcessState.UserTime())
	for _, name := range result.Never {
		b.t.Logf("seed %d: no value was read of %s", *seedFlag, name)
	}
}

// rehearse compares what generated code made of arguments with what [tools.Package.Rehearse] makes of them.
func (b *batch) rehearse(reads []check.Read) {
	b.t.Helper()
	handlers := make(map[[2]string]server.ToolHandler)
	var unread []string
	for name, pkg := range b.analyzed {
		for _, item := range pkg.Rehearse(func(_ string, types []string) (*mcp.CallToolResult, error) {
			unread = types
			return nil, nil
		}) {
			handlers[[2]string{name, item.Definition.(*mcp.Tool).Name}] = item.Handler.(func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error))
		}
	}
	for _, r := range reads {
		unread = nil
		got := ""
		if _, err := handlers[[2]string{r.Package, r.Tool}](b.t.Context(), nil, wire.Raw(r.Arguments)); err != nil {
			got = err.Error()
		}
		b.tally.rehearsed++
		if got == r.Message {
			continue
		}
		if len(unread) > 0 || strings.Contains(r.Message, ": not accepted: ") { // methods of the types themselves
			b.tally.notWhole++
			continue
		}
		b.t.Errorf("seed %d: %s.%s: %s\ngenerated code says\n%s\nwithout it\n%s", *seedFlag, r.Package, r.Tool, r.Arguments, r.Message, got)
	}
}

// compile builds the program. Packages that do not compile are left out of it.
func (b *batch) compile() {
	for range 10 {
		b.write("main.go", b.program())
		cmd := exec.CommandContext(b.t.Context(), "go", "build", "-gcflags="+module+"/...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", "driver.exe", ".")
		cmd.Dir = b.dir
		out, err := cmd.CombinedOutput()
		if err == nil {
			return
		}
		found := false
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "./"), "/")
			if p := b.packageOf(name); p != nil && !b.broken[name] {
				b.broken[name], found = true, true
				b.t.Errorf("seed %d: the package %s does not compile:\n%s", *seedFlag, name, out[:min(len(out), 4000)])
			}
		}
		if !found {
			b.t.Fatalf("seed %d: %v\n%s", *seedFlag, err, out)
		}
	}
}

func (b *batch) packageOf(name string) *randomPackage {
	for _, p := range b.packages {
		if p.name == name {
			return p
		}
	}
	return nil
}

// program is the main package, which knows all types.
func (b *batch) program() string {
	var imports, types strings.Builder
	for _, p := range b.packages {
		if b.broken[p.name] {
			continue
		}
		var of strings.Builder
		for _, t := range p.types {
			if !b.left[t] {
				fmt.Fprintf(&of, "\tcheck.Type[%s.%s, %stwin.%s](%q, %q, check.Options{Whole: %v, Strict: %v})\n", p.name, t.name, p.name, t.name, p.name, t.tool, t.whole, t.strict)
			}
		}
		if of.Len() > 0 {
			fmt.Fprintf(&imports, "import %s \"%s/%s\"\nimport %stwin \"%s/%s/twin\"\n", p.name, module, p.name, p.name, module, p.name)
			fmt.Fprintf(&types, "\tcheck.Server(%q, %s.NewServer)\n%s", p.name, p.name, of.String())
		}
	}
	return "package main\n\nimport \"github.com/mcpgen/mcpgen/generator/tools/internal/randtypes/check\"\n" + imports.String() +
		"\nfunc main() {\n" + types.String() + fmt.Sprintf("\tcheck.Main(%d, %d)\n}\n", *seedFlag, *valuesFlag)
}
