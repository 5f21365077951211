package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/publish"
)

// The formats that are no whole files, or that are built.
const (
	readmeFormat = "readme"
	bundleFormat = "mcpb"
)

// newPublish returns mcpgen publish. All files are made before the first is written, also for -check and -dry-run.
func newPublish() *cobra.Command {
	var check, dry bool
	var formats, platforms []string
	known := []string{readmeFormat, bundleFormat}
	var meanings strings.Builder
	for _, f := range publish.Formats() {
		known = append(known, f.Name)
		fmt.Fprintf(&meanings, "  %-11s %s\n", f.Name, f.Meaning)
	}
	c := &cobra.Command{
		Use:   "publish [PACKAGE]",
		Short: "Write what registries and clients want to know of a server",
		Long: `Publish writes what registries, catalogues and clients want to know of the server
of a Go package, "." unless another is named: from //mcp:server, //mcp:publish and
//mcp:config, from go.mod and from git. It starts no server. The formats:

` + meanings.String() + `  readme      the table of tools in README.md, between the lines
              <!-- mcpgen:tools --> and <!-- /mcpgen:tools -->
  mcpb        a bundle for each platform, their hashes, and a server.json that
              names them; the program is built for that

server.json and README.md are beside the code, to be committed; all else is in the
folder publish. The same code gives the same files. The generated code must be up
to date, by 'mcpgen tools'.`,
		Example: `  mcpgen publish
  mcpgen publish -check
  mcpgen publish -for mcpb,docker ./weather`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(c, "one argument too many: %q", args[1])
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			for _, f := range formats {
				if !slices.Contains(known, f) {
					return usageError(c, "flag -for cannot be %q%s", f, suggest(f, known))
				}
			}
			for _, p := range platforms {
				if goos, goarch, ok := strings.Cut(p, "/"); !ok || goos == "" || goarch == "" {
					return usageError(c, "flag -platforms cannot be %q: want OS/ARCH, as in linux/amd64", p)
				}
			}
			changes, err := publishChanges(c.Context(), args, formats, platforms)
			if err != nil {
				return err
			}
			switch {
			case check:
				return stalePublished(changes)
			case dry:
				showPublished(c.OutOrStdout(), changes)
				return nil
			}
			if err := output.Apply(changes); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), output.Summary(changes))
			return nil
		},
	}
	c.Flags().StringSliceVar(&formats, "for", nil, "the formats `NAME,...` (default registry, and readme where README.md has its lines)")
	c.Flags().StringSliceVar(&platforms, "platforms", nil, "make bundles for `OS/ARCH,...` (default what //mcp:publish says)")
	c.Flags().BoolVar(&check, "check", false, "write nothing, and fail if a file is missing or stale")
	c.Flags().BoolVar(&dry, "dry-run", false, "write nothing, and show what would change")
	c.MarkFlagsMutuallyExclusive("check", "dry-run")
	return c
}

// showPublished shows what would change: of bundles their sizes.
func showPublished(w io.Writer, changes []output.Change) {
	for _, c := range changes {
		if path.Ext(c.Path) == ".mcpb" {
			fmt.Fprintf(w, "%s: %d bytes\n", filepath.ToSlash(c.Path), len(c.New))
		} else {
			io.WriteString(w, output.Diff([]output.Change{c}, maxDiff))
		}
	}
}

// maxDiff bounds what -dry-run shows of one file, in lines.
const maxDiff = 1000

