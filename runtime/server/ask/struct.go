package ask

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/formtag"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/forms"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A structForm is the form whose properties are the fields of a struct type.
type structForm struct {
	schema forms.Schema
	fields []field
}

// A field is where the value of a property goes.
type field struct {
	name  string
	index []int
	date  bool // a time without a time of day
}

// structOf returns the form of a struct type. Its error names a field that a form cannot have.
func structOf(t reflect.Type) (*structForm, error) {
	s := &structForm{}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v: want a struct, whose fields are those of the form", t)
	}
	if err := s.add(t, nil); err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return s, nil
}

// add adds the fields of a struct, which is the form's type or embedded in it at that place.
func (s *structForm) add(t reflect.Type, at []int) error {
	for f := range t.Fields() {
		index := append(slices.Clone(at), f.Index...)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-" || !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct):
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct && !readsText(f.Type) && !readsJSON(f.Type):
			if err := s.add(f.Type, index); err != nil {
				return err
			}
			continue
		case name == "":
			name = f.Name
		}
		if err := s.addField(&f, name, index, options); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return nil
}

// addField adds a property for a field of the struct, with a name. Index is where the field is, for reflect; json are the
// options of its json tag.
func (s *structForm) addField(f *reflect.StructField, name string, index []int, json string) error {
	if _, ok := s.schema.Properties.Get(name); ok {
		return fmt.Errorf("the form has another property %q", name)
	}
	tag, err := formtag.Parse(f.Tag.Get("form"))
	if err != nil {
		return err
	}
	typ, optional := f.Type, false
	if typ.Kind() == reflect.Pointer {
		typ, optional = typ.Elem(), true
	}
	for option := range strings.SplitSeq(json, ",") {
		optional = optional || option == "omitempty" || option == "omitzero"
	}
	p := property{tag: tag, typ: typ, title: tag.Text("title"), description: f.Tag.Get("jsonschema")}
	optional = tag.Has("optional") || tag.Has("default") || optional
	schema := p.schema()
	if p.err != nil {
		return p.err
	}
	if msg := forms.CheckDefault(schema); msg != "" {
		return errors.New("form: default: " + msg)
	}
	s.schema.Properties = append(s.schema.Properties, wire.Member[mcp.PrimitiveSchemaDefinition]{Name: name, Value: schema})
	if !optional {
		s.schema.Required = append(s.schema.Required, name)
	}
	s.fields = append(s.fields, field{name, index, p.date})
	return nil
}

// Decode stores content, which Check has accepted, in a struct of the type.
func (s *structForm) decode(content map[string]wire.Raw, into reflect.Value) error {
	for _, f := range s.fields {
		value, ok := content[f.name]
		if !ok || value.Kind() == wire.KindNull {
			continue
		}
		if err := f.decode(value, into.FieldByIndex(f.index)); err != nil {
			return fmt.Errorf("form: %q: %w", f.name, err)
		}
	}
	return nil
}

// decode stores the value of a property in the field, into.
func (f *field) decode(value wire.Raw, into reflect.Value) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if f.date {
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		day, err := time.Parse(time.DateOnly, text)
		into.Set(reflect.ValueOf(day).Convert(into.Type()))
		return err
	}
	if into.CanInt() || into.CanUint() {
		value = integer(value)
	}
	if err := json.Unmarshal(value, into.Addr().Interface()); err != nil {
		return fmt.Errorf("want %s, got %s", wanted(into.Type()), excerpt.Of(string(value)))
	}
	return nil
}

// integer returns a whole number written without a fraction or an exponent, as encoding/json demands and JSON does not.
func integer(value wire.Raw) wire.Raw {
	text := strings.TrimSpace(string(value))
	if !strings.ContainsAny(text, ".eE") {
		return value
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return value
	}
	return strconv.AppendInt(nil, int64(f), 10)
}

func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "a date with a time, as in RFC 3339"
	case readsText(t):
		return "the text of a " + t.String()
	case t.Kind() <= reflect.Float64: // a boolean fits always
		return "a number of type " + t.String()
	}
	return t.String()
}

// readsText reports whether a type decodes text by its own method.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// readsJSON reports whether a type decodes JSON by its own method.
func readsJSON(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}
