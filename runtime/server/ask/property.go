package ask

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/formtag"
	"github.com/mcpgen/mcpgen/mcp"
)

// A property is a field of a struct that becomes a property of a form.
type property struct {
	tag                *formtag.Tag
	typ                reflect.Type // without its pointer
	title, description string
	date               bool
	err                error // the first one
}

// schema returns the schema of the property.
func (p *property) schema() mcp.PrimitiveSchemaDefinition {
	t := p.typ
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[time.Time]():
		return p.time()
	case t == reflect.TypeFor[time.Duration](), readsJSON(t) && !readsText(t):
	case readsText(t), kind == reflect.String:
		return p.text()
	case kind == reflect.Bool:
		p.only()
		return &mcp.BooleanSchema{Title: p.title, Description: p.description, Default: p.bool("default")}
	case kind >= reflect.Int && kind <= reflect.Uint64:
		return p.integer()
	case kind == reflect.Float32, kind == reflect.Float64:
		return p.number(mcp.NumberSchemaTypeNumber)
	case kind == reflect.Slice && t.Elem().Kind() == reflect.String:
		return p.choices()
	}
	p.fail("a form has texts, numbers, booleans, times and lists of choices; %v is none of them", t)
	return nil
}

// only fails if the tag has keys that are not for the property.
func (p *property) only(keys ...string) {
	var others []string
	for _, key := range p.tag.Keys {
		if key != "title" && key != "optional" && key != "default" && !slices.Contains(keys, key) {
			others = append(others, key)
		}
	}
	if others != nil {
		p.fail("form: %s: not for a field of type %v", strings.Join(others, ", "), p.typ)
	}
}

func (p *property) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *property) time() mcp.PrimitiveSchemaDefinition {
	p.only("format")
	s := &mcp.StringSchema{Title: p.title, Description: p.description, Format: mcp.StringSchemaFormatDateTime, Default: p.textOf("default")}
	switch format := p.tag.Text("format"); format {
	case "", string(mcp.StringSchemaFormatDateTime):
	case string(mcp.StringSchemaFormatDate):
		s.Format, p.date = mcp.StringSchemaFormatDate, true
	default:
		p.fail("form: format: want date or date-time for a time, got %q", format)
	}
	return s
}

func (p *property) text() mcp.PrimitiveSchemaDefinition {
	if enum := p.tag.Values["enum"]; enum != nil {
		p.only("enum")
		return &mcp.UntitledSingleSelectEnumSchema{Title: p.title, Description: p.description, Enum: enum, Default: p.textOf("default")}
	}
	p.only("format", "minlen", "maxlen")
	format := mcp.StringSchemaFormat(p.tag.Text("format"))
	if format != "" && !format.Valid() {
		p.fail("form: format: want email, uri, date or date-time, got %q", format)
	}
	return &mcp.StringSchema{Title: p.title, Description: p.description, Format: format,
		MinLength: p.count("minlen"), MaxLength: p.count("maxlen"), Default: p.textOf("default")}
}

func (p *property) number(kind mcp.NumberSchemaType) *mcp.NumberSchema {
	p.only("min", "max")
	s := &mcp.NumberSchema{Type: kind, Title: p.title, Description: p.description,
		Minimum: p.float("min"), Maximum: p.float("max"), Default: p.float("default")}
	for _, bound := range []*float64{s.Minimum, s.Maximum, s.Default} {
		if kind == mcp.NumberSchemaTypeInteger && bound != nil && *bound != math.Trunc(*bound) {
			p.fail("form: want integers, got %v", *bound)
		}
	}
	return s
}

// integer returns the schema of an integer, with the bounds of its type if a person could reach them.
func (p *property) integer() mcp.PrimitiveSchemaDefinition {
	s := p.number(mcp.NumberSchemaTypeInteger)
	bits := p.typ.Bits()
	least, most := -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)-1
	if p.typ.Kind() >= reflect.Uint {
		least, most = 0, math.Ldexp(1, bits)-1
	}
	if s.Minimum == nil && (bits < 64 || least == 0) {
		s.Minimum = &least
	}
	if s.Maximum == nil && bits < 64 {
		s.Maximum = &most
	}
	if s.Minimum != nil && *s.Minimum < least || s.Maximum != nil && *s.Maximum > most {
		p.fail("form: want bounds within those of %v", p.typ)
	}
	return s
}

func (p *property) choices() mcp.PrimitiveSchemaDefinition {
	p.only("enum", "minlen", "maxlen")
	enum := p.tag.Values["enum"]
	if enum == nil {
		p.fail("a form has lists of choices only; which ones, the tag says: `form:\"enum=red,green\"`")
	}
	return &mcp.UntitledMultiSelectEnumSchema{Title: p.title, Description: p.description,
		Items:    mcp.UntitledMultiSelectEnumSchemaItems{Enum: enum},
		MinItems: p.count("minlen"), MaxItems: p.count("maxlen"), Default: p.tag.Values["default"]}
}

func (p *property) textOf(key string) *string {
	if !p.tag.Has(key) {
		return nil
	}
	return new(p.tag.Text(key))
}

func (p *property) count(key string) *int64 {
	text := p.textOf(key)
	if text == nil {
		return nil
	}
	n, err := strconv.Atoi(*text)
	if err != nil || n < 0 {
		p.fail("form: %s: want a count, got %q", key, *text)
	}
	return new(int64(n))
}

func (p *property) float(key string) *float64 {
	text := p.textOf(key)
	if text == nil {
		return nil
	}
	f, err := strconv.ParseFloat(*text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		p.fail("form: %s: want a number, got %q", key, *text)
	}
	return &f
}

func (p *property) bool(key string) *bool {
	text := p.textOf(key)
	if text == nil {
		return nil
	}
	if !slices.Contains([]string{"true", "false"}, *text) {
		p.fail("form: %s: want true or false, got %q", key, *text)
	}
	return new(*text == "true")
}
