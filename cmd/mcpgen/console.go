package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// consoleHelp ends the help of the commands that use a server.
const consoleHelp = `

-url names a server over HTTP; otherwise the words after two dashes are the
command of a server. If a server wants a login, a browser shows it, and the tokens
are kept for the next time. What the server asks during a call appears at the
terminal.

The exit code is 0 on success, 1 if the server or the tool said that it failed, 2
if the command line is wrong, and 3 if there is no connection or the server takes
too long.`

// consoleFlags holds the flags of the commands that use a server.
type consoleFlags struct {
	url      string
	headers  []string
	noLogin  bool
	login    console.Login
	revision string
	json     bool
	wire     bool
	timeout  time.Duration
}

func (f *consoleFlags) add(c *cobra.Command) {
	c.Long += consoleHelp
	f.addConnection(c)
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, as the server sent it")
}

// addConnection adds the flags that say which server to use, and how to use the connection to it.
func (f *consoleFlags) addConnection(c *cobra.Command) {
	f.addServer(c)
	flags := c.Flags()
	flags.BoolVar(&f.wire, "wire", false, "show the messages in both directions on standard error")
	flags.DurationVar(&f.timeout, "timeout", 0, "fail unless all is done within the duration `D`, logging in included (default: fail\nafter 10 minutes without a response or progress)")
}

// addServer adds the flags that say which server to use.
func (f *consoleFlags) addServer(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	flags := c.Flags()
	flags.StringVar(&f.url, "url", "", "the `URL` of a server over HTTP, such as http://localhost:8080/mcp")
	flags.StringArrayVar(&f.headers, "header", nil, "send the HTTP header `NAME:VALUE`; may be repeated")
	flags.BoolVar(&f.noLogin, "no-login", false, "use the tokens of an earlier login, and fail where another one is needed")
	f.addLogin(flags)
	flags.StringVar(&f.revision, "revision", "", "speak revision `R` of the protocol (default the newest that both speak)")
}

// idleTime is how long a server may neither respond nor report progress if the command line does not say how long all may
// take.
const idleTime = 10 * time.Minute

// A lateError says that the timeout of the command line has passed.
type lateError time.Duration

func (e lateError) Error() string {
	return fmt.Sprintf("not done within %v, see -timeout", time.Duration(e))
}

// A session is what a command does with a server.
type session struct {
	*console.Server
	flags  *consoleFlags
	asks   bool            // there is somebody to ask
	ctx    context.Context // ends when the person interrupts, or with a lateError
	out    *console.Printer
	stderr *console.Printer
	late   *time.Timer // ends ctx; nil without a timeout
}

// inTime lifts the timeout of the command line. It fails if that has passed.
func (s *session) inTime() error {
	if s.late == nil || s.late.Stop() {
		return nil
	}
	<-s.ctx.Done()
	return context.Cause(s.ctx)
}

// run connects to a server and calls do.
func (f *consoleFlags) run(c *cobra.Command, target *console.Target, opts client.Options, do func(s *session) error) error {
	if c.Flags().Changed("timeout") && f.timeout <= 0 {
		return usageError(c, "flag -timeout cannot be %v: it is more than 0", f.timeout)
	}
	ctx, stop := interruptible(c.Context())
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ctx = client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) {}) // which restarts the timeout of a request
	s := &session{flags: f, ctx: ctx, out: printerTo(c.OutOrStdout()), stderr: printerTo(c.ErrOrStderr())}
	opts.Limits.Timeout, target.Timeout = idleTime, idleTime
	if f.timeout > 0 {
		opts.Limits.Timeout, target.Timeout, target.Impatient = -1, f.timeout, true
		target.End = time.Now().Add(f.timeout)
		s.late = time.AfterFunc(f.timeout, func() { end(lateError(f.timeout)) })
		defer s.late.Stop()
	}
	target.Stderr = s.stderr
	if f.wire {
		target.Wire = s.stderr
	}
	if in, ok := c.InOrStdin().(*os.File); ok {
		if person := console.NewPerson(in, s.stderr); person != nil {
			person.Offer(&opts)
		}
	}
	s.asks = opts.Elicit != nil
	opts.Extensions = append(opts.Extensions, taskclient.Enable(nil))
	opts.Limits.MaxTimeout = -1
	var err error
	if s.Server, err = target.Connect(ctx, opts); err != nil {
		if ctx.Err() == nil {
			return connectionError{f.denied(err)}
		}
		return s.classify(err)
	}
	err = do(s)
	closeErr := s.Close()
	switch exit, ok := errors.AsType[*stdio.ExitError](closeErr); {
	case ok && exit.Forced != "": // it has done what it was asked to
		fmt.Fprintf(s.stderr, "The server did not exit in time and was %s.\n", exit.Forced)
	case err == nil && closeErr != nil && ctx.Err() == nil:
		err = closeErr
	}
	return s.classify(err)
}

