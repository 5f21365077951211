package analyze

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// A function is an annotated function that is being analyzed.
type function struct {
	decl  *ast.FuncDecl
	notes []*directive.Directive
	obj   *types.Func
	fn    *ir.Func
	sig   *types.Signature // instantiated

	open               bool // unknown arguments are allowed by the struct of all arguments
	oneOf              bool // of some arguments, exactly one is given
	title, description string
	members            []string          // the results that are members of an object, by their names
	about              map[string]string // descriptions of parameters and members in the doc comment
	inside             []pathDesc        // descriptions of fields in parameters
	silences           []*ir.Silence     // of all tools that the function is
}

// function analyzes an annotated function or method.
func (a *analyzer) function(decl *ast.FuncDecl, notes []*directive.Directive) {
	name := decl.Name.Name
	if name == "_" || decl.Recv == nil && (name == "init" || name == "main" && a.pkg.Types.Name() == "main") {
		a.problems.Addf(notes[0].Pos(), "%s: the function %s cannot be called", notes[0], name)
		return
	}
	obj, ok := a.pkg.Info.Defs[decl.Name].(*types.Func)
	if !ok {
		return // the type checker has said why
	}
	var what []*directive.Directive
	for _, d := range notes {
		if slices.Contains(source.Kinds, d.Name) {
			what = append(what, d)
		} else if !d.Repeat {
			a.problems.Once(d, notes)
		}
	}
	if len(what) == 0 {
		a.problems.Addf(notes[0].Pos(), "%s: %s is offered as nothing; add //mcp:tool, //mcp:prompt, //mcp:resource or //mcp:complete", notes[0], decl.Name.Name)
		return
	}
	if !slices.ContainsFunc(what, func(d *directive.Directive) bool { return d.Name == "tool" }) {
		a.onlyTools(notes, name)
	}
	for i, d := range what[1:] {
		if !a.goesWith(d, what[:i+1], decl.Name.Name) {
			return
		}
	}
	silences := a.silences(notes)
	for _, d := range what {
		f := &function{decl: decl, notes: notes, obj: obj, silences: silences}
		if !a.signature(f, d) {
			continue
		}
		switch d.Name {
		case "tool":
			a.tool(f, d)
		case "prompt":
			a.prompt(f, d)
		case "resource":
			a.resource(f, d)
		case "complete":
			a.completion(f, d)
		}
	}
}

// goesWith reports whether a directive can be combined with the others of a function. A function can be a tool, a
// prompt and a resource at the same time, but a completion cannot be anything else.
func (a *analyzer) goesWith(d *directive.Directive, others []*directive.Directive, name string) bool {
	for _, o := range others {
		switch {
		case d.Name == o.Name && (!d.Repeat || d.Name == "tool" && (d.Get("instantiate") == nil || o.Get("instantiate") == nil)):
			a.problems.Addf(d.Pos(), "//mcp:%s stands above %s already", d.Name, name)
			return false
		case d.Name != o.Name && (d.Name == "complete" || o.Name == "complete"):
			a.problems.Addf(d.Pos(), "%s: %s has //mcp:%s already; a function that completes is nothing else", d, name, o.Name)
			return false
		}
	}
	return true
}

