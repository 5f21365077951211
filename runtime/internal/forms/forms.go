// Package forms validates what people enter into the forms of elicitation, for clients and for servers.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation.
package forms

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Schema describes a form.
type Schema = mcp.ElicitRequestFormParamsRequestedSchema

// A Problem is one thing that is wrong with the content of a form.
type Problem struct {
	Field string // the name of the property
	Msg   string // "want at least 3 characters, got 2"
}

// maxListed is how many problems an error text lists, and how many choices one of them.
const maxListed = 20

// ErrorText returns the text of an error about problems, which lists the first 20 of them.
func ErrorText[P ~struct{ Field, Msg string }](problems []P) string {
	list := firstOf(problems, func(p P) string { return strconv.Quote(excerpt.Of(Problem(p).Field)) + ": " + Problem(p).Msg })
	if more := len(problems) - len(list); more > 0 {
		list = append(list, "… and "+strconv.Itoa(more)+" more")
	}
	return "form: " + strings.Join(list, "; ")
}

// firstOf returns the texts of the first 20 items.
func firstOf[T any](items []T, text func(T) string) (texts []string) {
	for _, item := range items[:min(len(items), maxListed)] {
		texts = append(texts, text(item))
	}
	return texts
}

// Defaults returns the defaults of a form's properties, by name. Properties without one are absent.
func Defaults(form *Schema) map[string]wire.Raw {
	defaults := make(map[string]wire.Raw)
	for _, p := range form.Properties {
		if value, ok := formDefault(p.Value); ok {
			defaults[p.Name] = value
		}
	}
	return defaults
}

// Complete returns content with the defaults of absent properties, and without those that are null,
// which a person left blank on purpose.
func Complete(form *Schema, content map[string]wire.Raw) map[string]wire.Raw {
	whole := Defaults(form)
	for name, value := range content {
		if value.Kind() == wire.KindNull {
			delete(whole, name)
		} else {
			whole[name] = value
		}
	}
	return whole
}

