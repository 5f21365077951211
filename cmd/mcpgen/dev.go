package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev/page"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// downloadTime is how long the command of a server that is not built here may take to start and to list what it offers: it
// may be downloaded first.
const downloadTime = 5 * time.Minute

// devAddress is fixed, so that a client that knows it finds the server again the next day.
const devAddress = "127.0.0.1:8091"

// newDev returns mcpgen dev. What it has to say goes to standard error.
func newDev() *cobra.Command {
	var d devCommand
	c := &cobra.Command{
		Use:   "dev [PACKAGE] [-- ARG...]",
		Short: "Run a server while you write it, or any other server, behind a stable endpoint",
		Long: `Dev builds the server in a package, "." unless another is named, and runs it with
the arguments after the two dashes, over its standard input and output. Clients
reach it over HTTP, at an address that stays the same.

When a file of the package changes, or a file of a package that it imports from
the same module, dev does what 'mcpgen tools' does, builds the program, and starts
it. Then the new build takes the place of the old one: clients keep their
connections, are notified if tools, prompts or resources are different, and
running calls have a few seconds to end. Errors of the generator and the compiler
are printed, and the last good build keeps serving. A server that fails is started
again.

Without a package, the words after the two dashes are the command of any other
server; if they begin with a flag, they are arguments for the server in ".". -url
names a server over HTTP. For such servers, dev builds nothing. When the
connection to such a server is lost, dev connects again, and the clients of the
endpoint keep their connections. If the server wants a login, a browser shows it,
and the tokens are kept for the next time.

Dev prints the address of a page that shows what the server offers, calls it,
responds to what it asks, and shows every message. The address is a secret: it has a
token.

Only programs on this machine can reach the addresses; nobody has to log in.
Ctrl-C ends everything.

The exit code is 0 if dev was ended by Ctrl-C, 2 if the command line or the
package is wrong, and 3 if there is no connection to a server that dev does not
build.`,
		Example: `  mcpgen dev
  mcpgen dev ./cmd/server -http localhost:9000 -- -data ./testdata
  mcpgen dev -- npx -y @modelcontextprotocol/server-everything
  mcpgen dev -url https://mcp.example.com/mcp`,
	}
	d.flags.addServer(c)
	c.Flags().StringVar(&d.addr, "http", devAddress, "serve at `ADDR` of this machine; port 0 is any free port")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := d.parse(c, args); err != nil {
			return err
		}
		ctx, stop := interruptible(c.Context())
		defer stop()
		return d.run(ctx, printerTo(c.ErrOrStderr()))
	}
	return c
}

// A devCommand holds the command line.
type devCommand struct {
	addr      string
	pattern   string
	args      []string        // of the program in the package
	target    *console.Target // of another server; nil if there is a package
	flags     consoleFlags
	revisions []wire.Revision
}

// parse reads the command line. It sets d.target if the server is a command or a URL, else d.pattern, its package. Words
// after the two dashes are a command unless a package is named or they begin with a flag.
func (d *devCommand) parse(c *cobra.Command, args []string) (err error) {
	f := &d.flags
	if err := checkLoopback(d.addr); err != nil {
		return usageError(c, "flag -http cannot be %q: %v", d.addr, err)
	}
	if d.revisions, err = f.revisions(c); err != nil {
		return err
	}
	words := args
	dash := c.ArgsLenAtDash()
	if dash >= 0 {
		words, d.args = args[:dash], args[dash:]
	}
	switch {
	case len(words) > 1:
		return usageError(c, "one argument too many: %q; arguments for the server go after two dashes", words[1])
	case len(words) == 1 && f.url != "":
		return usageError(c, "a URL and the package %q: only one can be the server", words[0])
	case f.url != "", len(words) == 0 && dash >= 0 && !flagsAlone(d.args):
		d.target, _, err = f.target(c, args)
		return err
	}
	if err := f.checkLogin(c); err != nil {
		return err
	}
	d.pattern = "."
	if len(words) == 1 {
		d.pattern = words[0]
	}
	return nil
}

