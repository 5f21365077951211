package jsontype

import (
	"go/types"
	"reflect"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// A candidate is a field that may become a property, by the rules of encoding/json.
type candidate struct {
	field  *types.Var
	name   string
	tagged bool
	tag    jsonTag
	steps  []ir.Step

	described string // by a jsonschema tag
	form      string // the tag form
}

// maxFields bounds the fields of a struct, with those of the structs embedded in it.
const maxFields = 1000

// A level is an embedded struct whose fields are being collected.
type level struct {
	st    *types.Struct
	steps []ir.Step
}

// fields returns the properties of a struct as encoding/json finds them: embedded structs are
// flattened, and of two fields with one name the less deeply embedded wins.
func (a *Analyzer) fields(st *types.Struct, owner *types.Named, w *Site) []*ir.Property {
	order, byName := a.candidates(st, w)
	var out []*ir.Property
	for _, c := range order {
		rivals := byName[c.name]
		if rivals[0] != c {
			continue
		}
		if len(rivals) > 1 && len(rivals[1].steps) == len(c.steps) && rivals[1].tagged == c.tagged {
			if a.isForeign(owner, w) {
				continue // which encoding/json does not have either
			}
			a.problems.Addf(a.fieldPos(c.field, w), "%s: the fields %s and %s are both called %s in JSON, so that encoding/json has neither; rename one by its json tag", a.fieldOwner(owner, w), c.path(), rivals[1].path(), c.name)
			continue
		}
		if !a.selects(owner, st, c) {
			a.problems.Addf(a.fieldPos(c.field, w), "%s: generated code cannot reach the field %s, which Go hides behind another field or method of that name; rename one, or leave it out of JSON by json:\"-\"", a.fieldOwner(owner, w), c.path())
			continue
		}
		out = append(out, a.field(c, owner, w))
	}
	return out
}

// isForeign reports whether a struct belongs to another module. One without a name is part of what it
// is in.
func (a *Analyzer) isForeign(owner *types.Named, w *Site) bool {
	if owner == nil {
		return w.foreign
	}
	return !a.pkg.Own(owner.Obj().Pkg())
}

// selects reports whether a selector in generated code refers to a field. Embedded fields that cannot be named are
// left out of the selector.
func (a *Analyzer) selects(owner *types.Named, st *types.Struct, c *candidate) bool {
	var at types.Type = st
	if owner != nil {
		at = owner // methods hide fields, too
	}
	means := func(f *types.Var) bool {
		found, _, _ := types.LookupFieldOrMethod(at, true, a.pkg.Types, f.Name())
		at = f.Type()
		return found == f
	}
	for _, s := range c.steps {
		if !s.Hidden && !means(s.Field) {
			return false
		}
	}
	return means(c.field)
}

func (c *candidate) path() string {
	p := ""
	for _, s := range c.steps {
		p += s.Field.Name() + "."
	}
	return p + c.field.Name()
}

// candidates returns all fields that have a JSON name, in the order of their declaration, and also by name, with
// the winner first.
func (a *Analyzer) candidates(st *types.Struct, w *Site) ([]*candidate, map[string][]*candidate) {
	byName := make(map[string][]*candidate)
	var order []*candidate
	seen := make(map[*types.Struct]bool)
	var visit func(l level)
	visit = func(l level) {
		if seen[l.st] || len(order) > maxFields {
			return
		}
		seen[l.st] = true
		defer delete(seen, l.st)
		for i := range l.st.NumFields() {
			v := l.st.Field(i)
			tag := a.jsonTag(v, l.st.Tag(i))
			if tag.skip || v.Name() == "_" {
				a.unusable(v, "has no JSON name")
				continue
			}
			if v.Embedded() {
				t, pointer := types.Unalias(v.Type()), false
				if p, ok := t.(*types.Pointer); ok {
					t, pointer = types.Unalias(p.Elem()), true
				}
				inner, isStruct := t.Underlying().(*types.Struct)
				if !v.Exported() && !isStruct {
					continue
				}
				if isStruct && tag.name == "" && !a.wholeForm(t) {
					a.unusable(v, "is embedded, so that its fields are taken for it")
					hidden := !v.Exported() && v.Pkg() != a.pkg.Types
					if pointer && hidden {
						a.problems.Addf(a.fieldPos(v, w), "%s: the embedded *%s belongs to package %s, so that generated code can neither set it nor see whether it is nil", w.What, v.Name(), v.Pkg().Name())
						continue
					}
					step := ir.Step{Field: v, Pointer: pointer, Hidden: hidden}
					visit(level{inner, append(l.steps[:len(l.steps):len(l.steps)], step)})
					continue
				}
			}
			if !v.Exported() && !(v.Embedded() && v.Pkg() == a.pkg.Types) { // encoding/json knows embedded structs by a name in their tag
				if v.Embedded() {
					a.problems.Addf(a.fieldPos(v, w), "%s: the embedded %s belongs to package %s, so that generated code cannot reach it", w.What, v.Name(), v.Pkg().Name())
				}
				a.unusable(v, "is not exported")
				continue
			}
			c := &candidate{field: v, name: tag.name, tagged: tag.name != "", tag: tag, steps: l.steps, described: tagDescription(l.st.Tag(i)), form: reflect.StructTag(l.st.Tag(i)).Get("form")}
			if c.name == "" {
				c.name = v.Name()
			}
			order = append(order, c)
			byName[c.name] = insert(byName[c.name], c)
		}
	}
	visit(level{st: st})
	if len(order) > maxFields {
		a.problems.Addf(w.Pos, "%s: more than %d fields are more than a model can fill in", w.What, maxFields)
	}
	return order, byName
}

// insert keeps rivals in the order in which they win.
func insert(rivals []*candidate, c *candidate) []*candidate {
	at := len(rivals)
	for i, r := range rivals {
		if len(c.steps) < len(r.steps) || len(c.steps) == len(r.steps) && c.tagged && !r.tagged {
			at = i
			break
		}
	}
	return append(rivals[:at:at], append([]*candidate{c}, rivals[at:]...)...)
}

// wholeForm reports whether an embedded struct is a single value rather than a set of fields. In encoding/json it
// is so for interfaces alone; a type such as time.Time loses its form where it is embedded, unless its methods are
// promoted, which is refused elsewhere.
func (a *Analyzer) wholeForm(t types.Type) bool {
	_, known := knownKind(t)
	return known || isOption(t)
}

// unusable adds problems for directives of a field that is not a property.
func (a *Analyzer) unusable(v *types.Var, why string) {
	for _, d := range a.pkg.Sources.Notes(v) {
		if !a.used[d] {
			a.used[d] = true
			if v.Pkg() == a.pkg.Types {
				a.problems.Addf(d.Pos(), "%s: the field %s %s", d, v.Name(), why)
			}
		}
	}
}
