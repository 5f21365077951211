package mcpheader

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/decimal"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/tree"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Keyword marks a property of a tool's input schema whose value clients repeat in a header.
const Keyword = "x-mcp-header"

// A Param is an argument of a tool that is repeated in a header.
type Param struct {
	Header string   // the header's name, with [ParamPrefix], as the schema spells it
	Path   []string // of the argument, from the outermost property on
	Type   string   // string, integer or boolean
}

// maxParams is how many arguments of a tool may be repeated in headers. No server would accept more.
const maxParams = 256

// Params returns the arguments that headers repeat according to an input schema, sorted by path. The error says which
// annotation is wrong: clients ignore such a tool.
func Params(schema wire.Raw) ([]Param, error) {
	if !bytes.Contains(schema, []byte(Keyword)) && !bytes.Contains(schema, []byte(`\u`)) {
		return nil, nil
	}
	v, err := tree.Decode(schema)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("want an object")
	}
	w := walk{seen: make(map[string]*place)}
	if err := w.schema(root, nil, true); err != nil {
		return nil, err
	}
	return w.params, nil
}

// A walk visits a schema.
type walk struct {
	params []Param
	seen   map[string]*place // where a header is, by its name in lower case
}

// A place is the place of a schema in the document: the names of the properties and other keywords that lead there,
// nil for the root. It becomes text only when it is needed, because a hostile schema has many places with long
// names.
type place struct {
	above *place
	name  string
}

// names returns the names from the root to p.
func (p *place) names() (names []string) {
	for ; p != nil; p = p.above {
		names = append(names, p.name)
	}
	slices.Reverse(names)
	return names
}

func (p *place) String() string {
	var b strings.Builder
	for _, name := range p.names() {
		b.WriteString("/" + cut(name))
	}
	return cut(b.String())
}

// cut returns the beginning of a text, for a message.
func cut(s string) string { return excerpt.Cut(s, 100) }

