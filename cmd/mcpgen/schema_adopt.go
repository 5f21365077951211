package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

func newSchemaAdopt() *cobra.Command {
	var revision string
	c := &cobra.Command{
		Use:   "adopt FILE",
		Short: "Write an official schema as mcpgen's own, with its comments",
		Long: `Adopt prints an official schema as mcpgen keeps it: the declarations and the tags
that tools read as they are, and instead of the official comments those that
mcpgen has for the same declarations and members. The comments come from its own
schema of that revision, or else of the revision that is nearest to the file.

What mcpgen has no words for has a comment of two dashes. Where something has
changed, two dashes and what it was follow the words. Each such place is listed on
standard error.`,
		Example: `  mcpgen schema adopt download.ts -as 2027-03-15 > schema/2027-03-15/schema.ts`,
		Args:    operands("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, inFolder, err := splitRevision(args[0])
			if err != nil {
				return err
			}
			if revision == "" {
				revision = inFolder
			}
			if !isRevision(revision) {
				return usageError(c, "%q is no revision: give one by -as, such as 2026-07-28", revision)
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text, marks, err := adopt(filepath.ToSlash(file), revision, src)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(c.OutOrStdout(), text); err != nil {
				return err
			}
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
	c.Flags().StringVar(&revision, "as", "", "the `REVISION` that the file is of (default the name of its folder)")
	c.RegisterFlagCompletionFunc("as", cobra.NoFileCompletions)
	return c
}

// adopt returns an official file as our own schema of a revision, and the places in it that need words.
func adopt(name, revision string, src []byte) (string, []parser.Mark, error) {
	official, err := parser.Parse(name, src)
	if err != nil {
		return "", nil, err
	}
	candidates := schema.Revisions()
	if i := slices.IndexFunc(candidates, func(r schema.Revision) bool { return r.Name == revision }); i >= 0 {
		candidates = candidates[i : i+1]
	}
	nearest, _, err := nearestTo(name, parser.Format(official), candidates)
	if err != nil {
		return "", nil, err
	}
	own, err := schema.Source(nearest.Name)
	if err != nil {
		return "", nil, err
	}
	base, err := parser.Parse(nearest.Name, own)
	if err != nil {
		return "", nil, err
	}
	parser.Adopt(official, base)
	text := schema.Header(revision) + parser.Print(official)
	adopted, err := parser.Parse(name, []byte(text)) // for the lines
	if err != nil {
		return "", nil, err
	}
	return text, parser.Marked(adopted), nil
}
