package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/output"
	adoption "github.com/mcpgen/mcpgen/generator/adopt"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newAdopt returns mcpgen adopt, which is four commands in one. Flags that belong to another one of them are refused.
func newAdopt() *cobra.Command {
	a := adoptFlags{}
	c := &cobra.Command{
		Use:   "adopt [FILE]",
		Short: "Move an existing server to annotated Go functions, and prove that clients see the same",
		Long: `Adopt moves a server, written with any SDK in any language, to annotated Go
functions, in three steps.

With -record, it starts the server, or connects to -url, in every revision that
the server speaks, and writes a recording: all that the server offers, and how it
responds to calls. These are the calls of -calls, a file with a line of JSON for
each, {"tool": "forecast", "arguments": {"city": "Oslo"}}, and calls that it makes
itself of tools that are annotated with readOnlyHint: one with valid arguments,
and one for each mistake. The values of environment variables named by -secret
are never written: {{secret NAME}} stands for them, also in the file of calls.

With -proxy beside -record, it stands between clients and the server, passes on
what they send, and adds the calls of tools that it sees to the recording, which
is there already. Clients start it in place of the COMMAND, or connect to the
address in place of -url.

With FILE, a recording, it writes a Go package with an annotated method for each
tool. Until it is filled in, a method calls the old server, if there is one.

With -check, it makes the calls of a recording again, on the new server, and
prints what clients see differently. Schemas are compared by what they mean,
results by bytes and by their JSON values, errors by their kinds. It exits with 1
if a difference breaks clients that -accept does not accept: a file with a line
for each difference, as it is printed after "breaking: ". A * stands for any text,
and a line that begins with # is a comment.

Each call is made once in each revision. While recording, calls of tools that only
read are made twice: what varies between the two is compared by the kinds of its
values. A call that a proxy saw is made once, in the revision in which it was
seen.

The exit code is 0 on success, 1 as above, 2 if the command line or a file is
wrong, and 3 if there is no connection or the server takes too long.`,
		Example: `  mcpgen adopt -record weather.json -secret API_KEY -- node old/server.js
  mcpgen adopt -record weather.json -secret API_KEY -proxy stdio -- node old/server.js
  mcpgen adopt weather.json -out internal/tools
  mcpgen adopt -check weather.json -secret API_KEY -- go run ./cmd/server`,
	}
	a.addConnection(c)
	flags := c.Flags()
	flags.StringVar(&a.record, "record", "", "record a server in the `FILE`")
	flags.StringVar(&a.check, "check", "", "compare a server with the recording in the `FILE`")
	flags.StringVar(&a.proxy, "proxy", "", "with -record, stand between clients and the server, and add their calls: at the\n`ADDR` of this machine before a URL, as stdio before a command")
	flags.StringVar(&a.calls, "calls", "", "with -record, make the calls in the `FILE`, too")
	flags.StringArrayVar(&a.secrets, "secret", nil, "write a placeholder for the value of the environment variable `NAME`;\nmay be repeated")
	flags.DurationVar(&a.pause, "pause", 0, "wait for the duration `D` before each call, where a server limits how often it\nis called")
	flags.StringVar(&a.accept, "accept", "", "with -check, accept the differences in the `FILE`")
	flags.BoolVar(&a.all, "all", false, "with -check, list the differences that break no client, too")
	flags.StringVar(&a.out, "out", ".", "write to the folder `DIR`")
	flags.StringVar(&a.pkg, "package", "", "the `NAME` of the Go package (default that of the folder's Go files, else\nthe folder's name)")
	c.RunE = func(c *cobra.Command, args []string) error {
		server := c.ArgsLenAtDash() >= 0 || a.url != ""
		for _, f := range []struct {
			name  string
			given bool
			with  string
			fits  bool
		}{
			{"check", a.check != "", "without -record", a.record == ""},
			{"proxy", a.proxy != "", "with -record", a.record != ""},
			{"calls", a.calls != "", "with -record, and without -proxy", a.record != "" && a.proxy == ""},
			{"revision", a.revision != "", "without -proxy", a.proxy == ""},
			{"timeout", c.Flags().Changed("timeout"), "without -proxy", a.proxy == ""},
			{"wire", a.wire, "without -proxy", a.proxy == ""},
			{"accept", a.accept != "", "with -check", a.check != ""},
			{"all", a.all, "with -check", a.check != ""},
			{"out", c.Flags().Changed("out"), "with a recording alone", a.record+a.check == ""},
			{"package", a.pkg != "", "with a recording alone", a.record+a.check == ""},
			{"pause", c.Flags().Changed("pause"), "with -record or -check, and without -proxy", a.record+a.check != "" && a.proxy == ""},
			{"secret", a.secrets != nil, "with -record or -check", a.record+a.check != ""},
		} {
			if f.given && !f.fits {
				return usageError(c, "flag -%s is used %s", f.name, f.with)
			}
		}
		switch {
		case a.proxy != "":
			return a.proxied(c, args)
		case a.record != "":
			return a.recorded(c, args)
		case a.check != "":
			return a.checked(c, args)
		case server:
			return usageError(c, "what about the server? -record FILE records it, -check FILE compares it with a recording")
		case len(args) != 1:
			return usageError(c, "which recording? mcpgen adopt -record FILE writes one")
		}
		return a.write(c, args[0])
	}
	return c
}

