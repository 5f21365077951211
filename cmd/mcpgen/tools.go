package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// newTools returns mcpgen tools. The files of all packages without mistakes are written together, and only then what
// was done is printed.
func newTools() *cobra.Command {
	var target string
	c := &cobra.Command{
		Use:   "tools [PACKAGE...]",
		Short: "Generate tools, prompts and resources from annotated Go functions",
		Long: `Tools reads Go packages, "." unless others are named, and writes two files beside
the code of each that has directives such as //mcp:tool ('mcpgen help directives'
lists them). It writes only what changes, and removes its Go file where there are
no directives any more. A Go file, such as $GOFILE, stands for its whole package.
Mistakes in one package do not keep the others from being generated.

  mcp_gen.go     registers the functions, with schemas and decoders for their
                 arguments
  mcp.lock.json  the contract with the callers, to be committed

What is new, or does not break callers, is recorded in mcp.lock.json at once, and
so is any change of a tool that was never released ('mcpgen help check' says what
counts as released). A released tool, prompt or resource that changed in a way that
breaks its callers keeps its old entry, so that 'mcpgen check' fails, in CI for
example, until somebody undoes the change, or accepts it by 'mcpgen check
-accept'.

With -target=gosdk, the functions are registered with a server of
github.com/modelcontextprotocol/go-sdk. The code remembers its target.`,
		Example: `  mcpgen tools
  mcpgen tools ./...
  mcpgen tools -target=gosdk ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if t := tools.Target(target); t != "" && t != tools.Runtime && t != tools.GoSDK {
				return usageError(c, "flag -target cannot be %q; known: %s, %s", target, tools.Runtime, tools.GoSDK)
			}
			var failed failures
			pkgs, err := loadTools(c.Context(), "", args)
			failed.add(err)
			var all []output.Change
			var said strings.Builder
			for _, p := range pkgs {
				changes, review, err := p.outdated(tools.Target(target))
				if err != nil {
					failed.add(err)
					continue
				}
				all = append(all, changes...)
				fmt.Fprintf(&said, "%s: %s: %s\n", p.Path(), p.Contents(), output.Summary(changes))
				if review.Broken {
					fmt.Fprintf(c.ErrOrStderr(), "%s keeps what callers have of %s: 'mcpgen check' says how the code breaks them, and what to do about it\n", p.file(tools.LockFile), kept(review))
				}
			}
			failed.add(old(failed.err()))
			err = output.Apply(all)
			if err == nil {
				io.WriteString(c.OutOrStdout(), said.String())
			}
			failed.add(err)
			return failed.err()
		},
	}
	c.Flags().StringVar(&target, "target", "",
		"the library that the code registers with, `NAME`: mcpgen or gosdk (default that\nof the code which is there already, else mcpgen)")
	impossible(c.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(
		[]cobra.Completion{string(tools.GoSDK), string(tools.Runtime)}, cobra.ShellCompDirectiveNoFileComp)))
	return c
}

// An annotated package has directives, or had some when its files were generated.
type annotated struct {
	*tools.Package
	dir string // relative to the current folder, if it is below it
}

// outdated returns the changes that the folder of a package needs for a target, by default its present one, and how
// its contract has changed.
func (p annotated) outdated(t tools.Target) (changes []output.Change, review *tools.LockReview, err error) {
	if t == "" {
		if t, err = p.target(); err != nil {
			return nil, nil, err
		}
	}
	if changes, err = p.stale(t); err != nil {
		return nil, nil, err
	}
	lock, err := p.lock()
	if err != nil {
		return nil, nil, err
	}
	return append(changes, lock.stale()...), lock.review, nil
}

// maxKept is how many entries are named whose changes break callers.
const maxKept = 5

// kept names the entries that the lock file keeps because their changes break callers.
func kept(r *tools.LockReview) string {
	var names []string
	for _, c := range r.Unaccepted() {
		if name := c.Kind + " " + c.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if rest := len(names) - maxKept; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxKept], ", "), rest)
	}
	return strings.Join(names, ", ")
}

// old names the generated files beside code with mistakes, since the compiler may report them as well; nil if there
// are none.
func old(mistakes error) error {
	var files []string
	all, _ := mistakes.(failures)
	for _, err := range all {
		var list tools.ErrorList
		errors.As(err, &list)
		for _, e := range list {
			name := filepath.Join(filepath.Dir(e.Pos.Filename), tools.GoFile)
			if e.Pos.Filename == "" || slices.Contains(files, filepath.ToSlash(name)) {
				continue
			}
			if code, err := output.Read(name); err == nil && bytes.HasPrefix(code, []byte(tools.Mark)) {
				files = append(files, filepath.ToSlash(name))
			}
		}
	}
	switch len(files) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s was not regenerated, and may not fit the code until the mistakes are fixed", files[0])
	}
	return fmt.Errorf("%s and %d more were not regenerated, and may not fit the code until the mistakes are fixed", files[0], len(files)-1)
}

// loadTools reads the packages that match the patterns in a folder, by default the current one. It returns those without mistakes even if there
// are mistakes in others.
func loadTools(ctx context.Context, dir string, patterns []string) ([]annotated, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	pkgs, mistakes := tools.Load(ctx, &tools.Config{Dir: dir}, patterns...)
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var all []annotated
	for _, p := range pkgs {
		dir := p.Dir()
		if rel, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(rel) {
			dir = rel
		}
		all = append(all, annotated{p, dir})
	}
	return all, mistakes
}

// file returns the path of a file in the package's folder, for display.
func (p annotated) file(name string) string { return filepath.ToSlash(filepath.Join(p.dir, name)) }

// target returns the target of the code that a package has already.
func (p annotated) target() (tools.Target, error) {
	code, err := output.Read(p.file(tools.GoFile))
	if errors.Is(err, fs.ErrNotExist) {
		return tools.Runtime, nil
	}
	return tools.TargetOf(code), err
}

// stale returns the changes that bring the generated code up to date.
func (p annotated) stale(t tools.Target) ([]output.Change, error) {
	files, err := p.Generate(t)
	if err != nil {
		return nil, err
	}
	return output.Compare(p.dir, tools.Mark, files)
}

// A lock is the lock file of a package, as it is and as it should be.
type lock struct {
	name   string // of the file
	now    []byte // nil: no such file
	review *tools.LockReview
}

// lock compares the contract of a package with its lock file and, if that does not determine what should be
// recorded, with what was released.
func (p annotated) lock() (*lock, error) {
	l, err := p.readLock()
	if err != nil {
		return nil, err
	}
	if l.review, err = p.ReviewLock(l.name, l.now, nil); err != nil || l.now != nil && !l.review.Broken {
		return l, err
	}
	b, err := baseOf(p.dir, "")
	if err != nil {
		return nil, err
	}
	l.review, err = p.ReviewLock(l.name, l.now, b.lock)
	return l, err
}

// readLock reads the lock file of a package.
func (p annotated) readLock() (l *lock, err error) {
	l = &lock{name: p.file(tools.LockFile)}
	if l.now, err = output.Read(l.name); errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	return l, err
}

// stale returns the change that records what does not break callers, if there is one.
func (l *lock) stale() []output.Change { return l.to(l.review.Lock) }

// accept returns the change that records everything, if there is one.
func (l *lock) accept() []output.Change { return l.to(l.review.Accepted) }

func (l *lock) to(content []byte) []output.Change {
	if bytes.Equal(l.now, content) && (l.now == nil) == (content == nil) {
		return nil
	}
	return []output.Change{{Path: filepath.FromSlash(l.name), Old: l.now, New: content}}
}
