package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// self is the path of the module that this command belongs to.
const self = "github.com/mcpgen/mcpgen"

// project holds the files of a new project.
//
//go:embed project.txtar
var project []byte

func newInit() *cobra.Command {
	var module, checkout string
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a project with a server, a tool and a test, to begin with",
		Long: `Init makes a Go module in DIR, which must be empty or not exist: a server with one
tool that speaks over standard input and output, and a test of it. The module uses
mcpgen as a tool: 'go generate' runs it. Init gets the modules that are needed
by 'go mod tidy', and generates what is to be generated, so that the project
builds and passes its test at once.`,
		Example: `  mcpgen init hello
  mcpgen init -module example.com/hello hello`,
		Args: operands("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			shown := filepath.ToSlash(args[0])
			if module == "" {
				module = filepath.Base(dir)
			}
			if !modulePath.MatchString(module) {
				return usageError(c, "the module cannot be called %q; give it another path by -module", module)
			}
			if isReserved(module) {
				return usageError(c, "the module cannot be called %q, as a package of Go itself; give it another path by -module", module)
			}
			if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
				return fmt.Errorf("%s is not empty: init writes to a new folder", shown)
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: %w", shown, errors.Unwrap(err))
			}
			mod, err := goMod(module, checkout)
			if err != nil {
				return err
			}
			changes := []output.Change{{Path: filepath.Join(dir, "go.mod"), New: mod}}
			for _, f := range txtar.Parse(project).Files {
				text := bytes.ReplaceAll(f.Data, []byte("NAME"), []byte(projectName(module)))
				changes = append(changes, output.Change{Path: filepath.Join(dir, f.Name), New: text})
			}
			if err := output.Apply(changes); err != nil {
				return err
			}
			if err := finish(c.Context(), dir); err != nil {
				return fmt.Errorf("%w\n%s is written, but not complete: mend that, then run 'go mod tidy' and 'go generate' there", err, shown)
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is ready: 'go test' there tests it. README.md tells what is next.\n", shown)
			return err
		},
	}
	c.Flags().StringVar(&module, "module", "", "the `PATH` of the module (default the name of the folder)")
	c.Flags().StringVar(&checkout, "replace", "", "use the checkout of mcpgen in a folder, `DIR`, instead of a release")
	if err := c.MarkFlagDirname("replace"); err != nil {
		panic(err)
	}
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return c
}

// modulePath matches what the go command takes for the path of a module, nearly.
var modulePath = regexp.MustCompile(`^[A-Za-z0-9_][-A-Za-z0-9._~]*(/[A-Za-z0-9_][-A-Za-z0-9._~]*)*$`)

// isReserved reports whether the go command takes a path for a package of its own: those of the
// standard library, and what its arguments have another meaning for.
func isReserved(module string) bool {
	if first, _, _ := strings.Cut(module, "/"); slices.Contains([]string{"all", "cmd", "go", "internal", "main", "std", "tool", "vendor", "work"}, first) {
		return true
	}
	p, err := build.Default.Import(module, "", build.FindOnly)
	return err == nil && p.Goroot
}

// majorVersion matches the end of the path of a second or later major version.
var majorVersion = regexp.MustCompile(`/v[0-9]+$`)

// projectName returns the name of a server, and of its command as 'go build' names it.
func projectName(module string) string { return path.Base(majorVersion.ReplaceAllString(module, "")) }

// goMod returns the go.mod of a new project.
func goMod(module, checkout string) ([]byte, error) {
	version, replace := releasedVersion(), ""
	switch {
	case checkout != "":
		dir, err := filepath.Abs(checkout)
		if err != nil {
			return nil, err
		}
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil {
			return nil, fmt.Errorf("-replace: %w", err)
		} else if !bytes.HasPrefix(mod, []byte("module "+self+"\n")) {
			return nil, fmt.Errorf("-replace: %s is no checkout of %s", filepath.ToSlash(checkout), self)
		}
		version, replace = "v0.0.0", fmt.Sprintf("\nreplace %s => %q\n", self, filepath.ToSlash(dir))
	case version == "":
		return nil, errors.New("this mcpgen is no release, which a project could require; name a checkout of mcpgen by -replace")
	}
	return fmt.Appendf(nil, "module %s\n\ngo 1.26.0\n\ntool %s/cmd/mcpgen\n\nrequire %s %s\n%s", module, self, self, version, replace), nil
}

// releasedVersion returns the version of this command, if it is one that others can get.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != self || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+") {
		return ""
	}
	return info.Main.Version
}

// lines returns what a command printed, to stand below an error.
func lines(printed []byte) string {
	if printed = bytes.TrimSpace(printed); len(printed) == 0 {
		return ""
	}
	return "\n" + string(printed)
}

// finish gets the modules that the project needs, and generates code.
func finish(ctx context.Context, dir string) error {
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir = dir
	if out, err := tidy.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w%s", err, lines(out))
	}
	pkgs, err := tools.Load(ctx, &tools.Config{Dir: dir}, ".")
	if err != nil {
		return err
	}
	var all []output.Change
	for _, p := range pkgs {
		files, err := p.Generate(tools.Runtime)
		if err != nil {
			return err
		}
		changes, err := output.Compare(dir, tools.Mark, files)
		if err != nil {
			return err
		}
		all = append(append(all, changes...), output.Change{Path: filepath.Join(dir, tools.LockFile), New: p.Lock()})
	}
	return output.Apply(all)
}
