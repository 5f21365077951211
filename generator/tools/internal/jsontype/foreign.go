package jsontype

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// An about is a directive above the package clause about a type of another package.
type about struct {
	d    *directive.Directive
	t    *types.Named // a generic type stands for all its instances
	used bool
}

// notesAbout returns what this package says about a type of another one.
func (a *Analyzer) notesAbout(n *types.Named) []*directive.Directive {
	var found *about
	for _, ab := range a.abouts {
		if types.Identical(ab.t, n) {
			found = ab
			break
		}
		if ab.t == n.Origin() {
			found = ab
		}
	}
	if found == nil {
		return nil
	}
	found.used = true
	return []*directive.Directive{found.d}
}

// ReadPackage reads the directives above the package clause of a file, one of files, that are about types of other
// packages. They apply to all files, so that it comes before Type.
func (a *Analyzer) ReadPackage(f *source.File, files []*source.File) {
	for _, d := range f.Notes[f.Syntax] {
		if d.Name != "schema" {
			continue
		}
		v := d.Get("for")
		if v == nil {
			a.problems.Addf(d.Pos(), "%s: above the package clause, for= says which type of another package this is about, as in //mcp:schema for=github.Timestamp {\"type\":\"string\"}", d)
			continue
		}
		n := a.foreignType(d, v, f, files)
		if n == nil {
			continue
		}
		if i := slices.IndexFunc(a.abouts, func(ab *about) bool { return types.Identical(ab.t, n) }); i >= 0 {
			other := a.pkg.Position(a.abouts[i].d.Pos())
			a.problems.Addf(d.Pos(), "%s: the directive at line %d is about that type already", d, other.Line)
			continue
		}
		a.abouts = append(a.abouts, &about{d: d, t: n})
		a.aboutMakesSense(d, n)
	}
}

// aboutMakesSense checks the directives about a type of another package.
func (a *Analyzer) aboutMakesSense(d *directive.Directive, n *types.Named) {
	if _, known := knownKind(n); known && d.Free.Text != "" {
		a.problems.Addf(d.Pos(), "%s: the JSON form of %s is known; remove this", d, a.pkg.TypeString(n))
		return
	}
	if d.Free.Text == "" && len(d.Given) == 1 {
		a.problems.Addf(d.Pos(), "%s: what is missing is a schema, open, closed, discriminator= or value=", d)
		return
	}
	a.schema(d, n)
}

// foreignType returns the type of another package that a directive names, nil if there is none.
func (a *Analyzer) foreignType(d *directive.Directive, v *directive.Value, f *source.File, files []*source.File) *types.Named {
	text, typeArgs, generic := strings.Cut(v.Text, "[")
	dot := strings.LastIndex(text, ".")
	switch {
	case strings.HasPrefix(text, "*"):
		a.problems.Addf(v.Pos, "%s: name the type itself: for=%s", d, strings.TrimLeft(v.Text, "*"))
		return nil
	case dot < 0 || dot == len(text)-1:
		if a.pkg.Types.Scope().Lookup(text) != nil {
			a.problems.Addf(v.Pos, "%s: %s is a type of this package; write the directive above it, without for=", d, text)
		} else {
			a.problems.Addf(v.Pos, "%s: want a package and a type, such as github.Timestamp, got %q", d, v.Text)
		}
		return nil
	}
	qualifier, name := text[:dot], text[dot+1:]
	pkg := a.packageCalled(qualifier, f, files)
	if pkg == nil {
		a.problems.Addf(v.Pos, "%s: no file here imports a package called %s%s; one that is not imported is named by its path: for=example.com/units.Length", d, qualifier, spelling.DidYouMean(qualifier, a.importNames(files)))
		return nil
	}
	if pkg == a.pkg.Types {
		a.problems.Addf(v.Pos, "%s: %s is a type of this package; write the directive above it, without for=", d, name)
		return nil
	}
	o, ok := pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		var known []string
		for _, other := range pkg.Scope().Names() {
			if t, ok := pkg.Scope().Lookup(other).(*types.TypeName); ok && t.Exported() {
				known = append(known, other)
			}
		}
		a.problems.Addf(v.Pos, "%s: package %s has no type %s%s", d, pkg.Name(), name, spelling.DidYouMean(name, known))
		return nil
	}
	n, ok := types.Unalias(o.Type()).(*types.Named)
	if !ok {
		a.problems.Addf(v.Pos, "%s: %s.%s is another name of %s, which has no form of its own", d, pkg.Name(), name, a.pkg.TypeString(types.Unalias(o.Type())))
		return nil
	}
	if generic {
		return a.instance(d, v, n, strings.TrimSuffix(typeArgs, "]"), f)
	}
	return n
}

