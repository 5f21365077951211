package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/model/diff"
)

func newDiff() *cobra.Command {
	var format string
	var breaking, docs bool
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Tell what changes from one revision of the protocol to another",
		Long: `Diff compares two schemas: what was added, removed and changed, and which side has
to change because of it. OLD and NEW are revisions of which mcpgen has the
schema, or files: FILE.ts or FILE@REVISION.

A change breaks those who send a type if they must send something that they did
not have to before, or must not send what they could; and those who receive it,
if they receive what they did not have to expect, or no longer what they could
rely on.`,
		Example: `  mcpgen diff 2025-11-25 2026-07-28
  mcpgen diff -format=markdown 2026-07-28 2027-01-31/schema.ts
  mcpgen diff -breaking 2026-07-28 draft/schema.ts`,
		Args: operands("OLD", "NEW"),
		RunE: func(c *cobra.Command, args []string) error {
			var models [2]*model.Schema
			for i, arg := range args {
				in := inputs{files: []string{arg}}
				if !strings.HasSuffix(arg, ".ts") && !strings.Contains(arg, "@") {
					in = inputs{revisions: []string{arg}}
				}
				var err error
				if models[i], err = in.merged(); err != nil {
					return err
				}
			}
			all := diff.Compare(models[0], models[1])
			shown := slices.DeleteFunc(slices.Clone(all), func(ch diff.Change) bool {
				return breaking && ch.Breaks == nil || !docs && ch.Kind == diff.Documented
			})
			w := c.OutOrStdout()
			var err error
			switch format {
			case "text":
				printDiff(w, args, all, shown)
			case "markdown":
				printMarkdown(w, args, all, shown)
			case "json":
				err = printJSON(w, shown)
			default:
				return usageError(c, "flag -format cannot be %q: it is text, markdown or json", format)
			}
			if err == nil && breaking && len(shown) > 0 {
				err = difference(fmt.Sprintf("%s breaks clients or servers of %s", args[1], args[0]))
			}
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "text", "the `FORMAT`: text, markdown or json")
	c.Flags().BoolVar(&breaking, "breaking", false, "show only what breaks a side, and exit with 1 if anything does")
	c.Flags().BoolVar(&docs, "docs", false, "show what only its documentation has changed, too")
	return c
}

// summary counts changes.
func summary(all []diff.Change) string {
	var clients, servers, documented int
	for _, ch := range all {
		if slices.Contains(ch.Breaks, diff.Client) {
			clients++
		}
		if slices.Contains(ch.Breaks, diff.Server) {
			servers++
		}
		if ch.Kind == diff.Documented {
			documented++
		}
	}
	return fmt.Sprintf("Changes: %d (breaking for clients: %d, for servers: %d). Documentation only: %d.",
		len(all)-documented, clients, servers, documented)
}

// A subject is what changes are about: a method, a type with its members, or a constant.
type subject struct {
	what    string
	name    string
	changes []diff.Change
}

// subjects groups changes.
func subjects(changes []diff.Change) (list []subject) {
	for _, ch := range changes {
		what, name := string(ch.What), ch.Name
		if ch.Of != "" {
			what, name = string(diff.Type), ch.Of
		}
		if n := len(list); n == 0 || list[n-1].what != what || list[n-1].name != name {
			list = append(list, subject{what: what, name: name})
		}
		last := &list[len(list)-1]
		last.changes = append(last.changes, ch)
	}
	return list
}

// mark is what a line begins with.
func mark(k diff.Kind) string {
	switch k {
	case diff.Added:
		return "+"
	case diff.Removed:
		return "-"
	case diff.Deprecated:
		return "!"
	}
	return "~"
}

// said says what changed, without the name of the subject.
func said(ch diff.Change) string {
	var parts []string
	if ch.Of != "" {
		parts = append(parts, string(ch.What)+" "+ch.Name)
	}
	switch {
	case ch.Kind == diff.Deprecated:
		parts = append(parts, "deprecated: "+firstLine(ch.New))
	case ch.Kind == diff.Documented:
		parts = append(parts, "the documentation differs")
	case ch.Old != "" && ch.New != "":
		parts = append(parts, ch.Old+" → "+ch.New)
	case ch.What == diff.Member: // the text has its name
		parts[0] = string(ch.What) + " " + ch.Old + ch.New
	case ch.Old+ch.New != "":
		parts = append(parts, ch.Old+ch.New)
	}
	return strings.Join(parts, ": ")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// broken says whom a change breaks, and why; it is empty if nobody.
func broken(ch diff.Change) string {
	if ch.Breaks == nil {
		return ""
	}
	var sides []string
	for _, s := range ch.Breaks {
		sides = append(sides, string(s)+"s")
	}
	return "breaks " + strings.Join(sides, " and ") + ": " + ch.Why
}

func printDiff(w io.Writer, args []string, all, shown []diff.Change) {
	fmt.Fprintf(w, "%s → %s\n%s\n", args[0], args[1], summary(all))
	for _, s := range subjects(shown) {
		alone := len(s.changes) == 1 && s.changes[0].Of == ""
		if !alone {
			fmt.Fprintf(w, "\n  %s %s\n", s.what, s.name)
		}
		for _, ch := range s.changes {
			if alone {
				fmt.Fprintf(w, "\n%s %s %s", mark(ch.Kind), s.what, s.name)
				if text := said(ch); text != "" {
					fmt.Fprintf(w, ": %s", text)
				}
			} else {
				fmt.Fprintf(w, "%s   %s", mark(ch.Kind), said(ch))
			}
			fmt.Fprintln(w)
			if b := broken(ch); b != "" {
				fmt.Fprintf(w, "      %s\n", b)
			}
		}
	}
}

func printMarkdown(w io.Writer, args []string, all, shown []diff.Change) {
	fmt.Fprintf(w, "## %s → %s\n\n%s\n\n| | what | change | breaks |\n|---|---|---|---|\n", args[0], args[1], summary(all))
	cell := strings.NewReplacer("|", "\\|", "\n", " ").Replace
	for _, s := range subjects(shown) {
		for i, ch := range s.changes {
			what := ""
			if i == 0 {
				what = s.what + " `" + s.name + "`"
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s |\n", mark(ch.Kind), what, cell(said(ch)), strings.TrimPrefix(broken(ch), "breaks "))
		}
	}
}