// flagsAlone reports whether arguments begin with a flag, which is no command: they are those of the server in the
// package in the current folder.
func flagsAlone(args []string) bool { return len(args) > 0 && strings.HasPrefix(args[0], "-") }

// checkLoopback returns an error unless only this machine can reach an address.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("want HOST:PORT, such as " + devAddress)
	}
	if ip, err := netip.ParseAddr(host); host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("want localhost or another address of this machine alone, since nobody has to log in")
}

// run runs the server until ctx ends.
func (d *devCommand) run(ctx context.Context, out *console.Printer) (err error) {
	say := func(text string) { fmt.Fprintln(out, strings.TrimSuffix(text, "\n")) }
	shown := page.New()
	defer shown.Close()
	logger := slog.New(shown.Handler(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn})))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	endpoint, err := dev.NewEndpoint(logger)
	if err != nil {
		return err
	}
	runner := &dev.Runner{
		Endpoint: endpoint, Connection: dev.Connection{Revisions: d.revisions},
		Say: say, Show: shown.Show, Tap: shown.Tap,
	}
	prepare, childErr := d.project, out.Coloured()
	if d.target != nil {
		prepare, childErr = d.foreign, out
	}
	end, err := prepare(ctx, runner, shown, io.MultiWriter(childErr, shown.Stderr()), logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", d.addr)
	if err != nil {
		return fmt.Errorf("%w; -http chooses another address", err)
	}
	url := "http://" + l.Addr().String() + streamable.Endpoint
	sandbox, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(l.Addr().(*net.TCPAddr).IP.String(), "0"))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer serveSandbox(sandbox, shown.Sandbox())()
	shown.Begin(page.Options{
		Server: endpoint.Server(), About: endpoint.About, Roots: devRoots(), Endpoint: url, Sandbox: "http://" + sandbox.Addr().String(), Logger: logger,
	})
	say(fmt.Sprintf("serving at %s; Ctrl-C ends it\nthe page is %s\n\n%s\n", url, shown.URL(l.Addr().String()), devSnippet(url)))
	served := make(chan error)
	go func() {
		err := serveDev(ctx, l, endpoint.Server(), shown, logger)
		cancel()
		served <- err
	}()
	err = runner.Run(ctx)
	cancel()
	if serveErr := <-served; serveErr != nil && err == nil {
		logger.Warn("the endpoint did not end gracefully", "error", serveErr)
	}
	if err != nil && d.target != nil {
		return connectionError{d.flags.denied(err)}
	}
	return err
}

// project makes r run the server in a package.
func (d *devCommand) project(ctx context.Context, r *dev.Runner, shown *page.Page, stderr io.Writer, logger *slog.Logger) (end func() error, err error) {
	temp, err := os.MkdirTemp("", "mcpgen-dev-")
	if err != nil {
		return nil, err
	}
	watcher, err := dev.NewWatcher()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	r.Project = &devProject{pattern: d.pattern, args: d.args, temp: temp, stderr: stderr, logger: logger, step: shown.Step}
	r.Watch, r.Changes = watcher.Watch, watcher.Changes(ctx, logger)
	return func() error { return errors.Join(watcher.Close(), os.RemoveAll(temp)) }, nil
}

// foreign makes r connect to a server that is not built here.
func (d *devCommand) foreign(_ context.Context, r *dev.Runner, shown *page.Page, stderr io.Writer, logger *slog.Logger) (end func() error, err error) {
	shown.Step("connecting")
	d.target.Stderr = stderr
	opener, err := d.target.Opener(logger)
	if err != nil {
		return nil, err
	}
	r.Foreign, r.Attempt = opener.Open, opener.Connect
	if d.target.URL == "" {
		r.Connection.Timeout = downloadTime
	}
	return opener.Close, nil
}

// devSnippet says how clients reach the endpoint.
func devSnippet(url string) string {
	return `  {"mcpServers": {"dev": {"type": "http", "url": "` + url + `"}}}` + "\n" +
		"  mcpgen inspect -url " + url + "\n"
}
