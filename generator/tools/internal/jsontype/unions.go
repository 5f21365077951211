package jsontype

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// union returns the form of an interface: an object of one of the types that implement it, told apart by a discriminator,
// or a scalar, told apart by its JSON type. That needs a sealed interface, whose implementations are all known.
func (a *Analyzer) union(n *types.Named, u *types.Interface, self *ir.Type, notes typeNotes, w *Site) *ir.Type {
	name := a.pkg.TypeString(n)
	if isError(n) {
		return a.refuse(n, w, "an error is no value; a function returns it as its last result")
	}
	if !sealed(u) && w.Dir == Out && w.foreign {
		return &ir.Type{Kind: ir.Any, Go: n} // as encoding/json writes it: by what it holds
	}
	if !sealed(u) && n.Obj().Pkg() != a.pkg.Types {
		return a.refuse(n, w, "any type could implement %s; use a type that is no interface", name)
	}
	if !sealed(u) {
		return a.refuse(n, w, "any type could implement %s; give it an unexported method, so that the types of its package are all there are, or use a type that is no interface", name)
	}
	*self = ir.Type{Kind: ir.Union, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj()), Discriminator: "type"}
	if d := notes.discriminator; d != nil {
		self.Discriminator = d.Text
		if !constraint.IsName(d.Text) {
			a.problems.Addf(d.Pos, "the discriminator %q is no name that a model writes well; use letters, digits and _", d.Text)
		}
	}
	if generic := genericImplementation(n, u); generic != nil {
		return a.refuse(n, w, "the generic type %s implements %s, but not all types that it stands for can be known; declare a type of its own for each, as type T struct{ %s[int] }, and take the method from %[1]s", generic.Name(), name, generic.Name())
	}
	byValue := make(map[string]*types.Named)
	all := implementations(n, u)
	scalars := slices.ContainsFunc(all, isScalar)
	if scalars {
		if d := notes.discriminator; d != nil {
			a.problems.Addf(d.Pos, "the scalars of %s are told apart by their JSON types; remove the discriminator", name)
		}
		if i := slices.IndexFunc(all, func(t types.Type) bool { return !isScalar(t) }); i >= 0 {
			return a.refuse(n, w, "%s is implemented by %s, which is a string, number or boolean, and by %s, which is not; an interface is for structs, or for one of each of these three", name, a.pkg.TypeString(all[slices.IndexFunc(all, isScalar)]), a.pkg.TypeString(all[i]))
		}
		self.Discriminator = ""
	}
	for _, t := range all {
		arm := a.arm(t, self, w)
		if arm == nil {
			continue
		}
		elem, _ := t.(*types.Named)
		if p, ok := t.(*types.Pointer); ok {
			elem, _ = p.Elem().(*types.Named)
		}
		switch other := byValue[arm.Value]; {
		case other != nil && scalars:
			a.problems.Addf(w.Pos, "%s: %s and %s are both a %s in JSON, so that nothing tells them apart; an interface has at most one of each", w.What, a.pkg.TypeString(other), a.pkg.TypeString(elem), arm.Value)
		case other != nil:
			a.problems.Addf(w.Pos, "%s: %s and %s both have the discriminator %q; another is given by //mcp:schema value=x above one of them", w.What, a.pkg.TypeString(other), a.pkg.TypeString(elem), arm.Value)
		}
		byValue[arm.Value] = elem
		self.Arms = append(self.Arms, arm)
	}
	if len(self.Arms) == 0 {
		return a.refuse(n, w, "no struct of package %s implements %s", n.Obj().Pkg().Name(), name)
	}
	return self
}

