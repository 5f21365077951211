package parser

import (
	"fmt"
	"reflect"
	"strings"
)

// dump prints a syntax tree: a line for each node, with its position and plain fields, and below
// it the nodes inside. It knows no node type, so that it leaves nothing out.
func dump(f *File) string {
	var b strings.Builder
	v := reflect.ValueOf(f).Elem()
	for _, field := range []string{"Imports", "Exports", "Decls"} {
		for i := range v.FieldByName(field).Len() {
			dumpNode(&b, "", v.FieldByName(field).Index(i))
		}
	}
	return b.String()
}

// dumpNode prints what an interface, pointer or struct holds. The label ends in the node's indentation.
func dumpNode(b *strings.Builder, label string, v reflect.Value) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	fmt.Fprintf(b, "%s%s", label, v.Type().Name())
	var below []string
	indent := label[:len(label)-len(strings.TrimLeft(label, " "))] + "  "
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		if field.Kind() == reflect.Interface && !field.IsNil() && field.Elem().Kind() != reflect.Pointer {
			fmt.Fprintf(b, " %s=%T(%#v)", name, field.Interface(), field.Interface()) // a Literal's
			continue
		}
		switch x := field.Interface().(type) {
		case Pos:
			fmt.Fprintf(b, " %d:%d", x.Line, x.Col)
		case string:
			if x != "" {
				fmt.Fprintf(b, " %s=%q", name, x)
			}
		case bool:
			if x {
				fmt.Fprintf(b, " %s", name)
			}
		case []string:
			fmt.Fprintf(b, " %s=%q", name, x)
		default:
			below = append(below, dumpField(indent, name, field))
		}
	}
	b.WriteString("\n" + strings.Join(below, ""))
}

func dumpField(indent, name string, field reflect.Value) string {
	var b strings.Builder
	switch {
	case field.Kind() == reflect.Slice:
		for i := range field.Len() {
			dumpNode(&b, fmt.Sprintf("%s%s[%d] ", indent, name, i), field.Index(i))
		}
	case field.IsNil():
	default:
		dumpNode(&b, indent+name+" ", field)
	}
	return b.String()
}
