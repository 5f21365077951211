// Command api lists the exported API of the packages that programs import: a line for each constant, variable,
// function, type, field and method. Generated packages are not in it: mcp and mcp/tasks are committed themselves.
//
//	go run ./internal/api docs/api.txt
//	go run ./internal/api -module cluster/nats cluster/nats/api.txt
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/mcpgen/mcpgen/"

// public are the packages of the module of the repository's own folder that programs import.
var public = []string{module + "runtime/...", module + "generator/tools/analyzer"}

func main() {
	dir := flag.String("module", ".", "`folder` of the module, from that of the repository")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: api [-module FOLDER] FILE")
		os.Exit(2)
	}
	patterns := []string{"./..."}
	if *dir == "." {
		patterns = public
	}
	text, err := list(*dir, patterns...)
	if err == nil {
		err = os.WriteFile(flag.Arg(0), []byte(text), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

// list returns the API of the packages of the module in dir that match the patterns and can be imported from elsewhere.
func list(dir string, patterns ...string) (string, error) {
	loaded, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, patterns...)
	if err != nil {
		return "", err
	}
	slices.SortFunc(loaded, func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) })
	var out strings.Builder
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return "", p.Errors[0]
		}
		if p.Name == "main" || strings.Contains(p.PkgPath, "/internal/") || p.Types.Scope().Len() == 0 {
			continue
		}
		l := lister{pkg: p.Types}
		l.all()
		slices.Sort(l.lines)
		for _, line := range l.lines {
			fmt.Fprintf(&out, "%s: %s\n", strings.TrimPrefix(p.PkgPath, module), line)
		}
	}
	return out.String(), nil
}

// A lister collects the lines of a package.
type lister struct {
	pkg   *types.Package
	lines []string
}

func (l *lister) add(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// name qualifies the names of other packages.
func (l *lister) name(p *types.Package) string {
	if p == l.pkg {
		return ""
	}
	return p.Name()
}

func (l *lister) text(t types.Type) string { return types.TypeString(t, l.name) }

func (l *lister) all() {
	scope := l.pkg.Scope()
	for _, name := range scope.Names() {
		if o := scope.Lookup(name); o.Exported() {
			l.object(o)
		}
	}
}

func (l *lister) object(o types.Object) {
	switch o := o.(type) {
	case *types.Const:
		l.add("const %s %s = %s", o.Name(), l.text(o.Type()), o.Val())
	case *types.Var:
		l.add("var %s %s", o.Name(), l.text(o.Type()))
	case *types.Func:
		l.add("%s", types.ObjectString(o, l.name))
	case *types.TypeName:
		l.typeName(o)
	}
}

func (l *lister) typeName(o *types.TypeName) {
	if o.IsAlias() {
		l.add("type %s = %s", o.Name(), l.text(types.Unalias(o.Type())))
		return
	}
	named := o.Type().(*types.Named)
	name := l.text(named)
	switch u := named.Underlying().(type) {
	case *types.Struct:
		l.add("type %s struct", name)
		for f := range u.Fields() {
			if f.Exported() {
				l.add("type %s struct: %s %s", name, f.Name(), l.text(f.Type()))
			}
		}
	case *types.Interface:
		l.add("type %s interface", name)
		for m := range u.Methods() {
			l.add("type %s interface: %s%s", name, m.Name(), strings.TrimPrefix(l.text(m.Type()), "func"))
		}
	default:
		l.add("type %s %s", name, l.text(u))
	}
	for m := range named.Methods() {
		if m.Exported() {
			l.add("%s", types.ObjectString(m, l.name))
		}
	}
	l.promoted(named)
}

// promoted adds the methods that a struct has from the unexported types that it embeds.
func (l *lister) promoted(named *types.Named) {
	u, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	values := types.NewMethodSet(named)
	for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
		if !m.Obj().Exported() || len(m.Index()) == 1 || u.Field(m.Index()[0]).Exported() {
			continue
		}
		receiver := named.Obj().Name()
		if values.Lookup(l.pkg, m.Obj().Name()) == nil {
			receiver = "*" + receiver
		}
		l.add("func (%s).%s%s", receiver, m.Obj().Name(), strings.TrimPrefix(l.text(m.Obj().Type()), "func"))
	}
}
