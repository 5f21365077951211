package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// newSchemaAdopt returns mcpgen schema adopt. The schema goes to standard output, for a file, and the places that wait
// for words to standard error, for the person.
func newSchemaAdopt() *cobra.Command {
	var as string
	c := &cobra.Command{
		Use:   "adopt FILE",
		Short: "Write an official schema as mcpgen's own, with its comments",
		Long: `Adopt prints an official schema as mcpgen keeps it: with the declarations and the
tags for tools unchanged, and with mcpgen's own comments for the same declarations
and members in place of the official ones. The comments come from mcpgen's schema of
that revision or extension, or else from the schema nearest to the file.

Where mcpgen has no comment, the comment is two dashes. Where something has changed,
two dashes and what it was follow the comment. Each such place is listed on standard
error.`,
		Example: `  mcpgen schema adopt download.ts -as 2027-03-15 > schema/2027-03-15/schema.ts
  mcpgen schema adopt ext-apps/src/spec.types.ts -as ui > schema/ext/ui/schema.ts`,
		Args: operands("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, inFolder, _, err := splitName(args[0])
			if err != nil {
				return err
			}
			if as == "" {
				as = inFolder
			}
			if _, found := called(as); !found && !isRevision(as) {
				return usageError(c, "%q is neither a revision nor an extension that mcpgen has: give one with -as, such as 2026-07-28", as)
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text, marks, err := adopt(filepath.ToSlash(file), as, src)
			if err != nil {
				return err
			}
			io.WriteString(c.OutOrStdout(), text)
			for _, m := range marks {
				if m.Text != "" {
					m.Text = "; it " + m.Text
				}
				fmt.Fprintf(c.ErrOrStderr(), "line %d: %s needs words%s\n", m.Pos.Line, m.Path, m.Text)
			}
			if len(marks) == 1 {
				fmt.Fprintln(c.ErrOrStderr(), "1 place needs words")
			} else {
				fmt.Fprintf(c.ErrOrStderr(), "%d places need words\n", len(marks))
			}
			return nil
		},
	}
	c.Flags().StringVar(&as, "as", "", "the revision or extension `NAME` that the file is of (default the name\nof its folder)")
	impossible(c.RegisterFlagCompletionFunc("as", completeName))
	return c
}

// adopt returns an official file as our own schema of a revision or extension, and the places in it that need a
// comment.
func adopt(name, as string, src []byte) (string, []parser.Mark, error) {
	official, err := parser.Parse(name, src)
	if err != nil {
		return "", nil, err
	}
	candidates, found := called(as)
	nearest, _ := nearestTo(official, candidates)
	base := nearest.parse(&parser.File{})
	parser.Adopt(official, base)
	header := schema.Header(as)
	if found {
		header = nearest.header
	}
	if nearest.imports {
		for i := range min(len(official.Imports), len(base.Imports)) {
			official.Imports[i].From = base.Imports[i].From
		}
	}
	text := header + parser.Print(official)
	adopted := must(parser.Parse(name, []byte(text))) // for the lines
	return text, parser.Marked(adopted), nil
}
