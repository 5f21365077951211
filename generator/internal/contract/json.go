package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/harmless"
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

func (o *object) remove(names ...string) {
	for _, name := range names {
		delete(o.values, name)
	}
	o.names = slices.DeleteFunc(o.names, func(name string) bool { _, ok := o.values[name]; return !ok })
}

func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.values[name]
}

// maxDepth is how deep a lock file may be nested. Schemas of Go types are nowhere near that.
const maxDepth = 256

// decode reads one JSON value. Unlike encoding/json it refuses duplicate members. Its errors say where.
func decode(file string, data []byte) (any, error) {
	at := func(offset int64, format string, args ...any) error {
		before := data[:min(int(offset), len(data))]
		start := bytes.LastIndexByte(before, '\n') + 1
		return fmt.Errorf("%s:%d:%d: %s", file, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[start:])+1, fmt.Sprintf(format, args...))
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &whole); errors.As(err, &syntax) {
		return nil, at(max(syntax.Offset-1, 0), "not JSON: %v: mend it, or take the file from version control", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var read func(depth int) (any, error)
	read = func(depth int) (any, error) {
		t, err := d.Token()
		if n, _ := t.(json.Number); !isBearable(string(n)) {
			return nil, at(d.InputOffset()-1, "a number with more than %d digits, or an exponent of more than 3", maxDigits)
		}
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

// maxDigits is how many digits the numbers in schemas of Go types have at most.
const maxDigits = 1000

// isBearable reports whether a number is short enough to be compared exactly.
func isBearable(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	return len(mantissa) <= maxDigits+len("-.") && len(strings.TrimLeft(exponent, "+-0")) <= 3
}

// print writes a value with a line for each property of a schema, however long or short that is: a change
// of one property is a change of one line. At the outer levels, all objects have a line for each member.
func print(b *strings.Builder, v any, indent, outer int, unfolded map[*object]bool) {
	if isEmpty(v) || outer <= 0 && !unfolds(v, unfolded) {
		b.WriteString(text(v))
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
			b.WriteString(text(name) + ": ")
			inner := outer - 1
			if inner <= 0 && slices.Contains(mapKeywords, name) {
				inner = 1
			}
			print(b, v.values[name], indent+1, inner, unfolded)
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
			print(b, item, indent+1, outer-1, unfolded)
		}
		newline(indent)
		b.WriteByte(']')
	default:
		b.WriteString(text(v))
	}
}

// unfolds reports whether a value contains properties. It remembers the result for objects.
func unfolds(v any, known map[*object]bool) bool {
	switch v := v.(type) {
	case *object:
		does, ok := known[v]
		if ok {
			return does
		}
		for _, name := range v.names {
			m, _ := v.values[name].(*object)
			does = does || slices.Contains(mapKeywords, name) && len(members(m)) > 0 || unfolds(v.values[name], known)
		}
		known[v] = does
		return does
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return unfolds(item, known) })
	}
	return false
}

// isEmpty reports whether a value is {} or [].
func isEmpty(v any) bool {
	switch v := v.(type) {
	case *object:
		return len(v.names) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// text returns a value on one line.
func text(v any) string {
	var b strings.Builder
	writeText(&b, v)
	return b.String()
}

// writeText writes what [text] returns: members in the order of the file, numbers with the digits of the file.
func writeText(b *strings.Builder, v any) {
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, name := range v.names {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, name)
			b.WriteString(": ")
			writeText(b, v.values[name])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeText(b, item)
		}
		b.WriteByte(']')
	case json.Number:
		b.WriteString(string(v))
	case string:
		writeString(b, v)
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, v) // a bool
	}
}

func writeString(b *strings.Builder, s string) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		b.WriteString(`"` + s + `"`)
		return
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // strings can be encoded
	}
	b.WriteString(harmless.Line(strings.TrimSuffix(quoted.String(), "\n"))) // the same value
}
