package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/internal/goroot"
)

// self is the path of the module that this command belongs to.
const self = "github.com/mcpgen/mcpgen"

// project holds the files of a new project.
//
//go:embed project.txtar
var project []byte

// projectAuth holds the files that replace them in a server with authorization.
//
//go:embed project_auth.txtar
var projectAuth []byte

func newInit() *cobra.Command {
	var module, checkout string
	var protected bool
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Create a project with a server, a tool and a test",
		Long: `Init creates a Go module in DIR, which must be empty or not exist: a server with one
tool, a test of it, a workflow for CI and a Dockerfile. The server speaks over
standard input and output or, with its flag -http, over HTTP. With -auth, clients
need a token over HTTP: the server has flags, and variables of the environment, for
its URL and the authorization server that issues tokens.

The module uses mcpgen as a tool: 'go generate' runs it. Init generates what is to
be generated, so that the project builds and passes its test at once.

A released mcpgen gets the modules that are needed by 'go mod tidy'. In a checkout
of mcpgen, or with -replace, the project uses the checkout: its go.mod replaces
mcpgen by that folder, and requires what the checkout requires.`,
		Example: `  mcpgen init hello
  mcpgen init -auth -module example.com/hello hello
  go run ./cmd/mcpgen init ../hello              # in a checkout of mcpgen`,
		Args: operands("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			p := newProject{module: module, protected: protected, shown: filepath.ToSlash(args[0])}
			if err := p.place(args[0]); err != nil {
				return err
			}
			if why := unusable(p.module); why != "" {
				return usageError(c, "the module cannot be called %q, %s; give it another path by -module", p.module, why)
			}
			if err := p.choose(checkout); err != nil {
				return err
			}
			if err := p.write(); err != nil {
				return err
			}
			if err := p.finish(c.Context()); err != nil {
				return fmt.Errorf("%w\n%s is written, but not complete: mend that, then run 'go mod tidy' and 'go generate' there", err, p.shown)
			}
			return p.tell(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&protected, "auth", false, "make a server that over HTTP requires a token of an authorization server")
	c.Flags().StringVar(&module, "module", "", "the `PATH` of the module (default the name of the folder)")
	c.Flags().StringVar(&checkout, "replace", "", "use the checkout of mcpgen in the folder `DIR` instead of a release")
	if err := c.MarkFlagDirname("replace"); err != nil {
		panic(err)
	}
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return c
}

// A newProject is a project that init makes.
type newProject struct {
	dir, shown string // its folder, and what the folder was called
	module     string
	protected  bool          // over HTTP, clients need a token
	version    string        // of mcpgen: a release, or ""
	checkout   string        // of mcpgen, used if there is no release
	found      bool          // the checkout is where init runs, nobody named it
	requires   *modfile.File // the checkout's go.mod
}

// place finds the project's folder, which must be empty or not exist.
func (p *newProject) place(name string) (err error) {
	if p.dir, err = filepath.Abs(name); err != nil {
		return err
	}
	if p.module == "" {
		p.module = filepath.Base(p.dir)
	}
	entries, err := os.ReadDir(p.dir)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s is not empty: init writes to a new folder", p.shown)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", p.shown, errors.Unwrap(err))
	}
	if target, err := os.Readlink(p.dir); err == nil {
		return fmt.Errorf("%s is a symbolic link to %s, which does not exist: create that folder, or remove the link", p.shown, filepath.ToSlash(target))
	}
	return nil
}

// unusable returns why a module cannot have a path, or "" if it can.
func unusable(path string) string {
	var bad *module.InvalidPathError
	if err := module.CheckImportPath(path); errors.As(err, &bad) {
		return "which is no path of a module: " + bad.Err.Error()
	}
	if path == self || strings.HasPrefix(path, self+"/") {
		return "as mcpgen itself"
	}
	if first, _, _ := strings.Cut(path, "/"); slices.Contains([]string{"all", "cmd", "go", "internal", "main", "std", "tool", "vendor", "work"}, first) {
		return "as a package of Go itself"
	}
	if root, err := goroot.Dir(); err == nil { // without a go command nothing can be said here
		if info, err := os.Stat(filepath.Join(root, "src", filepath.FromSlash(path))); err == nil && info.IsDir() {
			return "as a package of Go itself"
		}
	}
	return ""
}

// majorVersion matches the end of the path of a second or later major version.
var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// projectName returns the name of a server and of its command, which is that of 'go build'.
func projectName(module string) string { return path.Base(majorVersion.ReplaceAllString(module, "")) }