// publishChanges returns the changes that bring the files of the formats up to date.
func publishChanges(ctx context.Context, patterns, formats, platforms []string) ([]output.Change, error) {
	pkgs, err := loadTools(ctx, "", patterns)
	if err != nil {
		return nil, err
	}
	if len(pkgs) != 1 {
		return nil, fmt.Errorf("publish is about one server, and %d packages match: name one", len(pkgs))
	}
	p := pkgs[0]
	stale, _, err := p.outdated("")
	if err != nil {
		return nil, err
	}
	if len(stale) > 0 {
		return nil, fmt.Errorf("%s is not up to date: run mcpgen tools, then publish", filepath.ToSlash(stale[0].Path))
	}
	project, err := projectOf(p)
	if err != nil {
		return nil, err
	}
	readme := filepath.Join(p.dir, "README.md")
	text, err := output.Read(readme)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(formats) == 0 {
		formats = []string{"registry"}
		if publish.HasTable(text) {
			formats = append(formats, readmeFormat)
		}
	}
	var files []publish.File
	for _, f := range publish.Formats() {
		if !slices.Contains(formats, f.Name) {
			continue
		}
		more, err := f.Files(project)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if slices.Contains(formats, bundleFormat) {
		more, err := publish.Bundles(ctx, project, p.Dir(), platformsOf(platforms, project))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	changes, err := publishedChanges(p.dir, files)
	if err != nil {
		return nil, err
	}
	if slices.Contains(formats, readmeFormat) {
		table, err := publish.Table(project, filepath.ToSlash(readme), text)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(table, text) {
			changes = append(changes, output.Change{Path: readme, Old: text, New: table})
		}
	}
	return changes, nil
}

// platformsOf returns what bundles are made for: what the command line says, or the code, or else the usual.
func platformsOf(given []string, project *publish.Project) []string {
	switch {
	case len(given) > 0:
		return given
	case len(project.Platforms) > 0:
		return project.Platforms
	}
	return publish.DefaultPlatforms()
}

// publishedChanges returns the changes that files need in a folder.
func publishedChanges(dir string, files []publish.File) (changes []output.Change, err error) {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		read := output.Read
		if path.Ext(f.Path) == ".mcpb" {
			read = os.ReadFile // whose bytes \r\n are no line ends
		}
		old, err := read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err != nil || !bytes.Equal(old, f.Content) {
			changes = append(changes, output.Change{Path: name, Old: old, New: f.Content})
		}
	}
	return changes, nil
}

// stalePublished reports the files that are missing or stale, each with the first line that differs.
func stalePublished(changes []output.Change) error {
	var failed failures
	for _, c := range changes {
		name := filepath.ToSlash(c.Path)
		switch {
		case c.Old == nil:
			failed.add(staleFile(fmt.Sprintf("%s:1: is missing: run the command without -check", name)))
		case path.Ext(name) == ".mcpb":
			failed.add(staleFile(fmt.Sprintf("%s:1: is not what the code is built to: run the command without -check", name)))
		default:
			line, has, want := firstDifference(string(c.Old), string(c.New))
			failed.add(staleFile(fmt.Sprintf("%s:%d: is stale: has %q, want %q; run the command without -check", name, line, has, want)))
		}
	}
	return failed.err()
}

// A staleFile is a finding that begins with its place.
type staleFile string

func (s staleFile) Error() string { return string(s) }

// Unwrap returns it as a finding, for its exit code.
func (s staleFile) Unwrap() error { return finding(s) }

// firstDifference returns the number of the first line that differs, and that line in both texts.
func firstDifference(a, b string) (line int, inA, inB string) {
	for line = 1; ; line++ {
		var moreA, moreB bool
		inA, a, moreA = strings.Cut(a, "\n")
		inB, b, moreB = strings.Cut(b, "\n")
		if inA != inB || !moreA || !moreB {
			return line, strings.TrimSpace(inA), strings.TrimSpace(inB)
		}
	}
}

// projectOf finds out what is known of the server of a package.
func projectOf(p annotated) (*publish.Project, error) {
	d := p.Describe()
	if d == nil {
		return nil, fmt.Errorf("%s has no server to publish: want //mcp:server name=NAME version=1.0.0 above a package clause", p.Path())
	}
	root, module, err := publishedModule(p.Dir())
	if err != nil {
		return nil, err
	}
	below := must(filepath.Rel(root, p.Dir()))
	project := &publish.Project{Description: d, Module: module, Package: p.Path(), Subfolder: strings.TrimPrefix(filepath.ToSlash(below), ".")}
	inRepository(project, p.Dir(), d.Version)
	return project, nil
}

// inRepository sets what git knows of a project: its folder in the repository, and the commit that has the tag of its version.
func inRepository(project *publish.Project, dir, version string) {
	if prefix, err := git(dir, "rev-parse", "--show-prefix"); err == nil {
		project.Subfolder = strings.TrimSuffix(strings.TrimSpace(string(prefix)), "/")
	}
	if version == "" {
		return
	}
	if commit, err := git(dir, "rev-parse", "--verify", "--quiet", "refs/tags/v"+version+"^{commit}"); err == nil {
		project.Commit = strings.TrimSpace(string(commit))
	}
}

// publishedModule returns the folder and the path of the module that a folder is in.
func publishedModule(dir string) (root, module string, err error) {
	for root = dir; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, "go.mod"))
		switch {
		case err == nil:
			return root, cmp.Or(modfile.ModulePath(text), "command-line-arguments"), nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", "", err
		case filepath.Dir(root) == root:
			return "", "", fmt.Errorf("%s is in no module: run go mod init", dir)
		}
	}
}
