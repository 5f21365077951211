package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/version"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// An existing module is one that is to use mcpgen, or does so already.
type existing struct {
	root string // its folder
	mod  *modfile.File
	text []byte // of go.mod
	work string // the go.work that is in use, or ""
}

// moduleOf returns the module that a folder belongs to, which need not exist yet; nil if it belongs to none, or to
// mcpgen itself.
func moduleOf(dir string) (*existing, error) {
	name := above(dir, "go.mod")
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(filepath.ToSlash(name), text, nil)
	if err != nil {
		return nil, err
	}
	if mod.Module == nil || mod.Module.Mod.Path == self {
		return nil, nil
	}
	m := &existing{root: filepath.Dir(name), mod: mod, text: text, work: os.Getenv("GOWORK")}
	switch m.work {
	case "":
		m.work = above(dir, "go.work")
	case "off":
		m.work = ""
	}
	return m, nil
}

// above returns the path of the nearest file with a name in a folder or above it, "" if there is none.
func above(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// path returns the import path of a folder of the module, below its root.
func (m *existing) path(dir string) string {
	return path.Join(m.mod.Module.Mod.Path, filepath.ToSlash(must(filepath.Rel(m.root, dir))))
}

// requires reports whether the module requires mcpgen.
func (m *existing) requires() bool {
	for _, r := range m.mod.Require {
		if r.Mod.Path == self {
			return true
		}
	}
	return false
}

// ready reports whether the module has all that init writes to its go.mod.
func (m *existing) ready() bool {
	for _, t := range m.mod.Tool {
		if t.Path == self+"/cmd/mcpgen" {
			return m.requires()
		}
	}
	return false
}

// use makes the module require mcpgen, and have it as a tool. It says what it changes.
func (m *existing) use(ctx context.Context, p *newProject, w io.Writer) (changed bool, err error) {
	if p.checkout == "" && m.ready() {
		return false, nil
	}
	if p.version != "" {
		fmt.Fprintf(w, "go get -tool %s/cmd/mcpgen@%s\n", self, p.version)
		return true, m.run(ctx, "get", "-tool", self+"/cmd/mcpgen@"+p.version)
	}
	var changes []output.Change
	var said []string
	add := func(c output.Change, says string) {
		if !bytes.Equal(c.Old, c.New) {
			changes, said = append(changes, c), append(said, says)
		}
	}
	mod, says := output.Change{Path: filepath.Join(m.root, "go.mod"), Old: m.text}, "go.mod: mcpgen is a tool"
	if p.checkout != "" {
		work, err := m.workspace(p.requires.Go)
		if err != nil {
			return false, err
		}
		add(work, "go.work: go "+p.requires.Go.Version+", which mcpgen needs")
		sum, err := m.sums(p.checkout)
		if err != nil {
			return false, err
		}
		add(sum, "go.sum: the checksums of what mcpgen requires")
		says += ", required, and replaced by " + filepath.ToSlash(p.checkout)
		if older(m.mod.Go, p.requires.Go) {
			says += "; go " + p.requires.Go.Version + ", which it needs"
			impossible(m.mod.AddGoStmt(p.requires.Go.Version))
		}
	}
	p.require(m.mod)
	mod.New = must(m.mod.Format())
	add(mod, says)
	if len(changes) == 0 {
		return false, nil
	}
	if err := output.Apply(changes); err != nil {
		return false, err
	}
	fmt.Fprintln(w, strings.Join(said, "\n"))
	if m.run(ctx, "list", "-mod=readonly", "-deps", self+"/cmd/mcpgen") == nil {
		return true, nil
	}
	fmt.Fprintln(w, "go mod tidy, since the module and mcpgen together need more")
	if err := m.run(ctx, "mod", "tidy"); err != nil {
		return true, fmt.Errorf("%w\ngo.mod is written: mend that, then run 'go mod tidy' there", err)
	}
	return true, nil
}

// older reports whether a go.mod or go.work has an older version of Go than another.
func older(a, b *modfile.Go) bool {
	return a == nil || version.Compare("go"+a.Version, "go"+b.Version) < 0
}

// workspace returns the change of go.work without which its modules could not need a version of Go.
func (m *existing) workspace(needed *modfile.Go) (c output.Change, err error) {
	if m.work == "" {
		return c, nil
	}
	c.Path = m.work
	if c.Old, err = os.ReadFile(m.work); err != nil {
		return c, err
	}
	f, err := modfile.ParseWork(filepath.ToSlash(m.work), c.Old, nil)
	if err != nil {
		return c, err
	}
	used := false
	for _, u := range f.Use {
		dir := filepath.FromSlash(u.Path)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(m.work), dir)
		}
		used = used || filepath.Clean(dir) == m.root
	}
	if !used {
		return c, fmt.Errorf("%s does not use the module %s: run 'go work use' there, or set GOWORK=off", filepath.ToSlash(m.work), m.mod.Module.Mod.Path)
	}
	c.New = c.Old
	if older(f.Go, needed) {
		impossible(f.AddGoStmt(needed.Version))
		c.New = modfile.Format(f.Syntax)
	}
	return c, nil
}

