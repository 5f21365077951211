package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// twoDashes lets flags be written with one dash, like those of Go's own commands, although cobra demands two. There
// are no clusters of one-letter flags with which they could be confused.
func twoDashes(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" { // only operands follow
			break
		}
		if len(arg) > len("-h") && arg[0] == '-' && arg[1] != '-' {
			args[i] = "-" + arg
		}
	}
	return args
}

// usageError returns the error for a command line that a command does not understand.
func usageError(c *cobra.Command, format string, args ...any) error {
	//lint:ignore ST1005 the second line is a sentence
	return fmt.Errorf("%s\nRun '%s -help' for usage.", fmt.Sprintf(format, args...), c.CommandPath())
}

// refuseUnknown makes commands that only group others refuse unknown arguments. Cobra would show their help, and
// succeed.
func refuseUnknown(c *cobra.Command) {
	if !c.HasSubCommands() {
		return
	}
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		c.SetOut(c.ErrOrStderr())
		c.Help()
		return errors.New("no command given")
	}
	for _, sub := range c.Commands() {
		refuseUnknown(sub)
	}
}

// unknownCommand makes the error for the name of a command that does not exist. More lists further names that may
// have been meant.
func unknownCommand(c *cobra.Command, name string, more ...string) error {
	known := slices.Clone(more)
	for _, sub := range c.Commands() {
		known = append(known, sub.Name())
	}
	slices.Sort(known)
	return usageError(c, "unknown command %q%s", name, suggest(name, known))
}

// flagError rewrites pflag's errors for flags with one dash.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "-"+f.Name) })
		name := "-" + unknown.GetSpecifiedName()
		return usageError(c, "unknown flag %s%s", name, suggest(name, known))
	case errors.As(err, &valueless):
		kind, _ := pflag.UnquoteUsage(valueless.GetFlag())
		return usageError(c, "no %s given for flag -%s", kind, valueless.GetSpecifiedName())
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "func":
		return usageError(c, "%v", errors.Unwrap(invalid))
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "int":
		return usageError(c, "flag -%s cannot be %q: it is a number", invalid.GetFlag().Name, invalid.GetValue())
	case errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration":
		return usageError(c, "flag -%s cannot be %q: it is a duration, such as 30s", invalid.GetFlag().Name, invalid.GetValue())
	case errors.As(err, &invalid):
		return usageError(c, "flag -%s cannot be %q: it is true or false", invalid.GetFlag().Name, invalid.GetValue())
	}
	return usageError(c, "%v", err)
}

// suggest returns the names that were probably meant, by cobra's measure for commands, or else all names.
func suggest(word string, known []string) string {
	if near := near(word, known); near != "" {
		return near
	}
	return "; known: " + strings.Join(known, ", ")
}

// near returns the end of a message about an unknown word: the names that may have been meant, empty if there are
// none.
func near(word string, known []string) string {
	c := cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range known {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	if near := c.SuggestionsFor(word); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// operands accepts as many operands as there are names.
func operands(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usageError(c, "no %s given", names[len(args)])
		case len(args) > len(names):
			return usageError(c, "one argument too many: %q", args[len(names)])
		}
		return nil
	}
}

// printUsage prints what follows a command's description in its help.
func printUsage(c *cobra.Command) error {
	w := tabwriter.NewWriter(c.OutOrStderr(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Usage:")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s COMMAND\n\nCommands:\n", c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %s\t%s\n", sub.Name(), sub.Short)
			}
		}
		fmt.Fprintf(w, "\nRun '%s COMMAND -help' for more about one of them.\n", c.CommandPath())
		w.Flush()
		return nil
	}
	fmt.Fprintf(w, "  %s\n\nFlags:\n", c.UseLine())
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("-" + f.Name + " " + value)
		fmt.Fprintf(w, "  %s\t%s\n", name, strings.ReplaceAll(usage, "\n", "\n\t"))
	})
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	w.Flush()
	return nil
}