// Check validates content against the schema of a form: required properties, types, limits, formats and
// choices. If strict is true, content may have no other properties.
func Check(form *Schema, content map[string]wire.Raw, strict bool) []Problem {
	var problems []Problem
	required := setOf(form.Required)
	names := make(map[string]bool, len(form.Properties))
	for _, p := range form.Properties {
		names[p.Name] = true
		value, ok := content[p.Name]
		switch {
		case ok:
			if msg := checkValue(p.Value, value); msg != "" {
				problems = append(problems, Problem{p.Name, msg})
			}
		case required[p.Name]:
			problems = append(problems, Problem{p.Name, "required, but absent"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if strict && !names[name] {
			problems = append(problems, Problem{name, "the form has no such property"})
		}
	}
	return problems
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// CheckDefault returns what is wrong with the default of a property, empty if nothing is.
func CheckDefault(schema mcp.PrimitiveSchemaDefinition) string {
	value, ok := formDefault(schema)
	if !ok {
		return ""
	}
	return checkValue(schema, value)
}

// formDefault returns the default of a property.
func formDefault(schema mcp.PrimitiveSchemaDefinition) (wire.Raw, bool) {
	standard, _ := rules(schema)
	raw, err := json.Marshal(standard)
	return raw, err == nil && string(raw) != "null"
}

// checkValue returns what is wrong with the value of a property, or the empty string.
func checkValue(schema mcp.PrimitiveSchemaDefinition, value wire.Raw) string {
	_, check := rules(schema)
	if err := value.Check(); err != nil {
		return err.Error()
	}
	return check(value)
}

// rules returns the default of a property, nil or a nil pointer or slice if it has none, and how its values are checked.
func rules(schema mcp.PrimitiveSchemaDefinition) (standard any, check func(wire.Raw) string) {
	switch s := schema.(type) {
	case *mcp.StringSchema:
		return s.Default, func(v wire.Raw) string { return checkString(s, v) }
	case *mcp.NumberSchema:
		return s.Default, func(v wire.Raw) string { return checkNumber(s, v) }
	case *mcp.BooleanSchema:
		return s.Default, func(v wire.Raw) string { return checkKind(wire.KindBool, v) }
	case *mcp.UntitledSingleSelectEnumSchema:
		return s.Default, func(v wire.Raw) string { return checkChoice(s.Enum, v) }
	case *mcp.LegacyTitledEnumSchema:
		return s.Default, func(v wire.Raw) string { return checkChoice(s.Enum, v) }
	case *mcp.TitledSingleSelectEnumSchema:
		return s.Default, func(v wire.Raw) string {
			var choices []string
			for _, c := range s.OneOf {
				choices = append(choices, c.Const)
			}
			return checkChoice(choices, v)
		}
	case *mcp.UntitledMultiSelectEnumSchema:
		return s.Default, func(v wire.Raw) string { return checkChoices(s.Items.Enum, s.MinItems, s.MaxItems, v) }
	case *mcp.TitledMultiSelectEnumSchema:
		return s.Default, func(v wire.Raw) string {
			var choices []string
			for _, c := range s.Items.AnyOf {
				choices = append(choices, c.Const)
			}
			return checkChoices(choices, s.MinItems, s.MaxItems, v)
		}
	}
	return nil, func(wire.Raw) string { return "" } // a kind of property that this package does not know
}

func checkKind(want wire.Kind, value wire.Raw) string {
	if got := value.Kind(); got != want {
		return fmt.Sprintf("want %s, got %s", want, got)
	}
	return ""
}

func checkString(s *mcp.StringSchema, value wire.Raw) string {
	if msg := checkKind(wire.KindString, value); msg != "" {
		return msg
	}
	var text string
	if err := wire.Decode(value, wire.Into(&text, wire.GetString)); err != nil {
		return err.Error()
	}
	n := int64(utf8.RuneCountInString(text))
	switch {
	case s.MinLength != nil && n < *s.MinLength:
		return fmt.Sprintf("want at least %d characters, got %d", *s.MinLength, n)
	case s.MaxLength != nil && n > *s.MaxLength:
		return fmt.Sprintf("want at most %d characters, got %d", *s.MaxLength, n)
	}
	if !hasFormat(s.Format, text) {
		return fmt.Sprintf("want the format %s, got %q", excerpt.Of(string(s.Format)), excerpt.Of(text))
	}
	return ""
}

// hasFormat reports whether text has a format. An unknown format accepts everything.
func hasFormat(format mcp.StringSchemaFormat, text string) bool {
	switch format {
	case mcp.StringSchemaFormatEmail:
		// Only the form is checked. Only a message can show whether the mailbox exists.
		local, domain, ok := strings.Cut(text, "@")
		return ok && local != "" && domain != "" && !strings.ContainsAny(text, " \t\r\n<>,;") && !strings.Contains(domain, "@")
	case mcp.StringSchemaFormatURI:
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	case mcp.StringSchemaFormatDate:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case mcp.StringSchemaFormatDateTime:
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}
	return true
}

func checkNumber(s *mcp.NumberSchema, value wire.Raw) string {
	if msg := checkKind(wire.KindNumber, value); msg != "" {
		return msg
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(string(value)), 64)
	switch {
	case err != nil:
		return "want a number of 64 bits, got " + number(value)
	case s.Type == mcp.NumberSchemaTypeInteger && f != math.Trunc(f):
		return "want an integer, got " + number(value)
	case s.Minimum != nil && f < *s.Minimum:
		return fmt.Sprintf("want at least %v, got %s", *s.Minimum, number(value))
	case s.Maximum != nil && f > *s.Maximum:
		return fmt.Sprintf("want at most %v, got %s", *s.Maximum, number(value))
	}
	return ""
}

// number returns the text of a number for a message.
func number(value wire.Raw) string { return excerpt.Of(string(value)) }

func checkChoice(choices []string, value wire.Raw) string {
	return checkOne(choices, setOf(choices), value)
}

// checkOne returns what is wrong with one choice. Set is the set of choices.
func checkOne(choices []string, set map[string]bool, value wire.Raw) string {
	if msg := checkKind(wire.KindString, value); msg != "" {
		return msg
	}
	var text string
	if err := wire.Decode(value, wire.Into(&text, wire.GetString)); err != nil {
		return err.Error()
	}
	if !set[text] {
		return fmt.Sprintf("want one of %s, got %q", list(choices), excerpt.Of(text))
	}
	return ""
}

func checkChoices(choices []string, least, most *int64, value wire.Raw) string {
	if msg := checkKind(wire.KindArray, value); msg != "" {
		return msg
	}
	var chosen []wire.Raw
	read := func(v *[]wire.Raw, d *wire.Decoder) { *v = wire.Slice(d, (*wire.Raw).DecodeWire) }
	if err := wire.Decode(value, wire.Into(&chosen, read)); err != nil {
		return err.Error()
	}
	n := int64(len(chosen))
	switch {
	case least != nil && n < *least:
		return fmt.Sprintf("want at least %d choices, got %d", *least, n)
	case most != nil && n > *most:
		return fmt.Sprintf("want at most %d choices, got %d", *most, n)
	}
	set := setOf(choices)
	for _, item := range chosen {
		if msg := checkOne(choices, set, item); msg != "" {
			return msg
		}
	}
	return ""
}

// list returns the text of choices for a message.
func list(choices []string) string {
	quoted := firstOf(choices, func(c string) string { return strconv.Quote(excerpt.Of(c)) })
	if len(quoted) < len(choices) {
		quoted = append(quoted, "…")
	}
	return "[" + strings.Join(quoted, " ") + "]"
}
