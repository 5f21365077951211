package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/console"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/report"
)

// The formats of mcpgen diff.
var diffFormats = []string{"text", "markdown", "json", "html"}

// newDiff returns mcpgen diff. It is a check, which can end with a finding, only with -breaking.
func newDiff() *cobra.Command {
	var format string
	var only diffFilter
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show what changes from one revision of the protocol to another",
		Long: `Diff compares two schemas: what was added, removed and changed, which side has to
change because of it, and what breaks Go code that calls the generated package.
OLD and NEW are revisions of which mcpgen has the schema, or files: FILE.ts or
FILE@REVISION. They may also be an extension of which mcpgen has the schema, and a
file of it; or two lock files of tools. A lock file keeps what callers have until
a break is accepted: if NEW is the mcp.lock.json of a package, what its code
breaks is shown, too, as not accepted yet.

A change breaks those who send a type if they must send something that they did
not have to before, or must not send what they could; and those who receive it,
if they receive what they did not have to expect, or no longer what they could
rely on.

The Go package is that of all revisions through OLD, compared with the one that
has NEW, too.

On a terminal, the text is coloured, unless NO_COLOR is set, and folded to its
width. With -format=html, it is one page without links to others: a matrix of the
revisions, and what each declares.`,
		Example: `  mcpgen diff 2025-11-25 2026-07-28
  mcpgen diff -format=html 2025-11-25 2026-07-28 > diff.html
  mcpgen diff -breaking 2026-07-28 draft/schema.ts
  mcpgen diff ui ext-apps/src/spec.types.ts
  mcpgen diff released/mcp.lock.json mcp.lock.json`,
		Args: operands("OLD", "NEW"),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(diffFormats, format) {
				return usageError(c, "flag -format cannot be %q: it is %s", format, listed(diffFormats, "or"))
			}
			d, err := compare(c.Context(), args[0], args[1], format == "html")
			if err != nil {
				return err
			}
			if broken := d.print(c.OutOrStdout(), format, only); only.breaking && broken != "" {
				return finding(fmt.Sprintf("%s breaks %s of %s", args[1], broken, args[0]))
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", "the `FORMAT`: "+listed(diffFormats, "or"))
	c.Flags().BoolVar(&only.breaking, "breaking", false, "show only what breaks something, and exit with 1 if anything does")
	c.Flags().BoolVar(&only.docs, "docs", false, "show what of the schemas only its documentation has changed, too")
	return c
}

// A diffFilter says which parts of a difference are shown.
type diffFilter struct{ breaking, docs bool }

// A compared pair is printed in every format.
type compared interface {
	// report returns what differs, and what is printed as JSON. It names those whom the shown changes break.
	report(diffFilter) (r *report.Report, asJSON any, broken string)
}

// compare compares two operands and, with a matrix, also all revisions between them.
func compare(ctx context.Context, older, newer string, matrix bool) (pair, error) {
	if isLock(older) != isLock(newer) {
		return pair{}, fmt.Errorf("%s and %s cannot be compared: lock files of tools are compared with each other", older, newer)
	}
	if isLock(older) {
		c, err := compareLocks(ctx, older, newer)
		return pair{c}, err
	}
	for _, arg := range []string{older, newer} {
		if x, found := extensionOf(arg); found {
			c, err := compareExtensions(x, older, newer)
			return pair{c}, err
		}
	}
	c, err := compareSchemas(older, newer, matrix)
	return pair{c}, err
}

// A pair is two operands that have been compared, of whichever kind they are.
type pair struct{ compared }

// print writes the difference in one of diffFormats, and returns whom it breaks. It fails only where w does, which a
// Printer knows.
func (p pair) print(w io.Writer, format string, only diffFilter) (broken string) {
	r, asJSON, broken := p.report(only)
	switch format {
	case "text":
		w, style := coloured(w)
		r.Text(w, style)
	case "markdown":
		r.Markdown(w)
	case "json":
		printJSON(w, asJSON)
	case "html":
		r.HTML(w)
	}
	return broken
}

// coloured returns where a report is written to, and its style there.
func coloured(w io.Writer) (io.Writer, report.Style) {
	if p, ok := w.(*console.Printer); ok {
		return p.Coloured(), p.Style
	}
	return w, report.Style{}
}

// listed returns words as a sentence lists them, with "and" or "or" before the last.
func listed(words []string, conjunction string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
