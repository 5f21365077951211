package emit

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// Packages that generated code builds on.
const (
	argsPath        = "github.com/mcpgen/mcpgen/runtime/args"
	jsonschemaPath  = argsPath + "/jsonschema"
	wirePath        = "github.com/mcpgen/mcpgen/runtime/wire"
	mcpPath         = "github.com/mcpgen/mcpgen/mcp"
	serverPath      = "github.com/mcpgen/mcpgen/runtime/server"
	askPath         = serverPath + "/ask"
	appsPath        = "github.com/mcpgen/mcpgen/runtime/apps"
	uiPath          = mcpPath + "/ui"
	limitPath       = "github.com/mcpgen/mcpgen/runtime/limit"
	toolsearchPath  = "github.com/mcpgen/mcpgen/runtime/toolsearch"
	uritemplatePath = "github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	gosdkPath       = "github.com/modelcontextprotocol/go-sdk/mcp"
)

// locals are the names of variables in generated functions.
var locals = map[string]bool{
	"a": true, "blocks": true, "c": true, "content": true, "ctx": true, "d": true, "e": true, "err": true, "item": true, "items": true,
	"k": true, "name": true, "next": true, "o": true, "opts": true, "output": true, "p": true, "raw": true, "report": true, "req": true,
	"result": true, "s": true, "settled": true, "u": true, "uri": true, "v": true, "value": true, "values": true, "vars": true,
}

// id is a variable of a generated function, renamed if the package has something of that name.
func (g *generator) id(name string) *jen.Statement {
	for g.taken[name] {
		name += "_"
	}
	return jen.Id(name)
}

// qual is an identifier of another package. The import is renamed if its name would collide.
func (g *generator) qual(path, pkg, name string) *jen.Statement {
	if !g.qualified[path] && path != g.pkg.Path {
		g.qualified[path] = true
		alias := pkg
		for g.taken[alias] || locals[alias] {
			alias = "mcp" + alias
		}
		if alias == pkg {
			g.file.ImportName(path, pkg)
		} else {
			g.file.ImportAlias(path, alias)
		}
	}
	return jen.Qual(path, name)
}

func (g *generator) std(path, name string) *jen.Statement {
	return g.qual(path, path[strings.LastIndexByte(path, '/')+1:], name)
}
func (g *generator) args(name string) *jen.Statement   { return g.qual(argsPath, "args", name) }
func (g *generator) wire(name string) *jen.Statement   { return g.qual(wirePath, "wire", name) }
func (g *generator) server(name string) *jen.Statement { return g.qual(serverPath, "server", name) }
func (g *generator) ask(name string) *jen.Statement    { return g.qual(askPath, "ask", name) }
func (g *generator) jsonschema(name string) *jen.Statement {
	return g.qual(jsonschemaPath, "jsonschema", name)
}

// mcp is an identifier of the package of the protocol's types.
func (g *generator) mcp(name string) *jen.Statement {
	return g.qual(g.target.typesPath(), "mcp", name)
}

// declare claims an identifier of the package, with a number if it is taken.
func (g *generator) declare(name string) string {
	unique := name
	for i := 2; g.taken[unique]; i++ {
		unique = name + strconv.Itoa(i)
	}
	g.taken[unique] = true
	return unique
}

// funcName is the part of generated names that says which function they are for.
func (g *generator) funcName(f *ir.Func) string {
	name := upper(f.Name)
	if f.Recv != nil {
		name = typeName(f.Recv) + name
	}
	for _, t := range f.TypeArgs {
		if f.Recv == nil {
			name += typeName(t)
		}
	}
	return name
}

func upper(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// typeName makes an exported identifier of a type.
func typeName(t types.Type) string {
	switch t := t.(type) {
	case *types.Pointer:
		return typeName(t.Elem())
	case *types.Named:
		name := upper(t.Obj().Name())
		for a := range t.TypeArgs().Types() {
			name += typeName(a)
		}
		return name
	case *types.Alias:
		return upper(t.Obj().Name())
	case *types.Basic:
		return upper(t.Name())
	case *types.Slice:
		return typeName(t.Elem()) + "List"
	case *types.Array:
		return typeName(t.Elem()) + strconv.FormatInt(t.Len(), 10)
	case *types.Map:
		return typeName(t.Elem()) + "By" + typeName(t.Key())
	case *types.Struct:
		return "Struct"
	}
	return "Any"
}

// typ is a type as generated code writes it.
func (g *generator) typ(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Basic:
		return jen.Id(t.Name())
	case *types.Named:
		return g.object(t.Obj(), t.TypeArgs())
	case *types.Alias:
		if o := t.Obj(); o.Pkg() != nil && (o.Exported() || o.Pkg() == g.pkg.Types) && o.Parent() == o.Pkg().Scope() {
			return g.object(o, t.TypeArgs())
		}
		if t.Obj().Pkg() == nil { // any
			return g.any()
		}
		return g.typ(t.Rhs())
	case *types.Pointer:
		return jen.Op("*").Add(g.typ(t.Elem()))
	case *types.Slice:
		return jen.Index().Add(g.typ(t.Elem()))
	case *types.Array:
		return jen.Index(jen.Lit(int(t.Len()))).Add(g.typ(t.Elem()))
	case *types.Map:
		return jen.Map(g.typ(t.Key())).Add(g.typ(t.Elem()))
	case *types.Struct:
		return g.anonymous(t)
	case *types.Interface:
		if t.NumMethods() == 0 && t.NumEmbeddeds() == 0 {
			return g.any()
		}
	}
	g.errorf("generated code cannot spell the type %s; give it a name", t)
	return jen.Id("error")
}

