// Package signature determines what the parameters and results of an annotated function are to those who call it by
// the protocol: which parameters are arguments and which come from the call, what they are called, what the doc comment
// and the directives say about each, and what becomes of the results.
//
//	signature.go    the receiver, the parameters and the error of a function
//	instantiate.go  the type arguments of generic functions
//	injected.go     which parameters are no arguments
//	texts.go        titles and descriptions
//	arguments.go    which properties the arguments are; paths.go and choose.go what directives say of fields in them
//	oneof.go        arguments of which exactly one is given
//	headers.go      arguments that are repeated in headers of HTTP
//	tool.go         what the results of a tool become; members.go what directives say of them
//	outputs.go      what the results of prompts, resources and completions become
//	protocol.go     the types of the protocol, as our runtime and the Go SDK have them
package signature

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// An Analyzer reads the signatures of the functions of one package.
type Analyzer struct {
	shared shared
}

// shared holds what all functions of a package use.
type shared struct {
	pkg         *source.Package
	problems    *directive.Problems
	constraints *constraint.Checker
	types       *jsontype.Analyzer

	methods []*ir.Func // that were read
	uses    int        // of types, for functions that say more about them
}

// New returns an Analyzer that adds what is wrong to problems, has types analyzed by types, and applies the directives of
// arguments and results by constraints, which are complete after their Finish.
func New(pkg *source.Package, problems *directive.Problems, constraints *constraint.Checker, types *jsontype.Analyzer) *Analyzer {
	return &Analyzer{shared{pkg: pkg, problems: problems, constraints: constraints, types: types}}
}

// A Function is an annotated function, as one of its directives offers it.
type Function struct {
	Func        *ir.Func
	Title       string // these three are known after Arguments
	Description string
	Open        bool // unknown arguments are allowed by the struct of all arguments

	*shared
	decl    *ast.FuncDecl
	obj     *types.Func
	by      *directive.Directive
	notes   []*directive.Directive
	sig     *types.Signature  // instantiated
	members []string          // the results that are members of an object, by their names
	about   map[string]string // descriptions of parameters and members in the doc comment
	inside  []pathDesc        // descriptions of fields in parameters
}

// Read finds the receiver, the type arguments, the parameters and the results of a function. By is the directive that offers
// it; notes are all directives of the function. The result is nil if the signature is not valid.
func (a *Analyzer) Read(decl *ast.FuncDecl, obj *types.Func, by *directive.Directive, notes []*directive.Directive) *Function {
	f := &Function{
		Func:   &ir.Func{Name: decl.Name.Name, Pos: a.shared.pkg.Position(decl.Name.Pos())},
		shared: &a.shared, decl: decl, obj: obj, by: by, notes: notes,
	}
	if !f.instance() || !f.parameters() || !f.results() {
		return nil
	}
	if f.Func.Recv != nil {
		a.shared.methods = append(a.shared.methods, f.Func)
	}
	if by.Name == "tool" {
		f.members = f.memberNames()
	}
	return f
}

// instance finds the signature, which is that of an instance if the function is generic. It reports whether it is
// valid.
func (f *Function) instance() bool {
	d := f.by
	sig := f.obj.Signature()
	generic := sig.TypeParams().Len() + sig.RecvTypeParams().Len()
	given := d.Get("instantiate")
	switch {
	case generic == 0 && given != nil:
		f.problems.Addf(given.Pos, "%s: %s has no type parameters; remove instantiate", d, f.decl.Name.Name)
		return false
	case generic > 0 && given == nil:
		if d.Name != "tool" {
			f.problems.Addf(d.Pos(), "%s: %s has type parameters, which a client cannot choose; offer a function that calls it with types", d, f.decl.Name.Name)
			return false
		}
		f.problems.Addf(d.Pos(), "%s: %s has type parameters, which a client cannot choose; choose them by instantiate=, as in //mcp:tool instantiate=%s", d, f.decl.Name.Name,
			strings.Join(f.exampleTypes(sig), ","))
		return false
	case generic > 0:
		sig = f.instantiate(d, given, sig)
		if sig == nil {
			return false
		}
	default:
		if r := sig.Recv(); r != nil {
			f.Func.Recv = r.Type()
		}
	}
	f.sig = sig
	if f.Func.Recv != nil && f.Func.Receiver() == nil {
		return false // of an invalid type
	}
	if n := f.Func.Receiver(); n != nil && n.Obj().Parent() != f.pkg.Types.Scope() {
		return false
	}
	return true
}

// parameters finds the parameters, and reports whether they can all be given.
func (f *Function) parameters() bool {
	sig, d := f.sig, f.by
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		f.Func.Params = append(f.Func.Params, &ir.Param{
			Name: v.Name(), Go: v.Type(), Injected: injectedKind(v.Type()),
			Variadic: sig.Variadic() && i == sig.Params().Len()-1,
		})
		if want := requests[d.Name]; want != "" && namesRequest(v.Type()) && pointerTo(v.Type()) != pathGoSDK+"."+want {
			f.problems.Addf(v.Pos(), "%s: as a %s, it receives a *mcp.%s, not a %s", f.Func.GoName(), d.Name, want, f.pkg.TypeString(v.Type()))
			return false
		}
	}
	return true
}

// results finds the results, and reports whether the error, if there is one, is the last of them.
func (f *Function) results() bool {
	results := f.sig.Results()
	n := results.Len()
	if n > 0 && isError(results.At(n-1).Type()) {
		f.Func.Error = true
		n--
	}
	for i := range n {
		v := results.At(i)
		if isError(v.Type()) {
			f.problems.Addf(v.Pos(), "%s: the error must be the last result", f.Func.GoName())
			return false
		}
		if types.Implements(v.Type(), errorType.Underlying().(*types.Interface)) {
			f.problems.Addf(v.Pos(), "%s: the error result has the type error, not %s, which implements it", f.Func.GoName(), f.pkg.TypeString(v.Type()))
			return false
		}
		name := v.Name()
		if name == "_" {
			name = ""
		}
		f.Func.Results = append(f.Func.Results, &ir.Result{Name: name})
	}
	return true
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

// count writes "1 type", "2 types".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// PosOf returns where the parameter of an argument is declared, or else the function.
func (f *Function) PosOf(p *ir.Property) token.Pos {
	for i, q := range f.Func.Params {
		if q.Property == p {
			return f.sig.Params().At(i).Pos()
		}
	}
	return f.decl.Name.Pos()
}
