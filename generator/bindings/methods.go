package bindings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
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
	union bool   // an interface, not a struct
}

// resultType is the Go type that answers a request.
type resultType struct {
	plain  string // the struct that the typed call returns
	answer string // the sealed interface, where several types may answer; else empty
}

// methods names the schema's methods.
func (g *generator) methods() []*method {
	var out []*method
	for _, m := range g.schema.Methods {
		me := &method{Method: m, Name: strings.TrimSuffix(strings.TrimSuffix(m.Type, "Notification"), "Request")}
		me.Var = "Method" + strings.TrimSuffix(m.Type, "Request")
		if m.Params != "" {
			t := g.schema.Type(m.Params)
			me.params = paramsType{t.Name, t.Expr.Kind == model.Union}
		}
		if len(m.Results) > 0 {
			me.result.plain = m.Results[0].Name
		}
		if len(m.Results) > 1 {
			me.result.answer = answerName(m)
		}
		out = append(out, me)
	}
	return out
}

// answerName is what the sealed interface of all results of a method is called.
func answerName(m *model.Method) string {
	return strings.TrimSuffix(m.Type, "Request") + "Response"
}

// answerUnions are the unions of results, as types of the schema, so that they become Go as every
// other union does.
func answerUnions(s *model.Schema) []*model.Type {
	var out []*model.Type
	for _, m := range s.Methods {
		if len(m.Results) < 2 {
			continue
		}
		u := &model.Expr{Kind: model.Union, Plan: m.ResultPlan}
		for _, r := range m.Results {
			u.Arms = append(u.Arms, &model.Arm{Expr: &model.Expr{Kind: model.Ref, Name: r.Name}, Revs: r.Revs})
		}
		out = append(out, &model.Type{
			Name: answerName(m), Role: model.RoleData, Revs: m.Revs, Category: m.Category, Inline: true, Expr: u,
			Doc: model.Doc{Text: "Any of the types that may answer " + m.Name + "."},
		})
	}
	return out
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
func (s side) peer() side     { return 1 - s }

// spans writes a set of revisions as ranges, so that a later revision is in the last one.
func (g *generator) spans(revs model.Revs) jen.Code {
	all := g.schema.Revisions
	return jen.Index().Qual(wirePath, "Span").ValuesFunc(func(list *jen.Group) {
		for i := 0; i < len(all); i++ {
			if !slices.Contains(revs, all[i]) {
				continue
			}
			span := jen.Dict{jen.Id("From"): revisionNumber(all[i])}
			for i < len(all) && slices.Contains(revs, all[i]) {
				i++
			}
			if i < len(all) {
				span[jen.Id("Until")] = revisionNumber(all[i])
			}
			list.Values(span)
		}
	})
}

func revisionNumber(rev string) jen.Code {
	n, _ := strconv.Atoi(strings.ReplaceAll(rev, "-", ""))
	return jen.Lit(n)
}

// emitMethods writes one variable per method and the lookup by name.
func (g *generator) emitMethods(f *jen.File, ms []*method) {
	for _, m := range ms {
		what := "request"
		if m.Notification {
			what = "notification"
		}
		f.Commentf("%s is the %s %s.", m.Var, what, m.Method.Name)
		g.methodDoc(f, m)
		f.Var().Id(m.Var).Op("=").Qual(wirePath, "Method").Values(jen.DictFunc(func(d jen.Dict) {
			d[jen.Id("Name")] = jen.Lit(m.Method.Name)
			if m.Notification {
				d[jen.Id("Notification")] = jen.True()
			}
			for name, revs := range map[string]model.Revs{"ToServer": m.ToServer, "ToClient": m.ToClient, "AsInput": m.AsInput} {
				if len(revs) > 0 {
					d[jen.Id(name)] = g.spans(revs)
				}
			}
			if m.ServerCap != "" {
				d[jen.Id("ServerCapability")] = jen.Lit(m.ServerCap)
			}
			if m.ClientCap != "" {
				d[jen.Id("ClientCapability")] = jen.Lit(m.ClientCap)
			}
			if m.params.name != "" {
				d[jen.Id("NewParams")] = newValue(m.params.name, m.params.union)
				if m.Optional {
					d[jen.Id("Optional")] = jen.True()
				}
			}
			switch {
			case m.result.answer != "":
				d[jen.Id("NewResult")] = newValue(m.result.answer, true)
			case m.result.plain != "":
				d[jen.Id("NewResult")] = newValue(m.result.plain, false)
			}
		}))
		f.Line()
	}
	for _, to := range []side{server, client} {
		f.Commentf("%sMethod returns the request or notification of that name that a %s receives, in any", to.title(), to)
		f.Comment("revision; nil if there is none.")
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
		f.Line()
	}
}

// newValue is a function that makes an empty value of a struct, or a box for a union.
func newValue(name string, union bool) jen.Code {
	value := jen.New(jen.Id(name))
	if union {
		value = jen.Op("&").Qual(wirePath, "Box").Types(jen.Id(name)).Values(jen.Dict{jen.Id("From"): jen.Id("Decode" + name)})
	}
	return jen.Func().Params().Qual(wirePath, "Value").Block(jen.Return(value))
}

// methodDoc says who sends a method, when, and what covers it.
func (g *generator) methodDoc(f *jen.File, m *method) {
	say := func(who string, revs model.Revs) {
		if len(revs) > 0 {
			f.Commentf("%s%s.", who, g.inRevisions(revs))
		}
	}
	say("A client sends it", m.ToServer)
	say("A server sends it", m.ToClient)
	say("A server asks it inside an InputRequiredResult", m.AsInput)
	if m.ServerCap != "" {
		f.Commentf("The server capability %s covers it.", m.ServerCap)
	}
	if m.ClientCap != "" {
		f.Commentf("The client capability %s covers it.", m.ClientCap)
	}
	g.deprecation(f, m.Doc)
}

// deprecation writes the paragraph by which tools know that something is deprecated.
func (g *generator) deprecation(f commenter, d model.Doc) {
	if d.Deprecated == "" {
		return
	}
	f.Comment("")
	for _, line := range docLines("Deprecated: " + d.Deprecated) {
		f.Comment(line)
	}
}

type commenter interface {
	Comment(string) *jen.Statement
}

// inRevisions says in words which revisions have something: " since 2025-06-18, before 2026-07-28".
func (g *generator) inRevisions(revs model.Revs) string {
	all := g.schema.Revisions
	if len(revs) == len(all) {
		return ""
	}
	first := slices.Index(all, revs[0])
	last := slices.Index(all, revs[len(revs)-1])
	words := ""
	if first > 0 {
		words = " since " + all[first]
	}
	if last < len(all)-1 {
		if words != "" {
			words += ","
		}
		words += " before " + all[last+1]
	}
	return words
}
