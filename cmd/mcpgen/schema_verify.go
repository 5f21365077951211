package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/parser"
)

// newSchemaVerify returns mcpgen schema verify. Another structure is a finding. Another SHA-256 is not: a file can
// differ in its comments alone.
func newSchemaVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE[@NAME]",
		Short: "Compare a schema with mcpgen's own",
		Long: `Verify compares a schema, such as an official one that you have downloaded, with
mcpgen's own of the same revision or extension: the declarations, their order,
members and types, and the tags that tools read; not the comments. It prints the
difference, and exits with 1 if there is one.

NAME is a revision, or the name of an extension; without it, the name of the
file's folder is taken. If that is neither, the file is compared with what is
nearest to it. It does not matter from where the schema of an extension imports
the protocol.`,
		Example: `  mcpgen schema verify 2026-07-28/schema.ts
  mcpgen schema verify download.ts@2026-07-28
  mcpgen schema verify ext-apps/src/spec.types.ts@ui`,
		Args: operands("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			file, name, given, err := splitName(args[0])
			if err != nil {
				return err
			}
			candidates, found := called(name)
			if given && !found {
				return fmt.Errorf("%s: no schema of %q; known are %s", args[0], name, known())
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			f, err := parser.Parse(filepath.ToSlash(file), src)
			if err != nil {
				return err
			}
			nearest := ""
			if !found {
				nearest = ", the nearest"
			}
			own, diff := nearestTo(f, candidates)
			if diff != "" {
				io.WriteString(c.OutOrStdout(), diff)
				return finding(fmt.Sprintf("%s differs in structure from %s%s", f.Name, own.of, nearest))
			}
			sum := sha256.Sum256(src)
			is := "is"
			if hex.EncodeToString(sum[:]) != own.official {
				is = "is not"
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: identical in structure to %s\nIts SHA-256 %s that of the official file.\n",
				f.Name, own.of, is)
			return nil
		},
	}
}
