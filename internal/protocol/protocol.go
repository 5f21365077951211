// Package protocol makes the models of the embedded revisions.
package protocol

import (
	"io/fs"
	"slices"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
	"github.com/mcpgen/mcpgen/schema"
)

// Lowered returns the model of one revision as its schema has it.
func Lowered(revision string) (*model.Schema, error) {
	src, err := schema.Source(revision)
	if err != nil {
		return nil, err
	}
	f, err := parser.Parse(revision+"/"+schema.FileName, src)
	if err != nil {
		return nil, err
	}
	return model.Lower(revision, f)
}

// Merged returns the model of these revisions, of all where none is given.
func Merged(revisions ...string) (*model.Schema, error) {
	var all []*model.Schema
	for _, r := range schema.Revisions() {
		if len(revisions) > 0 && !slices.Contains(revisions, r.Name) {
			continue
		}
		s, err := Lowered(r.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return model.Merge(all...)
}

// Extension returns the model of an extension.
func Extension(x schema.Extension) (*model.Schema, error) {
	files, err := model.Load(x.Path(), schema.Files().ReadFile, nil)
	if err != nil {
		return nil, err
	}
	return ExtensionOf(x, files)
}

// ExtensionOf returns the model of an extension whose schema is files[0], and the others what it imports.
func ExtensionOf(x schema.Extension, files []*parser.File) (*model.Schema, error) {
	base, err := Merged()
	if err != nil {
		return nil, err
	}
	s, err := model.Lower(x.Revision, files...)
	if err != nil {
		return nil, err
	}
	return model.MergeExtension(x.ID, base, s)
}

// Skills returns the model of the skills extension, which publishes no schema file: the one in mcp/skills is ours alone. Root
// is the repository.
func Skills(root fs.FS) (*model.Schema, error) {
	files, err := model.Load("mcp/skills/schema.ts", func(name string) ([]byte, error) { return fs.ReadFile(root, name) }, nil)
	if err != nil {
		return nil, err
	}
	return ExtensionOf(schema.Extension{ID: "io.modelcontextprotocol/skills", Revision: "2026-07-28"}, files)
}
