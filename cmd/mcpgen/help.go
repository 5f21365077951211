package main

import "github.com/spf13/cobra"

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show what a command does, and its flags",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var names []cobra.Completion
			if target, rest, err := c.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range target.Commands() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			target, rest, err := c.Root().Find(args)
			if err != nil {
				return err
			}
			switch {
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
