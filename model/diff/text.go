package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/model"
)

// Text returns a type in the notation of TypeScript, on one line.
func Text(e *model.Expr) string {
	switch e.Kind {
	case model.Integer, model.Number:
		return "number"
	case model.ID:
		return "string | number"
	case model.Literal:
		return valueText(e.Value)
	case model.Enum:
		return enumText(e)
	case model.Ref:
		return e.Name
	case model.Array:
		return elemText(e.Elem) + "[]"
	case model.OneOrMany:
		return Text(e.Elem) + " | " + elemText(e.Elem) + "[]"
	case model.Nullable:
		return Text(e.Elem) + " | null"
	case model.Map:
		return "{ [key: string]: " + Text(e.Elem) + " }"
	case model.Struct:
		return structText(e)
	case model.Union:
		arms := make([]string, len(e.Arms))
		for i, a := range e.Arms {
			arms[i] = Text(a.Expr)
		}
		return strings.Join(arms, " | ")
	case model.Tuple:
		elems := make([]string, len(e.Elems))
		for i, x := range e.Elems {
			elems[i] = Text(x.Type)
		}
		return "[" + strings.Join(elems, ", ") + "]"
	case model.Raw:
		if e.Elem != nil {
			return Text(e.Elem)
		}
		return "unknown"
	}
	return string(e.Kind)
}

func enumText(e *model.Expr) string {
	var values []string
	for _, v := range e.Values {
		values = append(values, strconv.Quote(v.Value))
	}
	if e.Open {
		values = append(values, "string")
	}
	return strings.Join(values, " | ")
}

// elemText is the text of the elements of an array.
func elemText(e *model.Expr) string {
	text := Text(e)
	if strings.Contains(text, " | ") && !strings.HasPrefix(text, "{") {
		return "(" + text + ")"
	}
	return text
}

func structText(e *model.Expr) string {
	var members []string
	for _, m := range e.Members {
		members = append(members, memberText(m))
	}
	if e.Rest != nil {
		members = append(members, "[key: string]: "+Text(e.Rest))
	}
	if members == nil {
		return "{}"
	}
	return "{ " + strings.Join(members, "; ") + " }"
}

func memberText(m *model.Member) string {
	mark := "?"
	if isRequired(m) {
		mark = ""
	}
	return m.Name + mark + ": " + Text(m.Type)
}

func valueText(v any) string {
	if s, ok := v.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(v)
}

// Declaration returns a type as a schema declares it, a line for each member, arm or value; empty if it
// has none of the name. What a type inherits is among its members.
func Declaration(s *model.Schema, name string) string {
	t := s.Type(name)
	if t == nil || t.Role != model.RoleData {
		return ""
	}
	var b strings.Builder
	switch e := t.Expr; {
	case e.Kind == model.Struct:
		fmt.Fprintf(&b, "interface %s {\n", name)
		for _, m := range e.Members {
			fmt.Fprintf(&b, "  %s;\n", memberText(m))
		}
		if e.Rest != nil {
			fmt.Fprintf(&b, "  [key: string]: %s;\n", Text(e.Rest))
		}
		b.WriteString("}\n")
	case e.Kind == model.Union:
		fmt.Fprintf(&b, "type %s =\n", name)
		for _, a := range e.Arms {
			fmt.Fprintf(&b, "  | %s\n", Text(a.Expr))
		}
	case e.Kind == model.Enum:
		fmt.Fprintf(&b, "type %s =\n", name)
		for _, v := range e.Values {
			fmt.Fprintf(&b, "  | %s\n", valueText(v.Value))
		}
		if e.Open {
			b.WriteString("  | string\n")
		}
	default:
		fmt.Fprintf(&b, "type %s = %s\n", name, Text(e))
	}
	return b.String()
}

// MethodDeclaration returns what a schema says about a method, in lines; empty if it has no method of that name.
func MethodDeclaration(s *model.Schema, name string) string {
	i := slices.IndexFunc(s.Methods, func(m *model.Method) bool { return m.Name == name })
	if i < 0 {
		return ""
	}
	m := s.Methods[i]
	text := direction(m) + "\n"
	if m.Params != "" {
		text += "params " + m.Params + "\n"
	}
	if names := results(m); len(names) > 0 {
		text += "result " + strings.Join(names, " | ") + "\n"
	}
	if m.ServerCap != "" {
		text += "capability " + m.ServerCap + "\n"
	}
	return text
}

// ConstDeclaration returns a constant as a schema declares it, on a line.
func ConstDeclaration(c *model.Const) string {
	return "const " + c.Name + " = " + valueText(c.Value) + "\n"
}

// A Part is a member, an arm or a value of a type.
type Part struct {
	Name     string
	Text     string
	Optional bool
}

// Parts returns what a type consists of, none for one that is neither a struct, a union nor an enumeration.
func Parts(t *model.Type) (parts []Part) {
	switch e := t.Expr; e.Kind {
	case model.Struct:
		for _, m := range e.Members {
			parts = append(parts, Part{m.Name, Text(m.Type), !isRequired(m)})
		}
	case model.Union:
		for _, a := range e.Arms {
			parts = append(parts, Part{Name: "| " + Text(a.Expr)})
		}
	case model.Enum:
		for _, v := range e.Values {
			parts = append(parts, Part{Name: valueText(v.Value)})
		}
	}
	return parts
}
