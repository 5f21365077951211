package main

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/generator/tools"
)

// newCheck returns mcpgen check. What it has accepted is written before anything is printed.
func newCheck() *cobra.Command {
	found := verdict{profiles: tools.LintProfiles()}
	c := &cobra.Command{
		Use:   "check [PACKAGE...]",
		Short: "Check that generated tools are up to date, and do not break their callers",
		Long: `Check compares the annotated functions of Go packages, "." unless others are
named, with the files that 'mcpgen tools' wrote and with what was released. It
prints a line for each change, with what to do about it, and exits with 1 if

  - mcp_gen.go or mcp.lock.json is stale: run 'go generate', or 'mcpgen tools';
  - the contract with the callers is broken: a tool is gone or has a new name, an
    argument or a scope has become required, a type or a range is narrower, a
    value of an enum is gone … In short: arguments that were valid no longer are,
    or results may have values that were not valid before.

What was released is what mcp.lock.json held at the last tag of the git
repository, or what is committed if there is no tag: nobody calls a tool that
was never released, so changing it breaks nobody. -base names another
commit. Without a repository, mcp.lock.json itself is all that is known. A server
of version 0.x, by //mcp:server version=0.…, may break its callers, and so may one
that was released as 0.x.

Changes that break callers come first. Of other changes, check prints only how
many there are, unless -all lists them. A change of a type that several tools use
is one line.

Undo the changes that break callers, or accept them: -accept records the contract
as it is now in mcp.lock.json, so that the next commit shows it.

With -diff, check also shows what would change in the files, and for Go code that
uses the package. What 'mcpgen lint' finds is shown as warnings, unless -profile is
none.`,
		Example: `  mcpgen check ./...
  mcpgen check -base v1.2.0 -all ./...
  mcpgen check -accept ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			var failed failures
			pkgs, err := loadTools(c.Context(), "", args)
			failed.add(err)
			for _, p := range pkgs {
				failed.add(found.check(p))
			}
			err = output.Apply(found.accepted)
			if err == nil {
				err = found.print(c.OutOrStdout())
			}
			failed.add(err)
			return failed.err()
		},
	}
	c.Flags().BoolVar(&found.accept, "accept", false, "record the contract as it is now; exit with 1 only if generated code is stale")
	c.Flags().StringVar(&found.base, "base", "", "compare with the commit, tag or branch `REF` (default the last tag, else HEAD)")
	c.Flags().BoolVar(&found.all, "all", false, "list the changes that break nobody, too, and each place of a type that changed")
	c.Flags().BoolVar(&found.differences, "diff", false, "show what would change in the files, and for Go code that uses the package")
	addProfile(c, &found.profiles)
	return c
}

// A verdict is the outcome of check for all packages.
type verdict struct {
	base        string   // what to compare with
	accept      bool     // record the contract as it is
	differences bool     // to be shown
	all         bool     // show compatible changes, too
	profiles    []string // of clients whose rules are looked at
	packages    []packageVerdict
	accepted    []output.Change // to be written
}

// A packageVerdict is the outcome of check for one package.
type packageVerdict struct {
	dir     string
	stale   []output.Change // what regenerating would change
	lint    []*tools.LintFinding
	missing string // what a deleted lock file was committed with
	listing string // how the contract changed
	advice  string // on the version of the next release
	changes []tools.PlacedChange
	broken  []output.Change // what accepting the contract would change, if it is broken
}

// check adds the outcome for a package.
func (f *verdict) check(p annotated) error {
	t, err := p.target()
	if err != nil {
		return err
	}
	stale, err := p.stale(t)
	if err != nil {
		return err
	}
	lock, err := p.readLock()
	if err != nil {
		return err
	}
	b, err := baseOf(p.dir, f.base)
	if err != nil {
		return err
	}
	if lock.review, err = p.ReviewLock(lock.name, lock.now, b.lock); err != nil {
		return err
	}
	found := packageVerdict{dir: p.dir, stale: stale, lint: p.Lint(f.profiles, tools.MaxTools)}
	switch {
	case f.accept:
		f.accepted = append(f.accepted, lock.accept()...)
		found.listing = lock.acceptance()
		found.advice = lock.advice(b)
		f.packages = append(f.packages, found)
		return nil
	case lock.review.Broken:
		found.broken = lock.accept()
	default:
		found.stale = append(found.stale, lock.stale()...)
	}
	if lock.review.Deleted {
		found.missing = b.shown
	}
	found.changes = lock.review.Changes
	found.listing = lock.listing(b, f.all)
	found.advice = lock.advice(b)
	f.packages = append(f.packages, found)
	return nil
}

// print prints all findings, and the verdict last. It returns an error unless everything is in order.
func (f *verdict) print(w io.Writer) error {
	stale, broken := false, false
	var breaking, accepted int
	for _, p := range f.packages {
		stale = stale || len(p.stale) > 0
		broken = broken || p.broken != nil
		for _, c := range p.changes {
			if c.Accepted {
				accepted++
			} else if c.Breaking {
				breaking++
			}
		}
		if f.differences {
			if err := reviewTools(w, p.dir, p.stale, p.broken); err != nil {
				return err
			}
		}
		io.WriteString(w, p.listing+p.advice+p.warnings()+p.staleness())
	}
	switch {
	case stale && broken:
		return finding("generated files are stale, and the contract is broken: run go generate, or mcpgen tools, and undo what breaks callers, or accept it by mcpgen check -accept")
	case stale:
		return finding("generated files are stale: run go generate, or mcpgen tools")
	case broken:
		return finding("the contract is broken: undo what breaks callers, or accept it by mcpgen check -accept")
	}
	f.praise(w, breaking, accepted)
	return nil
}

// praise says that everything is in order, if anything has changed.
func (f *verdict) praise(w io.Writer, breaking, accepted int) {
	quiet := !slices.ContainsFunc(f.packages, func(p packageVerdict) bool { return p.listing != "" })
	switch {
	case f.accept && quiet && len(f.packages) > 0:
		fmt.Fprintln(w, "nothing to accept")
	case f.accept:
	case breaking > 0:
		fmt.Fprintln(w, "callers break, which a server of version 0.x may do")
	case accepted > 0:
		fmt.Fprintln(w, "callers break only where that was accepted")
	case !quiet:
		fmt.Fprintln(w, "nothing breaks callers")
	}
}

// warnings lists what some clients refuse or change.
func (p packageVerdict) warnings() string {
	var b strings.Builder
	for _, f := range p.lint {
		b.WriteString(lintLine(f, "warning: ") + "\n")
	}
	return b.String()
}

// staleness says on one line which files of the package are stale.
func (p packageVerdict) staleness() string {
	var parts []string
	for _, c := range p.stale {
		text := filepath.ToSlash(c.Path) + " is " + state(c)
		if filepath.Base(c.Path) == tools.LockFile && p.missing != "" {
			text += ", though it was there at " + p.missing
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "\n"
}

// listing shows what has changed since the contract was released: first what breaks callers, then what was accepted of
// that. What breaks nobody is counted, unless all is to be listed, and a change of a type is one line.
func (l *lock) listing(b *base, all bool) string {
	var text strings.Builder
	class := func(c tools.PlacedChange) string {
		switch {
		case c.Accepted:
			return "accepted"
		case c.Breaking:
			return "breaking"
		}
		return "compatible"
	}
	for _, wanted := range []string{"breaking", "accepted", "compatible"} {
		part := slices.DeleteFunc(slices.Clone(l.review.Changes), func(c tools.PlacedChange) bool { return class(c) != wanted })
		if wanted == "compatible" && !all {
			if len(part) > 0 {
				fmt.Fprintf(&text, "%s: %s\n", l.name, uncounted(len(part)))
			}
			continue
		}
		for _, line := range placedLines(part, all) {
			c := line.PlacedChange
			fmt.Fprintf(&text, "%s: %s: %s%s", place(c), wanted, c, line.users)
			if wanted == "breaking" {
				text.WriteString("; " + c.Cure)
			}
			text.WriteByte('\n')
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%s: changes since %s\n", l.name, b.shown) + text.String()
}

// uncounted says that there are compatible changes.
func uncounted(n int) string {
	if n == 1 {
		return "1 compatible change, which -all shows"
	}
	return fmt.Sprintf("%d compatible changes, which -all shows", n)
}

// A placedLine is a change that is shown, and who use the type that changed.
type placedLine struct {
	tools.PlacedChange
	users string
}

// placedLines returns what is shown of changes: one line for a change of a type, or one for each place of it.
func placedLines(changes []tools.PlacedChange, each bool) (lines []placedLine) {
	plain := make([]tools.Change, len(changes))
	for i, c := range changes {
		plain[i] = c.Change
	}
	for _, line := range changeLines(plain, each) {
		lines = append(lines, placedLine{changes[line.index], line.users})
	}
	return lines
}

// A changeLine says which change is shown, and who use the type that changed.
type changeLine struct {
	index int
	users string
}

// changeLines is placedLines for changes without a place in the code.
func changeLines(changes []tools.Change, each bool) (lines []changeLine) {
	for _, group := range tools.GroupChanges(changes) {
		if each || len(group) == 1 {
			for _, i := range group {
				lines = append(lines, changeLine{index: i})
			}
			continue
		}
		var same []tools.Change
		for _, i := range group {
			same = append(same, changes[i])
		}
		users := tools.Users(same)
		if strings.HasPrefix(users, "1 ") && !strings.Contains(users, ",") {
			users = fmt.Sprintf("%d places", len(group))
		}
		lines = append(lines, changeLine{group[0], " (used by " + users + ")"})
	}
	return lines
}

// advice says which version the next release needs, if what was released as 1.0.0 or later is broken.
func (l *lock) advice(b *base) string {
	if l.review.Unstable || b.lock == nil || !slices.ContainsFunc(l.review.Changes, func(c tools.PlacedChange) bool { return c.Breaking }) {
		return ""
	}
	released := cmp.Or(b.lock.Version, path.Base(b.ref))
	was, is := major(released), major(l.review.Version)
	if was < 1 || is > was {
		return ""
	}
	return fmt.Sprintf("%s: %s was released, and its callers break: the next release must be %d.0.0\n", l.name, released, was+1)
}

// major returns the first number of a version, 0 if it has none.
func major(version string) int {
	first, _, dotted := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(first)
	if err != nil || !dotted {
		return 0
	}
	return n
}

// acceptance shows the changes that are accepted by recording the contract as it is now.
func (l *lock) acceptance() string {
	written := l.accept()
	if len(written) == 0 {
		return ""
	}
	broken := l.review.Unaccepted()
	if len(broken) == 0 {
		return fmt.Sprintf("%s: recorded; nothing had to be accepted\n", l.name)
	}
	var text strings.Builder
	for _, line := range placedLines(broken, false) {
		fmt.Fprintf(&text, "%s: accepted: %s%s\n", place(line.PlacedChange), line.PlacedChange, line.users)
	}
	return text.String()
}

// place returns the position of a change, in a form that editors recognize.
func place(c tools.PlacedChange) string {
	at := filepath.ToSlash(c.Pos.Filename)
	if c.Pos.Line > 0 {
		at += fmt.Sprintf(":%d", c.Pos.Line)
	}
	return at
}

// edits shows changes of files that exist and remain. For other files the difference would be the whole file.
func edits(changes []output.Change) string {
	return output.Diff(slices.DeleteFunc(slices.Clone(changes), func(c output.Change) bool { return c.Old == nil || c.New == nil }), diffLines)
}

func state(c output.Change) string {
	switch {
	case c.Old == nil:
		return "missing"
	case c.New == nil:
		return "not needed any more"
	}
	return "stale"
}