// adoptFlags holds the flags of the command.
type adoptFlags struct {
	pause time.Duration
	consoleFlags
	record, check string
	proxy         string
	calls, accept string
	secrets       []string
	all           bool
	out, pkg      string
}

// recorder calls do with a recorder of the server that the command line names.
func (a *adoptFlags) recorder(c *cobra.Command, args []string, do func(ctx context.Context, r *adoption.Recorder) error) error {
	target, words, err := a.target(c, args)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return usageError(c, "%q: a command comes after two dashes", words[0])
	}
	secrets, err := a.hiding(c)
	if err != nil {
		return err
	}
	revisions := target.Revisions
	// The first connection asks for a login, and shows whether there is a server.
	return hidden(secrets, a.run(c, target, client.Options{}, func(s *session) error {
		return do(s.ctx, &adoption.Recorder{
			Revisions: revisions,
			Secrets:   secrets,
			Pause:     a.pause,
			Notes:     func(note string) { fmt.Fprintln(s.stderr, note) },
			Connect: func(ctx context.Context, r wire.Revision) (*client.Client, func() error, error) {
				at := *target
				at.Revisions = []wire.Revision{r}
				var opts client.Options
				console.OfferAll(&opts)
				opts.CacheBytes = -1
				opts.Limits.Timeout = at.Timeout
				opened, err := at.Connect(ctx, opts)
				if err != nil {
					return nil, nil, err
				}
				return opened.Client, opened.Close, nil
			},
		})
	}))
}

// hiding returns the secrets that the command line names.
func (a *adoptFlags) hiding(c *cobra.Command) (*adoption.Secrets, error) {
	values := map[string]string{}
	for _, name := range a.secrets {
		value, ok := os.LookupEnv(name)
		if !ok {
			return nil, usageError(c, "flag -secret: there is no environment variable %q", name)
		}
		values[name] = value
	}
	return adoption.NewSecrets(values)
}

// missing returns an error if a recording has a secret that the command line does not name.
func (a *adoptFlags) missing(c *cobra.Command, rec *adoption.Recording) error {
	if name := rec.Without(a.secrets); name != "" {
		return usageError(c, "the recording has the secret %s: give -secret %[1]s", name)
	}
	return nil
}

// hidden returns an error with placeholders for secrets, which a server may have put into its text.
func hidden(secrets *adoption.Secrets, err error) error {
	if err == nil {
		return nil
	}
	text := secrets.Hide(err.Error())
	switch {
	case text == err.Error():
		return err
	case errors.As(err, new(connectionError)):
		return connectionError{errors.New(text)}
	case errors.As(err, new(finding)):
		return finding(text)
	}
	return errors.New(text)
}

// recorded records a server.
func (a *adoptFlags) recorded(c *cobra.Command, args []string) error {
	var calls []adoption.Call
	if a.calls != "" {
		text, err := output.Read(a.calls)
		if err == nil {
			calls, err = adoption.ParseCalls(filepath.ToSlash(a.calls), text)
		}
		if err != nil {
			return err
		}
	}
	text, err := output.Read(a.record)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var seen []adoption.SeenCall // by proxies, which stay
	if old, err := adoption.Parse(filepath.ToSlash(a.record), text); err == nil {
		if seen = old.Seen(); seen != nil {
			if err := a.missing(c, old); err != nil {
				return err
			}
		}
	}
	return a.recorder(c, args, func(ctx context.Context, r *adoption.Recorder) error {
		made, err := r.Record(ctx, calls)
		if err != nil {
			return err
		}
		if n := made.Add(seen, nil); n < len(seen) {
			fmt.Fprintf(c.ErrOrStderr(), "%d of %d calls that a proxy saw are in other revisions, and are left out.\n", len(seen)-n, len(seen))
		}
		text, err := made.Format(r.Secrets)
		if err != nil {
			return err
		}
		if err := output.Apply([]output.Change{{Path: a.record, New: text}}); err != nil {
			return err
		}
		fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", filepath.ToSlash(a.record), made.Contents())
		return nil
	})
}

