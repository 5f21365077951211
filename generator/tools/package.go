package tools

import (
	"cmp"

	"github.com/mcpgen/mcpgen/generator/internal/contract"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// A Package is a Go package with annotated functions.
type Package struct {
	ir   *ir.Package
	base string // the folder that errors name files relative to; empty for absolute names
}

// Path returns the import path.
func (p *Package) Path() string { return p.ir.Path }

// Name returns the name of the package.
func (p *Package) Name() string { return p.ir.Name }

// Dir returns the absolute path of the folder, where the generated files belong.
func (p *Package) Dir() string { return p.ir.Dir }

// Tools returns the names of the tools.
func (p *Package) Tools() []string {
	var names []string
	for _, t := range p.ir.Tools {
		names = append(names, t.Name)
	}
	return names
}

// Prompts returns the names of the prompts.
func (p *Package) Prompts() []string {
	var names []string
	for _, pr := range p.ir.Prompts {
		names = append(names, pr.Name)
	}
	return names
}

// Resources returns the names of the resources and templates, and their URIs.
func (p *Package) Resources() []string {
	var names []string
	for _, r := range p.ir.Resources {
		names = append(names, r.Name, r.URI)
	}
	return names
}

// NameOf returns the name of the tool, prompt or resource that a function becomes, unless its directive gives another.
func NameOf(function string) string { return source.Snake(function) }

// Contents counts what the package offers: "2 tools, 1 prompt", for example.
func (p *Package) Contents() string {
	return cmp.Or(contract.Count(contract.Number{N: len(p.ir.Tools), Noun: "tool"}, contract.Number{N: len(p.ir.Prompts), Noun: "prompt"},
		contract.Number{N: len(p.ir.Resources), Noun: "resource"}, contract.Number{N: len(p.ir.Pages), Noun: "page"}), "nothing is annotated")
}
