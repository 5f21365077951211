package constraint

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// defaultValue reads the default of a parameter or field: the plain text of a scalar, otherwise JSON.
func (c *constrainer) defaultValue() {
	var l *ir.Literal
	if c.p.Type.Kind == ir.Option {
		c.problem("what is absent is known to be so in %s; take %s if there is a default", c.typeString(c.p.Type.Go), c.typeString(c.t.Go))
		return
	}
	switch c.t.Kind {
	case ir.Text, ir.JSON:
		c.problem("%s reads its values itself, so that a default cannot be checked; take a *%s, which is nil if it is left out", c.typeString(c.t.Go), c.typeString(c.t.Go))
		return
	case ir.Slice, ir.Array, ir.Map, ir.Struct, ir.Union, ir.Any, ir.Raw:
		l = c.jsonDefault()
	default:
		l = c.literal(c.v.Text)
	}
	if l != nil && c.input {
		c.p.Default = l
		c.p.Required = false
	}
}

// jsonDefault reads a default in JSON. It is compared with its type once all types are known, since defaults may be
// values of a type that is still being analyzed.
func (c *constrainer) jsonDefault() *ir.Literal {
	d := json.NewDecoder(strings.NewReader(c.v.Text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = fmt.Errorf("there is more than one value")
		}
	}
	if err != nil {
		c.problem("the default of a %s is JSON, such as [1,2] or {\"a\":1}: %v", c.typeString(c.t.Go), err)
		return nil
	}
	if v == nil {
		c.problem("null is what it is if it is left out anyway; write optional")
		return nil
	}
	at := *c
	c.later = append(c.later, func() {
		if within(at.t, at.p, make(map[*ir.Type]bool)) {
			at.problem("%s has this field again, whose default would have one, without end; write optional", at.typeString(at.t.Go))
			return
		}
		if problem := c.misfit("", v, &ir.Property{Type: at.t, Constraints: at.p.Constraints}); problem != "" {
			at.problem("%s", problem)
		}
	})
	return &ir.Literal{JSON: jsonText(v)}
}

// within reports whether a value of a type can have a field.
func within(t *ir.Type, p *ir.Property, seen map[*ir.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	return slices.Contains(t.Fields, p) || slices.ContainsFunc(t.Parts(), func(part *ir.Type) bool { return within(part, p, seen) })
}

// jsonText writes a value as schemas have it.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it came from JSON
	}
	return strings.TrimSpace(b.String())
}

// misfit returns why a JSON value does not fit a property, or "".
func (c *Checker) misfit(path string, v any, p *ir.Property) string {
	t, k := p.Type.Base(), p.Constraints
	if v == nil && p.Type.Kind == ir.Option {
		return ""
	}
	if k == nil {
		k = new(ir.Constraints)
	}
	wrong := func(format string, args ...any) string {
		text := fmt.Sprintf(format, args...)
		if path != "" {
			text = path + ": " + text
		}
		return text
	}
	wanted := func(what string) string { return wrong("want %s, got %s", what, jsonText(v)) }
	switch t.Kind {
	case ir.Invalid:
		return ""
	case ir.Any, ir.Raw:
		return c.misfitAny(path, v)
	case ir.Text, ir.JSON:
		return wrong("%s reads its values itself, so that a default cannot be checked", c.typeString(t.Go))
	case ir.Union:
		if t.Discriminator == "" {
			return c.misfitScalar(path, v, t)
		}
	case ir.Slice, ir.Array:
		list, ok := v.([]any)
		if !ok {
			return wanted("an array")
		}
		if problem := misfitItems(list, t, k); problem != "" {
			return wrong("%s", problem)
		}
		for i, item := range list {
			if problem := c.misfit(path+"["+strconv.Itoa(i)+"]", item, &ir.Property{Type: t.Elem, Constraints: k.Items}); problem != "" {
				return problem
			}
		}
		return ""
	}
	switch t.Kind {
	case ir.Map, ir.Struct, ir.Union:
		members, ok := v.(map[string]any)
		if !ok {
			return wanted("an object")
		}
		if t.Kind == ir.Map {
			return c.misfitMap(path, members, t, k)
		}
		return c.misfitStruct(path, members, t)
	}
	text, problem := scalarText(v, t, p.Quoted)
	if problem != "" {
		return wanted(problem)
	}
	if t.Kind == ir.Bytes {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return wanted("a string in base64")
		}
		if problem := miscount(len(b), k, "bytes"); problem != "" {
			return wrong("%s", problem)
		}
		return ""
	}
	l, problem := literal(t, text)
	if problem == "" {
		scalar := &constrainer{Checker: c, p: &ir.Property{Constraints: k}, t: t}
		if k.Regexp != "" {
			scalar.re = regexp.MustCompile(k.Regexp)
		}
		if problem = scalar.unfit(l, true); problem != "" {
			problem = l.JSON + " " + problem
		}
	}
	if problem != "" {
		return wrong("%s", problem)
	}
	return ""
}

