package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// A topic is a help topic that is not a command.
type topic struct{ name, short, text string }

// topics returns the topics about annotated functions.
func topics() []topic {
	all := []topic{{"directives", "How Go functions are annotated", tools.DirectiveHelp()}}
	for _, t := range tools.HelpTopics() {
		all = append(all, topic{t.Name, t.Short, t.Text()})
	}
	return all
}

// newHelp returns mcpgen help. Cobra's own knows no topics, and does not fail for an unknown name.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Show what a command does, and its flags; or how Go functions are annotated",
		Long:  "Show what a command does, and its flags; or how Go functions are annotated:\n" + listTopics(),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if target, rest, err := c.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range target.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			if len(args) == 0 {
				for _, t := range topics() {
					names = append(names, cobra.CompletionWithDesc(t.name, t.short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			var known []string
			for _, t := range topics() {
				known = append(known, t.name)
				if len(args) > 0 && args[0] == t.name {
					if err := operands()(c, args[1:]); err != nil {
						return err
					}
					io.WriteString(c.OutOrStdout(), t.text)
					return nil
				}
			}
			target, rest, _ := c.Root().Find(args) // its error is about arguments, which all commands check themselves
			switch {
			case len(rest) > 0 && target == c.Root():
				return unknownCommand(target, rest[0], known...)
			case len(rest) > 0 && target.HasSubCommands():
				return unknownCommand(target, rest[0])
			case len(rest) > 0:
				return operands()(target, rest)
			}
			target.InitDefaultHelpFlag()
			target.Help()
			return nil
		},
	}
}

// listTopics lists the topics that are not commands.
func listTopics() string {
	var b strings.Builder
	for _, t := range topics() {
		fmt.Fprintf(&b, "\n  %-10s  %s", t.name, t.short)
	}
	return b.String()
}
