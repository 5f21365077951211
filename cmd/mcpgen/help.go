package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// directives is what help has besides commands.
const directives = "directives"

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | directives]",
		Short: "Show what a command does, and its flags; or how Go functions are annotated",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if target, rest, err := c.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range target.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			if len(args) == 0 {
				names = append(names, cobra.CompletionWithDesc(directives, "How Go functions are annotated"))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == directives {
				if err := operands()(c, args[1:]); err != nil {
					return err
				}
				_, err := io.WriteString(c.OutOrStdout(), tools.DirectiveHelp())
				return err
			}
			target, rest, err := c.Root().Find(args)
			if err != nil {
				return err
			}
			switch {
			case len(rest) > 0 && target == c.Root():
				return unknownCommand(target, rest[0], directives)
			case len(rest) > 0 && target.HasSubCommands():
				return unknownCommand(target, rest[0])
			case len(rest) > 0:
				return operands()(target, rest)
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}
