// Mcpgen generates Go code for the Model Context Protocol: tools from annotated functions, and a Go
// package from the protocol's TypeScript schema.
//
//	mcpgen init           creates a project with a server
//	mcpgen tools          tools, prompts and resources from annotated Go functions
//	mcpgen bindings       the Go package of one revision, or of several merged into one
//	mcpgen inspect        what a server offers; mcpgen call, read, prompt and watch use it
//	mcpgen client         a typed Go client of a server
//	mcpgen publish        what registries and clients want to know of a server
//	mcpgen dev            runs a server while you write it
//	mcpgen help           everything else
//
// It is also a tool for go vet, which reports mistakes in annotated functions:
//
//	go vet -vettool=$(go tool -n mcpgen) ./...
//
// The exit code is 0 on success, 1 if a check found something ("mcpgen diff" is one only with -breaking) or what was called
// has failed, 2 if the command line or the input is wrong, and 3 if a server cannot be reached.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/parser"
)

func main() {
	if isVet(os.Args[1:]) {
		vet()
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a run is short: it takes a tenth less time like this
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command with these arguments and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	out, errOut := console.NewPrinter(stdout, os.Getenv), console.NewPrinter(stderr, os.Getenv)
	root := newRoot(out, errOut)
	root.SetArgs(twoDashes(args))
	err := root.Execute()
	all, ok := err.(failures)
	if !ok {
		all.add(err)
	}
	if lost := out.Err(); !errors.Is(err, lost) { // no command looks for it
		all.add(lost)
	}
	if len(all) == 0 {
		return 0
	}
	code := 1
	for _, err := range all {
		var inSchema *parser.Error
		var inGo *tools.Error
		placed := errors.As(err, &inSchema) || errors.As(err, &inGo) && inGo.Pos.IsValid() || errors.As(err, new(staleFile))
		if !placed { // else the message begins with file:line:col, for editors to find
			fmt.Fprint(errOut, "mcpgen: ")
		}
		fmt.Fprintln(errOut, err)
		switch {
		case errors.As(err, new(connectionError)):
			code = max(code, 3)
		case !errors.As(err, new(finding)):
			code = max(code, 2)
		}
	}
	return code
}

// interruptible returns a context that the first interrupt ends. The second one ends the program.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// failures holds the errors about several packages. An error in one package does not stop the others.
type failures []error

// add adds an error, if there is one.
func (f *failures) add(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

// err returns all errors as one, nil if there are none.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// Error returns all messages, each on lines of its own.
func (f failures) Error() string { return errors.Join(f...).Error() }

// Unwrap lets errors.As find the single errors.
func (f failures) Unwrap() []error { return f }

// must returns v, and panics if there is an error. It is for errors that nothing which a user does can cause: of mcpgen's own
// schemas, which are part of the program, of flags that are named in its code, and of what has been checked before.
func must[T any](v T, err error) T {
	impossible(err)
	return v
}

// impossible panics if there is an error, which is one that nothing a user does can cause.
func impossible(err error) {
	if err != nil {
		panic(err)
	}
}

// A finding is the error of a command that worked, and found what was not wanted: files that differ, a broken contract, a
// tool that failed. Its exit code is 1.
type finding string

func (f finding) Error() string { return string(f) }

// newRoot returns the command mcpgen with all others. Its usage and errors replace those of cobra, which write flags
// with two dashes. Unknown arguments are refused last, since cobra adds a command with subcommands, too.
func newRoot(stdout, stderr *console.Printer) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpgen",
		Short: "Go for the Model Context Protocol, generated",
		Long: `Mcpgen generates Go code for the Model Context Protocol: tools, prompts and
resources from annotated functions, and a Go package from the protocol's
TypeScript schema, in all published revisions.

'mcpgen help directives' lists the annotations; 'help types', 'help results' and
'help inject' say what annotated functions may take and return. In a project that
has mcpgen as a tool, 'go vet -vettool=$(go tool -n mcpgen) ./...' reports
mistakes in them.

A flag is written with one dash or two: -out and --out are the same.

The exit code is 0 on success, 1 if a check found something ('mcpgen diff' is one
only with -breaking) or what was called has failed, 2 if the command line or the
input is wrong, and 3 if a server cannot be reached.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetUsageFunc(printUsage)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newAdd(), newAdopt(), newBindings(), newBudget(), newCall(), newCheck(), newClient(), newDev(), newDiff(), newDocs(), newDump(), newInit(),
		newInspect(), newLint(), newPrompt(), newPublish(), newRead(), newSchema(), newSkill(), newTools(), newVersion(), newWatch())
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	refuseUnknown(root)
	return root
}
