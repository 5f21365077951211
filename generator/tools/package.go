package tools

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
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

// NameOf returns the name of the tool that a function becomes, unless its directive gives another.
func NameOf(function string) string { return analyze.Snake(function) }

// Contents counts what the package makes of its functions: "2 tools, 1 prompt", for example.
func (p *Package) Contents() string {
	var parts []string
	for _, part := range []struct {
		n    int
		noun string
	}{{len(p.ir.Tools), "tool"}, {len(p.ir.Prompts), "prompt"}, {len(p.ir.Resources), "resource"}} {
		switch part.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+part.noun)
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", part.n, part.noun))
		}
	}
	if len(parts) == 0 {
		return "nothing is annotated"
	}
	return strings.Join(parts, ", ")
}
