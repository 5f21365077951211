// Package protocol makes the models of the embedded revisions.
package protocol

import (
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