// target returns the server that the command line names, and the remaining words.
func (f *consoleFlags) target(c *cobra.Command, args []string) (*console.Target, []string, error) {
	t := &console.Target{URL: f.url, NoLogin: f.noLogin, Login: f.login, Header: http.Header{}}
	words := args
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		words, t.Command = args[:dash], args[dash:]
	}
	switch {
	case t.URL == "" && len(t.Command) == 0:
		return nil, nil, usageError(c, "which server? give -url URL, or a command after two dashes")
	case t.URL != "" && len(t.Command) > 0:
		return nil, nil, usageError(c, "a URL and a command: only one can be the server")
	}
	if err := f.checkLogin(c); err != nil {
		return nil, nil, err
	}
	if t.URL != "" {
		u, err := url.Parse(t.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, nil, usageError(c, "flag -url cannot be %q: it is a URL such as http://localhost:8080/mcp", t.URL)
		}
	}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, nil, usageError(c, "flag -header cannot be %q: it is NAME:VALUE", h)
		}
		t.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	var err error
	t.Revisions, err = f.revisions(c)
	return t, words, err
}

// revisions returns the revisions to speak with the server, nil for all.
func (f *consoleFlags) revisions(c *cobra.Command) ([]wire.Revision, error) {
	if f.revision == "" {
		return nil, nil
	}
	r, _ := wire.ParseRevision(f.revision) // 0, which nobody speaks, if it is none
	if !slices.Contains(client.Revisions(), r) {
		var known []string
		for _, r := range client.Revisions() {
			known = append(known, r.String())
		}
		return nil, usageError(c, "flag -revision cannot be %q: it is %s", f.revision, listed(known, "or"))
	}
	return []wire.Revision{r}, nil
}

// printerTo returns the printer that an output of a command is.
func printerTo(w io.Writer) *console.Printer { return w.(*console.Printer) }

// A connectionError says that a server cannot be reached, or that the connection was lost.
type connectionError struct{ error }

func (e connectionError) Unwrap() error { return e.error }

// Error leaves out what the server wrote to standard error before it ended, which has been shown already.
func (e connectionError) Error() string {
	text := e.error.Error()
	if exit := (*stdio.ExitError)(nil); errors.As(e.error, &exit) {
		text, _, _ = strings.Cut(text, "; its standard error ends: ")
	}
	return text
}

