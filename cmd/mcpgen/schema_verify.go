package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

func newSchemaVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE[@REVISION]",
		Short: "Compare a schema with mcpgen's own",
		Long: `Verify compares a schema, such as an official one that you have downloaded, with
mcpgen's own of the same revision: the declarations, their order, members and
types, and the tags that tools read; not the comments. It prints the difference,
and exits with 1 if there is one.

The revision is the name of the file's folder, unless it is given. Where it is
neither, the revision that is nearest to the file is taken.`,
		Example: `  mcpgen schema verify 2026-07-28/schema.ts
  mcpgen schema verify download.ts@2026-07-28`,
		Args: operands("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, revision, err := splitRevision(args[0])
			if err != nil {
				return err
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(file)
			form, err := canonical(name, src)
			if err != nil {
				return err
			}
			candidates, nearest := schema.Revisions(), ""
			at := slices.IndexFunc(candidates, func(r schema.Revision) bool { return r.Name == revision })
			switch {
			case at >= 0:
				candidates = candidates[at : at+1]
			case file != args[0]: // the revision was given
				_, err := schema.Source(revision)
				return err
			default:
				nearest = ", the nearest"
			}
			own, diff, err := nearestTo(name, form, candidates)
			if err != nil {
				return err
			}
			if diff != "" {
				if _, err := io.WriteString(c.OutOrStdout(), diff); err != nil {
					return err
				}
				return difference(fmt.Sprintf("%s differs in structure from revision %s%s", name, own.Name, nearest))
			}
			sum := sha256.Sum256(src)
			is := "is"
			if hex.EncodeToString(sum[:]) != own.Official {
				is = "is not"
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: identical in structure to revision %s\nIts SHA-256 %s that of the official file.\n",
				name, own.Name, is)
			return err
		},
	}
}

// nearestTo returns the revision whose schema differs least from the one in canonical form, and
// the difference.
func nearestTo(name, form string, candidates []schema.Revision) (nearest schema.Revision, diff string, err error) {
	for i, r := range candidates {
		src, err := schema.Source(r.Name)
		if err != nil {
			return r, "", err
		}
		ownName := "schema/" + r.Name + "/" + schema.FileName
		own, err := canonical(ownName, src)
		if err != nil {
			return r, "", err
		}
		d := udiff.Unified(ownName, name, own, form)
		if i == 0 || len(d) < len(diff) {
			nearest, diff = r, d
		}
	}
	return nearest, diff, nil
}

func canonical(name string, src []byte) (string, error) {
	f, err := parser.Parse(name, src)
	if err != nil {
		return "", err
	}
	return parser.Format(f), nil
}
