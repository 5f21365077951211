// Package witness finds values that are valid against one JSON Schema and not against another, for the tests of what says
// that there are none. It only proposes values: github.com/santhosh-tekuri/jsonschema decides which are valid.
package witness

import (
	"encoding/json"
	"math/rand/v2"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Schema is a JSON Schema of 2020-12.
type Schema struct {
	Text       string
	asserting  *jsonschema.Schema // checks formats and encodings
	annotating *jsonschema.Schema // does not; nil if there are none
	nodes      []*node            // the first is the whole
	*hints
}

// Compile reads a schema.
func Compile(text string) (*Schema, error) {
	s := &Schema{Text: text}
	var err error
	if s.asserting, err = compile(text, true); err != nil {
		return nil, err
	}
	if strings.Contains(text, `"format"`) || strings.Contains(text, `"contentEncoding"`) { // which validators check, or do not
		if s.annotating, err = compile(text, false); err != nil {
			return nil, err
		}
	}
	s.nodes, s.hints, err = parse(text)
	return s, err
}

// compile compiles a schema. Formats says whether it checks formats and encodings, which JSON Schema leaves to
// validators.
func compile(text string, formats bool) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	if formats {
		c.AssertFormat()
		c.AssertContent()
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	if err := c.AddResource("s.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("s.json")
}

// valid reports whether a value is valid, with or without formats.
func (s *Schema) valid(v any, formats bool) bool {
	if s.annotating == nil || formats {
		return s.asserting.Validate(v) == nil
	}
	return s.annotating.Validate(v) == nil
}

// Find returns a value, as JSON, that is valid against the small schema and not against the large one. It tries so many
// values, and returns "" if none of them is such a one. A half of them vary everywhere, and a half at one place after another.
func Find(r *rand.Rand, small, large *Schema, values int) string {
	m := &maker{Rand: r, pools: poolsOf(r, small.hints, large.hints), leaves: map[string][]any{}}
	both := small.annotating == nil && large.annotating == nil
	places := placesOf(small.nodes)
	next := r.IntN(len(places))
	for i := range values {
		m.formats = both || i%2 == 0
		m.deep, m.parts, m.place = 1+i/4%7, 0, nil
		if i%4 > 1 {
			m.place = places[(next+i/4)%len(places)]
		}
		v, ok := m.value(small.nodes[:1], 0, m.place != nil)
		if ok && !large.valid(v, m.formats) && small.valid(v, m.formats) {
			text, err := json.Marshal(v)
			if err != nil {
				panic(err) // it is of JSON's types
			}
			return string(text)
		}
	}
	return ""
}
