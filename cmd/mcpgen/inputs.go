package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// undated is the revision of a schema that has no date yet, such as a draft: newer than every other.
const undated = "9999-12-31"

// inputs holds the flags for the schemas that a command reads.
type inputs struct {
	revisions []string // lists of revisions of which mcpgen has the schema, with commas
	files     []string // FILE or FILE@REVISION
	extension string   // the NAME of an extension of which mcpgen has the schema, or NAME=FILE
	imports   []string // FROM=PATH: the Go package that has what an extension imports from a package
}

// addFlags adds the flags. Which of them exclude each other is checked when the schemas are read.
func (in *inputs) addFlags(c *cobra.Command) {
	c.Flags().StringArrayVar(&in.revisions, "revision", nil,
		"read mcpgen's own schema of the `REVISION`, or of several, with commas\n"+
			"between them; repeatable (default all, unless -schema is given)")
	c.Flags().StringArrayVar(&in.files, "schema", nil,
		"read the schema in a file, `FILE[@REVISION]`; repeatable. The revision is\n"+
			"the name of the file's folder where none is given; where that is no date,\n"+
			"one that is newer than all others")
	c.Flags().StringVar(&in.extension, "extension", "",
		"read mcpgen's own schema of the extension called `NAME`, or by NAME=FILE\n"+
			"the one in a file: of that extension, or of one with the identifier NAME;\n"+
			"not with -revision or -schema")
	c.Flags().StringArrayVar(&in.imports, "import", nil,
		"by `FROM=PATH`, the Go package PATH has the types of the protocol that the\n"+
			"schema of the extension imports from the npm package FROM; repeatable")
	for flag, complete := range map[string]cobra.CompletionFunc{"revision": completeRevision, "extension": completeExtension} {
		impossible(c.RegisterFlagCompletionFunc(flag, complete))
	}
}

// merged reads the schemas and makes the model from which code is generated: that of the extension, if there is
// one.
func (in *inputs) merged() (*model.Schema, error) {
	x, extension, err := in.ofExtension()
	if err != nil {
		return nil, err
	}
	schemas, err := in.load()
	if err != nil {
		return nil, err
	}
	base, err := model.Merge(schemas...)
	if err != nil || extension == nil {
		return base, err
	}
	return model.MergeExtension(x.ID, base, extension)
}

// lowered reads the schemas as they are before they are merged.
func (in *inputs) lowered() ([]*model.Schema, error) {
	if _, extension, err := in.ofExtension(); err != nil || extension != nil {
		return []*model.Schema{extension}, err
	}
	return in.load()
}

// load reads the schemas, one for each revision.
func (in *inputs) load() ([]*model.Schema, error) {
	var schemas []*model.Schema
	flags := map[string]string{} // by revision
	add := func(flag, revision string, read func() (*model.Schema, error)) error {
		if other, ok := flags[revision]; ok {
			return fmt.Errorf("two schemas of revision %s: %s and %s", revision, other, flag)
		}
		flags[revision] = flag
		s, err := read()
		schemas = append(schemas, s)
		return err
	}
	for _, list := range in.revisions {
		for revision := range strings.SplitSeq(list, ",") {
			err := add("-revision "+revision, revision, func() (*model.Schema, error) { return ownSchema(revision) })
			if err != nil {
				return nil, err
			}
		}
	}
	for _, arg := range in.files {
		file, revision, err := splitRevision(arg)
		if err != nil {
			return nil, err
		}
		if !isRevision(revision) {
			revision = undated
		}
		err = add("-schema "+arg, revision, func() (*model.Schema, error) {
			return readSchema(revision, filepath.ToSlash(file), func(name string) ([]byte, error) {
				return os.ReadFile(filepath.FromSlash(name))
			}, nil)
		})
		if err != nil {
			return nil, err
		}
	}
	if len(schemas) > 0 {
		return schemas, nil
	}
	for _, r := range schema.Revisions() {
		schemas = append(schemas, must(ownSchema(r.Name)))
	}
	return schemas, nil
}

// ownSchema reads the schema that mcpgen itself has of a revision.
func ownSchema(revision string) (*model.Schema, error) {
	name := "schema/" + revision + "/" + schema.FileName
	return readSchema(revision, name, func(string) ([]byte, error) { return schema.Source(revision) }, nil)
}

func readSchema(revision, name string, read func(name string) ([]byte, error), packages map[string]string) (*model.Schema, error) {
	files, err := model.Load(name, read, packages)
	if err != nil {
		return nil, err
	}
	return model.Lower(revision, files...)
}

// splitRevision splits FILE@REVISION. Without @, it returns the name of the file's folder, which need not be a
// revision.
func splitRevision(arg string) (file, revision string, err error) {
	file, revision, given, err := splitName(arg)
	if given && !isRevision(revision) {
		return "", "", fmt.Errorf("%s: %q is no revision: it should be a date such as 2026-07-28", arg, revision)
	}
	return file, revision, err
}

func isRevision(name string) bool {
	_, err := time.Parse(time.DateOnly, name)
	return err == nil
}

func completeRevision(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, r := range schema.Revisions() {
		names = append(names, r.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeExtension(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, x := range schema.Extensions() {
		names = append(names, x.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeName completes the name of one of mcpgen's own schemas.
func completeName(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	revisions, _ := completeRevision(c, args, word)
	extensions, _ := completeExtension(c, args, word)
	return slices.Concat(revisions, extensions), cobra.ShellCompDirectiveNoFileComp
}

// completeOperand completes a command's only operand.
func completeOperand(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, word)
	}
}
