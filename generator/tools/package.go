package tools

import "github.com/mcpgen/mcpgen/generator/tools/internal/ir"

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
