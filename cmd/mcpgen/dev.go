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
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// devAddress is a fixed one, so that a client which knows it finds the server again the next day.
const devAddress = "127.0.0.1:8091"

func newDev() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use:   "dev [PACKAGE] [-- ARG...]",
		Short: "Run a server while it is written, behind an endpoint that stays",
		Long: `Dev builds the server in a package, "." unless another is named, and runs it with
the arguments after the two dashes, over its standard input and output. Clients
reach it over HTTP, at an address that stays the same.

When a file of the package changes, or of a package of the same module that it
imports, dev does what 'mcpgen tools' does, builds the program, and starts it.
Then the new build takes the place of the old one: clients keep their
connections, are notified if tools, prompts or resources are different, and calls
at work have some seconds to end. What the generator or the compiler has against
the code is printed, and the last good build keeps serving. A server that fails is
started again.

Only programs on this machine can reach the address; nobody has to log in.
Ctrl-C ends everything.`,
		Example: `  mcpgen dev
  mcpgen dev ./cmd/server -http localhost:9000 -- -data ./testdata`,
		Args: cobra.ArbitraryArgs,
	}
	c.Flags().StringVar(&addr, "http", devAddress, "serve at `ADDR` of this machine; port 0 is any that is free")
	c.RunE = func(c *cobra.Command, args []string) error {
		words, programArgs := args, []string(nil)
		if dash := c.ArgsLenAtDash(); dash >= 0 {
			words, programArgs = args[:dash], args[dash:]
		}
		pattern := "."
		switch {
		case len(words) > 1:
			return usageError(c, "one argument too many: %q; what is for the server goes after two dashes", words[1])
		case len(words) == 1:
			pattern = words[0]
		}
		if err := checkLoopback(addr); err != nil {
			return usageError(c, "flag -http cannot be %q: %v", addr, err)
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // the second one ends the program
		return runDev(ctx, c.ErrOrStderr(), pattern, programArgs, addr)
	}
	return c
}

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

// runDev runs the server in a package until ctx ends.
func runDev(ctx context.Context, stderr io.Writer, pattern string, args []string, addr string) (err error) {
	out := &devLog{w: stderr}
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	temp, err := os.MkdirTemp("", "mcpgen-dev-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	watcher, err := dev.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	endpoint, err := dev.NewEndpoint(logger)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; -http chooses another address", err)
	}
	url := "http://" + l.Addr().String() + streamable.Endpoint
	out.say(fmt.Sprintf("serving at %s; Ctrl-C ends it\n\n%s\n", url, devSnippet(url)))

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		defer cancel()
		served <- streamable.Serve(ctx, l, endpoint.Server(), &streamable.Options{Logger: logger})
	}()
	runner := &dev.Runner{
		Project:  &devProject{pattern: pattern, args: args, temp: temp, stderr: out, logger: logger},
		Endpoint: endpoint,
		Watch:    watcher.Watch,
		Changes:  watcher.Changes(ctx, logger),
		Say:      out.say,
	}
	err = runner.Run(ctx)
	cancel()
	if serveErr := <-served; serveErr != nil && err == nil {
		logger.Warn("the endpoint did not end gracefully", "error", serveErr)
	}
	return err
}

// devSnippet says how clients reach the endpoint.
func devSnippet(url string) string {
	return `  {"mcpServers": {"dev": {"type": "http", "url": "` + url + `"}}}` + "\n" +
		"  mcpgen inspect -url " + url + "\n"
}

// A devLog is an output that several goroutines write to, whole lines at a time.
type devLog struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *devLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// say prints a text for the person.
func (l *devLog) say(text string) { io.WriteString(l, strings.TrimSuffix(text, "\n")+"\n") }
