package model

import (
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// A generic is a generic declaration that the schema declares or exports, and where.
type generic struct {
	decl  *declared
	scope *scope
	pos   parser.Pos
}

func typeParams(d parser.Decl) []parser.TypeParam {
	switch d := d.(type) {
	case *parser.Interface:
		return d.Params
	case *parser.Alias:
		return d.Params
	}
	return nil
}

// instantiate makes the instance of a generic declaration with the given arguments. Its name is the generic name
// followed by those of the arguments: Page<Tool> is PageTool.
func (l *lowerer) instantiate(s *scope, env map[string]*Expr, d *declared, t *parser.Ref) *declared {
	d.asked = true
	params := typeParams(d.decl)
	least := 0
	for i, p := range params {
		if p.Default == nil {
			least = i + 1
		}
	}
	if len(t.Args) < least || len(t.Args) > len(params) {
		want := count(least, "type argument")
		if least < len(params) {
			want = "from " + strconv.Itoa(least) + " to " + count(len(params), "type argument")
		}
		l.errorf(s, t.Pos, "%s takes %s, not %d", t.Name, want, len(t.Args))
		return nil
	}
	inst := &declared{scope: d.scope, decl: d.decl, name: d.name, env: map[string]*Expr{}}
	for i, p := range params {
		arg := &TypeArg{Param: p.Name}
		if p.Default != nil {
			arg.Default = l.expr(d.scope, inst.env, p.Default)
			arg.Type = arg.Default
		}
		if i < len(t.Args) {
			arg.Type = l.expr(s, env, t.Args[i])
		}
		name := nameOf(arg.Type)
		if name == "" {
			l.errorf(s, t.Pos, "argument %d of %s has no name: declare a type for it", i+1, t.Name)
			return nil
		}
		inst.name += name
		inst.args = append(inst.args, arg)
		inst.env[p.Name] = arg.Type
	}
	if prev := d.insts[inst.name]; prev != nil {
		for i, arg := range inst.args {
			if !same(arg.Type, prev.args[i].Type) {
				l.errorf(s, t.Pos, "two different instances of %s would be called %s: declare a type for the argument", d.name, inst.name)
			}
		}
		return prev
	}
	if len(inst.name) > 200 || l.instances == maxInstances {
		l.exceeded(s, t.Pos, d.name+" is instantiated with itself without end")
		return nil
	}
	l.instances++
	if d.insts == nil {
		d.insts = map[string]*declared{}
	}
	d.insts[inst.name] = inst
	l.known[inst.name] = inst
	l.use(inst)
	for i, p := range params { // a constraint may name any parameter, and the instance
		if p.Constraint != nil {
			inst.args[i].Constraint = l.expr(d.scope, inst.env, p.Constraint)
		}
	}
	return inst
}

// nameOf is the part of an instantiation's name that an argument gives it.
func nameOf(e *Expr) string {
	switch e.Kind {
	case Ref:
		return e.Name
	case Array, OneOrMany, Map, Nullable:
		if n := nameOf(e.Elem); n != "" {
			return n + capital(string(e.Kind))
		}
	case String, Integer, Number, Boolean, Null, Unknown, AnyObject, ID:
		return capital(string(e.Kind))
	}
	return ""
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
