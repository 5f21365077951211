package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

func newAdd() *cobra.Command {
	c := &cobra.Command{
		Use:   "add",
		Short: "Add a function with a directive to a package",
	}
	for _, k := range kinds {
		c.AddCommand(k.command())
	}
	return c
}

// A kind is a kind of function that can be added.
type kind struct {
	noun     string
	names    [2]string // examples: one that the protocol has, and that of a function
	uris     []string  // of these, if it has a URI
	known    func(p *tools.Package) []string
	skeleton string
}

var kinds = []kind{{
	noun:  "tool",
	names: [2]string{"get_issue", "GetIssue"},
	known: (*tools.Package).Tools,
	skeleton: `// FUNCTION does what this sentence says, and says when to use it: it is what a model reads.
//
//   - text: what this argument means
//
//mcp:tool
func FUNCTION(ctx context.Context, text string) (string, error) {
	return "", errors.New("NAME does nothing yet")
}
`,
}, {
	noun:  "prompt",
	names: [2]string{"review_change", "ReviewChange"},
	known: (*tools.Package).Prompts,
	skeleton: `// FUNCTION asks for what this sentence says: it is what a person chooses from.
//
//   - text: what this argument means
//
//mcp:prompt
func FUNCTION(ctx context.Context, text string) (string, error) {
	return "", errors.New("NAME asks for nothing yet")
}
`,
}, {
	noun:  "resource",
	names: [2]string{"house_rules", "Issue"},
	uris:  []string{"tracker://rules", "'tracker://issues/{number}'"},
	known: (*tools.Package).Resources,
	skeleton: `// FUNCTION is what this sentence says.
//
//mcp:resource URI
func FUNCTION(ctx context.ContextPARAMETERS) (string, error) {
	return "", errors.New("NAME has no text yet")
}
`,
}}