// misfitScalar returns what is wrong with a value of one of several scalars.
func (c *Checker) misfitScalar(path string, v any, t *ir.Type) string {
	is := ""
	switch v.(type) {
	case string:
		is = "string"
	case json.Number:
		is = "number"
	case bool:
		is = "boolean"
	}
	var known []string
	for _, arm := range t.Arms {
		if arm.Value == is {
			return c.misfit(path, v, &ir.Property{Type: arm.Type})
		}
		known = append(known, "a "+arm.Value)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s: want %s, got %s", path, strings.Join(known, " or "), jsonText(v)), ": ")
}

// scalarText returns a JSON scalar as a directive has it, or what JSON value is wanted.
func scalarText(v any, t *ir.Type, quoted bool) (text, want string) {
	s, isString := v.(string)
	n, isNumber := v.(json.Number)
	b, isBool := v.(bool)
	switch t.Kind {
	case ir.String, ir.Time, ir.Duration, ir.URL, ir.Bytes:
		quoted = true
	}
	switch {
	case quoted && isString:
		return s, ""
	case quoted:
		return "", "a string"
	case t.Kind == ir.Bool && isBool:
		return fmt.Sprint(b), ""
	case t.Kind == ir.Bool:
		return "", "a boolean"
	case isNumber:
		return string(n), ""
	}
	return "", "a number"
}

// misfitAny returns what is wrong with a value of any type: a number that Go cannot represent.
func (c *Checker) misfitAny(path string, v any) string {
	switch v := v.(type) {
	case json.Number:
		return c.misfit(path, v, &ir.Property{Type: &ir.Type{Kind: ir.Float, Go: types.Typ[types.Float64], Bits: 64}})
	case []any:
		for i, item := range v {
			if problem := c.misfitAny(path+"["+strconv.Itoa(i)+"]", item); problem != "" {
				return problem
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if problem := c.misfitAny(join(path, name), v[name]); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// miscount returns why a number of items is not within the limits of a length, or "".
func miscount(n int, k *ir.Constraints, unit string) string {
	switch {
	case k.MinLen != nil && n < *k.MinLen:
		return fmt.Sprintf("%d %s are less than minlen=%d", n, unit, *k.MinLen)
	case k.MaxLen != nil && n > *k.MaxLen:
		return fmt.Sprintf("%d %s are more than maxlen=%d", n, unit, *k.MaxLen)
	}
	return ""
}

// misfitItems returns what is wrong with a list, other than with its items.
func misfitItems(list []any, t *ir.Type, k *ir.Constraints) string {
	if t.Kind == ir.Array && int64(len(list)) != t.Len {
		return fmt.Sprintf("want %d items, got %d", t.Len, len(list))
	}
	if k.Unique {
		seen := make(map[string]bool)
		for _, item := range list {
			text := jsonText(item)
			if n, ok := item.(json.Number); ok {
				text = constant.ToFloat(number(string(n))).ExactString()
			}
			if seen[text] {
				return fmt.Sprintf("%s is given twice, and items are unique", jsonText(item))
			}
			seen[text] = true
		}
	}
	return miscount(len(list), k, "items")
}

// misfitMap returns what is wrong with an object for a map: with the number of its members, a key or a value, or "".
func (c *Checker) misfitMap(path string, members map[string]any, t *ir.Type, k *ir.Constraints) string {
	if problem := miscount(len(members), k, "members"); problem != "" {
		return strings.TrimPrefix(path+": "+problem, ": ")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		key := any(name)
		if t.Key.Kind != ir.String && t.Key.Kind != ir.Text {
			key = json.Number(name)
		}
		if problem := c.misfit("", key, &ir.Property{Type: t.Key, Constraints: k.Keys}); problem != "" {
			return join(path, name) + ": the name: " + problem
		}
		if problem := c.misfit(join(path, name), members[name], &ir.Property{Type: t.Elem, Constraints: k.Values}); problem != "" {
			return problem
		}
	}
	return ""
}

// misfitStruct returns what is wrong with an object for a struct, or for one of the structs of a sealed interface.
func (c *Checker) misfitStruct(path string, members map[string]any, t *ir.Type) string {
	at := func(name, problem string) string { return join(path, name) + ": " + problem }
	tag := ""
	if t.Kind == ir.Union {
		tag = t.Discriminator
		i := slices.IndexFunc(t.Arms, func(arm *ir.Arm) bool { return members[tag] == arm.Value })
		if i < 0 {
			return at(tag, "names none of the types of "+c.typeString(t.Go))
		}
		if t = t.Arms[i].Type; t.Kind == ir.Pointer {
			t = t.Elem
		}
	}
	fields := make(map[string]*ir.Property)
	for _, f := range t.Fields {
		fields[f.Name] = f
		if _, ok := members[f.Name]; !ok && f.Required {
			return at(f.Name, "required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f := fields[name]
		switch {
		case f != nil:
			if problem := c.misfit(join(path, name), members[name], f); problem != "" {
				return problem
			}
		case name != tag && !t.Open:
			return at(name, "unknown member"+spelling.DidYouMean(name, slices.Sorted(maps.Keys(fields))))
		}
	}
	return ""
}