// classify wraps an error in one with the right exit code.
func (s *session) classify(err error) error {
	err = s.flags.denied(err)
	var refused *jsonrpc.Error
	var unknown *console.UnknownError
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		if late, ok := errors.AsType[lateError](context.Cause(s.ctx)); ok {
			return connectionError{late}
		}
		return finding("cancelled")
	case errors.As(err, new(finding)), errors.As(err, new(*wordsError)), errors.As(err, new(fileError)):
		return err
	case errors.As(err, &unknown):
		hint := near(unknown.Name, unknown.Known)
		switch {
		case hint != "":
		case unknown.Given:
			hint = ", or shows it only to those who have its scope, which the token of -header may lack"
		case unknown.LoggedIn && s.flags.noLogin:
			hint = ", or shows it only to those who have its scope: without -no-login, -scope SCOPE logs in for one"
		case unknown.LoggedIn:
			hint = ", or shows it only to those who have its scope: -scope SCOPE logs in for one"
		case unknown.Hides:
			hint = ", or offers it only to clients that can ask their user: standard input is not a terminal"
		}
		//lint:ignore ST1005 the second line is a sentence
		return fmt.Errorf("%w%s\nRun 'mcpgen inspect' for all that it has.", err, hint)
	case errors.As(err, new(deniedError)):
		if denied := (*transport.StatusError)(nil); errors.As(err, &denied) && denied.Status == http.StatusUnauthorized {
			return connectionError{err}
		}
		return finding(err.Error())
	case errors.As(err, &refused):
		return finding("the server refused: " + refused.Error() + s.askedNobody(refused.Error()))
	case errors.As(err, new(*client.CapabilityError)), errors.As(err, new(*client.RevisionError)):
		return finding(err.Error())
	case errors.As(err, new(*client.InputError)):
		return finding(err.Error() + s.askedNobody(err.Error()))
	}
	return connectionError{err}
}

// askedNobody returns the end of a message that says why nobody was asked, if that seems to be what a server's text is about;
// else "".
func (s *session) askedNobody(text string) string {
	if s.asks || !strings.Contains(text, "elicitation") && !strings.Contains(text, "sampling") {
		return ""
	}
	return "; standard input is not a terminal, so nobody can be asked"
}

// A wordsError says that the words of the command line do not match what the server offers.
type wordsError struct{ error }

// A fileError says that a file of the command line cannot be written.
type fileError struct{ error }

// newInspect returns mcpgen inspect. It declares all capabilities of a client, since servers hide from others what
// needs them.
func newInspect() *cobra.Command {
	var f consoleFlags
	c := &cobra.Command{
		Use:   "inspect [TOOL|PROMPT]",
		Short: "Show what a server offers",
		Long: `Inspect shows what a server says about itself, and its tools, prompts and
resources, also those that are only for clients that can ask their user. With a
name, it shows what that tool or prompt takes and returns. With -json, it shows
whole definitions.`,
		Example: `  mcpgen inspect -- go run ./cmd/server
  mcpgen inspect -url http://localhost:8080/mcp create_issue`,
	}
	f.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		target, words, err := f.target(c, args)
		if err != nil {
			return err
		}
		if len(words) > 1 {
			return usageError(c, "inspect shows all, or one tool or prompt")
		}
		var opts client.Options
		console.OfferAll(&opts)
		return f.run(c, target, opts, func(s *session) error {
			all, err := s.Definitions(s.ctx)
			if err != nil {
				return err
			}
			if len(words) == 0 {
				if f.json {
					return printJSON(c.OutOrStdout(), all)
				}
				s.out.Definitions(all)
				return nil
			}
			return inspectOne(c, s, all, words[0], f.json)
		})
	}
	return c
}

// inspectOne shows the tool or prompt of that name.
func inspectOne(c *cobra.Command, s *session, all *console.Definitions, name string, asJSON bool) error {
	var known []string
	for _, t := range all.Tools {
		switch {
		case t.Name != name:
			known = append(known, t.Name)
		case asJSON:
			return printJSON(c.OutOrStdout(), t)
		default:
			return s.out.Tool(t)
		}
	}
	for _, p := range all.Prompts {
		switch {
		case p.Name != name:
			known = append(known, p.Name)
		case asJSON:
			return printJSON(c.OutOrStdout(), p)
		default:
			s.out.Prompt(p)
			return nil
		}
	}
	return s.Unknown("tool or prompt", name, known)
}

// results returns a value that shows results. It saves bytes that cannot be shown in dir.
func (s *session) results(dir string) *console.Results {
	return &console.Results{Printer: s.out, Dir: cmp.Or(dir, os.TempDir())}
}

// printed prints a result as JSON.
func (s *session) printed(result wire.Encodable) error {
	raw, err := wire.Marshal(wire.Any, result)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s\n", raw)
	return nil
}