// readRecording reads a recording.
func readRecording(name string) (*adoption.Recording, error) {
	text, err := output.Read(name)
	if err != nil {
		return nil, err
	}
	return adoption.Parse(filepath.ToSlash(name), text)
}

// checked compares a server with a recording.
func (a *adoptFlags) checked(c *cobra.Command, args []string) error {
	old, err := readRecording(a.check)
	if err != nil {
		return err
	}
	accepted := &adoption.Accepted{}
	if a.accept != "" {
		text, err := output.Read(a.accept)
		if err != nil {
			return err
		}
		accepted = adoption.ParseAccepted(text)
	}
	if err := a.missing(c, old); err != nil {
		return err
	}
	return a.recorder(c, args, func(ctx context.Context, r *adoption.Recorder) error {
		now, err := r.Replay(ctx, old)
		if err != nil {
			return err
		}
		all := adoption.Compare(old.Only(r.Revisions), now)
		accepted.Mark(all)
		return a.print(c, all, accepted)
	})
}

// print prints differences, those that break clients first. It returns an error if one of these is not accepted.
func (a *adoptFlags) print(c *cobra.Command, all []adoption.Difference, accepted *adoption.Accepted) error {
	name := filepath.ToSlash(a.check)
	var b strings.Builder
	breaking, compatible := 0, 0
	for _, d := range all {
		class := "compatible"
		switch {
		case d.Accepted:
			class = "accepted"
		case d.Breaking:
			class = "breaking"
			breaking++
		default:
			if compatible++; !a.all {
				continue
			}
		}
		fmt.Fprintf(&b, "%s: %s: %s", name, class, d.What)
		if d.Cure != "" && !d.Accepted {
			b.WriteString("; " + d.Cure)
		}
		if d.Revisions != nil {
			fmt.Fprintf(&b, " (in %s)", listed(d.Revisions, "and"))
		}
		b.WriteByte('\n')
	}
	for _, n := range accepted.Unused() {
		fmt.Fprintf(&b, "%s:%d: it accepts nothing\n", filepath.ToSlash(a.accept), n)
	}
	switch {
	case len(all) == 0:
		b.WriteString("clients see no difference\n")
	case breaking == 0:
		b.WriteString("no difference breaks clients\n")
	}
	if compatible > 0 && !a.all {
		fmt.Fprintf(&b, "%s: %s\n", name, uncounted(compatible))
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
	switch breaking {
	case 0:
		return nil
	case 1:
		return finding("1 difference breaks clients: undo it, or accept it by -accept FILE")
	}
	return finding(fmt.Sprintf("%d differences break clients: undo them, or accept them by -accept FILE", breaking))
}

// write writes annotated Go for a recording, and lists what it does not say.
func (a *adoptFlags) write(c *cobra.Command, name string) error {
	rec, err := readRecording(name)
	if err != nil {
		return err
	}
	dir := filepath.Clean(a.out)
	if a.pkg == "" {
		if a.pkg, err = packageName(dir); err != nil {
			return err
		}
	}
	made, err := adoption.Generate(rec, a.pkg)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.ToSlash(name), err)
	}
	file := filepath.Join(dir, adoption.GoFile)
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fmt.Errorf("%s is there already: remove it, or choose another folder by -out", filepath.ToSlash(file)))
	}
	if err := output.Apply([]output.Change{{Path: file, New: made.Source}}); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: package %s with %d methods; go generate makes tools of them\n", filepath.ToSlash(file), a.pkg, made.Tools)
	if len(made.Notes) > 0 {
		b.WriteString("What neither signatures nor directives say:\n")
	}
	for _, note := range made.Notes {
		b.WriteString("  " + note + "\n")
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
	return nil
}
