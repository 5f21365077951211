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

// newInit returns mcpgen init. A package that exists joins mcpgen, and nothing else happens to it. For a new one, all
// that can be refused is refused before the first file is written; what fails after that, such as a download, leaves
// the files.
func newInit() *cobra.Command {
	var module, checkout string
	var protected bool
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Create a server with a tool and a test, or let a package of a module use mcpgen",
		Long: `Init begins a server in DIR. If DIR is in no Go module, it must be empty or not exist,
and becomes one: a server with one tool, a test of it, a workflow for CI and a
Dockerfile. With -auth, clients need a token over HTTP: the server has flags, and
variables of the environment, for its URL and the authorization server that issues
tokens.

In a module, init lets the package in DIR use mcpgen: go.mod requires it and has
it as a tool, and a file says that 'go generate' runs it. Existing code is not
changed, and a second run changes nothing. If DIR has no Go files, or does not
exist, it becomes a server with one tool and a test. With -module, an empty DIR
becomes a module of its own there, too.

A released mcpgen lets the go command get the modules that are needed. If mcpgen
runs in its own checkout or was built from one, or with -replace, the checkout is
used: go.mod replaces mcpgen by that folder, and requires what the checkout
requires.`,
		Example: `  mcpgen init hello
  mcpgen init .                                  # in a module of your own
  mcpgen init -auth -module example.com/hello hello
  go run ./cmd/mcpgen init ../hello              # in a checkout of mcpgen`,
		Args: operands("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			p := newProject{module: module, protected: protected, shown: filepath.ToSlash(args[0])}
			var err error
			if p.dir, err = filepath.Abs(args[0]); err != nil {
				return err
			}
			if p.in, err = moduleOf(p.dir); err != nil {
				return err
			}
			if module != "" {
				p.in = nil
			}
			if p.in != nil {
				s, err := readSource(p.dir)
				if err != nil {
					return err
				}
				if s.name != "" {
					if protected {
						return usageError(c, "-auth is for a new server, and %s has a package %s: docs/authorization.md says under %q what to add",
							p.shown, s.name, "A server with an existing identity provider")
					}
					return p.join(c.Context(), checkout, s, c.OutOrStdout())
				}
				p.module = p.in.path(p.dir)
			}
			if err := p.place(); err != nil {
				return err
			}
			if why := unusable(p.module); p.in == nil && why != "" {
				return usageError(c, "the module cannot be called %q, %s; give it another path by -module", p.module, why)
			}
			if err := p.choose(checkout); err != nil {
				return err
			}
			if err := p.write(c.Context(), c.OutOrStdout()); err != nil {
				return err
			}
			if err := p.finish(c.Context()); err != nil {
				return fmt.Errorf("%w\n%s is written, but not complete: mend that, then run 'go mod tidy' and 'go generate' there", err, p.shown)
			}
			p.tell(c.OutOrStdout())
			return nil
		},
	}
	c.Flags().BoolVar(&protected, "auth", false, "make a server that over HTTP requires a token of an authorization server")
	c.Flags().StringVar(&module, "module", "", "make a new module with this `PATH` (default the name of the folder)")
	c.Flags().StringVar(&checkout, "replace", "", "use the checkout of mcpgen in the folder `DIR` instead of a release")
	impossible(c.MarkFlagDirname("replace"))
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return c
}

// A newProject is a project that init makes.
type newProject struct {
	dir, shown string        // its folder, and what the folder was called
	module     string        // its path, or that of the package in a module
	in         *existing     // the module that it becomes a package of; nil if it is a module of its own
	protected  bool          // over HTTP, clients need a token
	version    string        // of mcpgen: a release, or ""
	checkout   string        // of mcpgen, used if there is no release
	found      bool          // nobody named the checkout
	requires   *modfile.File // the checkout's go.mod
}

