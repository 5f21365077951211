// Package formtag parses the tag form of a struct field, by which a program says what a field of a form must be
// like. The server reads it at run time, the generator of tools before.
package formtag

import (
	"fmt"
	"slices"
	"strings"
)

// A Tag is what the tag of a field says.
type Tag struct {
	Keys   []string            // in their order
	Values map[string][]string // what stands between the commas behind a key; nil of a flag
}

// keys are those that a tag may have.
var keys = []string{"default", "enum", "format", "max", "maxlen", "min", "minlen", "optional", "title"}

// Parse parses flags and key=value with blanks between them, values of a list with commas between them, and
// text with blanks or commas in single quotes.
func Parse(text string) (*Tag, error) {
	t := &Tag{Values: map[string][]string{}}
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		end := strings.IndexAny(text, "= ")
		if end < 0 {
			end = len(text)
		}
		key := text[:end]
		switch {
		case !slices.Contains(keys, key):
			return nil, fmt.Errorf("form: want one of %s, got %q", strings.Join(keys, ", "), key)
		case t.Has(key):
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
		t.Keys, t.Values[key] = append(t.Keys, key), values
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

// Has reports whether a key is given.
func (t *Tag) Has(key string) bool { _, ok := t.Values[key]; return ok }

// Text returns the value of a key that is no list, so a comma is part of it.
func (t *Tag) Text(key string) string { return strings.Join(t.Values[key], ",") }
