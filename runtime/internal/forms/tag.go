package forms

import (
	"fmt"
	"slices"
	"strings"
)

// A tag is what a field of a struct says in its tag form: flags and key=value with blanks between them, values
// of a list with commas between them, and text with blanks or commas in single quotes.
type tag struct {
	keys   []string
	values map[string][]string
	used   map[string]bool
}

// tagKeys are the keys that a tag may have.
var tagKeys = []string{"default", "enum", "format", "max", "maxlen", "min", "minlen", "optional", "title"}

func parseTag(text string) (*tag, error) {
	t := &tag{values: map[string][]string{}, used: map[string]bool{}}
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		end := strings.IndexAny(text, "= ")
		if end < 0 {
			end = len(text)
		}
		key := text[:end]
		switch {
		case !slices.Contains(tagKeys, key):
			return nil, fmt.Errorf("form: want one of %s, got %q", strings.Join(tagKeys, ", "), key)
		case t.has(key):
			return nil, fmt.Errorf("form: %s is given twice", key)
		}
		text = text[end:]
		var values []string
		if strings.HasPrefix(text, "=") {
			var err error
			if values, text, err = parseValues(text[1:]); err != nil {
				return nil, fmt.Errorf("form: %s: %w", key, err)
			}
		}
		if (key == "optional") != (values == nil) {
			return nil, fmt.Errorf("form: want %s", map[bool]string{true: "optional without a value", false: key + "=VALUE"}[key == "optional"])
		}
		t.keys, t.values[key] = append(t.keys, key), values
	}
	return t, nil
}

// parseValues returns the values at the beginning of a text, and the rest of the text.
func parseValues(text string) (values []string, rest string, err error) {
	var value strings.Builder
	for {
		switch {
		case text == "" || text[0] == ' ':
			return append(values, value.String()), text, nil
		case text[0] == ',':
			values = append(values, value.String())
			value.Reset()
			text = text[1:]
		case text[0] == '\'':
			quoted, after, ok := strings.Cut(text[1:], "'")
			if !ok {
				return nil, "", fmt.Errorf("a quotation mark is missing after %q", quoted)
			}
			value.WriteString(quoted)
			text = after
		default:
			value.WriteByte(text[0])
			text = text[1:]
		}
	}
}

func (t *tag) has(key string) bool { _, ok := t.values[key]; return ok }

func (t *tag) flag(key string) bool {
	t.used[key] = true
	return t.has(key)
}

// list returns the values of a key, nil if it is not there.
func (t *tag) list(key string) []string {
	t.used[key] = true
	return t.values[key]
}

// text returns the value of a key that is no list, so a comma is part of it.
func (t *tag) text(key string) string { return strings.Join(t.list(key), ",") }

// unused returns the keys that nobody has asked for.
func (t *tag) unused() []string {
	return slices.DeleteFunc(slices.Clone(t.keys), func(key string) bool { return t.used[key] })
}