// isScalar reports whether a type has a string, a number or a boolean below its name.
func isScalar(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// scalarArm returns the arm of a scalar with a form, or nil if JSON cannot tell it apart.
func (a *Analyzer) scalarArm(n *types.Named, form *ir.Type, w *Site) *ir.Arm {
	arm := &ir.Arm{Type: form}
	switch form.Kind {
	case ir.String:
		arm.Value = "string"
	case ir.Bool:
		arm.Value = "boolean"
	case ir.Int, ir.Uint, ir.Float:
		arm.Value = "number"
	default:
		a.problems.Addf(w.Pos, "%s: %s implements an interface of scalars, and reads or writes its JSON itself", w.What, a.pkg.TypeString(n))
		return nil
	}
	if form.Named {
		a.problems.Addf(w.Pos, "%s: the numbers of %s have names in JSON, so that they are strings; use a type of strings", w.What, a.pkg.TypeString(n))
		return nil
	}
	if v := a.typeNotes(n).value; v != nil {
		a.problems.Addf(v.Pos, "%s is told apart by its JSON type; remove value", a.pkg.TypeString(n))
	}
	return arm
}

// sealed reports whether an interface has an unexported method.
func sealed(u *types.Interface) bool {
	for i := range u.NumMethods() {
		if !u.Method(i).Exported() {
			return true
		}
	}
	return false
}

// implementations returns the types T, or else *T, of the interface's package that implement it, in the
// order of their declaration.
func implementations(n *types.Named, u *types.Interface) []types.Type {
	scope := n.Obj().Pkg().Scope()
	var objects []*types.TypeName
	for _, name := range scope.Names() {
		if o, ok := scope.Lookup(name).(*types.TypeName); ok && !o.IsAlias() && !types.IsInterface(o.Type()) {
			objects = append(objects, o)
		}
	}
	slices.SortStableFunc(objects, func(x, y *types.TypeName) int { return cmp.Compare(x.Pos(), y.Pos()) })
	var out []types.Type
	for _, o := range objects {
		t, ok := o.Type().(*types.Named)
		if !ok || t.TypeParams().Len() > 0 {
			continue
		}
		switch {
		case types.Implements(t, u):
			out = append(out, t)
		case types.Implements(types.NewPointer(t), u):
			out = append(out, types.NewPointer(t))
		}
	}
	return out
}

// genericImplementation returns a generic type of the interface's package that implements it, or nil.
func genericImplementation(n *types.Named, u *types.Interface) *types.TypeName {
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || o.IsAlias() {
			continue
		}
		t, ok := o.Type().(*types.Named)
		if ok && t.TypeParams().Len() > 0 && !types.IsInterface(t) && types.Implements(types.NewPointer(t), u) {
			return o
		}
	}
	return nil
}

// arm returns one of the types of a union, or nil if it cannot be told apart.
func (a *Analyzer) arm(t types.Type, union *ir.Type, w *Site) *ir.Arm {
	elem := t
	if p, ok := t.(*types.Pointer); ok {
		elem = p.Elem()
	}
	n := elem.(*types.Named)
	where := *w
	where.What += ": " + a.pkg.TypeString(n)
	where.Bare = true
	form := a.typeOf(t, &where)
	st := form
	if form.Kind == ir.Pointer {
		st = form.Elem
	}
	switch {
	case st.Kind == ir.Invalid:
		return nil
	case union.Discriminator == "":
		return a.scalarArm(n, form, w)
	case st.Kind != ir.Struct:
		a.problems.Addf(w.Pos, "%s: %s implements %s but is no struct, so that nothing in it could say which type it is", w.What, a.pkg.TypeString(n), a.pkg.TypeString(union.Go))
		return nil
	}
	for _, f := range st.Fields {
		if f.Name == union.Discriminator {
			a.problems.Addf(w.Pos, "%s: %s has a field %s of the discriminator's name; another is given by //mcp:schema discriminator=kind above %s", w.What, a.pkg.TypeString(n), f.Name, a.pkg.TypeString(union.Go))
		}
	}
	arm := &ir.Arm{Value: source.Snake(n.Obj().Name()), Type: form}
	if v := a.typeNotes(n).value; v != nil {
		arm.Value = v.Text
	}
	return arm
}

// unionsOf returns the sealed interfaces of its own package that a type implements.
func (a *Analyzer) unionsOf(n *types.Named) []*types.Named {
	var out []*types.Named
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		i, ok := o.Type().(*types.Named)
		if !ok || i.TypeParams().Len() > 0 {
			continue
		}
		if u, ok := i.Underlying().(*types.Interface); ok && u.IsMethodSet() && sealed(u) && (types.Implements(n, u) || types.Implements(types.NewPointer(n), u)) {
			out = append(out, i)
		}
	}
	return out
}
