package signature

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
)

// exampleTypes returns types that fit the type parameters of a signature, in simple cases.
func (f *Function) exampleTypes(sig *types.Signature) []string {
	var out []string
	for _, list := range []*types.TypeParamList{sig.RecvTypeParams(), sig.TypeParams()} {
		params := make(map[string]string)
		for p := range list.TypeParams() {
			params[p.Obj().Name()] = "int"
			if i, ok := p.Constraint().Underlying().(*types.Interface); ok && i.NumEmbeddeds() == 1 {
				if u, ok := i.EmbeddedType(0).(*types.Union); ok && u.Len() > 0 {
					params[p.Obj().Name()] = f.pkg.TypeString(u.Term(0).Type())
				}
			}
		}
		for p := range list.TypeParams() {
			out = append(out, typeParam.ReplaceAllStringFunc(params[p.Obj().Name()], func(name string) string {
				if known, ok := params[name]; ok {
					return known
				}
				return name
			}))
		}
	}
	return out
}

// typeParam finds the names in a type.
var typeParam = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// instantiate returns the signature of a generic function, or of a method of a generic type, with
// the types that the directive gives; nil if they do not fit.
func (f *Function) instantiate(d *directive.Directive, given *directive.Value, sig *types.Signature) *types.Signature {
	args, err := f.pkg.ParseTypes(f.decl.Name.Pos(), strings.ReplaceAll(given.Text, `\,`, ","))
	if err != nil {
		f.problems.Addf(given.Pos, "%s: %v", d, err)
		return nil
	}
	want := sig.TypeParams().Len() + sig.RecvTypeParams().Len()
	if len(args) != want {
		f.problems.Addf(given.Pos, "%s: %s has %s, but instantiate gives %s", d, f.decl.Name.Name, count(want, "type parameter"), count(len(args), "type"))
		return nil
	}
	f.Func.TypeArgs = args
	var origin types.Type = sig
	var recv *types.Named
	if sig.RecvTypeParams().Len() > 0 {
		t := sig.Recv().Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		recv, _ = types.Unalias(t).(*types.Named)
		if recv == nil {
			return nil
		}
		origin = recv.Origin()
	}
	inst, err := types.Instantiate(nil, origin, args, true)
	if err != nil {
		f.problems.Addf(given.Pos, "%s: %s cannot be instantiated so: %v", d, f.decl.Name.Name, err)
		return nil
	}
	if recv == nil {
		s, _ := inst.(*types.Signature)
		return s
	}
	// Only types and functions can be instantiated: the method is that of the instance of its type.
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(inst), true, f.pkg.Types, f.obj.Name())
	m, ok := o.(*types.Func)
	if !ok {
		return nil
	}
	f.Func.Recv = m.Signature().Recv().Type()
	f.oneInstance(given)
	return m.Signature()
}

// oneInstance checks that all methods of a generic type are offered for the same instance of it, since one generated
// function registers them.
func (f *Function) oneInstance(given *directive.Value) {
	for _, fn := range f.methods {
		n, mine := fn.Receiver(), f.Func.Receiver()
		if n.Obj() == mine.Obj() && !types.Identical(n, mine) {
			f.problems.Addf(given.Pos, "%s is instantiated in two ways: here and at line %d; the methods of a type are registered together", n.Obj().Name(), fn.Pos.Line)
			return
		}
	}
}
