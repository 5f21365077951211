package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A Package is a package that is analyzed. It is parsed with comments and type-checked. One goroutine at a time may
// use it; several packages may share their Sources.
type Package struct {
	Files   []*ast.File
	Types   *types.Package
	Info    *types.Info
	Dir     string
	Module  string // the path of the module; empty if it is not known, and then it is this package alone
	Sources *Files // finds declarations, of other packages too

	local map[string]bool // the names of Files
}

// Own reports whether a package is part of the module.
func (p *Package) Own(other *types.Package) bool {
	return other == p.Types || other != nil && p.Module != "" && (other.Path() == p.Module || strings.HasPrefix(other.Path(), p.Module+"/"))
}

// Position returns where a position is.
func (p *Package) Position(pos token.Pos) token.Position { return p.Sources.fset.Position(pos) }

// Has reports whether a position is in one of Files, which a generated file and tests are not.
func (p *Package) Has(pos token.Pos) bool { return p.names()[p.Position(pos).Filename] }

func (p *Package) names() map[string]bool {
	if p.local == nil {
		p.local = make(map[string]bool)
		for _, f := range p.Files {
			p.local[p.Position(f.Package).Filename] = true
		}
	}
	return p.local
}

// TypeString writes a type as the code of the package does.
func (p *Package) TypeString(t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		return other.Name()
	})
}

// ParseTypes returns the types in a list separated by commas, with the meaning that they have at a position.
func (p *Package) ParseTypes(pos token.Pos, list string) ([]types.Type, error) {
	var all []types.Type
	for _, expr := range splitTypes(list) {
		tv, err := types.Eval(p.Sources.fset, p.Types, pos, expr)
		if err != nil || !tv.IsType() {
			return nil, fmt.Errorf("%s is no type that is known here", expr)
		}
		all = append(all, tv.Type)
	}
	return all, nil
}

// splitTypes splits at the commas that are outside brackets.
func splitTypes(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(list[start:]))
}