// sums returns the change that adds the checksums of a checkout to those of the module.
func (m *existing) sums(checkout string) (output.Change, error) {
	c := output.Change{Path: filepath.Join(m.root, "go.sum")}
	old, err := os.ReadFile(c.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	more, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return c, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(old)) {
		known[strings.TrimSpace(line)] = true
	}
	var all bytes.Buffer
	all.Write(old)
	if len(old) > 0 && old[len(old)-1] != '\n' {
		all.WriteByte('\n')
	}
	for line := range strings.Lines(string(more)) {
		if !known[strings.TrimSpace(line)] {
			all.WriteString(line)
		}
	}
	c.Old, c.New = old, all.Bytes()
	return c, nil
}

// run runs the go command in the module.
func (m *existing) run(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = m.root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w%s", strings.Join(args, " "), err, lines(out))
	}
	return nil
}

// require adds mcpgen, as a tool, and what it requires to a go.mod. If mcpgen is a checkout, the file gets all
// requirements, so that the go command, which has built mcpgen, need not look anything up.
func (p *newProject) require(f *modfile.File) {
	has := map[string]string{}
	for _, r := range f.Require {
		has[r.Mod.Path] = r.Mod.Version
	}
	impossible(f.AddTool(self + "/cmd/mcpgen"))
	if has[self] == "" {
		f.AddNewRequire(self, cmp.Or(p.version, "v0.0.0"), false)
	}
	if p.checkout != "" {
		for _, r := range p.requires.Require {
			switch old := has[r.Mod.Path]; {
			case old == "":
				f.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
			case semver.Compare(old, r.Mod.Version) < 0:
				impossible(f.AddRequire(r.Mod.Path, r.Mod.Version))
			}
		}
		impossible(f.AddReplace(self, "", filepath.ToSlash(p.checkout), ""))
	}
	f.SetRequireSeparateIndirect(f.Require)
	f.Cleanup()
}

// builtIn is the folder of this file, if the command was built in a checkout and knows it.
var builtIn = func() string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return filepath.Dir(file)
	}
	return ""
}()

// A source is what a package has already, other than what mcpgen generates.
type source struct {
	name      string // of the package, "" if the folder has no Go files
	server    bool   // it has //mcp:server
	annotated bool   // it has other directives
	generates bool   // go generate runs mcpgen
	newServer bool   // it declares NewServer itself
	serves    bool   // it serves something already
}

// generateLine makes go generate run mcpgen.
const generateLine = "//go:generate go tool mcpgen tools"

// readSource reads the package in a folder.
func readSource(dir string) (*source, error) {
	name, files, err := parsePackage(token.NewFileSet(), dir)
	if err != nil {
		return nil, err
	}
	s := source{name: name}
	for _, f := range files {
		for _, d := range f.Decls {
			s.newServer = s.newServer || declares(d, "NewServer").IsValid()
		}
		for _, i := range f.Imports {
			s.serves = s.serves || i.Path.Value == `"`+self+`/runtime/serve"`
		}
		s.comments(f)
	}
	return &s, nil
}

