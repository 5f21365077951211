package bindings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

const contextPath = "context"

// A method is a model.Method with the names that it has in Go.
type method struct {
	*model.Method
	Var  string // MethodCallTool
	Name string // CallTool, Cancelled

	params paramsType
	result resultType
}

// paramsType is the Go type of the params of a method.
type paramsType struct {
	name  string // empty: the method has none
	path  string // of its package, empty for the one that is generated
	union bool   // an interface, not a struct
}

func (p paramsType) code() *jen.Statement { return jen.Qual(p.path, p.name) }

// resultType is the Go type of a request's result.
type resultType struct {
	plain string // the struct that the typed call returns
	path  string // of its package, empty for the one that is generated
	union string // the sealed interface, where a result may have one of several types; else empty
}

func (r resultType) code() *jen.Statement { return jen.Qual(r.path, r.plain) }

// methods names the schema's methods.
func (g *generator) methods() []*method {
	var out []*method
	for _, m := range g.schema.Methods {
		me := &method{Method: m, Name: strings.TrimSuffix(strings.TrimSuffix(m.Type, "Notification"), "Request")}
		me.Var = "Method" + strings.TrimSuffix(m.Type, "Request")
		if m.Params != "" {
			me.params = g.paramsOf(m)
		}
		if len(m.Results) > 0 {
			me.result = g.resultOf(m)
		}
		out = append(out, me)
	}
	return out
}

// ref is the type of that name.
func ref(name string) *model.Expr { return &model.Expr{Kind: model.Ref, Name: name} }

// paramsOf returns the type of a method's params.
func (g *generator) paramsOf(m *model.Method) paramsType {
	s := g.shapeOf(ref(m.Params))
	switch s.kind {
	case unionShape:
		return paramsType{s.name, s.path, true} // which an alias is not called
	case structShape, namedShape:
	default:
		g.errorf("%s: the params %s are not an object", m.Name, m.Params)
	}
	return paramsType{name: goname.Type(m.Params), path: s.path}
}

// resultOf returns the type of a request's result.
func (g *generator) resultOf(m *model.Method) resultType {
	for _, r := range m.Results {
		if kind := g.shapeOf(ref(r.Name)).kind; kind != structShape && kind != namedShape {
			g.errorf("%s: the result %s is not an object", m.Name, r.Name)
		}
	}
	if m.Response != "" && g.shapeOf(ref(m.Response)).kind != unionShape {
		g.errorf("%s: one of the types that its result may have is no interface of its own", m.Name)
	}
	plain := m.Results[0].Name
	return resultType{goname.Type(plain), g.shapeOf(ref(plain)).path, goname.Type(m.Response)}
}

func (m *method) received(by side) bool {
	if by == server {
		return len(m.ToServer) > 0
	}
	return len(m.ToClient)+len(m.AsInput) > 0
}

// A side is one end of a connection: the one that receives.
type side int

const (
	server side = iota
	client
)

func (s side) String() string { return [...]string{"server", "client"}[s] }
func (s side) title() string  { return [...]string{"Server", "Client"}[s] }

// spans writes a set of revisions as ranges, so that a later revision is in the last one.
func (g *generator) spans(revs model.Revs) jen.Code {
	all := g.schema.Revisions
	return jen.Index().Qual(wirePath, "Span").ValuesFunc(func(list *jen.Group) {
		for _, b := range ranges(all, all, revs) {
			b.from = cmp.Or(b.from, all[0])
			list.Values(g.limits(b)...)
		}
	})
}

// emitMethods writes one variable per method and the lookup by name.
func (g *generator) emitMethods(f *jen.File, ms []*method) {
	for _, m := range ms {
		g.declare(m.Var, "the method "+m.Method.Name)
		what := "request"
		if m.Notification {
			what = "notification"
		}
		f.Commentf("%s is the %s %s.", m.Var, what, m.Method.Name)
		g.methodDoc(f, m)
		f.Var().Id(m.Var).Op("=").Qual(wirePath, "Method").Add(g.methodValue(m))
	}
	for _, to := range []side{server, client} {
		g.declare(to.title()+"Method", "what finds a method that a "+to.String()+" receives")
		say(f, fmt.Sprintf("%sMethod returns the request or notification of that name that a %s receives, in any revision; nil if there is none.", to.title(), to))
		f.Func().Id(to.title()+"Method").Params(jen.Id("name").String()).Op("*").Qual(wirePath, "Method").Block(
			jen.Switch(jen.Id("name")).BlockFunc(func(b *jen.Group) {
				for _, m := range ms {
					if m.received(to) {
						b.Case(jen.Lit(m.Method.Name)).Block(jen.Return(jen.Op("&").Id(m.Var)))
					}
				}
			}),
			jen.Return(jen.Nil()),
		)
	}
}

// capabilityName is the constant for a capability of a side, a path such as "tools.listChanged".
func capabilityName(of side, path string) string {
	return of.title() + "Capability" + goname.Camel(path)
}