// place checks the project's folder, which must be empty or not exist, unless it belongs to a module.
func (p *newProject) place() error {
	named := p.module != ""
	if !named {
		p.module = filepath.Base(p.dir)
	}
	entries, err := os.ReadDir(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s: %w", p.shown, errors.Unwrap(err))
	case len(entries) == 0 || p.in != nil:
		return nil
	case named:
		return fmt.Errorf("%s is not empty: a new module needs a new folder", p.shown)
	default:
		return fmt.Errorf("%s is not empty, and belongs to no module: init writes to a new folder, or to a package of a module", p.shown)
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

// choose decides which mcpgen is used: the checkout that is named, or else what the module requires already, the
// release of this command, the checkout that it runs in, or that it was built in.
func (p *newProject) choose(checkout string) error {
	if checkout == "" {
		if p.in != nil && p.in.requires() {
			return nil
		}
		if p.version = releasedVersion(); p.version != "" {
			return nil
		}
		var err error
		if p.checkout, p.requires, err = ownCheckout(); err != nil || p.checkout != "" {
			p.found = true
			return err
		}
		return errors.New("this mcpgen is no release, which a module could require; run 'mcpgen init' in a checkout of mcpgen, or name one by -replace")
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

// ownCheckout returns the checkout of mcpgen that the command runs in, or that it was built in, and its go.mod; "" if there is
// none.
func ownCheckout() (string, *modfile.File, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	for _, dir := range []string{here, builtIn} {
		if checkout, mod := checkoutAbove(dir); checkout != "" {
			return checkout, mod, nil
		}
	}
	return "", nil, nil
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

// write writes the files of the project that are not generated, and says so. In a module that exists, these are Go
// files alone.
func (p *newProject) write(ctx context.Context, w io.Writer) error {
	files := map[string][]byte{}
	for _, f := range p.templates() {
		if p.in == nil || strings.HasSuffix(f.Name, ".go") {
			files[f.Name] = bytes.ReplaceAll(f.Data, []byte("NAME"), []byte(projectName(p.module)))
		}
	}
	if p.in == nil {
		files["README.md"] = slices.Concat(files["README.md"], []byte("\n"), files["http.md"])
		delete(files, "http.md")
		files["go.mod"] = p.goMod()
		if p.checkout != "" {
			var err error
			if files["go.sum"], err = os.ReadFile(filepath.Join(p.checkout, "go.sum")); err != nil {
				return err
			}
		}
	}
	var changes []output.Change
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c := output.Change{Path: filepath.Join(p.dir, name), New: files[name]}
		if _, err := os.Lstat(c.Path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists already", path.Join(p.shown, name))
		}
		changes = append(changes, c)
	}
	if p.in != nil {
		if _, err := p.in.use(ctx, p, w); err != nil {
			return err
		}
	}
	if err := output.Apply(changes); err != nil {
		return err
	}
	if p.in != nil {
		if err := p.in.vendor(ctx, w); err != nil {
			return err
		}
	}
	if p.found && p.in == nil {
		fmt.Fprintf(w, "%s uses mcpgen from a checkout: its go.mod replaces %s by %s.\n", p.shown, self, filepath.ToSlash(p.checkout))
	}
	fmt.Fprintf(w, "%s: %d files. Next its tool is read, and code generated. For that, Go compiles what the files import: the first time, this can take a minute.\n", p.shown, len(files))
	return nil
}

// templates returns the templates of the project's files. Later ones replace earlier ones with the same name.
func (p *newProject) templates() []txtar.File {
	files := txtar.Parse(project).Files
	if p.protected {
		files = append(files, txtar.Parse(projectAuth).Files...)
	}
	return files
}

// goMod returns the go.mod of the project.
func (p *newProject) goMod() []byte {
	f := new(modfile.File)
	impossible(f.AddModuleStmt(p.module))
	impossible(f.AddGoStmt("1.26.0"))
	p.require(f)
	return must(f.Format())
}

// tell says what to do next with what has been made.
func (p *newProject) tell(w io.Writer) {
	read := " README.md says more."
	if p.in != nil {
		read = ""
	}
	fmt.Fprintf(w, "%s is ready. There, 'go tool mcpgen dev' runs it while you write it, with a page to try it on; 'go test' tests it.%s\n", p.shown, read)
}

// join lets a package that exists use mcpgen, and says what to do next.
func (p *newProject) join(ctx context.Context, checkout string, s *source, w io.Writer) error {
	if err := p.choose(checkout); err != nil {
		return err
	}
	changed, err := p.in.join(ctx, p, s, w)
	if err != nil {
		return err
	}
	if !changed {
		fmt.Fprintf(w, "%s uses mcpgen already: nothing is changed.\n", p.shown)
	}
	if s.annotated {
		fmt.Fprintln(w, "Next: go generate")
		return nil
	}
	fmt.Fprintf(w, "Next: 'go tool mcpgen add tool get_issue', in the package, adds a function to fill in.\n%s", p.in.serving(p.dir, s))
	return nil
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
	if p.checkout == "" && p.in == nil {
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