// parsePackage returns the name of the package in a folder, "" if there is none, and its files: those that build
// constraints leave, without tests and what mcpgen generates. Several packages are an error.
func parsePackage(fset *token.FileSet, dir string) (name string, files []*ast.File, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", nil, nil
	}
	pkg, err := build.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) {
		return "", nil, nil
	} else if err != nil {
		return "", nil, err
	}
	for _, file := range slices.Concat(pkg.GoFiles, pkg.CgoFiles) {
		if file == tools.GoFile {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", nil, err
		}
		files = append(files, f)
	}
	return pkg.Name, files, nil
}

// comments looks for directives and generate lines.
func (s *source) comments(f *ast.File) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			server := strings.HasPrefix(c.Text, "//mcp:server")
			s.server = s.server || server
			s.annotated = s.annotated || strings.HasPrefix(c.Text, "//mcp:") && !server
			s.generates = s.generates || strings.HasPrefix(c.Text, "//go:generate ") && strings.Contains(c.Text, "mcpgen tools")
		}
	}
}

// begin returns the file that makes mcpgen read a package of the module; nil if it needs none.
func (m *existing) begin(dir string, s *source) (*output.Change, error) {
	if s.generates {
		return nil, nil
	}
	text := "package " + s.name + "\n\n" + generateLine + "\n"
	if !s.server && !s.annotated && !s.newServer {
		text = fmt.Sprintf("//mcp:server name=%s version=0.1.0\n", projectName(m.path(dir))) + text
	}
	for _, name := range []string{"mcp.go", "mcp_generate.go"} {
		name = filepath.Join(dir, name)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return &output.Change{Path: name, New: []byte(text)}, nil
		}
	}
	return nil, fmt.Errorf("%s has a mcp.go and a mcp_generate.go: add the line %q to a file of the package", filepath.ToSlash(dir), generateLine)
}

// join makes a package of the module use mcpgen, and says what it does.
func (m *existing) join(ctx context.Context, p *newProject, s *source, w io.Writer) (changed bool, err error) {
	file, err := m.begin(p.dir, s)
	if err != nil {
		return false, err
	}
	if changed, err = m.use(ctx, p, w); err != nil {
		return false, err
	}
	if file != nil {
		if err := output.Apply([]output.Change{*file}); err != nil {
			return false, err
		}
		says := "go generate runs mcpgen"
		if bytes.HasPrefix(file.New, []byte("//mcp:server")) {
			says = "the server's name and version; " + says
		}
		fmt.Fprintf(w, "%s: %s\n", filepath.ToSlash(filepath.Join(p.shown, filepath.Base(file.Path))), says)
		changed = true
	}
	if changed {
		err = m.vendor(ctx, w)
	}
	return changed, err
}

// vendor copies what the module needs by now, if it or its workspace keeps copies.
func (m *existing) vendor(ctx context.Context, w io.Writer) error {
	dir, of := m.root, "mod"
	if m.work != "" {
		dir, of = filepath.Dir(m.work), "work"
	}
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err != nil {
		return nil
	}
	fmt.Fprintf(w, "go %s vendor, since there is a folder vendor\n", of)
	if err := m.run(ctx, of, "vendor"); err != nil {
		return fmt.Errorf("%w\nthe rest is written: mend that, then run 'go %s vendor' there", err, of)
	}
	return nil
}

// serving returns what a program has to do to serve a package of the module.
func (m *existing) serving(dir string, s *source) string {
	if s.serves {
		return ""
	}
	if s.newServer {
		return "The function Register, which is generated, adds the tools to a server.\n"
	}
	who, of, imports := "main", "", []string{self + "/runtime/serve", self + "/runtime/server"}
	if s.name != "main" {
		who, of, imports = "a program", s.name+".", append(imports, m.path(dir))
	}
	return fmt.Sprintf("Then %s serves it by\n\n\tserve.Main(func() (*server.Server, error) { return %sNewServer(nil) })\n\n"+
		"NewServer, which go generate writes, takes the receivers of methods before nil. The packages are\n\n\t\"%s\"\n", who, of, strings.Join(imports, "\"\n\t\""))
}