// command returns the command that adds such a function.
func (k *kind) command() *cobra.Command {
	operands, about := []string{"NAME"}, ""
	examples := k.names
	if k.uris != nil {
		operands = append(operands, "URI")
		about = "\nURI may be a template, whose variables become parameters."
		for i, uri := range k.uris {
			examples[i] += " " + uri
		}
	}
	c := &cobra.Command{
		Use:   fmt.Sprintf("%s %s [DIR]", k.noun, strings.Join(operands, " ")),
		Short: fmt.Sprintf("Add a function that becomes a %s", k.noun),
		Long: fmt.Sprintf(`%s writes a file with a function to fill in to the Go package in DIR, "." unless
it is given, and then does what 'mcpgen tools' does. NAME is the name of the
%s, such as %s, or of the function, such as %s. Existing code is never
changed. A package that does not use mcpgen yet is prepared first, as by
'mcpgen init'.%s`,
			strings.ToUpper(k.noun[:1])+k.noun[1:], k.noun, k.names[0], k.names[1], about),
		Example: fmt.Sprintf("  mcpgen add %[1]s %[2]s\n  mcpgen add %[1]s %[3]s ./tracker", k.noun, examples[0], examples[1]),
		Args: func(c *cobra.Command, args []string) error {
			switch n := len(operands); {
			case len(args) < n:
				return usageError(c, "no %s given", operands[len(args)])
			case len(args) > n+1:
				return usageError(c, "one argument too many: %q", args[n+1])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == len(operands) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if !offerName.MatchString(args[0]) {
			return usageError(c, "a %s cannot be called %q here: want a name such as %s or %s", k.noun, args[0], k.names[0], k.names[1])
		}
		a := &addition{kind: k, function: functionName(args[0]), dir: "."}
		a.name = tools.NameOf(a.function)
		rest := args[1:]
		if k.uris != nil {
			a.uri, rest = rest[0], rest[1:]
			var err error
			if a.parameters, err = variables(a.uri); err != nil {
				return usageError(c, "%v", err)
			}
		}
		if len(rest) > 0 {
			a.dir = filepath.Clean(rest[0])
		}
		if err := a.place(c.Context()); err != nil {
			return err
		}
		serving, err := a.join(c.Context(), c.OutOrStdout())
		if err != nil {
			return err
		}
		if err := a.write(c.Context()); err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "%s has the function %s: write what it does, then run go generate\n%s", filepath.ToSlash(a.file), a.function, serving)
		return nil
	}
	return c
}

// variables returns the variables of a URI template, which become parameters; a URI has none.
func variables(uri string) ([]string, error) {
	t, err := uritemplate.New(uri)
	if err != nil {
		return nil, fmt.Errorf("%q is no URI, and no URI template of RFC 6570: want one such as notes://{id}", uri)
	}
	values := uritemplate.Values{}
	for _, v := range t.Varnames() {
		if !token.IsIdentifier(v) || slices.Contains([]string{"ctx", "errors"}, v) {
			return nil, fmt.Errorf("%q cannot be a parameter of the function that is added: give the variable another name", v)
		}
		values.Set(v, uritemplate.String("x"))
	}
	sample := must(t.Expand(values)) // texts fit everywhere
	if u, err := url.Parse(sample); err != nil || u.Scheme == "" || sample == u.Scheme+":" {
		return nil, fmt.Errorf("%q has no scheme: want a URI such as notes://all", uri)
	}
	return t.Varnames(), nil
}

// offerName matches the names of tools, prompts, resources and functions that add accepts.
var offerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$`)

// initialisms lists the parts of a name that Go writes in capitals.
var initialisms = []string{"api", "html", "http", "https", "id", "ip", "json", "sql", "ui", "uri", "url", "xml"}

// functionName returns the Go name for a tool, prompt or resource: GetIssue for get_issue.
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

// An addition is a function that is added to a package.
type addition struct {
	kind           *kind
	name, function string
	uri            string   // of a resource, or template
	parameters     []string // the variables of the template
	dir, file      string   // of the package, and in it
	pkg            string   // its name
}

// place finds the package, and checks that the names to be added are free.
func (a *addition) place(ctx context.Context) error {
	a.file = filepath.Join(a.dir, a.fileName())
	fset := token.NewFileSet()
	name, files, err := parsePackage(fset, a.dir)
	if err != nil {
		return err
	}
	a.pkg = name
	for _, f := range files {
		for _, d := range f.Decls {
			if pos := declares(d, a.function); pos.IsValid() {
				return fmt.Errorf("%s: %s exists already", fset.Position(pos), a.function)
			}
		}
	}
	if a.pkg == "" {
		return fmt.Errorf("there is no Go package in %[1]s; 'mcpgen init %[1]s' makes one", filepath.ToSlash(a.dir))
	}
	if _, err := os.Lstat(a.file); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already", filepath.ToSlash(a.file))
	}
	pkgs, _ := a.load(ctx) // mistakes are reported when the code is generated
	for _, p := range pkgs {
		for _, known := range a.kind.known(p.Package) {
			if known == a.name || known == a.uri {
				return fmt.Errorf("%s has a %s %s already", p.Path(), a.kind.noun, known)
			}
		}
	}
	return nil
}

// join lets the package use mcpgen, if it does not yet, and returns what a program then has to do to serve it.
func (a *addition) join(ctx context.Context, w io.Writer) (serving string, err error) {
	p := newProject{shown: a.dir}
	if p.dir, err = filepath.Abs(a.dir); err != nil {
		return "", err
	}
	if p.in, err = moduleOf(p.dir); p.in == nil {
		return "", err
	}
	s, err := readSource(p.dir)
	if err != nil || s.annotated && p.in.requires() {
		return "", err
	}
	if err := p.choose(""); err != nil {
		return "", err
	}
	if _, err := p.in.join(ctx, &p, s, w); err != nil || s.annotated {
		return "", err
	}
	return p.in.serving(p.dir, s), nil
}

// fileName returns the name of the file. It avoids endings that have a meaning to the go command.
func (a *addition) fileName() string {
	anywhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	name := a.name + ".go"
	if !must(anywhere.MatchFile("", name)) || strings.HasSuffix(a.name, "_test") || name == tools.GoFile {
		return a.name + "_" + a.kind.noun + ".go"
	}
	return name
}

// declares returns the position at which a declaration declares a name, if it does.
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

// load reads the package. It may be in another module than the current folder.
func (a *addition) load(ctx context.Context) ([]annotated, error) {
	if !filepath.IsLocal(a.dir) {
		return loadTools(ctx, a.dir, nil)
	}
	return loadTools(ctx, "", []string{"./" + filepath.ToSlash(a.dir)})
}

// header returns the beginning of the file.
const header = `package PACKAGE

import (
	"context"
	"errors"
)

`

// write writes the file, and generates code.
func (a *addition) write(ctx context.Context) error {
	parameters := ""
	if len(a.parameters) > 0 {
		parameters = ", " + strings.Join(a.parameters, ", ") + " string"
	}
	text := strings.NewReplacer("PACKAGE", a.pkg, "FUNCTION", a.function, "NAME", a.name, "URI", a.uri, "PARAMETERS", parameters).
		Replace(header + a.kind.skeleton)
	if err := output.Apply([]output.Change{{Path: a.file, New: []byte(text)}}); err != nil {
		return err
	}
	if err := a.generate(ctx); err != nil {
		return fmt.Errorf("%s is written, but no code is generated for it yet:\n%w", filepath.ToSlash(a.file), err)
	}
	return nil
}

// generate generates code for the package.
func (a *addition) generate(ctx context.Context) error {
	pkgs, err := a.load(ctx)
	if err != nil {
		return err
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