// instance returns a generic type, instantiated with the types that a directive gives.
func (a *Analyzer) instance(d *directive.Directive, v *directive.Value, n *types.Named, list string, f *source.File) *types.Named {
	targs, err := a.pkg.ParseTypes(f.Syntax.Name.Pos(), list)
	if err != nil {
		a.problems.Addf(v.Pos, "%s: %v", d, err)
		return nil
	}
	inst, err := types.Instantiate(nil, n.Origin(), targs, true)
	if err != nil {
		a.problems.Addf(v.Pos, "%s: %s cannot be instantiated so: %v", d, a.pkg.TypeString(n), err)
		return nil
	}
	return inst.(*types.Named)
}

// packageCalled returns the package that the file, or else another file, imports under a name, or that has that
// path.
func (a *Analyzer) packageCalled(name string, f *source.File, files []*source.File) *types.Package {
	for _, f := range slices.Concat([]*source.File{f}, files) {
		if p := a.imports(f)[name]; p != nil {
			return p
		}
	}
	if name == a.pkg.Types.Name() || name == a.pkg.Types.Path() {
		return a.pkg.Types
	}
	for _, p := range a.pkg.Types.Imports() { // under a name of the file's own
		if p.Name() == name {
			return p
		}
	}
	return importedBy(a.pkg.Types, name, make(map[*types.Package]bool))
}

// importedBy returns the package with a path among the direct and indirect imports of a package.
func importedBy(p *types.Package, path string, seen map[*types.Package]bool) *types.Package {
	for _, imported := range p.Imports() {
		if imported.Path() == path {
			return imported
		}
		if !seen[imported] {
			seen[imported] = true
			if found := importedBy(imported, path, seen); found != nil {
				return found
			}
		}
	}
	return nil
}

// imports returns the packages that a file imports, by the names that it has for them.
func (a *Analyzer) imports(f *source.File) map[string]*types.Package {
	byName := make(map[string]*types.Package)
	for _, spec := range f.Syntax.Imports {
		if p := a.imported(spec); p != nil {
			byName[p.Name()] = p.Imported()
		}
	}
	return byName
}

func (a *Analyzer) imported(spec *ast.ImportSpec) *types.PkgName {
	if spec.Name != nil {
		p, _ := a.pkg.Info.Defs[spec.Name].(*types.PkgName)
		return p
	}
	p, _ := a.pkg.Info.Implicits[spec].(*types.PkgName)
	return p
}

// importNames returns the names of all packages that files import.
func (a *Analyzer) importNames(files []*source.File) []string {
	names := make(map[string]bool)
	for _, f := range files {
		for name := range a.imports(f) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Unused adds a problem for each directive that ReadPackage read about a type that nothing here takes or returns. It
// does nothing if there are other problems, which may be the reason.
func (a *Analyzer) Unused() {
	if len(*a.problems) > 0 {
		return
	}
	for _, ab := range a.abouts {
		if !ab.used {
			a.problems.Addf(ab.d.Pos(), "%s: nothing that is offered here takes or returns a %s; remove this", ab.d, a.pkg.TypeString(ab.t))
		}
	}
}