// emitCapabilities writes constants for the capabilities that cover methods.
func (g *generator) emitCapabilities(f *jen.File, ms []*method) {
	for _, of := range []side{server, client} {
		var paths []string
		for _, m := range ms {
			path := m.ServerCap
			if of == client {
				path = m.ClientCap
			}
			if path != "" && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		if len(paths) == 0 {
			continue
		}
		slices.Sort(paths)
		say(f, fmt.Sprintf("The capabilities of a %s that cover methods, as paths into [%sCapabilities].", of, of.title()))
		f.Const().DefsFunc(func(d *jen.Group) {
			for _, path := range paths {
				name := capabilityName(of, path)
				g.declare(name, "the capability "+path+" of a "+of.String())
				d.Id(name).Op("=").Lit(path)
			}
		})
	}
}

// emitNameParam writes the lookup of a method's NameParam by its name. It does not use the methods'
// variables, which would keep all params and results in the program.
func (g *generator) emitNameParam(f *jen.File, ms []*method) {
	names := map[string][]jen.Code{} // of the methods, by member
	for _, m := range ms {
		if m.NameParam != "" {
			names[m.NameParam] = append(names[m.NameParam], jen.Lit(m.Method.Name))
		}
	}
	if len(names) == 0 {
		return
	}
	g.declare("NameParam", "what finds the NameParam of a method")
	say(f, "NameParam returns the member of a request's params that the Mcp-Name header repeats, or \"\" if there is none.")
	f.Func().Id("NameParam").Params(jen.Id("method").String()).String().Block(
		jen.Switch(jen.Id("method")).BlockFunc(func(b *jen.Group) {
			for _, member := range slices.Sorted(maps.Keys(names)) {
				b.Case(names[member]...).Block(jen.Return(jen.Lit(member)))
			}
		}),
		jen.Return(jen.Lit("")),
	)
}

// methodValue writes what is known about a method, in the order of the fields of wire.Method.
func (g *generator) methodValue(m *method) jen.Code {
	var fields []jen.Code
	set := func(name string, value jen.Code) { fields = append(fields, jen.Id(name).Op(":").Add(value)) }
	set("Name", jen.Lit(m.Method.Name))
	if m.Notification {
		set("Notification", jen.True())
	}
	if len(m.ToServer) > 0 {
		set("ToServer", g.spans(m.ToServer))
	}
	if len(m.ToClient) > 0 {
		set("ToClient", g.spans(m.ToClient))
	}
	if len(m.AsInput) > 0 {
		set("AsInput", g.spans(m.AsInput))
	}
	if len(m.MayAsk) > 0 {
		set("MayAsk", g.spans(m.MayAsk))
	}
	if len(m.Cacheable) > 0 {
		set("Cacheable", g.spans(m.Cacheable))
	}
	if m.NameParam != "" {
		set("NameParam", jen.Lit(m.NameParam))
	}
	if m.ServerCap != "" {
		set("ServerCapability", jen.Id(capabilityName(server, m.ServerCap)))
	}
	if m.ClientCap != "" {
		set("ClientCapability", jen.Id(capabilityName(client, m.ClientCap)))
	}
	if len(m.Uncovered) > 0 {
		set("Uncovered", g.spans(m.Uncovered))
	}
	if m.Doc.Deprecated != "" {
		set("Deprecated", jen.Lit(strings.ReplaceAll(m.Doc.Deprecated, "\n", " ")))
	}
	if m.params.name != "" {
		set("NewParams", newValue(m.params.path, m.params.name, m.params.union))
		if m.Optional {
			set("Optional", jen.True())
		}
	}
	switch {
	case m.result.union != "":
		set("NewResult", newValue("", m.result.union, true))
	case m.result.plain != "":
		set("NewResult", newValue(m.result.path, m.result.plain, false))
	}
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// box is an empty box for a union.
func box(path, name string) *jen.Statement {
	return jen.Qual(wirePath, "Box").Types(jen.Qual(path, name)).Values(jen.Dict{jen.Id("From"): jen.Qual(path, "Decode"+name)})
}

// newValue is a function that makes an empty value of a struct, or a box for a union.
func newValue(path, name string, union bool) jen.Code {
	value := jen.New(jen.Qual(path, name))
	if union {
		value = jen.Op("&").Add(box(path, name))
	}
	return jen.Func().Params().Qual(wirePath, "Value").Block(jen.Return(value))
}

// methodDoc returns the comment of a method: who sends it, when, and which capability covers it.
func (g *generator) methodDoc(f *jen.File, m *method) {
	sends := func(who string, revs model.Revs) {
		if len(revs) > 0 {
			say(f, strings.TrimSpace(who+" "+g.inWords(g.schema.Revisions, revs))+".")
		}
	}
	sends("A client sends it", m.ToServer)
	sends("A server sends it", m.ToClient)
	sends("A server asks it inside a result that requires input", m.AsInput)
	sends("Its result may require input", m.MayAsk)
	sends("The result says how long it may be kept", m.Cacheable)
	if m.ServerCap != "" {
		unless := ""
		if len(m.Uncovered) > 0 {
			unless = ", but not " + g.inWords(g.schema.Revisions, m.Uncovered)
		}
		f.Commentf("The server capability %s covers it%s.", m.ServerCap, unless)
	}
	if m.ClientCap != "" {
		f.Commentf("The client capability %s covers it.", m.ClientCap)
	}
	g.deprecation(f, m.Doc)
}

// deprecation writes the paragraph by which tools know that something is deprecated.
func (g *generator) deprecation(f commenter, d model.Doc) {
	f.Comment("") // which gofmt takes out where nothing follows
	comment(f, godoc.Deprecated(d.Deprecated, g.link))
}

// A commenter is a file, or a group of statements, in which a comment can stand.
type commenter interface {
	Comment(string) *jen.Statement
}