// schema visits the schema at a place. Only properties of the root, and properties of these, are reachable.
func (w *walk) schema(s map[string]any, at *place, reachable bool) error {
	if name, ok := s[Keyword]; ok {
		if err := w.annotation(name, s["type"], at, reachable); err != nil {
			return fmt.Errorf("%s: %s: %w", at, Keyword, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		value := s[key]
		switch key {
		case Keyword, "const", "enum", "default", "examples": // not schemas
		case "properties":
			properties, _ := value.(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				if sub, ok := properties[name].(map[string]any); ok {
					if err := w.schema(sub, &place{at, name}, reachable); err != nil {
						return err
					}
				}
			}
		default:
			if err := w.below(value, &place{at, key}); err != nil {
				return err
			}
		}
	}
	return nil
}

// below visits the value of a keyword whose schemas are not reachable.
func (w *walk) below(value any, at *place) error {
	switch v := value.(type) {
	case map[string]any:
		return w.schema(v, at, false)
	case []any:
		for _, item := range v {
			if err := w.below(item, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotation adds the header that a property names, or returns what is wrong with that. Name and kind are what the schema of
// the property says, of any type.
//
// REQ XHDR-05, XHDR-03, XHDR-04
func (w *walk) annotation(name, kind any, at *place, reachable bool) error {
	text, ok := name.(string)
	switch {
	case at == nil || !reachable:
		return fmt.Errorf("want it on a property that only properties lead to")
	case !ok || !IsToken(text):
		return fmt.Errorf("want a header name, got %s", cut(fmt.Sprint(name)))
	case kind != "string" && kind != "integer" && kind != "boolean":
		return fmt.Errorf("want a property of type string, integer or boolean, got %s", cut(fmt.Sprint(kind)))
	case len(w.params) == maxParams:
		return fmt.Errorf("more than %d properties have it", maxParams)
	}
	lower := strings.ToLower(text)
	if other, ok := w.seen[lower]; ok {
		return fmt.Errorf("the header %q is also that of %s", cut(text), other)
	}
	w.seen[lower] = at
	w.params = append(w.params, Param{ParamPrefix + text, at.names(), kind.(string)})
	return nil
}

// IsToken reports whether s is a token of RFC 9110.
//
// REQ XHDR-03
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// Value returns the text of the argument for [Encode], and whether there is one: the value of a string, and the JSON text
// of a number or a boolean. Null, arrays, objects and absent arguments are not repeated.
//
// REQ XHDR-08, XHDR-09
func (p *Param) Value(arguments wire.Raw) (text string, ok bool) {
	raw, err := p.find(arguments)
	if err != nil || len(raw) == 0 {
		return "", false
	}
	switch raw.Kind() {
	case wire.KindString:
		d := wire.NewDecoder(raw)
		text = d.String()
		return text, d.Finish() == nil
	case wire.KindNumber, wire.KindBool:
		return string(bytes.TrimSpace(raw)), true
	}
	return "", false
}

// find returns the argument, or nil if there is none. A duplicate is an error: the header could repeat either.
func (p *Param) find(arguments wire.Raw) (wire.Raw, error) {
	raw := arguments
	for _, name := range p.Path {
		if raw.Kind() != wire.KindObject {
			return nil, nil
		}
		var found wire.Raw
		d := wire.NewDecoder(raw)
		for o := d.Object(&anyObject); o.Next(); {
			if o.Name != name {
				d.Skip()
				continue
			}
			if found != nil {
				return nil, fmt.Errorf("the argument %s is given twice", strings.Join(p.Path, "."))
			}
			found = d.Raw()
		}
		if err := d.Finish(); err != nil {
			return nil, err
		}
		raw = found
	}
	return raw, nil
}

var anyObject wire.Type

// a returns the name of a type after its article.
func a(kind string) string {
	if kind == "integer" {
		return "an " + kind
	}
	return "a " + kind
}

// CheckParams compares the headers of a tool call with its arguments.
func CheckParams(h Values, params []Param, arguments wire.Raw) error {
	for i := range params {
		if err := params[i].check(h, arguments); err != nil {
			return err
		}
	}
	return nil
}

// check compares the header with the argument. An argument that no header can repeat, because its type is not that of
// the schema, is an error: intermediaries that read headers would miss it.
//
// REQ XHDR-10
func (p *Param) check(h Values, arguments wire.Raw) error {
	got, err := Single(h, p.Header)
	if err != nil {
		return err
	}
	raw, err := p.find(arguments)
	if err != nil {
		return err
	}
	want, ok := p.Value(arguments)
	switch {
	case !ok && len(raw) > 0 && raw.Kind() != wire.KindNull:
		return fmt.Errorf("the argument %s must be %s, because a header repeats it; got %s", strings.Join(p.Path, "."), a(p.Type), raw.Kind())
	case ok && p.Type == "integer" && raw.Kind() == wire.KindNumber && !isSafe(want):
		return fmt.Errorf("the argument %s must be an integer within ±(2^53-1), because a header repeats it; got %s", strings.Join(p.Path, "."), cut(want))
	case got == nil && ok:
		return fmt.Errorf("the header %s is missing, want %q", p.Header, excerpt.Of(Encode(want)))
	case got == nil:
		return nil
	case !ok:
		return fmt.Errorf("the header %s is %q, but the call has no such argument", p.Header, excerpt.Of(*got))
	}
	value, err := Decode(*got)
	if err != nil {
		return fmt.Errorf("the header %s: %w", p.Header, err)
	}
	if value != want && !(p.Type == "integer" && sameNumber(value, want)) {
		return fmt.Errorf("the header %s is %q, but the argument %s is %q", p.Header, excerpt.Of(*got), strings.Join(p.Path, "."), excerpt.Of(want))
	}
	return nil
}

// isSafe reports whether a JSON number is an integer within ±(2^53-1), which every program can represent exactly.
func isSafe(number string) bool {
	n, ok := decimal.Parse([]byte(number)).Magnitude()
	return ok && n < 1<<53
}

// sameNumber reports whether a text is a JSON number of the same value as number, as 42.0 is that of 42.
func sameNumber(text, number string) bool {
	raw := wire.Raw(text)
	return raw.Kind() == wire.KindNumber && raw.Check() == nil && decimal.Parse(raw).Equal(decimal.Parse([]byte(number)))
}
