package model

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/parser"
)

// A mutator changes syntax trees, one thing at a time, and undoes it. It works by reflection and
// leaves out nothing that it does not name.
type mutator struct {
	t     *testing.T
	try   func(change string) // called while a change is made
	nodes map[string]bool     // the kinds of nodes seen
	step  int                 // of how many changes one is made; 0: all
	seen  int
	tried int
}

func (m *mutator) all(files []*parser.File) {
	m.nodes = map[string]bool{}
	for _, f := range files {
		m.inside(f.Name, reflect.ValueOf(f).Elem())
	}
}

// inside changes everything inside a node.
func (m *mutator) inside(path string, node reflect.Value) {
	typ := node.Type()
	m.nodes[typ.Name()] = true
	for i := range typ.NumField() {
		below := path + "." + typ.Field(i).Name
		switch typ.Name() + "." + typ.Field(i).Name {
		case "File.Name", "File.Source", "Index.Param": // these are for messages and for readers
			continue
		case "Template.Texts": // as many as there are types, and one
			for j := range node.Field(i).Len() {
				m.value(fmt.Sprintf("%s[%d]", below, j), node.Field(i).Index(j))
			}
			continue
		case "Const.Type", "TypeParam.Constraint", "TypeParam.Default": // these may be absent
			if !node.Field(i).IsNil() {
				m.change(below, node.Field(i), reflect.Zero(node.Field(i).Type()))
			}
		}
		m.value(below, node.Field(i))
	}
}

// value changes a value, and everything in it.
func (m *mutator) value(path string, v reflect.Value) {
	if v.Type() == reflect.TypeFor[parser.Pos]() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		m.change(path, v, reflect.ValueOf(v.String()+"1").Convert(v.Type()))
	case reflect.Bool:
		m.change(path, v, reflect.ValueOf(!v.Bool()))
	case reflect.Slice:
		for i := range v.Len() {
			rest := reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len()))
			m.change(fmt.Sprintf("%s without [%d]", path, i), v, rest)
			below := fmt.Sprintf("%s[%d]", path, i)
			if d, ok := v.Index(i).Interface().(parser.Decl); ok {
				below = d.DeclName()
			}
			m.value(below, v.Index(i))
		}
	case reflect.Struct:
		m.inside(path, v)
	case reflect.Pointer:
		if !v.IsNil() {
			if v.Type() == reflect.TypeFor[*parser.Doc]() {
				m.change(path, v, reflect.Zero(v.Type()))
			}
			m.inside(path, v.Elem())
		}
	case reflect.Interface:
		switch elem := v.Elem(); elem.Kind() {
		case reflect.Invalid: // nil
		case reflect.String:
			m.change(path, v, reflect.ValueOf(elem.String()+"1").Convert(elem.Type()))
		case reflect.Bool:
			m.change(path, v, reflect.ValueOf(!elem.Bool()))
		default:
			if v.Type() == reflect.TypeFor[parser.Type]() {
				m.change(path, v, reflect.ValueOf(otherType(v.Interface())))
			}
			m.value(path, elem)
		}
	default:
		m.t.Fatalf("%s is a %v", path, v.Type())
	}
}

// otherType returns a type that is not t.
func otherType(t any) parser.Type {
	if k, ok := t.(*parser.Keyword); ok && k.Name == "boolean" {
		return &parser.Keyword{Name: "string"}
	}
	return &parser.Keyword{Name: "boolean"}
}

func (m *mutator) change(path string, v, to reflect.Value) {
	m.seen++
	if m.step > 0 && m.seen%m.step != 0 {
		return
	}
	m.tried++
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	v.Set(to)
	m.try(fmt.Sprintf("%s: %v instead of %v", path, to, old))
	v.Set(old)
}
