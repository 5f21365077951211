package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	typed "github.com/mcpgen/mcpgen/generator/client"
	"github.com/mcpgen/mcpgen/runtime/client"
)

// newClient returns mcpgen client. The contract is read and settled in the same way with -check and without, so what
// check compares is what would be written.
func newClient() *cobra.Command {
	var f consoleFlags
	var g clientFolder
	var check bool
	c := &cobra.Command{
		Use:   "client [FILE]",
		Short: "Generate a typed Go client of a server",
		Long: `Client writes a Go package with a method for each tool, prompt and resource
template of a server, and with types for what they take and return. It reads what
the server offers

  - from the server itself: one over HTTP, which -url names, or a command after
    two dashes;
  - from a file: what 'mcpgen inspect -json' prints, the result of tools/list, or
    the mcp.lock.json of a server made with mcpgen, with its mcp_gen.go beside it
    (without that, the client has no comments);
  - without either, from the lock file of an earlier run.

It writes two files. A folder has one client, for one server.

  mcp_client_gen.go     the client; another name can be given by -out
  mcp.client.lock.json  what the server offers, as the client knows it, and the Go
                        names made of it, which stay the same; to be committed

A part of a schema that Go's types cannot express is raw JSON, and a comment says
why. If a schema has a mistake, all arguments of the tool, or its result, are raw
JSON. A second item with the same name, and any URI template with a mistake, is
left out. These mistakes are printed to standard error; with -strict, they are
errors.

With -check, nothing is written. Client then prints how the server, or the file,
differs from the lock file, with what to do about it, and exits with 1 if

  - code that uses the client may have to change: an argument has become required,
    a tool or a member of a result is gone, a type has changed …
  - the code is not what would be generated from the lock file, or a file has
    something new. What is new only in a server is shown, but is no reason to
    fail; nor are changed descriptions, which -descriptions shows.

If a server wants a login, a browser shows it, and the tokens are kept for the
next time. The exit code is 0 on success, 1 if the server said that it failed, or
as above, 2 if the command line or a file is wrong, and 3 if there is no
connection or the server takes too long.`,
		Example: `  mcpgen client -url https://mcp.example.com/mcp -out internal/tracker
  mcpgen client -out everything -- npx -y @modelcontextprotocol/server-everything
  mcpgen client -check -url https://mcp.example.com/mcp -out internal/tracker
  //go:generate go tool mcpgen client tools.json`,
	}
	f.addConnection(c)
	c.Flags().StringVar(&g.out, "out", ".", "write to the folder `PATH`, or to the Go file of that name")
	c.Flags().StringVar(&g.pkg, "package", "", "the `NAME` of the Go package (default that of the folder's Go files, else\nthe folder's name)")
	c.Flags().BoolVar(&check, "check", false, "show how the server, or the file, differs from what the client knows")
	c.Flags().BoolVar(&g.descriptions, "descriptions", false, "with -check, show which descriptions changed, too")
	c.Flags().BoolVar(&g.all, "all", false, "with -check, list the changes that break nobody, too, and each place of a type\nthat changed")
	c.Flags().BoolVar(&g.strict, "strict", false, "treat mistakes of the server as errors")
	c.RunE = func(c *cobra.Command, args []string) error {
		if g.descriptions && !check {
			return usageError(c, "flag -descriptions needs -check")
		}
		if g.all && !check {
			return usageError(c, "flag -all needs -check")
		}
		if err := g.open(c); err != nil {
			return err
		}
		from, err := g.read(c, &f, args)
		if err == nil {
			err = g.settle(c.ErrOrStderr(), from)
		}
		if err != nil {
			return err
		}
		if check {
			return g.check(c.OutOrStdout(), from)
		}
		g.all = true
		return g.write(c.OutOrStdout(), c.ErrOrStderr(), from)
	}
	return c
}

// A clientFolder is where a client is, or will be.
type clientFolder struct {
	out, pkg string // as given
	dir      string
	file     string // the name of the Go file
	lockName string // with its folder, to be shown
	text     []byte // of the lock file; nil if there is none
	lock     *typed.Lock

	strict       bool // treat mistakes as errors
	descriptions bool // compare descriptions, too
	all          bool // list compatible changes, too
}

