// Mcpgen turns the Model Context Protocol's TypeScript schema into Go.
//
//	mcpgen bindings       the Go package of one revision, or of several merged into one
//	mcpgen schema list    the revisions that it knows
//	mcpgen help           everything else
//
// It exits with 0 when it has done what was asked, with 1 when what it compared is stale or
// different, and with 2 when the command line or the input is wrong.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/parser"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command with these arguments and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(twoDashes(args))
	err := root.Execute()
	if err == nil {
		return 0
	}
	var placed *parser.Error
	if !errors.As(err, &placed) { // whose message begins with file:line:col, for editors to find
		fmt.Fprint(stderr, "mcpgen: ")
	}
	fmt.Fprintln(stderr, err)
	if errors.As(err, new(difference)) {
		return 1
	}
	return 2
}

// A difference says that a comparison did not end well.
type difference string

func (d difference) Error() string { return string(d) }

func newRoot(stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpgen",
		Short: "Go for the Model Context Protocol, generated from its schema",
		Long: `Mcpgen turns the Model Context Protocol's TypeScript schema into Go.

It knows the schemas of all published revisions and can read others. A flag is
written with one dash or two: -out and --out are the same.

The exit code is 0 when mcpgen has done what was asked, 1 when what it compared
is stale or different, and 2 when the command line or the input is wrong.`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetUsageFunc(printUsage)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newBindings(), newDump(), newSchema(), newVersion())
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	refuseUnknown(root)
	return root
}