// any is the empty interface, by its name unless the package has something else of that name.
func (g *generator) any() *jen.Statement {
	if g.taken["any"] {
		return jen.Interface()
	}
	return jen.Id("any")
}

// object is a named type, which generated code must be able to name.
func (g *generator) object(o *types.TypeName, typeArgs *types.TypeList) *jen.Statement {
	var s *jen.Statement
	switch {
	case o.Pkg() == nil:
		return jen.Id(o.Name()) // error, comparable
	case o.Parent() != nil && o.Parent() != o.Pkg().Scope():
		g.errorf("generated code cannot name the type %s, which is declared inside a function", o.Name())
		return jen.Id(o.Name())
	case o.Pkg().Path() == g.pkg.Path:
		s = jen.Id(o.Name())
	case !o.Exported():
		g.errorf("generated code cannot name the type %s.%s, which is not exported", o.Pkg().Name(), o.Name())
		return jen.Id(o.Name())
	case !g.mayImport(o.Pkg().Path()):
		g.errorf("generated code cannot name the type %s.%s of the internal package %s", o.Pkg().Name(), o.Name(), o.Pkg().Path())
		return jen.Id(o.Name())
	default:
		s = g.qual(o.Pkg().Path(), o.Pkg().Name(), o.Name())
	}
	if typeArgs.Len() > 0 {
		s.TypesFunc(func(b *jen.Group) {
			for t := range typeArgs.Types() {
				b.Add(g.typ(t))
			}
		})
	}
	return s
}

// mayImport reports whether the package may import another one, which may be internal.
func (g *generator) mayImport(path string) bool {
	if path == g.pkg.Path {
		return true
	}
	path += "/"
	i := strings.LastIndex("/"+path, "/internal/")
	if i < 0 {
		return true
	}
	return strings.HasPrefix(g.pkg.Path+"/", path[:i])
}

// anonymous is a struct type without a name, spelled with its fields and tags: without the tags it would be another
// type.
func (g *generator) anonymous(t *types.Struct) *jen.Statement {
	return jen.StructFunc(func(b *jen.Group) {
		for i := range t.NumFields() {
			f := t.Field(i)
			if !f.Exported() && f.Pkg() != g.pkg.Types {
				g.errorf("generated code cannot spell a struct of another package with the unexported field %s; give it a name", f.Name())
			}
			s := b.Null()
			if !f.Embedded() {
				s = b.Id(f.Name())
			}
			s.Add(g.typ(f.Type()))
			if tag := t.Tag(i); tag != "" {
				s.Op(fmt.Sprintf("%q", tag))
			}
		}
	})
}

// receiverName is the variable for a receiver: its first letter, else its name, if that is free and
// means nothing in Go.
func (g *generator) receiverName(r *receiver) string {
	first := unicode.ToLower([]rune(r.name)[0])
	for _, name := range []string{string(first), goname.Unexported(r.name)} {
		meant := token.IsKeyword(name) || types.Universe.Lookup(name) != nil
		if !meant && !g.taken[name] && !locals[name] && !g.isImported(name) {
			return name
		}
	}
	return "mcp" + r.name
}

// isImported reports whether the generated file imports a package of that name, or may.
func (g *generator) isImported(name string) bool {
	for _, p := range g.pkg.Types.Imports() {
		if p.Name() == name {
			return true
		}
	}
	switch name {
	case "args", "big", "context", "errors", "json", "math", "mcp", "regexp", "server", "sync", "time", "toolsearch", "uritemplate", "url", "wire":
		return true
	}
	return false
}

// comment writes sentences as a comment.
func comment(f interface{ Comment(string) *jen.Statement }, format string, args ...any) {
	f.Comment(fmt.Sprintf(format, args...))
}
