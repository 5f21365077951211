package diff

import (
	"fmt"
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

// elemText is the text of what an array has.
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
