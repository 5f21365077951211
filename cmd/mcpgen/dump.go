package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
)

// newDump returns mcpgen dump. It prints the structs of package model, and what it prints changes with them.
func newDump() *cobra.Command {
	var in inputs
	var lowered bool
	c := &cobra.Command{
		Use:   "dump",
		Short: "Print the model of a schema as JSON",
		Long: `Dump prints, as JSON, the model that code is generated from: the schemas of the
revisions given, merged into one.`,
		Example: `  mcpgen dump
  mcpgen dump -revision 2025-11-25,2026-07-28
  mcpgen dump -extension tasks
  mcpgen dump -lowered -schema 2027-01-31/schema.ts`,
		Args: operands(),
		RunE: func(c *cobra.Command, args []string) error {
			if lowered {
				schemas, err := in.lowered()
				if err != nil {
					return err
				}
				return printJSON(c.OutOrStdout(), schemas)
			}
			merged, err := in.merged()
			if err != nil {
				return err
			}
			return printJSON(c.OutOrStdout(), merged)
		},
	}
	in.addFlags(c)
	c.Flags().BoolVar(&lowered, "lowered", false, "print the models before they are merged: an array, one for each revision")
	return c
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
