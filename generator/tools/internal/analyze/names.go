package analyze

import (
	"cmp"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// toolName matches the names that the specification recommends for tools.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// offerName returns the name that a directive gives, or that of the function in snake_case. Models call tools by
// their names; those of prompts and resources may be any text.
func (a *analyzer) offerName(d *directive.Directive, fn *ir.Func) string {
	name, pos := source.Snake(fn.Name), d.Pos()
	if v := d.Get("name"); v != nil {
		name, pos = v.Text, v.Pos
	}
	if d.Name != "tool" {
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			a.problems.Addf(pos, "%s: the name %q must be printable text, without blanks around it", d, name)
		}
	} else if !toolName.MatchString(name) {
		a.problems.Addf(pos, "%s: the name %q must have 1 to 128 of the characters A-Z a-z 0-9 _ . -; name= gives another", d, name)
	}
	return name
}

// prefixed returns the name of a tool with the prefix of the package.
func (a *analyzer) prefixed(fn *ir.Func, name string) string {
	if a.prefix != "" && len(a.prefix)+len(name) > 128 {
		a.problems.Addf(a.declared[fn], "%s: with the prefix, the name %s has more than 128 characters; name= gives another", fn.GoName(), a.prefix+name)
	}
	return a.prefix + name
}

// An offer is the unique name of a tool, prompt or resource.
type offer struct {
	what, name, advice string
	fn                 *ir.Func
	pos                token.Pos
}

// names checks that no two tools, prompts or resources have the same name, and sorts them.
func (a *analyzer) names() {
	for _, t := range a.out.Tools {
		t.Name = a.prefixed(t.Func, t.Name)
	}
	for _, p := range a.out.Prompts {
		p.Name = a.prefix + p.Name
	}
	a.variants()
	slices.SortStableFunc(a.out.Tools, func(x, y *ir.Tool) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Variant, y.Variant))
	})
	slices.SortStableFunc(a.out.Prompts, func(x, y *ir.Prompt) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortStableFunc(a.out.Resources, func(x, y *ir.Resource) int { return cmp.Compare(x.URI, y.URI) })
	type key struct{ what, name string }
	same := make(map[key][]offer)
	for _, o := range a.offers {
		k := key{o.what, o.name}
		same[k] = append(same[k], o)
	}
	for _, o := range a.offers {
		i := slices.IndexFunc(same[key{o.what, o.name}], func(other offer) bool { return other != o && !a.areVariants(o, other) })
		if i < 0 {
			continue
		}
		other := same[key{o.what, o.name}][i]
		if o.fn.GoName() == other.fn.GoName() {
			a.problems.Addf(o.pos, "%s has the %s %s more than once; %s", o.fn.GoName(), o.what, o.name, o.advice)
			continue
		}
		a.problems.Addf(o.pos, "%s has the %s %s, and so has %s; %s", o.fn.GoName(), o.what, o.name, other.fn.GoName(), o.advice)
	}
	a.registerNames()
}

// variants notes of tools with one name which features tell them apart. The one that is offered without any is the tool
// itself.
func (a *analyzer) variants() {
	for _, t := range a.out.Tools {
		shared := slices.ContainsFunc(a.out.Tools, func(other *ir.Tool) bool { return other != t && other.Name == t.Name })
		if shared && slices.ContainsFunc(t.Features, func(f string) bool { return f[:1] != "!" }) {
			t.Variant = strings.Join(slices.Sorted(slices.Values(t.Features)), ",")
		}
	}
}

// areVariants reports whether two offers are tools of which nobody can have both.
func (a *analyzer) areVariants(x, y offer) bool {
	of := func(o offer) *ir.Tool {
		i := slices.IndexFunc(a.out.Tools, func(t *ir.Tool) bool { return o.what == "tool name" && t.Func == o.fn })
		if i < 0 {
			return nil
		}
		return a.out.Tools[i]
	}
	one, other := of(x), of(y)
	return one != nil && other != nil && one.Excludes(&other.Access)
}

// registerNames checks that the functions to be generated have names that are free.
func (a *analyzer) registerNames() {
	by := make(map[string]string)
	for _, o := range a.offers {
		name, what := registerName(a.out, o.fn), "functions"
		if n := o.fn.Receiver(); n != nil {
			what = "methods of " + n.Obj().Name()
		}
		if by[name] != "" && by[name] != what {
			a.problems.Addf(o.pos, "%s would register the %s and the %s; rename a type, or write //mcp:server register=RegisterTools above the package clause", name, by[name], what)
		}
		by[name] = what
	}
	declared := a.pkg.Elsewhere()
	for name := range declared {
		a.out.Elsewhere = append(a.out.Elsewhere, name)
	}
	for _, name := range a.pkg.Types.Scope().Names() {
		if pos := a.pkg.Types.Scope().Lookup(name).Pos(); a.pkg.Has(pos) { // and not in the generated file
			declared[name] = pos
		}
	}
	for _, name := range predeclared {
		if pos, ok := declared[name]; ok && len(a.offers) > 0 {
			a.problems.Addf(pos, "package %s declares %s, which hides the predeclared identifier that generated code needs", a.pkg.Types.Name(), name)
		}
	}
	for name, about := range generated(a.out) {
		pos, ok := declared[name]
		if !ok {
			continue
		}
		advice := "rename yours"
		if name == a.out.Register {
			advice = "rename yours, or write //mcp:server register=RegisterTools above the package clause"
		}
		a.problems.Addf(pos, "%s is the name of the generated function that %s; %s", name, about, advice)
	}
}

// predeclared lists predeclared identifiers that generated code uses, and that a package may hide.
var predeclared = []string{
	"append", "bool", "byte", "error", "false", "float32", "float64", "int", "int16", "int32", "int64", "int8", "len",
	"new", "nil", "string", "true", "uint", "uint16", "uint32", "uint64", "uint8",
}

// GeneratedNames returns the names of the functions that will be generated for a package.
func GeneratedNames(p *ir.Package) []string {
	return slices.Sorted(maps.Keys(generated(p)))
}

// generated returns the functions that will be generated, with descriptions.
func generated(p *ir.Package) map[string]string {
	names := make(map[string]string)
	for _, fn := range p.Funcs() {
		about := "registers functions with a server"
		if n := fn.Receiver(); n != nil {
			about = "registers the methods of " + n.Obj().Name()
		}
		names[registerName(p, fn)] = about
	}
	if p.Server != nil {
		names["NewServer"] = "//mcp:server asks for"
	}
	if p.Config != nil {
		names[source.BindName(p.Config.Go.Obj().Name())] = "//mcp:config asks for"
	}
	return names
}

// registerName returns the name of the function that registers a function with a server.
func registerName(p *ir.Package, fn *ir.Func) string {
	if n := fn.Receiver(); n != nil {
		return "Register" + source.Exported(n.Obj().Name())
	}
	return p.Register
}