// signature finds the receiver, the type arguments and the parameters of a function. It reports whether they are
// valid.
func (a *analyzer) signature(f *function, d *directive.Directive) bool {
	sig := f.obj.Signature()
	f.fn = &ir.Func{Name: f.decl.Name.Name, Pos: a.pkg.Position(f.decl.Name.Pos())}
	a.declared[f.fn] = f.decl.Name.Pos()
	generic := sig.TypeParams().Len() + sig.RecvTypeParams().Len()
	given := d.Get("instantiate")
	switch {
	case generic == 0 && given != nil:
		a.problems.Addf(given.Pos, "%s: %s has no type parameters; remove instantiate", d, f.decl.Name.Name)
		return false
	case generic > 0 && given == nil:
		if d.Name != "tool" {
			a.problems.Addf(d.Pos(), "%s: %s has type parameters, which a client cannot choose; offer a function that calls it with types", d, f.decl.Name.Name)
			return false
		}
		a.problems.Addf(d.Pos(), "%s: %s has type parameters, which a client cannot choose; choose them by instantiate=, as in //mcp:tool instantiate=%s", d, f.decl.Name.Name,
			strings.Join(a.exampleTypes(sig), ","))
		return false
	case generic > 0:
		sig = a.instantiate(f, d, given, sig)
		if sig == nil {
			return false
		}
	default:
		if r := sig.Recv(); r != nil {
			f.fn.Recv = r.Type()
		}
	}
	f.sig = sig
	if f.fn.Recv != nil && f.fn.Receiver() == nil {
		return false // of an invalid type
	}
	if n := f.fn.Receiver(); n != nil && n.Obj().Parent() != a.pkg.Types.Scope() {
		return false
	}
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		f.fn.Params = append(f.fn.Params, &ir.Param{
			Name: v.Name(), Go: v.Type(), Injected: injectedKind(v.Type()),
			Variadic: sig.Variadic() && i == sig.Params().Len()-1,
		})
		if want := requests[d.Name]; want != "" && namesRequest(v.Type()) && pointerTo(v.Type()) != pathGoSDK+"."+want {
			a.problems.Addf(v.Pos(), "%s: as a %s, it receives a *mcp.%s, not a %s", f.fn.GoName(), d.Name, want, a.pkg.TypeString(v.Type()))
			return false
		}
	}
	results := sig.Results()
	n := results.Len()
	if n > 0 && isError(results.At(n-1).Type()) {
		f.fn.Error = true
		n--
	}
	for i := range n {
		v := results.At(i)
		if isError(v.Type()) {
			a.problems.Addf(v.Pos(), "%s: the error must be the last result", f.fn.GoName())
			return false
		}
		if types.Implements(v.Type(), errorType.Underlying().(*types.Interface)) {
			a.problems.Addf(v.Pos(), "%s: the error result has the type error, not %s, which implements it", f.fn.GoName(), a.pkg.TypeString(v.Type()))
			return false
		}
		name := v.Name()
		if name == "_" {
			name = ""
		}
		f.fn.Results = append(f.fn.Results, &ir.Result{Name: name})
	}
	return true
}

