package ask

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/formtag"
)

// A tag is the form tag of a struct field. It records which of its keys were used.
type tag struct {
	*formtag.Tag
	used map[string]bool
}

func parseTag(text string) (*tag, error) {
	t, err := formtag.Parse(text)
	return &tag{t, map[string]bool{}}, err
}

func (t *tag) has(key string) bool { return t.Has(key) }

func (t *tag) flag(key string) bool {
	t.used[key] = true
	return t.has(key)
}

// list returns the values of a key, nil if it is not there.
func (t *tag) list(key string) []string {
	t.used[key] = true
	return t.Values[key]
}

// text returns the value of a key that is not a list, in which a comma is an ordinary character.
func (t *tag) text(key string) string { return strings.Join(t.list(key), ",") }

// unused returns the keys that were not used.
func (t *tag) unused() []string {
	return slices.DeleteFunc(slices.Clone(t.Keys), func(key string) bool { return t.used[key] })
}
