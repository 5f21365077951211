package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

func newAdd() *cobra.Command {
	c := &cobra.Command{
		Use:   "add",
		Short: "Add a function with a directive to a package",
	}
	c.AddCommand(&cobra.Command{
		Use:   "tool NAME [DIR]",
		Short: "Add a function that becomes a tool",
		Long: `Tool writes a file with a function to fill in to the Go package in DIR, "." unless
it is given, and then does what 'mcpgen tools' does. NAME is that of the tool, such as
get_issue, or of the function, such as GetIssue. What exists is never changed.`,
		Example: `  mcpgen add tool get_issue
  mcpgen add tool GetIssue ./tracker`,
		Args: func(c *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usageError(c, "no NAME given")
			case 1, 2:
				return nil
			}
			return usageError(c, "one argument too many: %q", args[2])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if !toolName.MatchString(args[0]) {
				return usageError(c, "a tool cannot be called %q here: want a name such as get_issue or GetIssue", args[0])
			}
			a := &addition{function: functionName(args[0]), dir: "."}
			a.tool = tools.NameOf(a.function)
			if len(args) == 2 {
				a.dir = filepath.Clean(args[1])
			}
			if err := a.place(c.Context()); err != nil {
				return err
			}
			if err := a.write(c.Context()); err != nil {
				return err
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "%s has the function %s: write what it does, then run go generate\n", filepath.ToSlash(a.file), a.function)
			return err
		},
	})
	return c
}

// toolName matches the names of tools and functions that add takes.
var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$`)

// initialisms are the parts of a name that Go writes in capitals.
var initialisms = []string{"api", "html", "http", "https", "id", "ip", "json", "sql", "ui", "uri", "url", "xml"}

// functionName returns the name of a function for that of a tool: GetIssue for get_issue.
func functionName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if slices.Contains(initialisms, part) {
			b.WriteString(strings.ToUpper(part))
		} else {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// An addition is a tool that is added to a package.
type addition struct {
	tool, function string
	dir, file      string // of the package, and in it
	pkg            string // its name
}

// place finds the package, in which nothing may have the names that are added.
func (a *addition) place(ctx context.Context) error {
	a.file = filepath.Join(a.dir, fileName(a.tool))
	names, err := filepath.Glob(filepath.Join(a.dir, "*.go"))
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		a.pkg = f.Name.Name
		for _, d := range f.Decls {
			if pos := declares(d, a.function); pos.IsValid() && filepath.Base(name) != tools.GoFile {
				return fmt.Errorf("%s: there is a %s already", fset.Position(pos), a.function)
			}
		}
	}
	if a.pkg == "" {
		return fmt.Errorf("there is no Go package in %s; mcpgen init makes a new one", filepath.ToSlash(a.dir))
	}
	if _, err := os.Lstat(a.file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already", filepath.ToSlash(a.file))
	}
	pkgs, _ := loadTools(ctx, []string{a.pattern()}) // mistakes are reported when the code is generated
	for _, p := range pkgs {
		if slices.Contains(p.Tools(), a.tool) {
			return fmt.Errorf("%s has a tool %s already", p.Path(), a.tool)
		}
	}
	return nil
}

// fileName returns the name of the file for a tool. The go command reads some ends of names in its own way.
func fileName(tool string) string {
	anywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	name := tool + ".go"
	if match, err := anywhere.MatchFile("", name); err != nil || !match || strings.HasSuffix(tool, "_test") || name == tools.GoFile {
		return tool + "_tool.go"
	}
	return name
}

// declares returns the place of a name that a declaration declares in its package.
func declares(d ast.Decl, name string) token.Pos {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name == name {
			return d.Name.Pos()
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.Name == name {
					return s.Name.Pos()
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.Name == name {
						return n.Pos()
					}
				}
			}
		}
	}
	return token.NoPos
}

// pattern returns the package as the go command names it.
func (a *addition) pattern() string {
	if filepath.IsAbs(a.dir) {
		return a.dir
	}
	return "./" + filepath.ToSlash(a.dir)
}

// skeleton is the file with the function.
const skeleton = `package PACKAGE

import (
	"context"
	"errors"
)

// FUNCTION does what this sentence says, and says when to use it: it is what a model reads.
//
//   - text: what this argument means
//
//mcp:tool
func FUNCTION(ctx context.Context, text string) (string, error) {
	return "", errors.New("TOOL does nothing yet")
}
`

// write writes the file, and generates code.
func (a *addition) write(ctx context.Context) error {
	text := strings.NewReplacer("PACKAGE", a.pkg, "FUNCTION", a.function, "TOOL", a.tool).Replace(skeleton)
	if err := output.Apply([]output.Change{{Path: a.file, New: []byte(text)}}); err != nil {
		return err
	}
	pkgs, err := loadTools(ctx, []string{a.pattern()})
	if err != nil {
		return fmt.Errorf("%s is written, but no code is generated for it yet:\n%w", filepath.ToSlash(a.file), err)
	}
	for _, p := range pkgs {
		changes, _, err := p.outdated("")
		if err != nil {
			return err
		}
		if err := output.Apply(changes); err != nil {
			return err
		}
	}
	return nil
}