// open determines where the client is, and reads its lock file.
func (g *clientFolder) open(c *cobra.Command) error {
	g.dir, g.file = filepath.Clean(g.out), typed.GoFile
	if strings.HasSuffix(g.out, ".go") {
		g.dir, g.file = filepath.Split(filepath.Clean(g.out))
		g.dir = filepath.Clean(g.dir)
	}
	if strings.HasSuffix(g.file, "_test.go") {
		return usageError(c, "flag -out cannot be %q: a client is no test", g.out)
	}
	var err error
	if g.pkg == "" {
		if g.pkg, err = packageName(g.dir); err != nil {
			return err
		}
	}
	g.lockName = filepath.ToSlash(filepath.Join(g.dir, typed.LockFile))
	g.text, err = output.Read(g.lockName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	g.lock, err = typed.ParseLock(g.lockName, g.text)
	return err
}

// packageName returns the name of the package in a folder or, if the folder has no code, the name that it suggests.
func packageName(dir string) (string, error) {
	p, err := build.ImportDir(dir, 0)
	if err == nil {
		return p.Name, nil
	}
	if several := (*build.MultiplePackageError)(nil); errors.As(err, &several) {
		return "", fmt.Errorf("%s: it has the packages %s: say which, by -package", filepath.ToSlash(dir), strings.Join(several.Packages, " and "))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, filepath.Base(abs))
	if name == "" || unicode.IsDigit([]rune(name)[0]) {
		name = "client" + name
	}
	return name, nil
}

// A clientSource is where a client's contract comes from.
type clientSource struct {
	*typed.Lock
	live  bool   // a server, not a file
	shown string // what people read
}

// read reads the contract from the source that the command line names.
func (g *clientFolder) read(c *cobra.Command, f *consoleFlags, args []string) (*clientSource, error) {
	live := f.url != "" || c.ArgsLenAtDash() >= 0
	switch {
	case live:
		target, words, err := f.target(c, args)
		if err != nil {
			return nil, err
		}
		if len(words) > 0 {
			return nil, usageError(c, "%q and a server: only one can have the contract", words[0])
		}
		lock := &typed.Lock{}
		var opts client.Options
		console.OfferAll(&opts)
		err = f.run(c, target, opts, func(s *session) error {
			all, err := s.Definitions(s.ctx)
			if err == nil {
				lock.Contract = contractOf(all)
			}
			return err
		})
		return &clientSource{Lock: lock, live: true, shown: "the server"}, err
	case len(f.headers) > 0:
		return nil, usageError(c, "flag -header is for servers over HTTP")
	case len(args) > 1:
		return nil, usageError(c, "one argument too many: %q; a command comes after two dashes", args[1])
	case len(args) == 1:
		text, err := output.Read(args[0])
		if err != nil {
			return nil, err
		}
		lock, err := typed.Parse(filepath.ToSlash(args[0]), text)
		if err == nil && lock.Bare {
			fmt.Fprintf(c.ErrOrStderr(), "%s: there is no mcp_gen.go beside it, which has the descriptions: the client has no comments\n", filepath.ToSlash(args[0]))
		}
		return &clientSource{Lock: lock, shown: filepath.ToSlash(args[0])}, err
	case g.lock == nil:
		return nil, usageError(c, "which server? give a file, -url URL, or a command after two dashes; there is no %s from before", g.lockName)
	}
	return &clientSource{Lock: g.lock, shown: g.lockName}, nil
}

// settle removes the parts of the contract that no client can have, and prints them.
func (g *clientFolder) settle(stderr io.Writer, from *clientSource) error {
	settled, left := from.Contract.Settle()
	if g.lock != nil && settled.Server.Name == "" {
		settled.Server = g.lock.Contract.Server // lists alone do not name their server
	}
	from.Lock = &typed.Lock{Contract: settled, Names: from.Names}
	var errs []error
	for _, l := range left {
		errs = append(errs, fmt.Errorf("%s: %w", from.shown, l))
		if !g.strict {
			fmt.Fprintf(stderr, "%s: %s; it is left out\n", from.shown, l)
		}
	}
	if g.strict {
		return errors.Join(errs...)
	}
	return nil
}

// contractOf returns what a server lists.
func contractOf(d *console.Definitions) *typed.Contract {
	c := &typed.Contract{}
	if d.Info != nil {
		c.Server = *d.Info
	}
	for _, t := range d.Tools {
		c.Tools = append(c.Tools, *t)
	}
	for _, p := range d.Prompts {
		c.Prompts = append(c.Prompts, *p)
	}
	for _, t := range d.ResourceTemplates {
		c.ResourceTemplates = append(c.ResourceTemplates, *t)
	}
	return c
}

// generate returns the client for a contract, and the changes that the folder needs. The code is made from the
// contents of the future lock file, so that the lock file alone gives the same code.
func (g *clientFolder) generate(from *typed.Lock) (*typed.Generated, []output.Change, error) {
	names := from.Names
	if g.lock != nil {
		names = g.lock.Names
	}
	if _, err := from.Contract.Changes(from.Contract); err != nil { // what cannot be compared is not written, either
		return nil, nil, err
	}
	text, err := (&typed.Lock{Contract: from.Contract}).Format()
	if err != nil {
		return nil, nil, err
	}
	lock, err := typed.ParseLock(g.lockName, text)
	if err != nil {
		return nil, nil, err
	}
	made, err := typed.Generate(lock.Contract, typed.Options{Package: g.pkg, Names: names, Strict: g.strict})
	if err != nil {
		return nil, nil, err
	}
	lock.Names = made.Names
	if text, err = lock.Format(); err != nil {
		return nil, nil, err
	}
	changes, err := output.Compare(g.dir, typed.Mark, map[string][]byte{g.file: made.Source})
	if err == nil && !bytes.Equal(g.text, text) {
		changes = append(changes, output.Change{Path: filepath.FromSlash(g.lockName), Old: g.text, New: text})
	}
	return made, changes, err
}

// write writes the client, and shows how the server has changed since the last time.
func (g *clientFolder) write(w, stderr io.Writer, from *clientSource) error {
	if err := g.sameServer(from); err != nil {
		return err
	}
	made, changes, err := g.generate(from.Lock)
	if err != nil {
		return err
	}
	for _, m := range made.Mistakes {
		what := "its arguments are"
		if m.Output {
			what = "its result is"
		}
		fmt.Fprintf(stderr, "%s: %s; %s raw JSON\n", from.shown, m, what)
	}
	var listing string
	if g.lock != nil {
		if listing, _, err = g.listing(from); err != nil {
			return err
		}
	}
	if err := output.Apply(changes); err != nil {
		return err
	}
	raw := ""
	switch n := len(made.Untyped); {
	case n > 1:
		raw = fmt.Sprintf("; %d parts of schemas are raw JSON, and comments say why", n)
	case n == 1:
		raw = "; 1 part of a schema is raw JSON, and a comment says why"
	}
	fmt.Fprintf(w, "%spackage %s: %s: %s%s\n", listing, g.pkg, from.Contract.Contents(), output.Summary(changes), raw)
	return nil
}

// sameServer returns an error if the folder has the client of another server.
func (g *clientFolder) sameServer(from *clientSource) error {
	if g.lock == nil {
		return nil
	}
	is, want := from.Contract.Server.Name, g.lock.Contract.Server.Name
	if is == want || is == "" || want == "" {
		if from.Contract.IsOther(g.lock.Contract) {
			return fmt.Errorf("%s is that of a client for another server, with nothing in common with %s, and a folder has one client: choose another folder, or remove the file", g.lockName, from.shown)
		}
		return nil
	}
	return fmt.Errorf("%s is that of a client for %q, and a folder has one client: choose another folder for %q or, if that is a new name of the same server, write it into the file", g.lockName, want, is)
}

// check shows how a server differs from what the client knows, and returns an error if that breaks code.
func (g *clientFolder) check(w io.Writer, from *clientSource) error {
	if g.lock == nil {
		return finding(fmt.Sprintf("%s is missing: run mcpgen client", g.lockName))
	}
	known := g.lock
	if !from.live {
		known = from.Lock
	}
	listing, broken, err := g.listing(from)
	if err != nil {
		return err
	}
	_, stale, err := g.generate(known)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString(listing)
	for i, c := range stale {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(filepath.ToSlash(c.Path) + " is " + state(c))
	}
	if len(stale) > 0 {
		text.WriteByte('\n')
	}
	io.WriteString(w, text.String())
	switch {
	case broken:
		return finding("the client is broken: regenerate it by mcpgen client, and change the code that uses it")
	case len(stale) > 0:
		return finding("the client is stale: run go generate, or mcpgen client")
	case listing != "":
		fmt.Fprintln(w, "nothing breaks the client; mcpgen client adds what is new")
	}
	return nil
}

// listing shows how a server differs from what the client knows, and reports whether that breaks code that uses it.
func (g *clientFolder) listing(from *clientSource) (text string, broken bool, err error) {
	changes, err := g.lock.Contract.Changes(from.Contract)
	if err != nil {
		return "", false, err
	}
	breaking := slices.DeleteFunc(slices.Clone(changes), func(c typed.Change) bool { return !c.Breaking })
	others := slices.DeleteFunc(changes, func(c typed.Change) bool { return c.Breaking })
	count := len(others)
	if !g.all {
		others = nil
	}
	if g.descriptions {
		words, err := g.lock.Contract.Descriptions(from.Contract)
		if err != nil {
			return "", false, err
		}
		others = append(others, words...)
	}
	if len(breaking)+count+len(others) == 0 {
		return "", false, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: what %s has changed since\n", g.lockName, from.shown)
	lineOf := typed.Lines(g.text)
	place := func(c typed.Change) string {
		if line := lineOf(c); line > 0 {
			return fmt.Sprintf("%s:%d", g.lockName, line)
		}
		return g.lockName
	}
	for _, line := range changeLines(breaking, g.all) {
		c := breaking[line.index]
		broken = true
		fmt.Fprintf(&b, "%s: breaking: %s%s; %s\n", place(c), c, line.users, c.Cure)
	}
	for _, c := range others {
		fmt.Fprintf(&b, "%s: compatible: %s\n", place(c), c)
	}
	if count > 0 && !g.all {
		fmt.Fprintf(&b, "%s: %s\n", g.lockName, uncounted(count))
	}
	return b.String(), broken, nil
}
