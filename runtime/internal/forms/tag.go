package forms

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/formtag"
)

// A tag is what a field of a struct says in its tag form, of which it is known what was used.
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

// text returns the value of a key that is no list, so a comma is part of it.
func (t *tag) text(key string) string { return strings.Join(t.list(key), ",") }

// unused returns the keys that nobody has asked for.
func (t *tag) unused() []string {
	return slices.DeleteFunc(slices.Clone(t.Keys), func(key string) bool { return t.used[key] })
}