// exampleTypes returns types that fit the type parameters of a signature, in simple cases.
func (a *analyzer) exampleTypes(sig *types.Signature) []string {
	var out []string
	for _, list := range []*types.TypeParamList{sig.RecvTypeParams(), sig.TypeParams()} {
		params := make(map[string]string)
		for p := range list.TypeParams() {
			params[p.Obj().Name()] = "int"
			if i, ok := p.Constraint().Underlying().(*types.Interface); ok && i.NumEmbeddeds() == 1 {
				if u, ok := i.EmbeddedType(0).(*types.Union); ok && u.Len() > 0 {
					params[p.Obj().Name()] = a.pkg.TypeString(u.Term(0).Type())
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

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

// instantiate returns the signature of a generic function, or of a method of a generic type, with
// the types that the directive gives; nil if they do not fit.
func (a *analyzer) instantiate(f *function, d *directive.Directive, given *directive.Value, sig *types.Signature) *types.Signature {
	args, err := a.pkg.ParseTypes(f.decl.Name.Pos(), strings.ReplaceAll(given.Text, `\,`, ","))
	if err != nil {
		a.problems.Addf(given.Pos, "%s: %v", d, err)
		return nil
	}
	want := sig.TypeParams().Len() + sig.RecvTypeParams().Len()
	if len(args) != want {
		a.problems.Addf(given.Pos, "%s: %s has %s, but instantiate gives %s", d, f.decl.Name.Name, count(want, "type parameter"), count(len(args), "type"))
		return nil
	}
	f.fn.TypeArgs = args
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
		a.problems.Addf(given.Pos, "%s: %s cannot be instantiated so: %v", d, f.decl.Name.Name, err)
		return nil
	}
	if recv == nil {
		s, _ := inst.(*types.Signature)
		return s
	}
	o, _, _ := types.LookupFieldOrMethod(types.NewPointer(inst), true, a.pkg.Types, f.obj.Name())
	m, ok := o.(*types.Func)
	if !ok {
		return nil
	}
	f.fn.Recv = m.Signature().Recv().Type()
	f.fn.TypeArgs = args
	a.oneInstance(f, given)
	return m.Signature()
}

// oneInstance checks that all methods of a generic type are offered for the same instance of it,
// since one generated function registers them.
func (a *analyzer) oneInstance(f *function, given *directive.Value) {
	for _, fn := range a.out.Funcs() {
		n, mine := fn.Receiver(), f.fn.Receiver()
		if n != nil && mine != nil && n.Obj() == mine.Obj() && !types.Identical(n, mine) {
			a.problems.Addf(given.Pos, "%s is instantiated in two ways: here and at line %d; the methods of a type are registered together", n.Obj().Name(), fn.Pos.Line)
			return
		}
	}
}

// count writes "1 type", "2 types".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// texts finds title and descriptions of a function and its parameters, in directives and in the doc
// comment.
func (a *analyzer) texts(f *function) {
	var params, injected []string
	for _, p := range f.fn.Params {
		if p.Injected == ir.NotInjected {
			params = append(params, p.Name)
		} else {
			injected = append(injected, p.Name)
		}
	}
	described := slices.Concat(params, f.members)
	doc := source.FunctionDoc(f.decl.Doc, f.decl.Name.Name, described, injected)
	f.description, f.about = doc.Text, doc.About
	*a.problems = append(*a.problems, doc.Problems...)
	if f.about == nil {
		f.about = make(map[string]string)
	}
	said := make(map[string]bool)
	for _, d := range f.notes {
		switch d.Name {
		case "title":
			f.title = d.Free.Text
		case "desc":
			name, rest, _ := strings.Cut(d.Free.Text, " ")
			if _, ok := isPath(name, params); ok && strings.TrimSpace(rest) != "" {
				if said[name] {
					a.problems.Addf(d.Pos(), "//mcp:desc stands here twice for the same thing")
				}
				said[name] = true
				f.inside = append(f.inside, pathDesc{directive.Word{Text: name, Pos: d.Free.Pos}, strings.TrimSpace(rest), d})
				continue
			}
			if !slices.Contains(described, name) || strings.TrimSpace(rest) == "" {
				if near := spelling.Nearest(name, described); near != "" && !slices.Contains(described, name) && token.IsIdentifier(name) && strings.ToLower(name) == name {
					kind := "parameter"
					if len(f.members) > 0 {
						kind += " or result"
					}
					a.problems.Addf(d.Free.Pos, "//mcp:desc %s: %s has no %s %s; did you mean %s?", name, f.fn.GoName(), kind, name, near)
					a.problems.Suggest(name, near)
					continue
				}
				name, rest = "", d.Free.Text
			}
			if said[name] {
				a.problems.Addf(d.Pos(), "//mcp:desc stands here twice for the same thing")
			}
			said[name] = true
			if name == "" {
				f.description = rest
			} else {
				f.about[name] = strings.TrimSpace(rest)
			}
		}
	}
}

// arguments finds the properties of a function: its parameters, or the fields of the one struct that it takes. If
// wholes are not allowed, a struct is a property like any other.
func (a *analyzer) arguments(f *function, wholes bool) []*ir.Property {
	a.texts(f)
	byParam := a.paramNotes(f)
	var properties []*ir.Property
	lone := a.lone(f)
	named := make(map[string]string)
	for i, p := range f.fn.Params {
		if p.Injected != ir.NotInjected {
			continue
		}
		v := f.sig.Params().At(i)
		if p.Name == "" || p.Name == "_" {
			a.problems.Addf(v.Pos(), "%s: an argument needs a name; name the parameter", f.fn.GoName())
			continue
		}
		if advice := nearMiss(p.Go); advice != "" {
			a.problems.Addf(v.Pos(), "%s: parameter %s: %s is no argument; %s", f.fn.GoName(), p.Name, a.pkg.TypeString(p.Go), advice)
			continue
		}
		where := jsontype.Site{Pos: v.Pos(), What: f.fn.GoName() + ": parameter " + p.Name, Dir: jsontype.In, Bare: lone && wholes}
		t := a.types.Type(p.Go, where)
		if lone && wholes {
			if whole := t; whole.Kind == ir.Struct || whole.Kind == ir.Pointer && whole.Elem.Kind == ir.Struct {
				p.Whole = a.whole(f, p, whole, byParam[p.Name], where)
				whole = p.Whole
				if whole.Kind == ir.Pointer {
					whole = whole.Elem
				}
				f.open = whole.Open
				return whole.Fields
			}
		}
		prop := &ir.Property{
			Name: p.Name, Go: p.Name, Description: f.about[p.Name], Type: t,
			Required: t.Kind != ir.Pointer && !p.Variadic,
			Pos:      a.pkg.Position(v.Pos()),
		}
		a.pathway(f).notes(prop, byParam[p.Name], f.descsOf(p.Name), where)
		p.Property = prop
		if other, ok := named[prop.Name]; ok {
			a.problems.Addf(v.Pos(), "%s: the parameters %s and %s are both called %s", f.fn.GoName(), other, p.Name, prop.Name)
		}
		named[prop.Name] = p.Name
		properties = append(properties, prop)
	}
	return properties
}

// lone reports whether exactly one parameter of a function is an argument.
func (a *analyzer) lone(f *function) bool {
	n := 0
	for _, p := range f.fn.Params {
		if p.Injected == ir.NotInjected {
			n++
			if p.Variadic {
				return false
			}
		}
	}
	return n == 1
}

// whole returns the type of the parameter that holds all arguments, as changed by directives with paths. It refuses
// other directives about that parameter.
func (a *analyzer) whole(f *function, p *ir.Param, t *ir.Type, notes []*directive.Directive, where jsontype.Site) *ir.Type {
	var paths []*directive.Directive
	for _, d := range notes {
		if d.Words[0].Text == p.Name && !onlyFields(d) {
			a.problems.Addf(d.Pos(), "%s: the fields of %s are the arguments of %s; write //mcp:param above the field, or //mcp:param %s.Field here", d, p.Name, f.fn.GoName(), p.Name)
		} else {
			paths = append(paths, d)
		}
	}
	if _, ok := f.about[p.Name]; ok {
		a.problems.Addf(f.decl.Doc.Pos(), "%s: the fields of %s are the arguments, so nobody sees a description of %s; describe the fields", f.fn.GoName(), p.Name, p.Name)
	}
	root := &ir.Property{Go: p.Name, Type: t}
	w := a.pathway(f)
	if f.oneOf {
		w.own(&root.Type)
		if root.Type.Kind == ir.Pointer {
			w.own(&root.Type.Elem)
		}
	}
	w.notes(root, paths, f.descsOf(p.Name), where)
	return root.Type
}

// descsOf returns the descriptions of fields in a parameter.
func (f *function) descsOf(param string) []pathDesc {
	var out []pathDesc
	for _, d := range f.inside {
		if strings.HasPrefix(d.Text, param+".") {
			out = append(out, d)
		}
	}
	return out
}

// paramNotes returns the directives about parameters, by parameter.
func (a *analyzer) paramNotes(f *function) map[string][]*directive.Directive {
	by := make(map[string][]*directive.Directive)
	var params []string
	injected := make(map[string]string)
	for _, p := range f.fn.Params {
		if p.Injected == ir.NotInjected {
			params = append(params, p.Name)
		} else {
			injected[p.Name] = a.pkg.TypeString(p.Go)
		}
	}
	for _, d := range f.notes {
		if d.Name != "param" || len(d.Words) == 0 {
			continue
		}
		w := d.Words[0]
		if len(strings.Fields(d.Comment.Text)) == 2 {
			a.problems.Addf(d.Pos(), "%s: it says nothing about %s, as %s does", d, w.Text, d.Example)
			continue
		}
		if param, ok := isPath(w.Text, params); ok {
			by[param] = append(by[param], d)
			continue
		}
		w.Text, _, _ = strings.Cut(w.Text, ".")
		t, isInjected := injected[w.Text]
		switch {
		case slices.Contains(params, w.Text):
			by[w.Text] = append(by[w.Text], d)
		case slices.Contains(f.members, w.Text):
			a.problems.Addf(d.Pos(), "%s: %s is a result; write //mcp:result %s", d, w.Text, w.Text)
			a.problems.Suggest("//mcp:param", "//mcp:result")
		case isInjected:
			a.problems.Addf(w.Pos, "%s: %s is no argument; a %s comes from the call", d, w.Text, t)
		case spelling.Nearest(w.Text, params) == "" && len(params) > 0:
			a.problems.Addf(w.Pos, "%s: %s has no parameter %s; it has %s", d, f.fn.GoName(), w.Text, strings.Join(params, ", "))
		default:
			a.problems.Addf(w.Pos, "%s: %s has no parameter %s%s", d, f.fn.GoName(), w.Text, spelling.DidYouMean(w.Text, params))
			a.problems.Suggest(w.Text, spelling.Nearest(w.Text, params))
		}
	}
	return by
}
