package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A value of JSON is nil, a bool, a json.Number, a string, a []any or an *object. Objects keep the
// order of their members.
type object struct {
	names  []string
	values map[string]any
}

func (o *object) set(name string, v any) {
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	if o.values == nil {
		o.values = map[string]any{}
	}
	o.values[name] = v
}

func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.values[name]
}

// maxDepth is how deep a lock file may be nested. Schemas of Go types are far from it.
const maxDepth = 256

// decode reads one value of JSON, and refuses what a standard decoder overlooks: members that
// occur twice. Its errors say where.
func decode(file string, data []byte) (any, error) {
	at := func(offset int64, format string, args ...any) error {
		before := data[:min(int(offset), len(data))]
		start := bytes.LastIndexByte(before, '\n') + 1
		return fmt.Errorf("%s:%d:%d: %s", file, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[start:])+1, fmt.Sprintf(format, args...))
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &whole); errors.As(err, &syntax) {
		return nil, at(max(syntax.Offset-1, 0), "not JSON: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var read func(depth int) (any, error)
	read = func(depth int) (any, error) {
		t, err := d.Token()
		delim, ok := t.(json.Delim)
		if !ok || err != nil {
			return t, err
		}
		if depth == maxDepth {
			return nil, at(d.InputOffset()-1, "nested more than %d levels deep", maxDepth)
		}
		list, o := []any{}, &object{}
		for d.More() {
			if delim == '[' {
				v, err := read(depth + 1)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
				continue
			}
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			if _, ok := o.values[name.(string)]; ok {
				return nil, at(d.InputOffset(), "%q occurs twice in one object", name)
			}
			v, err := read(depth + 1)
			if err != nil {
				return nil, err
			}
			o.set(name.(string), v)
		}
		if _, err := d.Token(); err != nil { // the end
			return nil, err
		}
		if delim == '[' {
			return list, nil
		}
		return o, nil
	}
	return read(0)
}

// width is how long a line may be with an object or array on it.
const width = 110

// print writes a value in lines no longer than width, if it can. At the outer levels, all objects
// have a line for each member.
func print(b *strings.Builder, v any, indent, column, outer int) {
	line := text(v)
	if outer <= 0 && column+utf8.RuneCountInString(line) <= width || line == "{}" || line == "[]" {
		b.WriteString(line)
		return
	}
	newline := func(n int) { b.WriteString("\n" + strings.Repeat("  ", n)) }
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, name := range v.names {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(indent + 1)
			key := text(name) + ": "
			b.WriteString(key)
			print(b, v.values[name], indent+1, 2*(indent+1)+utf8.RuneCountInString(key)+len(","), outer-1)
		}
		newline(indent)
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			newline(indent + 1)
			print(b, item, indent+1, 2*(indent+1)+len(","), outer-1)
		}
		newline(indent)
		b.WriteByte(']')
	default:
		b.WriteString(line)
	}
}

// text returns a value on one line.
func text(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, name := range v.names {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(text(name) + ": " + text(v.values[name]))
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(text(item))
		}
		b.WriteByte(']')
	default:
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err) // scalars can be encoded
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}