// choose decides which mcpgen the project uses: the checkout that is named, or else the release of this command, or
// else the checkout that it runs in.
func (p *newProject) choose(checkout string) error {
	if checkout == "" {
		if p.version = releasedVersion(); p.version != "" {
			return nil
		}
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		if p.checkout, p.requires = checkoutAbove(here); p.checkout == "" {
			return errors.New("this mcpgen is no release, which a project could require; run init in a checkout of mcpgen, or name one by -replace")
		}
		p.found = true
		return nil
	}
	dir, err := filepath.Abs(checkout)
	if err != nil {
		return err
	}
	mod, err := readMod(dir)
	if err != nil {
		return fmt.Errorf("-replace: %w", err)
	}
	if mod.Module == nil || mod.Module.Mod.Path != self {
		return fmt.Errorf("-replace: %s is no checkout of %s", filepath.ToSlash(checkout), self)
	}
	p.checkout, p.requires = dir, mod
	return nil
}

// checkoutAbove returns the checkout of mcpgen that a folder belongs to, and its go.mod; "" if it
// belongs to none.
func checkoutAbove(dir string) (string, *modfile.File) {
	for {
		mod, err := readMod(dir)
		if err == nil && mod.Module != nil && mod.Module.Mod.Path == self {
			return dir, mod
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return "", nil
		}
		dir = parent
	}
}

func readMod(dir string) (*modfile.File, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.ParseLax(filepath.ToSlash(name), text, nil)
}

// releasedVersion returns the version of this command if others can download it: the go command then has downloaded
// it, too, and has its checksum.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != self || info.Main.Sum == "" {
		return ""
	}
	return info.Main.Version
}

// write writes the files of the project that are not generated.
func (p *newProject) write() error {
	mod, err := p.goMod()
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": mod}
	if p.checkout != "" {
		if files["go.sum"], err = os.ReadFile(filepath.Join(p.checkout, "go.sum")); err != nil {
			return err
		}
	}
	for _, f := range p.templates() {
		files[f.Name] = bytes.ReplaceAll(f.Data, []byte("NAME"), []byte(projectName(p.module)))
	}
	files["README.md"] = slices.Concat(files["README.md"], []byte("\n"), files["http.md"])
	delete(files, "http.md")
	var changes []output.Change
	for _, name := range slices.Sorted(maps.Keys(files)) {
		changes = append(changes, output.Change{Path: filepath.Join(p.dir, name), New: files[name]})
	}
	return output.Apply(changes)
}

// templates returns the templates of the project's files. Later ones replace earlier ones with the same name.
func (p *newProject) templates() []txtar.File {
	files := txtar.Parse(project).Files
	if p.protected {
		files = append(files, txtar.Parse(projectAuth).Files...)
	}
	return files
}

// goMod returns the go.mod of the project. If mcpgen is a checkout, the file has all requirements, so that the go
// command, which has built mcpgen, need not look anything up.
func (p *newProject) goMod() ([]byte, error) {
	f := new(modfile.File)
	version := p.version
	if p.checkout != "" {
		version = "v0.0.0"
	}
	check := func(errs ...error) error { return errors.Join(errs...) }
	if err := check(f.AddModuleStmt(p.module), f.AddGoStmt("1.26.0"), f.AddTool(self+"/cmd/mcpgen"), f.AddRequire(self, version)); err != nil {
		return nil, err
	}
	if p.checkout != "" {
		for _, r := range p.requires.Require {
			f.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
		}
		if err := f.AddReplace(self, "", filepath.ToSlash(p.checkout), ""); err != nil {
			return nil, err
		}
	}
	f.SetRequireSeparateIndirect(f.Require)
	f.Cleanup()
	return f.Format()
}

// tell prints what has been made.
func (p *newProject) tell(w io.Writer) error {
	if p.found {
		if _, err := fmt.Fprintf(w, "%s uses mcpgen from this checkout: its go.mod replaces %s by %s.\n", p.shown, self, filepath.ToSlash(p.checkout)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s is ready: 'go test' there tests it. README.md says what to do next.\n", p.shown)
	return err
}

// lines returns the output of a command, to be printed below an error.
func lines(printed []byte) string {
	if printed = bytes.TrimSpace(printed); len(printed) == 0 {
		return ""
	}
	return "\n" + string(printed)
}

// finish gets the modules that the project needs, unless they are known from a checkout, and generates code.
func (p *newProject) finish(ctx context.Context) error {
	if p.checkout == "" {
		tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
		tidy.Dir = p.dir
		if out, err := tidy.CombinedOutput(); err != nil {
			return fmt.Errorf("go mod tidy: %w%s", err, lines(out))
		}
	}
	pkgs, err := tools.Load(ctx, &tools.Config{Dir: p.dir}, ".")
	if err != nil {
		return err
	}
	var all []output.Change
	for _, pkg := range pkgs {
		files, err := pkg.Generate(tools.Runtime)
		if err != nil {
			return err
		}
		changes, err := output.Compare(p.dir, tools.Mark, files)
		if err != nil {
			return err
		}
		all = append(append(all, changes...), output.Change{Path: filepath.Join(p.dir, tools.LockFile), New: pkg.Lock()})
	}
	return output.Apply(all)
}
