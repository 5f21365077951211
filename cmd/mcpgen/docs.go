package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/site"
)

// newDocs returns mcpgen docs. Like mcpgen dev, it serves only this machine.
func newDocs() *cobra.Command {
	d := new(docsCommand)
	c := &cobra.Command{
		Use:   "docs",
		Short: "Serve the documentation of this version of mcpgen",
		Long: `Docs serves the documentation of this version of mcpgen, as pages with a search
that load nothing from elsewhere. The pages are made from the files that the go
command has downloaded with mcpgen, or from those in its checkout.

With -out it writes the pages to a folder, which any web server can serve, and ends.
Files that are there are replaced, and none are deleted.

Ctrl-C ends it.`,
		Example: `  mcpgen docs
  mcpgen docs -playground -out public`,
		Args: operands(),
	}
	c.Flags().StringVar(&d.addr, "http", "localhost:0", "serve at `ADDR` of this machine; port 0 is any free port")
	c.Flags().StringVar(&d.out, "out", "", "write the pages to the folder `DIR`")
	c.Flags().BoolVar(&d.playground, "playground", false, "have the playground, too, which takes a minute to build")
	impossible(c.MarkFlagDirname("out"))
	c.MarkFlagsMutuallyExclusive("http", "out")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkLoopback(d.addr); err != nil {
			return usageError(c, "flag -http cannot be %q: %v", d.addr, err)
		}
		ctx, stop := interruptible(c.Context())
		defer stop()
		return d.run(ctx, printerTo(c.ErrOrStderr()))
	}
	return c
}

// A docsCommand holds the command line.
type docsCommand struct {
	addr, out  string
	playground bool
}

// run writes the site, and serves it until ctx ends unless a folder is wanted.
func (d *docsCommand) run(ctx context.Context, out *console.Printer) (err error) {
	from, err := documentation(ctx)
	if err != nil {
		return err
	}
	from.Playground = d.playground
	if d.out != "" {
		return site.Write(ctx, d.out, from)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.addr)
	if err != nil {
		return fmt.Errorf("%w; -http chooses another address", err)
	}
	defer l.Close()
	dir, err := os.MkdirTemp("", "mcpgen-docs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := site.Write(ctx, dir, from); err != nil {
		return err
	}
	s := localServer(http.FileServer(http.Dir(dir)))
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	fmt.Fprintf(out, "the documentation is at http://%s/; Ctrl-C ends it\n", l.Addr())
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// documentation returns where the documentation of this command is: in the release that the go command has downloaded, or
// in the checkout that the command runs in or was built in.
func documentation(ctx context.Context) (site.Source, error) {
	from := site.Source{Version: releasedVersion(), Compare: markdownDiff(ctx)}
	var err error
	if from.Version != "" {
		from.Root, err = downloaded(ctx, from.Version)
		return from, err
	}
	if from.Root, _, err = ownCheckout(); err != nil || from.Root != "" {
		return from, err
	}
	return from, errors.New("this mcpgen is no release, whose documentation the go command has; run 'mcpgen docs' in a checkout of mcpgen")
}

// downloaded returns the folder in which the go command has a release of mcpgen.
func downloaded(ctx context.Context, version string) (string, error) {
	out, err := outputOf(goDev(ctx, "mod", "download", "-json", self+"@"+version))
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &found); found.Dir == "" {
		return "", fmt.Errorf("the files of %s %s: %w", self, version, cmp.Or(err, errors.New(found.Error), jsonErr))
	}
	return found.Dir, nil
}

// markdownDiff returns a function that compares revisions as 'mcpgen diff -format=markdown' does.
func markdownDiff(ctx context.Context) func(older, newer string) ([]byte, error) {
	return func(older, newer string) ([]byte, error) {
		d, err := compare(ctx, older, newer, false)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		d.print(&b, "markdown", diffFilter{})
		return b.Bytes(), nil
	}
}
